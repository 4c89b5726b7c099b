/* slice.h -- a party's features in federated GCC and landmark projection: what it is asked, and
 * what it adds to each secure sum.
 *
 * T = rownorm(S + I) is the filter of GCC (Fettal, Labiod, Nadif, WSDM 2022), X_1 .. X_L are the slices of
 * L parties. Nothing in here depends on L, so the same code answers for pooled data (L = 1).
 */
#ifndef PROTOCOLS_KCAGC_SLICE_H
#define PROTOCOLS_KCAGC_SLICE_H

#include "common/base/err.h"
#include "protocols/kcagc/degrees.h"
#include "protocols/kcagc/embed.h"
#include "protocols/kcagc/wide.h"
#include "common/cluster/kmeans.h"
#include "common/linalg/rowsum.h"
#include "common/parties/parties.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The highest order p that the rule of order.h may take; spreads are needed up to the next one. */
enum {
	SLICE_EXPLAINED = 2, /* numbers */
	SLICE_ORDER_MAX = 15,
	SLICE_POWERS = SLICE_ORDER_MAX + 2,
	SLICE_SPREADS = 2 * SLICE_POWERS + SLICE_ORDER_MAX + 1, /* with the shares' */
};

/* In the order in which they come; ASK_FACTS and ASK_SPREADS once each, ASK_NORMS and ASK_CELLS once or
 * not at all, the others as often as wanted. All answers are row-major; rows are nodes. */
enum question_kind {
	ASK_FACTS,   /* 2 + n: whether a feature is neither 0 nor 1, but for columns with a number in each row
			beside words of 0 and 1, which become of mean 0 and variance 1; how many columns
			vary, 1 at least; squared row norms, of idf-weighted features if the first is 0 */
	ASK_CELLS,   /* labels, n: slice_cluster() */
	ASK_NORMS,   /* n: squared row norms without weights, where not all parties have weighted */
	ASK_SPREADS, /* 2 x SLICE_POWERS: x_t^2 = ||T^t X_l||^2, then c_t^2 = ||T^t X_l - 1 mu'||^2,
			mu its column means; columns are weighted first if idf is set, and rows
			divided by sqrt(square). With `shares`, SLICE_ORDER_MAX + 1 more, for
			psi_share(): ||q' X_l||^2, q along sqrt(degree), then
			s_t^2 = ||S^t X_l||^2 from t = 1 on. With `explained` 2 more: explained_by_degrees(). With `degrees` 1 more, the last: over L, the square of
			what filtered rows are then multiplied by (degrees_scale()) */
	ASK_DEGREES,  /* 0: what spreads were asked for with `explained`, `take` is the answer to: these degrees count from here on */
	ASK_PRODUCTS, /* n x d: X_l (X_l' B), here and below with X_l <- T^order X_l */
	ASK_MEANS,    /* n x k: X_l M', M (k x m_l) the means of X_l over each set; no set: 0 */
	ASK_QUALITY,  /* 1 per labelling: its modularity on the party's graph, over L; with `means`,
			 n x k more: ASK_MEANS of the first labelling */
};

struct question {
	enum question_kind kind;
	bool idf, shares, explained, degrees; /* ASK_SPREADS */
	enum degrees take;   /* ASK_DEGREES */
	double unit; /* ASK_FACTS, ASK_NORMS, ASK_SPREADS: a power of two by which squared norms are multiplied; 0: 1 */
	const double *square; /* ASK_SPREADS: n joint squared norms, >= 0; 0 leaves a row as it is */
	unsigned order;      /* ASK_PRODUCTS, ASK_MEANS: p, no lower than the last time, with degrees the same */
	const struct mat *B; /* ASK_PRODUCTS: n x d */
	const uint32_t *label; /* ASK_MEANS: n; ASK_QUALITY: labellings x n; all below k */
	size_t k, labellings;  /* ASK_CELLS: k^ */
	size_t parties; /* ASK_CELLS, ASK_SPREADS, ASK_QUALITY: L */
	size_t dims;    /* ASK_CELLS, and */
	const struct kmeans_params *how;
	bool means;     /* ASK_QUALITY */
};

/* How many numbers answer a question about n nodes: those of no single node, and then so many of each. */
size_t question_whole(const struct question *q);
size_t question_width(const struct question *q);
static inline size_t question_words(const struct question *q, size_t n)
{
	return question_whole(q) + n * question_width(q);
}
/* No number of an answer, and none of the terms that it is the sum of, is larger: 1 for ASK_MEANS,
 * n for ASK_PRODUCTS if columns of B are of length sqrt(n), as rows of T^t X are of length at
 * most 1. 0: nobody knows. */
double question_most(const struct question *q, size_t n);
void question_scale(const struct question *q, double *square, size_t n); /* by its unit, in place */

