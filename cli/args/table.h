/* table.h -- prints rows as columns if the terminal is wide enough, otherwise each row as a
 * block of lines. */
#ifndef CLI_ARGS_TABLE_H
#define CLI_ARGS_TABLE_H

#include "common/base/err.h"

#include <stddef.h>
#include <stdio.h>

struct table;

/* heads: one per column, borrowed. A head that begins with '>' marks a right-aligned column of
 * numbers. */
struct table *table_new(const char *const heads[], size_t columns);
void table_free(struct table *t);
/* Adds the next cell, row by row. Text from outside is made harmless. */
void table_cell(struct table *t, const char *fmt, ...) PRINTF(2, 3);
/* Prints within `width` characters: as columns, if necessary with texts over several lines; if
 * that does not fit, each row as a block of "head: text". An incomplete row is omitted. */
void table_print(const struct table *t, FILE *f, size_t width);

/* Line width in characters, at least 20: of the terminal at standard output, otherwise COLUMNS,
 * otherwise 80. */
size_t table_width(void);
/* As table_width(), with 1000 in place of 80: for output that programs read line by line. */
size_t table_room(void);
/* Prints a line on standard output, folded at blanks; continuation lines are indented. Text from
 * outside is made harmless. */
void table_line(size_t indent, const char *fmt, ...) PRINTF(2, 3);

#endif
