/* thin.h -- products of a matrix with a few vectors. They read the matrix once and as it is; dgemm
 * copies it first, for each product, and takes up to three times as long. Vectors are rows; results
 * are initialised here and bitwise identical for any number of threads and on every machine. */
#ifndef COMMON_LINALG_THIN_H
#define COMMON_LINALG_THIN_H

#include "common/linalg/mat.h"

/* out (vectors x rows) = in A'. O(rows cols vectors). */
void thin_product(const struct mat *A, const struct mat *in, unsigned threads, struct mat *out);

/* out (vectors x cols) = in A'A. O(rows cols vectors); up to 16 copies of out as scratch. */
void thin_square(const struct mat *A, const struct mat *in, unsigned threads, struct mat *out);

#endif
