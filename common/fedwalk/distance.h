/* distance.h -- FedWalk, step 3: how unlike two vertices are, by their degree vectors or by their
 * ordered degree matrices (equations 6 and 7). */
#ifndef COMMON_FEDWALK_DISTANCE_H
#define COMMON_FEDWALK_DISTANCE_H

#include "common/fedwalk/job.h"
#include "common/linalg/half.h"

#include <stddef.h>

/* Of all pairs, where from it takes them: the half matrix, or c alone when that is too large. */
struct fedwalk_dissimilarity {
	size_t n;
	const struct half *half; /* borrowed; or NULL: l1 between rows of c when asked for */
	const float *c;          /* borrowed: n x k */
	unsigned k;
};
/* row (n) becomes all dissimilarities of u; row[u] = 0. O(n), without half O(n k). */
void fedwalk_row(const struct fedwalk_dissimilarity *d, size_t u, float *row);

/* The dictionary's columns as rows (k x n), owned by the caller. */
float *fedwalk_across(const float *c, size_t n, unsigned k);
/* row[v] = ||c_u - c_v||_1 for v >= from; the same bits as fedwalk_row(). O(n k). */
void fedwalk_l1_row(const float *across, size_t n, unsigned k, size_t u, size_t from, float *row);
/* D_uv = ||c_u - c_v||_1; h is initialised here. O(n^2 k), 0.1 s a thread for n = 10^4. Same bits for
 * any threads, and as fedwalk_row() without half. */
void fedwalk_l1(const float *c, size_t n, unsigned k, unsigned threads, struct half *h);

/* Ordered degree matrices of all vertices: that of v is start[v+1] - start[v] rows of k at
 * row + start[v] k. */
struct fedwalk_matrices {
	size_t n;
	unsigned k;
	const size_t *start; /* n + 1 */
	const float *row;
};
/* D_uv = the cost of the cheapest warping path with l1 between rows, exactly; a vertex without rows
 * counts as one row of zeros. h is initialised here. Vertices of about equally many rows are compared
 * at once, sixteen in the lanes of vectors; O((sum of rows)^2 k / 2) whatever n is: 2.2e11 cells for
 * BlogCatalog, 85 s of one core. Same bits for any threads and any machine. most > 0: matrices of more
 * rows are cut to `most` first, each the mean of neighbouring ones; FEDWALK_DTW_ROWS of them: 5 s. 0:
 * exact. */
enum { FEDWALK_DTW_ROWS = 32 };
void fedwalk_dtw(const struct fedwalk_matrices *m, size_t most, unsigned threads, struct half *h);

/* Bytes that steps 3 to 6 keep at the coordinator at their peak, besides n k floats: for a check
 * before anything is computed, and for the line that is printed. rows: of all matrices together; 0
 * without dtw. */
enum fedwalk_how { FEDWALK_L1, FEDWALK_DTW, FEDWALK_LANDMARKS };
enum { FEDWALK_EXACT_MAX = 50000 }; /* vertices, of whose pairs tree "auto" keeps all */
enum fedwalk_how fedwalk_tree_how(const struct fedwalk_job *job, size_t n);
double fedwalk_tree_bytes(size_t n, unsigned k, enum fedwalk_how how, double rows);
/* Of the tree or the reports, whichever the job has; released before walks begin. */
double fedwalk_first_bytes(const struct fedwalk_job *job, size_t n, enum fedwalk_how how);
/* Of walks, the edge attack and SkipGram: gamma walks of length l from each of n vertices. */
double fedwalk_train_bytes(size_t n, unsigned gamma, unsigned l, unsigned threads);

#endif
