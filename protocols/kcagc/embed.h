/* embed.h -- computes the points to cluster from a party's feature slice and graph: lines 1-4 of
 * kCAGC Protocol 1, filter, then project on the leading singular vectors. */
#ifndef PROTOCOLS_KCAGC_EMBED_H
#define PROTOCOLS_KCAGC_EMBED_H

#include "common/base/err.h"
#include "common/linalg/csr.h"
#include "common/graph/filter.h"
#include "common/graph/filtered.h"
#include "common/linalg/mat.h"
#include "common/linalg/svd.h"

#include <stdbool.h>

struct embed_params {
	/* Weights words: multiplies column j, of which df_j of n rows are not 0, by idf_j =
	 * ln((1+n)/(1+df_j)) + 1. The weights apply if all non-zeros of the slice have one value.
	 * They also apply if the non-zeros of each row are equal, or are counts of which only the
	 * presence should be used (counts.h); these non-zeros become 1 first.
	 * Columns with a number in each row are scaled to the size of the other columns, if the
	 * other columns hold words or are mostly 0. Any other slice stays unchanged. */
	bool idf;
	enum filter_kind filter;
	unsigned order; /* psi; 0: no filter */
	/* True: Z = U_d; false: Z = U_d S_d, of the singular value decomposition U S V'. */
	bool unit_basis;
	size_t dims; /* d; Z has fewer columns if the slice or n is smaller */
	/* Scales rows: Z_i *= s / (m (r_i/m)^row_power), with r_i = ||Z_i|| and m the mean of r.
	 * s^2
	 * is the number of non-zero singular values among the first `dims`, divided by `dims`. So a
	 * party with few columns, such as one, does not count as much as others. If a row's length
	 * is 0 except for rounding, the row becomes 0. */
	bool unit_rows;
	double row_power; /* 1 gives rows of length s */
	unsigned threads;
};

/* Embeds X into Z (n x d, initialised here). Releases X as early as possible, so that the peak of
 * memory stays near one dense copy of the slice. Scales columns as p->idf requests, but does not
 * centre them. Calls progress_tick(). If filtered_pays(), uses products with the filtered features
 * without forming these; the space of Z is then accurate to about 1e-5.
 *
 * With distributed rows (g->ranks) X, Z and g are this rank's part. Ranks do not support filters
 * other than FILTER_HALF, more columns than rows or than SVD_EXACT_MAX, and features that would be
 * projected by products. In these cases each rank returns ERR_INPUT. */
enum err embed(struct features *X, const struct graph *g, const struct embed_params *p,
	       struct mat *Z) MUST_CHECK;

/* Data with which other rows of the same columns are embedded in the same way. A zero-initialised
 * object is empty. */
struct embedding {
	double word; /* with idf: the value of all non-zeros, or WORD_OF_ROWS; otherwise 0 */
	double *idf; /* m weights; NULL: none */
	enum filter_kind filter;
	unsigned order;
	struct mat map; /* m x d: Z = F map, with F the filtered X, before rows are scaled */
	bool unit_rows;
	double row_power;
	double mean_norm; /* `mean` of embed_scale(); 0: rows were not scaled */
	double share;     /* s of embed_params; 0: 1, or all rows are 0 */
};
void embedding_release(struct embedding *e);

/* As embed(), but also fills *kept, which the caller releases. *kept is empty after errors. */
enum err embed_keep(struct features *X, const struct graph *g, const struct embed_params *p,
		    struct mat *Z, struct embedding *kept) MUST_CHECK;

/* Embeds the rows of X (n x m, released) over the graph g of these n nodes, with e. For the rows
 * from which e was made, Z is the same as before, except for rounding. Projects before it filters,
 * since the two commute: O(nnz(X) d + psi (nnz(A) + n) d), without a dense copy of X. ERR_INPUT: X
 * has another width, or e->word is set and X has other values. */
enum err embed_again(struct features *X, const struct graph *g, const struct embedding *e,
		     unsigned threads, struct mat *Z) MUST_CHECK;

/* A row shorter than this share of the mean is a rounding error, because the projection has removed
 * the row. If it were scaled to the length of the others, noise would be clustered. */
#define EMBED_ZERO 1e-12
void embed_norms(const struct mat *Z, double *norm);
/* Scales rows: divides row i by mean (norm[i] / mean)^power. A row whose norm is 0, except for
 * rounding, becomes 0. */
void embed_scale(struct mat *Z, const double *norm, double mean, double power);

/* Initialises F with the dense features before the filter over g. Columns are weighted as p->idf
 * requests. */
enum err embed_weighed(const struct features *X, const struct graph *g,
		       const struct embed_params *p, struct mat *F) MUST_CHECK;
/* Returns the number of non-zeros of X over all ranks, for filtered_pays(). If more than a quarter
 * of the values are non-zero, returns the number of all values. */
size_t embed_entries(const struct ranks *R, const struct features *X);
/* Checks whether ranks can embed X with this number of entries (embed_entries()) over g. ERR_INPUT:
 * they cannot. Without ranks returns ERR_OK. */
enum err embed_check_ranks(const struct graph *g, size_t columns, size_t entries,
			   const struct embed_params *p) MUST_CHECK;

/* Second part of embed(): projects the filtered features F and leaves them unchanged. Z (n x d) is
 * initialised here. */
enum err embed_project(const struct ranks *R, const struct mat *F, const struct embed_params *p,
		       struct mat *Z) MUST_CHECK;
/* As embed_project(), but for features given as a linear map, by svd_left_of_map(). */
enum err embed_project_map(const struct linear_map *F, const struct embed_params *p, struct mat *Z,
			   bool *settled) MUST_CHECK;
/* Returns the filtered features of embed() as a linear map of order p->order. filtered_set_order()
 * may set any other order. X is weighted, may change its form, and must outlive f. Not for ranks,
 * and not for slices with numbers among words. */
enum err embed_map(struct features *X, const struct graph *g, const struct embed_params *p,
		   struct filtered *f) MUST_CHECK;
/* Returns true if the result is accepted: the result has settled, or the features are too large for
 * the exact method. */
bool embed_takes(const struct linear_map *F, bool settled);

#endif
