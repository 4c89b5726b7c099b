/* reading.h -- how to read a table: the settings `data.read` of a party's configuration, and their
 * defaults. coterie.convert has the same settings as options.
 *
 * A column is named as in its heading. "#3" names the third column, with and without a heading.
 */
#ifndef COMMON_DATA_READING_H
#define COMMON_DATA_READING_H

#include "common/base/config.h"
#include "common/base/err.h"

#include <stdbool.h>
#include <stddef.h>

enum header { HEADER_AUTO, HEADER_YES, HEADER_NO };
enum missing { MISSING_ERROR, MISSING_MEAN, MISSING_MEDIAN, MISSING_INDICATOR };
extern const char *const header_names[], *const missing_names[]; /* end with NULL */

/* Owned. */
struct reading {
	unsigned header;                /* enum header */
	char *separator;                /* one character or "tab"; NULL: by the file's ending */
	char *decimal;                  /* "." or "," */
	char *id;                       /* the column of ids; NULL: row numbers are the ids */
	char *label;                    /* a column of classes, which is skipped; or NULL */
	struct config_strings category; /* "colour", or with its values "colour=red|green" */
	struct config_strings date, ignore;
	struct config_strings only;    /* if not empty: ignores other columns without a role */
	struct config_strings missing; /* "median" for all columns, "age=median" for one */
	/* texts that mean a missing value; if the list is empty: reading_na */
	struct config_strings na;
	struct config_strings unit; /* such as "age=years" */
	char *from, *to, *weight;   /* columns of a table of edges */
};
extern const char *const reading_na[]; /* ends with NULL */

/* clang-format off */
/* Rows of a configuration table, for a struct T that has a struct reading at the member `at`. */
#define READING_ROWS(T, at, prefix) \
	{ prefix "header", CONFIG_ENUM, offsetof(T, at.header), \
	  .standard = "auto", .names = header_names, \
	  .help = "whether the first line is a heading. auto: decide, and log why; if " \
		  "the line could be either, it is an error" }, \
	{ prefix "separator", CONFIG_STRING, offsetof(T, at.separator), 1, 3, "", \
	  .check = reading_check_separator, \
	  .help = "field separator: \",\", \";\", \"tab\", ..; if not set, the ending of " \
		  "the file's name decides" }, \
	{ prefix "decimal", CONFIG_STRING, offsetof(T, at.decimal), 1, 1, ".", \
	  .check = reading_check_decimal, \
	  .help = "decimal point" }, \
	{ prefix "id", CONFIG_STRING, offsetof(T, at.id), 1, 255, "", \
	  .help = "column of ids; if this key and data.ids are not set, row numbers are " \
		  "the ids" }, \
	{ prefix "label", CONFIG_STRING, offsetof(T, at.label), 1, 255, "", \
	  .help = "column of known classes; a party ignores it, and coterie.convert " \
		  "writes it to labels.txt" }, \
	{ prefix "category", CONFIG_STRINGS, offsetof(T, at.category), 1, 65536, "", \
	  .help = "categorical columns; each value becomes a column of 0 and 1. \"sex\" " \
		  "takes the values of this file; \"sex=f|m\" lists them, so that all " \
		  "parties have the same columns" }, \
	{ prefix "date", CONFIG_STRINGS, offsetof(T, at.date), 1, 65536, "", \
	  .help = "columns of dates, YYYY-MM-DD or with Thh:mm:ss; they become days " \
		  "since 1970" }, \
	{ prefix "ignore", CONFIG_STRINGS, offsetof(T, at.ignore), 1, 65536, "", \
	  .help = "columns to ignore" }, \
	{ prefix "only", CONFIG_STRINGS, offsetof(T, at.only), 1, 65536, "", \
	  .help = "columns to read, in addition to id; all others are ignored" }, \
	{ prefix "missing", CONFIG_STRINGS, offsetof(T, at.missing), 1, 65536, "", \
	  .check = reading_check_missing, \
	  .help = "replacement of missing values: \"error\" (refuse them), \"mean\", " \
		  "\"median\" or \"indicator\" (the mean, and one more column that marks " \
		  "them); \"age=median\" is for one column" }, \
	{ prefix "na", CONFIG_STRINGS, offsetof(T, at.na), 1, 256, "", \
	  .help = "texts that mean a missing value, instead of NA, N/A, #N/A, NaN, nan, " \
		  "NULL, null, None, ?; an empty field always is a missing value" }, \
	{ prefix "unit", CONFIG_STRINGS, offsetof(T, at.unit), 1, 65536, "", \
	  .check = reading_check_pair, \
	  .help = "units of columns: \"age=years\"" }, \
	{ prefix "from", CONFIG_STRING, offsetof(T, at.from), 1, 255, "", \
	  .help = "edges in a .csv: column of the first end; if not set, the first column" }, \
	{ prefix "to", CONFIG_STRING, offsetof(T, at.to), 1, 255, "", \
	  .help = "edges in a .csv: column of the second end; if not set, the second column" }, \
	{ prefix "weight", CONFIG_STRING, offsetof(T, at.weight), 1, 255, "", \
	  .help = "edges in a .csv: column of the weight; if not set, edges have no " \
		  "weights, and a third column is refused" }
/* clang-format on */

/* For rows of configuration tables: NULL if text is valid, else the expected values. */
const char *reading_check_separator(const char *text);
const char *reading_check_decimal(const char *text);
const char *reading_check_missing(const char *text);
const char *reading_check_pair(const char *text);

/* the table of READING_ROWS alone, for a struct reading */
extern const struct config_table reading_table;

void reading_init(struct reading *r); /* sets the defaults */
void reading_release(struct reading *r);
bool reading_is_default(const struct reading *r);

/* Returns the separator. If none is set, the file name's ending decides: ',' for .csv, a tab for
 * .tsv and .txt. */
char reading_separator(const struct reading *r, const char *path);
/* True if the text is empty, or means a missing value. */
bool reading_is_na(const struct reading *r, const char *p, size_t n);

#endif
