/* sheet.h -- converts a table of named columns to features and ids.
 *
 *     sheet_begin(names) -> sheet_row() for each -> sheet_end() -> X, ids, columns
 *
 * Each column has numbers, unless struct reading specifies another type. Types are not guessed from
 * cells. A category becomes one column of 0 and 1 for each of its values, in byte order of the
 * values. A missing value is an error, unless the setting `missing` gives a replacement. A number
 * or date then becomes the mean or median of its column, and with "indicator" a further column
 * marks it. A row without a value of a category has 0 in all its columns and 1 in a further column.
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
	/* Maximum bytes of a column's name. It is below COLUMN_NAME_MAX, since the name of a
	 * category's column is "NAME=VALUE". */
	SHEET_NAME_MAX = 200,
	/* maximum number of values of a category whose values are not given */
	SHEET_VALUES_MAX = 64,
};

struct sheet_column {
	char *name; /* "#3" without a heading */
	bool unnamed;
	enum role role;
	enum missing missing;
	bool missing_said; /* an item of the setting `missing` names this column */
	const char *unit;  /* borrowed from struct reading; NULL: unknown */
	size_t place;      /* its index among the columns of numbers, or of codes */
	size_t gaps;       /* number of cells without a value */
	size_t codes;      /* number of cells that look more like an id or a code than a number */
	double fill;       /* set by sheet_end(): a number or date that replaces missing values */
	/* the values of a category */
	struct names values;
	bool values_said;
	struct ids sorted; /* set by sheet_end(): the values in byte order */
};

struct sheet {
	const struct reading *how; /* borrowed, as are where and the texts of cells */
	const char *where;
	struct sheet_column *column;
	size_t columns;
	size_t rows, room;
	size_t numbers, codes;
	double *number; /* room x numbers; NaN: missing */
	uint32_t *code; /* room x codes; UINT32_MAX: missing */
	size_t *line;   /* line number of each row, if there are ids */
	struct names names;
	char *
	    *kept; /* owned copies of texts whose cells have doubled quotes; others are borrowed */
	size_t kept_n, kept_room;

	/* set by sheet_end() */
	struct mat X; /* no columns if the table has only ids */
	struct columns out;
	bool has_ids;
	struct ids ids;
};

/* Begins a table. name: the heading, n texts without terminators; NULL: the table has no heading.
 * ERR_INPUT: a name is missing, wrong or repeated, or struct reading names a column that does not
 * exist, or names it for two roles. */
enum err sheet_begin(struct sheet *t, const struct reading *how, const char *where,
		     const struct cell *name, size_t n) MUST_CHECK;
void sheet_reserve(struct sheet *t, size_t rows); /* reserves memory for `rows` rows in all */
/* Adds a row. cell: t->columns cells. line: the row's line number, for errors. ERR_INPUT. */
enum err sheet_row(struct sheet *t, size_t line, const struct cell *cell) MUST_CHECK;
/* Computes X, `out` and ids. ERR_INPUT: no rows; neither features nor ids; a column of numbers or
 * dates without any value; two features of one name; or too many features for COLS_MAX or this
 * host's memory. Warns of columns with missing values and of numbers that look like ids. */
enum err sheet_end(struct sheet *t) MUST_CHECK;
void sheet_release(struct sheet *t);

/* sheet_parse() reads the text of a whole file with separators. It also logs its findings, which
 * are in *said. The caller releases *t also after ERR_INPUT. */
struct sheet_said {
	bool mark;    /* the file begins with a byte order mark */
	bool heading; /* the first line is a heading */
	char why[80]; /* the reason why the first line is a heading or not */
	size_t blank; /* number of empty lines at the end */
};
enum err sheet_parse(struct sheet *t, struct bytes file, const char *where,
		     const struct reading *how, struct sheet_said *said) MUST_CHECK;
/* Opens a text of records: skips a byte order mark, and refuses an empty, UTF-16 or binary file.
 * Tables of edges use it too. ERR_INPUT. */
enum err sheet_open(struct text *t, struct bytes file, const char *where, bool *mark) MUST_CHECK;
/* Quotes a cell for a message. */
struct value cell_shown(const struct cell *c);
struct word cell_trimmed(const struct cell *c); /* without blanks around it */
/* Returns the text with each doubled quote replaced by one quote. If there is a doubled quote, the
 * text is in scratch. */
struct word cell_text(const struct cell *c, struct buf *scratch);

/* Part of sheet_begin(): sets each column's role, its unit and its treatment of missing values as
 * struct reading specifies. */
enum err sheet_roles(struct sheet *t) MUST_CHECK;
/* Part of sheet_end(): fills missing values, and expands each category into its columns. */
enum err sheet_fill(struct sheet *t) MUST_CHECK;

/* word_number() with a comma as the decimal point */
bool word_comma_number(struct word w, double *x);
/* "YYYY-MM-DD" or "YYYY-MM-DDThh:mm[:ss[.f]][Z]" (or a blank for T), as days since 1970-01-01. */
bool word_date(struct word w, double *days);

#endif
