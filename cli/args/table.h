/* table.h -- prints rows as columns if the terminal is wide enough, otherwise each row as a
 * block of lines. */
#ifndef CLI_ARGS_TABLE_H
#define CLI_ARGS_TABLE_H

#include "common/base/err.h"

#include <stddef.h>
#include <stdio.h>

struct table;

/* Makes a table. heads: one per column, borrowed. A head that begins with '>' belongs to a
 * right-aligned column of numbers. */
struct table *table_new(const char *const heads[], size_t columns);
void table_free(struct table *t);
/* Adds the next cell; cells are added row by row. utf8_make_harmless() replaces control characters
 * and the like. */
void table_cell(struct table *t, const char *fmt, ...) PRINTF(2, 3);
/* Prints the table within `width` characters. Prints columns, if necessary with texts over several
 * lines. If columns do not fit, prints each row as a block of "head: text". An incomplete row is
 * omitted. */
void table_print(const struct table *t, FILE *f, size_t width);

/* Returns the width of a line in characters, from 20 to 1000. It is the width of the terminal at
 * standard output; without a terminal it is COLUMNS or, if that is not set, 80. */
size_t table_width(void);
/* As table_width(), but with 1000 in place of 80, for output that programs read line by line. */
size_t table_room(void);
/* Prints a line on standard output, folded at blanks; continuation lines are indented.
 * utf8_make_harmless() replaces control characters and the like. */
void table_line(size_t indent, const char *fmt, ...) PRINTF(2, 3);

#endif
