/* tsne.h -- points in the plane: by principal components, in which they are spread most (Pearson
 * 1901), and by t-SNE, where their neighbours are those that they have in space.
 *
 * t-SNE: van der Maaten, Hinton 2008, "Visualizing data using t-SNE", JMLR 9; equations are numbered
 * as there. Exact: all pairs, no trees. Nothing is random: it begins with the PCA plane. A quarter of
 * the steps exaggerated, of length n / exaggeration: after Belkina et al. 2019 (Nature Communications
 * 10:5415), since the paper's fixed length is slow for large n. */
#ifndef CLI_REPORT_TSNE_H
#define CLI_REPORT_TSNE_H

#include "common/base/err.h"
#include "common/linalg/mat.h"

#include <stddef.h>

/* Y (n x 2, initialised here): the rows of X (n x m, n and m > 0) less their mean, on the two
 * directions of largest variance; share[j]: the part of the whole variance along j, 0 if there is
 * none. In each column of Y the entry of largest magnitude is positive. A column of X that is
 * constant to rounding counts as constant, and directions of no variance give zeros. Same result
 * for any threads. Cost and errors are those of svd_left(). */
enum err pca_plane(const struct mat *X, unsigned threads, struct mat *Y,
		   double share[static 2]) MUST_CHECK;

/* ---- t-SNE ---- */

enum { TSNE_ROWS_MAX = 10000, TSNE_STEPS = 500 };

#define TSNE_PERPLEXITY 30.0

/* The joint probabilities p_ij of all pairs, as floats: in panels of TSNE_PANEL points i, each with
 * the n rows j one behind the other, so that a step reads them in one stream. p_ii and those below
 * 1e-30 are 0. About 4 n^2 bytes. */
enum { TSNE_PANEL = 16 };
struct tsne_pairs {
	size_t n, panels;
	float *p;          /* panels x n x TSNE_PANEL; 0 where i is beyond n */
	double perplexity; /* as used: what was asked for, or (n - 1) / 3 if that is less; >= 1 */
};

/* The probabilities of j in row `from` (n of them, its own 0) for squared distances d2 from it: a
 * Gaussian of precision 1 / (2 sigma^2) such that 2^entropy is the perplexity (equation 1), by Newton
 * steps within a bracket, else bisection. Returns the perplexity reached: another one only if none
 * can be (equal distances). O(n) a step. */
double tsne_row(const double *d2, size_t n, size_t from, double perplexity, double *p);

/* p_ij = (p_j|i + p_i|j) / 2n (Section 3.1) for rows of X (n x m, 2 <= n <= TSNE_ROWS_MAX); pairs is
 * initialised here. O(n^2 m). */
void tsne_pairs_make(const struct mat *X, double perplexity, unsigned threads,
		     struct tsne_pairs *pairs);
void tsne_pairs_release(struct tsne_pairs *pairs);

/* The gradient of KL(P || Q) at Y (n x 2) with P times exaggeration: equation 5 into G (n x 2). In
 * single precision, summed in double over runs of 256; the same bits for any threads. O(n^2). */
void tsne_gradient(const struct tsne_pairs *pairs, const struct mat *Y, double exaggeration,
		   unsigned threads, struct mat *G);

/* KL(P || Q) in nats (equation 2 with the joint probabilities of Section 3.1). O(n^2). */
double tsne_divergence(const struct tsne_pairs *pairs, const struct mat *Y, unsigned threads);

struct tsne_result {
	double perplexity;    /* as used; 0 if there was nothing to embed */
	double before, after; /* KL of the start (the PCA plane, tiny) and of the end */
};

/* Y (n x 2, initialised here), centred. Below 4 rows it is the PCA plane. Equal rows stay equal.
 * `steps` of gradient descent; 0 gives the start. ERR_INPUT: no rows, more than TSNE_ROWS_MAX, or
 * X is not finite. Ticks progress. O(n^2) a step. */
enum err tsne(const struct mat *X, double perplexity, unsigned steps, unsigned threads,
	      struct mat *Y, struct tsne_result *r) MUST_CHECK;

#endif
