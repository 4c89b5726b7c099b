/* sources.h -- files that a library reads; each of these is in a file of its own, the only one that knows the library. */
#ifndef CLI_IMPORT_SOURCES_H
#define CLI_IMPORT_SOURCES_H

#include "cli/import/import.h"
#include "common/base/alloc.h"

/* Fill *in, as read by r; ERR_INPUT. Sizes are compared with the file's own or with this host's memory before anything of
 * them is allocated. */
enum err import_npz(struct imported *in, const char *path, const struct import_request *r) MUST_CHECK;
enum err import_sqlite(struct imported *in, const char *path, const struct import_request *r) MUST_CHECK;
enum err import_graphml(struct imported *in, const char *path, const struct import_request *r) MUST_CHECK;
enum err import_h5ad(struct imported *in, const char *path, const struct import_request *r) MUST_CHECK;
enum err import_mat(struct imported *in, const char *path, const struct import_request *r) MUST_CHECK;

/* Of a file of MATLAB's, its bytes. ERR_INPUT, by place: an element that goes on behind the file's end, or is of another
 * length than it or its dimensions say; or packed bytes that are damaged. Unpacks what is packed. */
enum err import_mat_check(struct bytes file, const char *path) MUST_CHECK;

/* "SELECT * FROM "table"", terminated. */
void import_select(struct buf *query, const char *table);

/* Labels of a matrix: n x 1 (or 1 x n) whole numbers below 2^20, as many as it has rows. Takes them over; ERR_INPUT. */
enum err import_labels(struct imported *in, const char *where, const struct mat *label) MUST_CHECK;

/* Compressed rows (or columns, if by_columns) as a file says them: start has `lines` + 1 entries, index and value
 * start[lines] each. *X becomes it, lines x width or turned. ERR_INPUT, by place: starts that do not rise, an index that
 * is no whole number below width or there twice, a value that is not finite. */
struct compressed {
	size_t lines, width, count;
	const double *start, *index, *value;
	bool by_columns;
};
enum err import_compressed(const struct compressed *c, const char *where, struct features *X) MUST_CHECK;
/* The same of count triples. */
enum err import_triples(struct triple *t, size_t count, size_t rows, size_t cols, const char *where,
			struct features *X) MUST_CHECK;

#endif
