/* import.h -- what others have, brought in: files of many kinds become features, edges, ids and labels. */
#ifndef CLI_IMPORT_IMPORT_H
#define CLI_IMPORT_IMPORT_H

#include "common/base/buf.h"
#include "common/base/err.h"
#include "common/base/json.h"
#include "common/data/edges.h"
#include "common/data/sheet.h"
#include "common/linalg/csr.h"

#include <stdbool.h>
#include <stddef.h>

/* What the command line asks for. */
struct import_request {
	const char *file, *edges, *out; /* one of the first two may be NULL */
	const char *part;               /* which of what a file holds: a table, query, array, variable; or NULL */
	struct reading how;
};

/* What was read. Zero-initialised is nothing; owned. */
struct imported {
	struct buf file; /* the text that cells of the sheet may be in */
	struct sheet sheet;
	struct sheet_said said;
	bool is_table; /* by the sheet; otherwise X alone, with names if there are some */
	struct features X;
	struct columns names;
	size_t n; /* rows; nodes */
	struct ids ids; /* sorted, if there are any; ids.row: where each stood */
	struct csr edges;
	struct edges_dropped dropped;
	bool has_edges;
	struct json *notes; /* further members for import.json, or NULL */
};

/* By the file's ending, without .gz or .zst. ERR_INPUT. Gives *in what it has, edges too where the file has some. */
enum err import_read(struct imported *in, const struct import_request *r) MUST_CHECK;
void import_release(struct imported *in);

/* Appends a line for each, in the order of the rows. */
void import_print_ids(const struct ids *ids, struct buf *out);

/* The directory, whole or not at all: r->out, by way of r->out with ".part" behind it. ERR_INPUT: there is something in
 * it, or another process is at it. ERR_JOB: it cannot be written. */
enum err import_write(const struct imported *in, const struct import_request *r) MUST_CHECK;

/* The bytes of a file, unpacked if it ends in .gz or .zst. ERR_INPUT. */
enum err import_bytes(const char *path, struct buf *out) MUST_CHECK;
char *import_name(const char *path); /* without that ending; owned by the caller */

#endif
