/* npy.h -- NumPy's .npy files, format versions 1.0 to 3.0.
 *
 * Reads C order, little-endian, f4 f8 i1 i2 i4 i8 u1 u2 u4 u8 and b1, in one or two dimensions; all
 * become doubles. Before it allocates anything, it checks that the size that the header states
 * equals the size of the file, to the byte. It refuses NaN, infinity, and whole numbers beyond
 * 2^53, with the element's index.
 */
#ifndef COMMON_DATA_NPY_H
#define COMMON_DATA_NPY_H

#include "common/base/buf.h"
#include "common/base/err.h"
#include "common/linalg/mat.h"

#include <stddef.h>
#include <stdint.h>

/* Parses a file into *m (rows x cols), which is initialised here. A file of one dimension becomes n
 * x 1. After ERR_INPUT *m is empty. */
enum err npy_parse(struct bytes file, const char *where, struct mat *m) MUST_CHECK;
enum err npy_read(const char *path, struct mat *m) MUST_CHECK;

/* npy_read_shape() reads only the shape. npy_read_rows() reads rows first .. first + rows - 1, or
 * fewer if the file ends before. */
enum err npy_read_shape(const char *path, size_t *rows, size_t *cols) MUST_CHECK;
enum err npy_read_rows(const char *path, size_t first, size_t rows, struct mat *m) MUST_CHECK;

/* Appends a whole file: "<f4" if every value is a float, else "<f8". */
void npy_print(const struct mat *m, struct buf *out);
void npy_print_labels(const uint32_t *label, size_t n, struct buf *out); /* "<i4", one dimension */

#endif
