/* slice.h -- a party's features in federated GCC and landmark projection: the questions of the
 * coordinator and the party's term of each secure sum.
 *
 * T = rownorm(S + I) is the filter of GCC (Fettal, Labiod, Nadif, WSDM 2022). S = D^-1/2 (A + I)
 * D^-1/2, where D has the degrees in A + I. X_1 .. X_L are the slices of L parties. The same code
 * also answers for pooled data (L = 1). */
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

/* SLICE_ORDER_MAX: highest order p that the rule of order.h may choose. The rule needs spreads up
 * to p + 1. */
enum {
	SLICE_EXPLAINED = 2,
	SLICE_ORDER_MAX = 15,
	SLICE_POWERS = SLICE_ORDER_MAX + 2,
	/* Number of spreads if shares are included. */
	SLICE_SPREADS = 2 * SLICE_POWERS + SLICE_ORDER_MAX + 1,
};

/* Whether a column has words. WORD_NONE: no. WORD_ONE: yes, coded by 0 and 1. WORD_PRESENT: yes,
 * coded by other numbers; each non-zero counts as 1. */
enum word_kind { WORD_NONE, WORD_ONE, WORD_PRESENT };

/* In the order of use: ASK_FACTS and ASK_SPREADS once each, ASK_NORMS and ASK_CELLS at most once,
 * the others any number of times. Each comment begins with the length of the answer, for n nodes.
 * All answers are row-major; rows are nodes. X_l is this party's slice, of m_l columns; B has d. */
enum question_kind {
	/* 2 + n: 0 if the features are binary (seen.h), else 1; number of columns that vary, at
	 * least 1; squared row norms, of idf-weighted features if the first number is 0. Before it
	 * answers, the party scales its features. A power of two brings the root mean square of
	 * non-zeros near 1, for any unit of the party. Foreign columns (seen.h) get mean 0 and the
	 * size of the other columns; they do not affect the first number */
	ASK_FACTS,
	ASK_CELLS, /* no sum: n labels, the party's own clusters */
	ASK_NORMS, /* n: squared row norms without idf weights, if only some parties use them */
	/* 34: x_t^2 = ||T^t X_l||^2 for t = 0 .. 16; then c_t^2 = ||T^t X_l - 1 mu'||^2, where mu
	 * has the column means. First columns are weighted if idf is set, and rows divided by
	 * sqrt(square). With `shares`, 16 more, for psi_share() of order.h: ||q' X_l||^2, where q
	 * is along sqrt(degree); then ||S^t X_l||^2 for t = 1 .. 15. With `explained`, 2 more:
	 * explained_by_degrees() of explained.h. With `degrees`, 1 more at the end:
	 * degrees_scale()^2 / L of degrees.h; later filtered rows are multiplied by the root of the
	 * sum */
	ASK_SPREADS,
	/* no sum: the decision after spreads with `explained`. From here on `take` replaces
	 * `degrees` */
	ASK_DEGREES,
	ASK_PRODUCTS, /* n x d: X_l (X_l' B). Here and below T^order X_l replaces X_l */
	/* n x k: X_l M', where M (k x m_l) has the mean of X_l over each set; 0 for an empty set */
	ASK_MEANS,
	/* 1 for each labelling: its modularity on the party's graph, divided by L. With `means`, n
	 * x k more: as MEANS, for the first labelling */
	ASK_QUALITY,
};

/* A question. The comment of a member names the kinds that use it, then its shape or meaning. */
struct question {
	enum question_kind kind;
	bool idf, shares, explained, degrees; /* ASK_SPREADS */
	enum degrees take;                    /* ASK_DEGREES */
	/* ASK_FACTS, ASK_NORMS, ASK_SPREADS: a power of two that multiplies squared norms; 0 stands
	 * for 1. */
	double unit;
	/* ASK_SPREADS: n joint squared norms, >= 0; 0 leaves a row unscaled */
	const double *square;
	/* ASK_PRODUCTS, ASK_MEANS, ASK_QUALITY with `means`: p, not lower than in earlier
	 * questions; with degrees always the same. */
	unsigned order;
	const struct mat *B;   /* ASK_PRODUCTS: n x d */
	const uint32_t *label; /* ASK_MEANS: n; ASK_QUALITY: labellings x n; all below k */
	size_t k, labellings;  /* ASK_CELLS: k is the number of clusters of a party, k^ */
	size_t parties;        /* ASK_CELLS, ASK_SPREADS, ASK_QUALITY: L */
	size_t dims;           /* ASK_CELLS, with `how` */
	const struct kmeans_params *how;
	bool means; /* ASK_QUALITY */
};

