/* columns.h -- names and types of the columns of a feature matrix: columns.json next to its file.
 *
 *     {"columns": [{"name": "age", "type": "number", "unit": "years"},
 *                  {"name": "colour=red", "type": "category", "from": "colour"}]}
 *
 * The file has one entry per column, in the order of the matrix. "unit" and "from" are optional.
 * "from" is the source column of the table, if its name differs. A category becomes a column of 0
 * and 1 for each value. A further column can mark missing values. Both kinds of column have a
 * "from".
 */
#ifndef COMMON_DATA_COLUMNS_H
#define COMMON_DATA_COLUMNS_H

#include "common/base/buf.h"
#include "common/base/err.h"

#include <stddef.h>

enum column_type {
	COLUMN_NUMBER,
	COLUMN_CATEGORY, /* 0 or 1 */
	COLUMN_DATE,     /* days since 1970-01-01, UTC */
};

enum { COLUMN_NAME_MAX = 255 }; /* bytes of a name, unit or source */

struct column {
	char *name;
	enum column_type type;
	char *unit; /* "": unknown */
	char *from; /* "": same as name */
};

/* Owned. Empty if zero-initialised. */
struct columns {
	struct column *column;
	size_t n, room;
};

const char *column_type_name(enum column_type type); /* such as "number" */

/* ERR_INPUT if the text is not such JSON, if a key is missing, unknown, of a wrong type or too
 * long, or if two names are equal; *c is then empty. An entry's error has its number, from 1. */
enum err columns_parse(struct bytes text, const char *where, struct columns *c) MUST_CHECK;
/* Reads columns.json in the directory of a feature file with `cols` columns. If there is no
 * columns.json, c->n is 0. ERR_INPUT as for columns_parse(), and if columns.json has another number
 * of columns. */
enum err columns_beside(const char *features, size_t cols, struct columns *c) MUST_CHECK;

/* Copies the texts; unit and from may be NULL. */
void columns_add(struct columns *c, const char *name, enum column_type type, const char *unit,
		 const char *from);
/* Appends the whole file, a line for each column. */
void columns_print(const struct columns *c, struct buf *out);
/* ERR_INPUT if two columns have the same name. O(n log n). */
enum err columns_check(const struct columns *c, const char *where) MUST_CHECK;
void columns_release(struct columns *c);

#endif
