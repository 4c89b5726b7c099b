/* csv.h -- reads separated fields (RFC 4180): records of a table, or text field by field.
 *
 * A record ends in LF or CRLF. A field in double quotes may contain separators, line ends and
 * doubled quotes. A quote or a carriage return elsewhere is an error.
 */
#ifndef COMMON_DATA_CSV_H
#define COMMON_DATA_CSV_H

#include "common/base/buf.h"
#include "common/base/err.h"
#include "common/data/text.h"

#include <stdbool.h>
#include <stddef.h>

/* One cell of a table. Borrows from the file. */
struct cell {
	const char *p; /* text, without its quotes */
	size_t n;
	enum {
		CELL_TEXT,
		CELL_QUOTED,
		CELL_DOUBLED, /* quoted; each quote in it is doubled */
	} kind;
};

struct csv_record {
	struct cell *cell; /* owned; the texts of the cells borrow from the file */
	size_t n, room;
	size_t line; /* number of the record's first line, from 1 */
};

/* Reads the next record, of at most `most` fields; *there is false at the end of the file. Skips
 * lines that begin with `comment`; 0: skips none. ERR_INPUT with the line, ERR_CANCELLED if the job
 * was stopped. */
enum err csv_record(struct text *t, char separator, char comment, size_t most, struct csv_record *r,
		    bool *there) MUST_CHECK;
void csv_record_release(struct csv_record *r);
/* True if r is one unquoted field, which is empty or has only blanks and tabs. */
bool csv_record_blank(const struct csv_record *r);

/* Reads the next field of a record into *field, which it empties first and terminates. *last is
 * true if the field ends its line; t is then at the beginning of the next line. Quoted fields may
 * contain commas and doubled quotes, but no line ends. */
enum err csv_field(struct text *t, struct buf *field, bool *last) MUST_CHECK;

void csv_print_field(const char *text, struct buf *out); /* quoted if needed */

#endif
