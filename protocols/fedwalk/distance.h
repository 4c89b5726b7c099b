/* distance.h -- FedWalk, step 3: dissimilarity of vertices by degree vectors or by ordered degree
 * matrices (equations 6 and 7). */
#ifndef PROTOCOLS_FEDWALK_DISTANCE_H
#define PROTOCOLS_FEDWALK_DISTANCE_H

#include "protocols/fedwalk/job.h"
#include "common/linalg/triangle.h"

#include <stddef.h>

/* Source of all pairwise dissimilarities. The source is the half matrix or, if the half matrix is
 * too large, only `c`. */
struct fedwalk_dissimilarity {
	size_t n;
	/* The half matrix; borrowed. NULL: the l1 distance between rows of c is computed when
	 * needed. */
	const struct triangle *triangle;
	const float *c; /* the dictionary: n x k; borrowed */
	unsigned k;
};
/* Fills row (n) with all dissimilarities of u; row[u] is 0. O(n), without the half matrix O(n
 * k). */
void fedwalk_row(const struct fedwalk_dissimilarity *d, size_t u, float *row);

/* Returns the dictionary transposed to k x n; owned by the caller. */
float *fedwalk_across(const float *c, size_t n, unsigned k);
/* Sets row[v] = ||c_u - c_v||_1 for v >= from. Bitwise identical to fedwalk_row(). O(n k). */
void fedwalk_l1_row(const float *across, size_t n, unsigned k, size_t u, size_t from, float *row);
/* Initialises h with D_uv = ||c_u - c_v||_1. O(n^2 k): 0.1 s per thread for n = 10^4. The result is
 * bitwise identical for any number of threads, and to fedwalk_row() without the half matrix. */
void fedwalk_l1(const float *c, size_t n, unsigned k, unsigned threads, struct triangle *h);

/* Ordered degree matrices of all vertices. Vertex v has start[v+1] - start[v] rows of k numbers,
 * from row + start[v] k on. */
struct fedwalk_matrices {
	size_t n;
	unsigned k;
	const size_t *start; /* n + 1 */
	const float *row;
};
/* Initialises h with D_uv: the cost of the cheapest warping path, with the l1 distance between
 * rows. A vertex without rows counts as one row of zeros. If most > 0, first averages neighbouring
 * rows of longer matrices, so that `most` rows remain. If most is 0, the result is exact.
 *
 * Compares sixteen vertices of similar row counts at once, in the lanes of vectors. O((sum of
 * rows)^2 k / 2) for any n. BlogCatalog has 2.2e11 cells: 85 s on one core, 5 s with
 * FEDWALK_DTW_ROWS. Bitwise identical for any number of threads and on any machine. */
enum { FEDWALK_DTW_ROWS = 32 };
void fedwalk_dtw(const struct fedwalk_matrices *m, size_t most, unsigned threads,
		 struct triangle *h);

/* Memory estimates in bytes, for checks before a computation and for the log. fedwalk_tree_bytes()
 * returns the coordinator's peak in steps 3 to 6, without the n k floats of the dictionary. rows:
 * number of rows of all matrices together; 0 without dtw. */
enum fedwalk_how { FEDWALK_L1, FEDWALK_DTW, FEDWALK_LANDMARKS };
enum { FEDWALK_EXACT_MAX = 50000 }; /* largest n for which all pairs are computed, without dtw */
enum fedwalk_how fedwalk_tree_how(const struct fedwalk_job *job, size_t n);
double fedwalk_tree_bytes(size_t n, unsigned k, enum fedwalk_how how, double rows);
/* Returns the peak of memory of walks, edge attack and SkipGram, for gamma walks of length l from
 * each of n vertices. */
double fedwalk_train_bytes(size_t n, unsigned gamma, unsigned l, unsigned threads);

#endif
