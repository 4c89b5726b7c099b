/* embed.h -- from a party's feature slice and graph to the points that are clustered: lines 1-4 of kCAGC
 * Protocol 1, filter, then project on the leading singular vectors. */
#ifndef PROTOCOLS_KCAGC_EMBED_H
#define PROTOCOLS_KCAGC_EMBED_H

#include "common/base/err.h"
#include "common/linalg/csr.h"
#include "common/graph/filter.h"
#include "common/linalg/mat.h"
#include "common/linalg/svd.h"

#include <stdbool.h>

struct embed_params {
	bool idf; /* a slice whose non-zeros are all one value: x idf_j = ln((1+n)/(1+df_j)) + 1;
		     words of 0 and 1 so beside columns with a number in each row, which
		     become of variance 1; any other slice is left as it is */
	enum filter_kind filter;
	unsigned order;   /* psi; 0 filters nothing */
	bool unit_basis;  /* true: Z = U_d; false: Z = U_d S_d */
	size_t dims;      /* d, capped by the slice's width and n */
	bool unit_rows;   /* r_i = ||Z_i||, m = mean r; Z_i /= m (r_i/m)^row_power; zero rows (to
			     rounding) stay zero */
	double row_power; /* p; 1 gives unit rows */
	unsigned threads;
};

/* Where ranks share the rows (g->ranks) X, Z and g are of this rank's, and what is kept is the same
 * at each. ERR_INPUT, at each, also for what ranks do not do: another filter than the half one,
 * more columns than rows or than SVD_EXACT_MAX, and features that would be projected by products.
 *
 * Z (n x d) is initialised here; X is used up: it is released as soon as it is not needed, so
 * that the peak stays near one dense copy of the slice. Columns are scaled as asked, nothing is
 * centred. Calls progress_tick() as it goes. Where products are cheaper than all of the filtered
 * features (filtered_pays()), those are never formed, and the space of Z is good to about 1e-8. */
enum err embed(struct features *X, const struct graph *g, const struct embed_params *p,
	       struct mat *Z) MUST_CHECK;

/* Everything needed to embed other rows of the same columns in the same way. Zeroed: empty. */
struct embedding {
	double word; /* if columns were weighed by idf: what all non-zeros were; else 0 */
	double *idf; /* m weights, or NULL */
	enum filter_kind filter;
	unsigned order;
	struct mat map; /* m x d: Z = filtered X map, before rows are scaled */
	bool unit_rows;
	double row_power; /* p */
	double mean_norm; /* m, the mean of r; 0 if rows were not scaled */
};
void embedding_release(struct embedding *e);
/* map (m x d) <- diag(weight) map: columns need no weights of their own any more. */
void embed_fold(struct mat *map, const double *weight);

/* embed(), with what it did in *kept (filled here; released by the caller; empty on errors). */
enum err embed_keep(struct features *X, const struct graph *g, const struct embed_params *p,
		    struct mat *Z, struct embedding *kept) MUST_CHECK;

/* Embeds the rows of X (n x m, used up) over the graph g of these n nodes as e says: the rows that
 * e was made from get their Z again, to rounding. A projection commutes with the filter, so it is
 * made first: O(nnz(X) d + psi (nnz(A) + n) d), and no dense copy of X. ERR_INPUT if X has
 * another width, or was all words (e->word) and is not any more. */
enum err embed_again(struct features *X, const struct graph *g, const struct embedding *e,
		     unsigned threads, struct mat *Z) MUST_CHECK;

/* norm (n) becomes r_i = ||Z_i||. */
void embed_norms(const struct mat *Z, double *norm);
/* Z_i /= m (r_i/m)^p for given r; rows whose r is zero (to rounding) become zero. */
void embed_scale(struct mat *Z, const double *norm, double mean, double power);

/* F (initialised here): the features before the filter, dense, columns weighed as p->idf says. */
enum err embed_weighed(const struct ranks *R, const struct features *X,
		       const struct embed_params *p, struct mat *F) MUST_CHECK;
/* Values of X that are not 0, or all if they are more than a quarter: over all ranks. For
 * filtered_pays(). */
size_t embed_entries(const struct ranks *R, const struct features *X);
/* ERR_INPUT: ranks do not embed so many entries (embed_entries()) over g. ERR_OK without ranks. */
enum err embed_check_ranks(const struct graph *g, size_t columns, size_t entries,
			   const struct embed_params *p) MUST_CHECK;

/* The second half of embed(), of filtered features, which stay; Z (n x d) is initialised here. */
enum err embed_project(const struct ranks *R, const struct mat *F, const struct embed_params *p,
		       struct mat *Z) MUST_CHECK;
/* Of features that are known by their products, by svd_left_of_map(). */
enum err embed_project_map(const struct linear_map *F, const struct embed_params *p,
			   struct mat *Z) MUST_CHECK;

#endif
