/* limits.h -- limits on the size of data. Readers check the sizes in a file against these limits
 * and against the length of the file, before they allocate anything. */
#ifndef COMMON_DATA_LIMITS_H
#define COMMON_DATA_LIMITS_H

#include <stddef.h>

#define DATA_FILE_MAX ((size_t)1 << 36) /* bytes of an input file: 64 GiB */
#define ROWS_MAX      ((size_t)1 << 28) /* nodes */
#define COLS_MAX      ((size_t)1 << 28) /* features */
#define EDGES_MAX     ((size_t)1 << 31)
enum {
	ID_MAX = 255,         /* bytes of an id */
	LABELS_MAX = 1 << 20, /* a label is below this */
	/* Maximum of rows + columns of a sparse file, per byte of the file. Rows and columns may be
	 * empty, but a header of 60 bytes must not allocate gigabytes. */
	SPARSE_PER_BYTE = 1024,
};

#endif
