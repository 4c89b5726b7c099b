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
	/* Weights words: multiplies column j by idf_j = ln((1+n)/(1+df_j)) + 1. This applies if all
	 * non-zeros of the slice are one value. It also applies if the non-zeros of each row are
	 * equal; they become 1 first. Columns with a number in each row are scaled to the size of
	 * the other columns if these hold words or are mostly 0. Any other slice stays unchanged.
	 */
	bool idf;
	enum filter_kind filter;
	unsigned order;  /* psi; 0: no filter */
	bool unit_basis; /* true: Z = U_d; false: Z = U_d S_d */
	size_t dims;     /* d, capped by the slice's width and n */
	/* Scales rows: Z_i /= m (r_i/m)^row_power, with r_i = ||Z_i|| and m the mean of r. A row of
	 * length 0, up to rounding, becomes 0 */
	bool unit_rows;
	double row_power; /* p; 1 gives unit rows */
	unsigned threads;
};

/* Embeds X into Z (n x d, initialised here). Releases X as early as possible, so that the peak of
 * memory stays near one dense copy of the slice. Scales columns as p->idf requests and centres
 * nothing. Calls progress_tick(). If filtered_pays(), it uses products with the filtered features
 * and does not form them; the space of Z is then accurate to about 1e-5.
 *
 * With distributed rows (g->ranks) X, Z and g are this rank's part. Returns ERR_INPUT at each rank
 * for a filter other than FILTER_HALF, for more columns than rows or than SVD_EXACT_MAX, and for
 * features that would be projected by products: ranks do not support these. */
enum err embed(struct features *X, const struct graph *g, const struct embed_params *p,
	       struct mat *Z) MUST_CHECK;

/* Everything needed to embed other rows of the same columns in the same way. Zero-initialised:
 * empty. */
struct embedding {
	double word; /* with idf: the value of all non-zeros, or WORD_OF_ROWS; else 0 */
	double *idf; /* m weights, or NULL */
	enum filter_kind filter;
	unsigned order;
	struct mat map; /* m x d: Z = filtered X map, before rows are scaled */
	bool unit_rows;
	double row_power;
	double mean_norm; /* m, the mean of r; 0 if rows were not scaled */
};
void embedding_release(struct embedding *e);

/* embed() that also fills *kept; the caller releases it. Empty on errors. */
enum err embed_keep(struct features *X, const struct graph *g, const struct embed_params *p,
		    struct mat *Z, struct embedding *kept) MUST_CHECK;

/* Embeds the rows of X (n x m, released) over the graph g of these n nodes with e. The rows from
 * which e was made get the same Z again, up to rounding. Projects before it filters, since the two
 * commute: O(nnz(X) d + psi (nnz(A) + n) d), no dense copy of X. ERR_INPUT if X has another width,
 * or if e->word is set and X has other values. */
enum err embed_again(struct features *X, const struct graph *g, const struct embedding *e,
		     unsigned threads, struct mat *Z) MUST_CHECK;

/* A row shorter than this share of the mean is a rounding error: the projection has removed the
 * row. Scaling it to the length of the others would cluster noise. */
#define EMBED_ZERO 1e-12
void embed_norms(const struct mat *Z, double *norm);
/* Z_i /= m (r_i/m)^p for given r; rows with r zero (to rounding) become zero. */
void embed_scale(struct mat *Z, const double *norm, double mean, double power);

/* F (initialised here): dense features before the filter, columns weighted as p->idf requests. */
enum err embed_weighed(const struct ranks *R, const struct features *X,
		       const struct embed_params *p, struct mat *F) MUST_CHECK;
/* Returns the number of non-zeros of X over all ranks, for filtered_pays(). If more than a quarter
 * of the values are non-zero, returns the number of all values. */
size_t embed_entries(const struct ranks *R, const struct features *X);
/* Returns ERR_INPUT if ranks cannot embed so many entries (embed_entries()) over g; ERR_OK without
 * ranks. */
enum err embed_check_ranks(const struct graph *g, size_t columns, size_t entries,
			   const struct embed_params *p) MUST_CHECK;

/* Second part of embed(): projects the filtered features F and leaves them unchanged. Z (n x d) is
 * initialised here. */
enum err embed_project(const struct ranks *R, const struct mat *F, const struct embed_params *p,
		       struct mat *Z) MUST_CHECK;
/* The same for features given as a linear map, by svd_left_of_map(). */
enum err embed_project_map(const struct linear_map *F, const struct embed_params *p, struct mat *Z,
			   bool *settled) MUST_CHECK;
/* The filtered features of embed() as such a map, of order p->order, for any filtered_set_order().
 * X is weighed, may change its form, and must outlive f. Not with ranks, nor for numbers beside
 * words. */
enum err embed_map(struct features *X, const struct graph *g, const struct embed_params *p,
		   struct filtered *f) MUST_CHECK;
/* An unsettled result is as good as any if features are too large for the exact method. */
bool embed_takes(const struct linear_map *F, bool settled);

#endif
