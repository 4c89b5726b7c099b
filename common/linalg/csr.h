/* csr.h -- a sparse matrix in compressed rows, for graphs and for sparse features.
 *
 * Column indices rise within a row; there are no duplicates. A graph is a symmetric
 * pattern without self-loops; values may be NULL, which means all ones.
 */
#ifndef COMMON_LINALG_CSR_H
#define COMMON_LINALG_CSR_H

#include "common/linalg/mat.h"

#include <stddef.h>
#include <stdint.h>

struct csr {
	size_t rows, cols;
	size_t *start;   /* rows + 1 offsets into index */
	uint32_t *index; /* start[rows] column numbers */
	double *value;   /* start[rows] values, or NULL: all ones */
};

struct triple {
	uint32_t row, col;
	double value;
};

/* Sorts, merges duplicates by adding them, and builds; t is reordered. O(nnz log nnz). */
void csr_from_triples(struct csr *s, size_t rows, size_t cols, struct triple *t, size_t count);
void csr_to_dense(const struct csr *s, struct mat *m); /* m is initialised here */
void csr_copy(struct csr *s, const struct csr *from);  /* s is initialised here */
void csr_release(struct csr *s);

#endif
