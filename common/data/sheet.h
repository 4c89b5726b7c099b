/* sheet.h -- a table of named columns, made into features and ids.
 *
 *     sheet_begin(names) -> sheet_row() for each -> sheet_end() -> X, ids, columns
 *
 * Each column is a number, unless struct reading says otherwise; nothing is guessed from cells. A
 * category becomes one column of 0 and 1 per value, in byte order of the values. A missing category
 * is 0 in all of them and 1 in a further column. A missing number or date is an error, or becomes
 * the mean or median of the others.
 */
#ifndef COMMON_DATA_SHEET_H
#define COMMON_DATA_SHEET_H

#include "common/base/err.h"
#include "common/data/columns.h"
#include "common/data/csv.h"
#include "common/data/ids.h"
#include "common/data/reading.h"
#include "common/linalg/mat.h"
#include "common/data/value.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum role { ROLE_NUMBER, ROLE_CATEGORY, ROLE_DATE, ROLE_ID, ROLE_LABEL, ROLE_IGNORE };
extern const char *const role_names[]; /* "number", "category", "date", "id", "label", "ignore" */

enum {
	SHEET_COLUMNS_MAX = 1 << 20,
	/* bytes of a column's name, which columns.json joins with a value's */
	SHEET_NAME_MAX = 200,
	SHEET_VALUES_MAX = 64, /* of a category without given values */
};

struct sheet_column {
	char *name; /* "#3" without a heading */
	bool unnamed;
	enum role role;
	enum missing missing;
	bool missing_said; /* of this column, not of all */
	const char *unit;  /* borrowed from struct reading; NULL: not said */
	size_t place;      /* among numbers, or among codes */
	size_t gaps;       /* cells without a value */
	double fill;       /* of sheet_end(): a number's or date's value for the gaps */
	/* of a category */
	struct names values;
	bool values_said;
	struct ids sorted; /* of sheet_end(): the values by their bytes */
};

struct sheet {
	const struct reading *how; /* borrowed, as where is and the texts of cells */
	const char *where;
	struct sheet_column *column;
	size_t columns;
	size_t rows, room;
	size_t numbers, codes;
	double *number; /* room x numbers; NaN: missing */
	uint32_t *code; /* room x codes; UINT32_MAX: missing */
	size_t *line;   /* of each row, where there are ids */
	struct names names;
	char **kept; /* texts that are not in the file as they are */
	size_t kept_n, kept_room;

	/* of sheet_end() */
	struct mat X; /* no columns if there are ids alone */
	struct columns out;
	bool has_ids;
	struct ids ids;
};

/* name: the heading, n texts without terminators; NULL: none. ERR_INPUT: a name is wrong or
 * repeated, or struct reading names a column that does not exist, or names it for two roles. */
enum err sheet_begin(struct sheet *t, const struct reading *how, const char *where,
		     const struct cell *name, size_t n) MUST_CHECK;
void sheet_reserve(struct sheet *t, size_t rows); /* a bound, if one is known */
/* cell: t->columns of them. line: its number, for sentences. ERR_INPUT. */
enum err sheet_row(struct sheet *t, size_t line, const struct cell *cell) MUST_CHECK;
/* ERR_INPUT: no rows, no columns, or a column without any value. Logs the values that replace
 * missing ones. */
enum err sheet_end(struct sheet *t) MUST_CHECK;
void sheet_release(struct sheet *t);

/* The whole of it from the text of a file with separators. The log has *said, too. ERR_INPUT: *t is
 * then to be released all the same. */
struct sheet_said {
	bool mark;    /* a byte order mark */
	bool heading; /* the first line is one */
	char why[80]; /* it is, or is not */
	size_t blank; /* empty lines at the end */
};
enum err sheet_parse(struct sheet *t, struct bytes file, const char *where,
		     const struct reading *how, struct sheet_said *said) MUST_CHECK;
/* Opens a text for its records: skips a byte order mark, refuses an empty, UTF-16 or binary file.
 * Tables of edges use it too. ERR_INPUT. */
enum err sheet_open(struct text *t, struct bytes file, const char *where, bool *mark) MUST_CHECK;
/* Quotes a cell in a sentence. */
struct value cell_shown(const struct cell *c);
struct word cell_trimmed(const struct cell *c); /* without blanks around it */
/* Text without the doubling of quotes; in scratch if there is any. */
struct word cell_text(const struct cell *c, struct buf *scratch);

/* Roles, policies and units as struct reading sets them: part of sheet_begin(). */
enum err sheet_roles(struct sheet *t) MUST_CHECK;
/* Gaps filled, categories spread: part of sheet_end(). */
enum err sheet_fill(struct sheet *t) MUST_CHECK;

/* word_number() with a comma as the decimal point */
bool word_comma_number(struct word w, double *x);
/* "YYYY-MM-DD", or with "Thh:mm[:ss[.f]]" (or a blank for T) and "Z", as days since 1970-01-01. */
bool word_date(struct word w, double *days);

#endif
