/* mtx.h -- Matrix Market files: coordinate (real, integer, pattern; general, symmetric) and array
 * (real, integer; general).
 *
 * An entry given twice, an index out of range, NaN or infinity is refused with its line.
 */
#ifndef COMMON_DATA_MTX_H
#define COMMON_DATA_MTX_H

#include "common/base/buf.h"
#include "common/base/err.h"
#include "common/data/text.h"
#include "common/linalg/csr.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The contents of a file, unchanged. Owned; release frees. */
struct mtx {
	bool is_array;
	bool is_symmetric; /* only one triangle is stored */
	struct mat dense;  /* values of an array */
	size_t rows, cols;
	struct triple *entry; /* entries of coordinates: `count`, sorted by row, then column */
	size_t count;
};

/* The head of a file: its type, and the number of entries, or of values of an array. */
struct mtx_head {
	bool is_array, is_symmetric, is_pattern;
	size_t rows, cols, count;
};
/* Reads the head. t: at the beginning of a file of `bytes` bytes; afterwards t is behind the line
 * of sizes. */
enum err mtx_read_head(struct text *t, size_t bytes, struct mtx_head *h) MUST_CHECK;
/* Reads the line of an entry and goes to the next line. For an array, the line has only a value,
 * and the entry's row and column become 0. */
enum err mtx_read_entry(struct text *t, const struct mtx_head *h, struct triple *e) MUST_CHECK;

enum err mtx_parse(struct bytes file, const char *where, struct mtx *m) MUST_CHECK;
enum err mtx_read(const char *path, struct mtx *m) MUST_CHECK;
void mtx_release(struct mtx *m);

/* Returns the number, from 1, of the first line with entry (row, col), both counted from 0; 0 if
 * there is no such line. For errors: reads the file again. */
size_t mtx_line(const char *path, uint32_t row, uint32_t col);

/* Moves the contents to X. An array becomes dense features. Coordinates become sparse features,
 * with both triangles of a symmetric matrix. */
void mtx_features(struct mtx *m, struct features *X);

/* Appends a whole file, "coordinate real general". */
void mtx_print(const struct csr *s, struct buf *out);

#endif
