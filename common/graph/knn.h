/* knn.h -- a graph of each row's nearest neighbours, made in blocks of rows: FedSC, equation 25 and
 * Section III of Stage II. The k largest similarities of each row but its own, negative ones as 0;
 * S = (S + S') / 2. */
#ifndef COMMON_GRAPH_KNN_H
#define COMMON_GRAPH_KNN_H

#include "common/linalg/csr.h"

enum { KNN_ROWS = 1000 };

/* Similarities of rows first .. first+count-1 to all n: S (count x n, given). Called on several
 * threads at once with different rows. */
struct knn_source {
	size_t n;
	void *ctx;
	void (*block)(void *ctx, size_t first, size_t count, double *S);
};

/* max(ceil(ln n), 1), the paper's k. */
size_t knn_rule(size_t n);

/* S (n x n, symmetric, initialised here) of min(k, n - 1) neighbours a row, the lower row on ties.
 * Zero similarities are left out. Same bits for any threads. Beside the blocks (8 KNN_ROWS n bytes
 * for each thread) O(n k) memory. */
void knn_graph(const struct knn_source *source, size_t k, unsigned threads, struct csr *S);

/* Of inner products between rows of F: F F' without forming it. */
void knn_products(const struct mat *F, size_t k, unsigned threads, struct csr *S);

#endif