struct slice {
	struct features X;     /* as it is by now: raw, weighted, scaled; empty once filtered, unless
				  it is wide */
	const struct graph *g; /* borrowed; where ranks share its nodes, X has this rank's rows */
	const struct features_source *source; /* borrowed; NULL: slice_cluster() keeps a copy */
	enum degrees degrees;  /* the caller's, after slice_init() */
	double spread[SLICE_POWERS]; /* with degrees: c_t^2, from ASK_SPREADS on */
	struct mat filtered;   /* T^order X, n x m_l, once it is asked for, with degrees all multiplied by
				  degrees_scale(), and the last column, or the only one, is sqrt(w) z, z the
				  column of degrees.h, w the share of c_p^2 / n that degrees.h says, alone
				  all: summed over parties, K has so much of ||J T^p X||^2 / n z z' more; or: */
	struct wide *wide;     /* its products alone, of a large sparse X; owned */
	unsigned order;
	bool is_filtered; /* there is either */
	unsigned threads;
	/* How columns were weighed so far: x became (x - shift) weight; word: it holds 0 and 1
	 * alone. */
	size_t columns;
	double *shift, *weight;
	uint8_t *word;
};

/* Takes over *X (which becomes empty). g must outlive the slice and have as many nodes.
 * ERR_INPUT if it has not, if there is nothing to cluster, or, at each rank, if one process would
 * filter X by its products alone (wide_pays()), which ranks do not do. */
enum err slice_init(struct slice *s, struct features *X, const struct graph *g,
		    unsigned threads) MUST_CHECK;
/* The same without the checks. */
void slice_begin(struct slice *s, struct features *X, const struct graph *g, unsigned threads);
void slice_release(struct slice *s);

/* M (k x m_l, initialised here): means of the slice's filtered rows over each set of label (n, below k), those
 * of ASK_MEANS, after it. */
void slice_means(const struct slice *s, const uint32_t *label, size_t k, struct mat *M);

/* x becomes this party's term of the sum; the questions come in their order. ERR_PEER if the filter's
 * order cannot be, or is below one that was asked for: the asker is at fault; ERR_INPUT if degrees alone count and all
 * are the same. Costs: ASK_SPREADS SLICE_POWERS
 * steps of the filter, the first question after it `order` more and one dense copy of the slice,
 * unless wide_pays(); with `shares` SLICE_ORDER_MAX steps of S too; ASK_PRODUCTS O(n m_l d), ASK_MEANS O(n m_l k), two and one products by la.h. Same bits for any
 * threads. */
enum err slice_answer(struct slice *s, const struct question *q, double *x) MUST_CHECK;
/* The same numbers in the same order, a piece after the other: n x d and n x k are not held, but for a wide slice. Also what `each`
 * returns. */
typedef enum err slice_values(void *arg, const double *x, size_t count);
enum err slice_tell(struct slice *s, const struct question *q, slice_values *each, void *arg) MUST_CHECK;
slice_values slice_keep; /* arg: a double **, which it writes to and moves on */

/* The same in two steps, for who tells rows when others' turn is over (worker/). x becomes the slice_words_before() numbers before what
 * is a product X_l C' with a row for each node, and C (d x m_l, initialised here; empty where there is none) what it is a product
 * of: q's vectors over nodes are not needed after it. Then rows of the product, x (rows x d), with the bits of all rows together;
 * first: a multiple of LA_TILE. The latter is not for a wide slice, which has no C. Errors as slice_answer(). */
size_t slice_words_before(const struct question *q, size_t n);
enum err slice_begin_answer(struct slice *s, const struct question *q, double *x, struct mat *C) MUST_CHECK;
void slice_product_rows(const struct slice *s, const struct mat *C, size_t first, size_t rows, double *x);


/* Where numbers stand beside words of 0 and 1: brings the numbers to mean 0 and variance 1 and weighs the words by idf,
 * as ASK_FACTS and ASK_SPREADS do; true. Else they stay as they are; false. Either way the features are the caller's again, X, and the
 * slice, which has answered nothing, is only to be released. O(n m). */
bool slice_weigh_beside(struct slice *s, struct features *X);
/* The same by weights alone, with which numbers are of variance 1 and have their mean: these (m, the caller's), or NULL where
 * slice_weigh_beside() is false. Says in the log how many numbers there are. O(n m). */
double *slice_weights_beside(struct slice *s, struct features *X);

/* Of SLICE_SPREADS sums, the first above 0, for n rows and m columns: p of psi_gcc(), for which columns
 * beyond n do not count: n rows have no more directions, and copies of columns, at whichever party, would end the
 * rule where the columns themselves do not. */
unsigned slice_rule(const double *spreads, size_t n, size_t m);
/* That, if psi_share() lets it. */
unsigned slice_order(const double *spreads, size_t n, size_t m);

/* T^order X, which the first question that needs it would make, from X or T^p X of a lower p: for whoever has room for it now rather than beside
 * the question. Errors as slice_answer(). */
enum err slice_filter(struct slice *s, unsigned order) MUST_CHECK;

/* The party's own clusters (kCAGC's Protocol 1), of which it needs nothing from the others, so that
 * nobody has to wait for them: rows over their own length, filtered by T^p, k-means on unit rows of
 * U S, the leading `dims` left singular vectors times singular values. p is `order`; if that is 0,
 * what psi_gcc() and psi_share() make of the slice's own spreads, as if those of the other parties were like them.
 * label: n, below how->k. Before ASK_SPREADS, which changes X; errors of svd.h. Costs the spreads, the filter and a copy of X;
 * or with a source one more reading of a dense X, which is used up in between: also its errors, and ERR_INPUT if what it
 * reads is not what was. */
enum err slice_cluster(struct slice *s, unsigned order, size_t parties, size_t dims,
		       const struct kmeans_params *how, uint32_t *label) MUST_CHECK;

/* Of struct slice. */
extern const struct memory_kind slices_in_memory;

#endif