/* Return the length of an answer about n nodes: question_whole() numbers, and question_width()
 * numbers per node. */
size_t question_whole(const struct question *q);
size_t question_width(const struct question *q);
static inline size_t question_words(const struct question *q, size_t n)
{
	return question_whole(q) + n * question_width(q);
}
/* Returns an upper bound of each number of an answer and of each term of its sum; 0 if it is
 * unknown. The bound is 1 for ASK_MEANS and ASK_QUALITY. It is n for ASK_PRODUCTS if columns of B
 * have length sqrt(n), since rows of T^t X have length at most 1. */
double question_most(const struct question *q, size_t n);
void question_scale(const struct question *q, double *square, size_t n);

struct slice {
	/* The features: raw, weighted or scaled. Released once filtered, except if `wide` is used,
	 * which needs them. */
	struct features X;
	/* Borrowed; with ranks, X has the rows of this rank. */
	const struct graph *g;
	const struct features_source *source; /* reads X again; borrowed; NULL: slice_cluster()
					       * copies X */
	enum degrees degrees;                 /* set by the caller after slice_init() */
	double spread[SLICE_POWERS];          /* with degrees: c_t^2, known after ASK_SPREADS */
	/* T^order X, n x m_l; empty before its first use. With degrees it is multiplied by
	 * degrees_scale() and has a last column (the only one with DEGREES_ALONE), sqrt(w) z. z is
	 * the column of degrees.h; w = DEGREES_SHARE c_p^2 / n, or c_p^2 / n with DEGREES_ALONE. So
	 * K (sums.h) has one more term: z z' times the sum of the parties' w. */
	struct mat filtered;
	/* Replaces `filtered` for a large sparse X, of which only products are used; owned. */
	struct wide *wide;
	unsigned order;
	bool is_filtered; /* `filtered` or `wide` has been made */
	unsigned threads;
	/* Weights of columns so far: x became (x - shift) weight. word: enum word_kind. */
	size_t columns;
	double *shift, *weight;
	uint8_t *word;
	bool marked; /* counts were replaced by presence (counts.h) */
};

/* Makes a slice. Takes over *X, which becomes empty. g must outlive the slice and have as many
 * nodes. ERR_INPUT: the numbers of nodes differ, or there is nothing to cluster. With ranks, also
 * ERR_INPUT if one process would use only products with X (wide_pays()), which ranks do not
 * support. */
enum err slice_init(struct slice *s, struct features *X, const struct graph *g,
		    unsigned threads) MUST_CHECK;
/* As slice_init(), without its checks. */
void slice_begin(struct slice *s, struct features *X, const struct graph *g, unsigned threads);
void slice_release(struct slice *s);

/* Initialises M (k x m_l) with the means of the slice's filtered rows over each set of label (n,
 * below k), as in ASK_MEANS. Call after ASK_MEANS. */
void slice_means(const struct slice *s, const uint32_t *label, size_t k, struct mat *M);

/* Computes x, this party's term of the sum. ERR_PEER: the filter's order is out of range or below
 * an earlier one. ERR_INPUT: with DEGREES_ALONE, all degrees are equal. ASK_SPREADS costs
 * SLICE_POWERS steps of the filter and, with `shares`, SLICE_ORDER_MAX steps of S. The first
 * question after it costs `order` more steps and, unless wide_pays(), one dense copy of the slice.
 * ASK_PRODUCTS costs O(n m_l d), two products by la.h; ASK_MEANS costs O(n m_l k), one product.
 * Bitwise identical for any number of threads. */
