/* thin.h -- products of a matrix with a few vectors. They read the matrix once for each group of 8
 * vectors, and do not copy it. dgemm copies it for each product, and takes up to three times as
 * long. Vectors are rows; results are initialised here and bitwise identical for any number of
 * threads and on every machine. O(rows cols vectors). */
#ifndef COMMON_LINALG_THIN_H
#define COMMON_LINALG_THIN_H

#include "common/linalg/mat.h"

/* out (vectors x rows) = in A'. */
void thin_product(const struct mat *A, const struct mat *in, unsigned threads, struct mat *out);
/* Like thin_product(), for an `out` that is already initialised with this shape. */
void thin_product_into(const struct mat *A, const struct mat *in, unsigned threads,
		       struct mat *out);
/* out (rows x vectors) = A in'. */
void thin_rows(const struct mat *A, const struct mat *in, unsigned threads, struct mat *out);

/* out (vectors x cols) = in A, where each vector of `in` has A->rows numbers. Takes up to 16 copies
 * of out as scratch, as does thin_square(). */
void thin_combine(const struct mat *A, const struct mat *in, unsigned threads, struct mat *out);

/* out (vectors x cols) = in A'A, product = in A'; product may be NULL. */
void thin_square(const struct mat *A, const struct mat *in, unsigned threads, struct mat *product,
		 struct mat *out);

#endif
