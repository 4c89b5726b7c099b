/* pool.h -- where the coordinator's half of GCC and of landmark projection gets its sums from.
 *
 * The methods are written once, against struct pool. In a federated run it is the secure sum over
 * daemons; here it is slices held in memory, one for pooled data, several to see what a split does.
 * So a federated run and its centralised twin share every line but this one.
 */
#ifndef COMMON_KCAGC_POOL_H
#define COMMON_KCAGC_POOL_H

#include "common/kcagc/slice.h"

struct pool {
	size_t n, parties;
	void *ctx;
	/* x (question_words()) becomes the sum of the parties' answers. */
	enum err (*ask)(void *ctx, const struct question *q, double *x);
	/* label (parties x n): each party's own clusters by slice_cluster(), all below `clusters`;
	 * order is p if it is given, else 0. Called right after ASK_FACTS; label is complete once
	 * the next question is answered, so it must live until then. NULL if the method needs none.
	 */
	enum err (*cells)(void *ctx, unsigned order, size_t clusters, uint32_t *label);
	/* Called after each step of GCC or of polish, from 1: how many labels changed, and what the
	 * step lowers (NAN: nobody knows). May be NULL. */
	void (*progress)(void *ctx, unsigned step, size_t moved, double objective);
};

/* Agreed on before either method begins. */
struct pool_basis {
	bool idf;     /* all features of all parties are 0 or 1: columns are weighted */
	size_t width; /* m, the sum of the slices' */
	unsigned order;
	double square; /* x_p^2 = ||T^p X||^2 */
};

/* Two sums: facts and joint row norms (2 + n words), spreads (2 SLICE_POWERS); between them one of
 * n words more if some of the parties, but not all, have features of 0 and 1 alone. order 0: by
 * psi_gcc(). cells (parties x n): receives each party's own clusters, of `clusters` each; NULL:
 * they are not asked for. ERR_INPUT if order exceeds SLICE_ORDER_MAX, or if all features are zero.
 */
enum err pool_agree(const struct pool *pool, unsigned order, size_t clusters, uint32_t *cells,
		    struct pool_basis *basis) MUST_CHECK;

/* K B for the joint K = T^p X X' T^p' (n x n, never formed), one sum. B is sent with its columns
 * sqrt(n) times as long, so that entries of a unit column are near 1 and fixed point keeps their
 * digits. Y (n x d) is initialised here. */
enum err pool_products(const struct pool *pool, unsigned order, const struct mat *B,
		       struct mat *Y) MUST_CHECK;

/* K G D^-1, one sum: each row's inner products with the joint means of the k sets; column r is 0
 * if set r is empty. Y (n x k) is initialised here. */
enum err pool_means(const struct pool *pool, unsigned order, const uint32_t *label, size_t k,
		    struct mat *Y) MUST_CHECK;

void pool_progress(const struct pool *pool, unsigned step, size_t moved, double objective);

/* -- slices in memory ---------------------------------------------------------------------- */

struct pool_memory {
	struct slice *slice; /* borrowed */
	size_t parties;
	size_t dims; /* for slice_cluster(), if it is asked for; how->k is given by  */
	struct kmeans_params local; /* the question */
};

/* m must outlive the pool. Sums are taken in the order of the slices. */
void pool_in_memory(struct pool *pool, struct pool_memory *m);

#endif