enum err slice_answer(struct slice *s, const struct question *q, double *x) MUST_CHECK;
/* As slice_answer(), but passes the same numbers to `each`, in the same order, piece by piece. It
 * does not hold n x d or n x k numbers, except for a wide slice. Stops at the first error of `each`
 * and returns it. */
typedef enum err slice_values(void *arg, const double *x, size_t count);
enum err slice_stream(struct slice *s, const struct question *q, slice_values *each,
		      void *arg) MUST_CHECK;
slice_values slice_keep; /* writes the numbers; arg: a double **, which it advances */

/* slice_answer() in two steps, for distributed rows sent in turn (worker/). slice_begin_answer()
 * writes to x the slice_words_before() numbers that precede the product X_l C'. It initialises C (d
 * x m_l), which is empty if there is no product. Afterwards q's vectors over nodes are no longer
 * needed. slice_product_rows() writes some rows of the product to x (rows x d), bitwise identical
 * to those of all rows together. `first` is a multiple of LA_TILE. A wide slice has no C, so
 * slice_product_rows() must not get it. Errors as slice_answer(). */
size_t slice_words_before(const struct question *q, size_t n);
enum err slice_begin_answer(struct slice *s, const struct question *q, double *x,
			    struct mat *C) MUST_CHECK;
void slice_product_rows(const struct slice *s, const struct mat *C, size_t first, size_t rows,
			double *x);

/* If columns with a number in each row are among columns that are mostly 0, standardises the former
 * and weights words by idf, as ASK_FACTS and ASK_SPREADS do. Returns true if there were columns to
 * standardise. Moves the slice's features back to X in any case. Call before any question;
 * afterwards only release the slice. O(n m). */
bool slice_weigh_beside(struct slice *s, struct features *X);
/* Moves the features to X. Returns true if they are counts of words of which only the presence
 * should be used (counts.h), without any foreign column; if `tells`, logs this. Call before any
 * question, if the rows are the nodes of the graph; afterwards only release the slice. */
bool slice_has_counts(struct slice *s, bool tells, struct features *X);
/* As slice_weigh_beside(), but without centring: numbers get the size of the other columns and keep
 * their mean. Returns m weights, owned by the caller, or NULL where slice_weigh_beside() returns
 * false. Logs the number of such columns. O(n m). */
double *slice_weights_beside(struct slice *s, struct features *X);

/* Returns the order p of psi_gcc() from SLICE_SPREADS sums, of which the first is above 0, for n
 * rows and m columns. If m is larger than n, uses n, because n rows have at most n directions. So
 * duplicated columns, at any party, do not change the order. */
unsigned slice_rule(const double *spreads, size_t n, size_t m);
unsigned slice_order(const double *spreads, size_t n, size_t m);

/* Computes T^order X before the first question that needs it, to limit the peak of memory. Starts
 * from X or from T^p X of a lower p. Errors: as slice_answer(). */
enum err slice_filter(struct slice *s, unsigned order) MUST_CHECK;

/* Computes the party's own clusters (kCAGC's Protocol 1), which need nothing from other parties.
 * Scales rows to length 1, filters by T^p, and runs k-means on unit rows of U S, the leading `dims`
 * left singular vectors times singular values. p is `order`; if that is 0, p is given by psi_gcc()
 * and psi_share() of the slice's own spreads, as if the slices of the other parties were like it.
 * label: n entries, below how->k.
 *
 * Call before ASK_SPREADS, which changes X. Costs the spreads, the filter and a copy of X. With a
 * source, it reads a dense X once more instead of copying it. Errors of svd.h; with a source also
 * those of the source, and ERR_INPUT if the data have changed. */
enum err slice_cluster(struct slice *s, unsigned order, size_t parties, size_t dims,
		       const struct kmeans_params *how, uint32_t *label) MUST_CHECK;

extern const struct memory_kind slices_in_memory;

#endif
