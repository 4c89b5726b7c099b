/* limits.h -- limits on the size of data. Sizes from files are checked against these and against
 * the file's own length before anything is allocated. */
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
	/* Maximum number of rows and columns of a sparse file, per byte of the file. Rows and
	 * columns may be empty, but a header of 60 bytes must not allocate gigabytes. */
	SPARSE_PER_BYTE = 1024,
};

#endif
