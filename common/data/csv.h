/* csv.h -- fields between separators (RFC 4180): records of a table, and text field by field.
 *
 * A record ends in LF or CRLF. A field in double quotes may hold separators, line ends and,
 * doubled, quotes. There is no other leniency: a quote or a carriage return elsewhere is refused.
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
		CELL_DOUBLED, /* quoted; each quote in it is there twice */
	} kind;
};

struct csv_record {
	struct cell *cell; /* owned; borrows from the file */
	size_t n, room;
	size_t line; /* on which it begins, from 1 */
};

/* The next record, at most `most` fields; false at the end of the file. Skips lines that begin with
 * `comment`; 0: skips none. ERR_INPUT with the line. */
enum err csv_record(struct text *t, char separator, char comment, size_t most, struct csv_record *r,
		    bool *there) MUST_CHECK;
void csv_record_release(struct csv_record *r);
bool csv_record_blank(const struct csv_record *r); /* an empty line, or one of blanks alone */

/* The next field of a record into *field (emptied first, then terminated); *last: the line ends
 * behind it, and t stands at the beginning of the next one. Quoted fields may hold commas and
 * doubled quotes, not line ends. */
enum err csv_field(struct text *t, struct buf *field, bool *last) MUST_CHECK;

void csv_print_field(const char *text, struct buf *out); /* quoted where needed */

#endif
