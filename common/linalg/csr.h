/* csr.h -- a sparse matrix in compressed rows, for graphs and for features. Column indices ascend
 * within a row. A graph is a symmetric pattern without self-loops. */
#ifndef COMMON_LINALG_CSR_H
#define COMMON_LINALG_CSR_H

#include "common/linalg/mat.h"

#include <stdbool.h>
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

/* Initialises s with zeros; s->value is NULL unless `weighted`. */
void csr_init(struct csr *s, size_t rows, size_t cols, size_t entries, bool weighted);
/* Sorts by row, column and value. Returns the position of the first entry with the same row and
 * column as the one before it, or count if there is none. O(n) if sorted already, else O(n log
 * n). */
size_t triples_sort(struct triple *t, size_t count);
/* Sorts t, adds duplicates, and builds s. O(nnz log nnz), or O(nnz) if sorted. */
void csr_from_triples(struct csr *s, size_t rows, size_t cols, struct triple *t, size_t count);
void csr_to_dense(const struct csr *s, struct mat *m); /* m is initialised here */
void csr_copy(struct csr *s, const struct csr *from);  /* s is initialised here */
void csr_write_ones(struct csr *s);                    /* if value is NULL, fills it with ones */
/* Y (S.rows x W.cols, initialised here) = S W. Bitwise identical for any number of threads. */
void csr_times(const struct csr *S, const struct mat *W, unsigned threads, struct mat *Y);
void csr_release(struct csr *s);

/* A feature slice, n x m: a row per node, sparse or dense; the other member is empty.
 * Zero-initialised: 0 x 0. */
struct features {
	bool is_sparse;
	struct csr sparse;
	struct mat dense;
};

/* Reads the original features once more, for code that would otherwise keep a copy. read()
 * initialises X, empty on errors. */
struct features_source {
	void *ctx;
	enum err (*read)(void *ctx, struct features *X);
};

void features_copy(struct features *X, const struct features *from);
void features_release(struct features *X);
void features_form(struct features *X);
size_t features_rows(const struct features *X);
size_t features_cols(const struct features *X);

/* Calls f for each stored value with its row and column; f may change it. */
typedef void features_value(void *ctx, size_t row, size_t column, double *value);
void features_each(struct features *X, features_value *f, void *ctx);

#endif
