/* knn.h -- a graph of each row's nearest neighbours, computed in blocks of rows: FedSC, equation 25
 * and Section III of Stage II. Keeps the k largest similarities of each row, without the similarity
 * to itself, and treats negative similarities as 0. Then S = (S + S') / 2. */
#ifndef COMMON_GRAPH_KNN_H
#define COMMON_GRAPH_KNN_H

#include "common/linalg/csr.h"

enum { KNN_ROWS = 1000 };

/* Writes the similarities of rows first .. first+count-1 to all n: S (count x n, the caller's).
 * Called concurrently with different rows. */
struct knn_source {
	size_t n;
	void *ctx;
	void (*block)(void *ctx, size_t first, size_t count, double *S);
};

/* Returns the paper's k: max(ceil(ln n), 1). */
size_t knn_rule(size_t n);

/* Computes S (n x n, symmetric, initialised here) from min(k, n - 1) neighbours of each row. On
 * ties it takes the neighbour with the lower index. Drops zero similarities. Bitwise identical for
 * any number of threads. O(n k) memory besides the blocks (8 KNN_ROWS n bytes per thread). */
void knn_graph(const struct knn_source *source, size_t k, unsigned threads, struct csr *S);

/* Like knn_graph(), for the inner products between rows of F; does not form F F'. */
void knn_products(const struct mat *F, size_t k, unsigned threads, struct csr *S);

#endif
