/* table.h -- rows for people: in columns where the terminal is wide enough, otherwise a block of lines for each row. */
#ifndef CLI_ARGS_TABLE_H
#define CLI_ARGS_TABLE_H

#include "common/base/err.h"

#include <stddef.h>
#include <stdio.h>

struct table;

/* heads: one per column, borrowed; a column of numbers, whose head begins with '>', stands to the right. */
struct table *table_new(const char *const heads[], size_t columns);
void table_free(struct table *t);
/* The next cell, row by row. Text from outside is made harmless. */
void table_cell(struct table *t, const char *fmt, ...) PRINTF(2, 3);
/* In `width` characters: as columns; if these are wider, with texts over several lines; and if even that does not
 * fit, each row as a block, "head: text". A row that is not whole is left out. */
void table_print(const struct table *t, FILE *f, size_t width);

/* Characters in a line: of the terminal that standard output is, else what COLUMNS says, else 80; at least 20. */
size_t table_width(void);
/* The same, but where neither says anything, as in a pipe, 1000: for what programs read line by line. */
size_t table_room(void);
/* A line on standard output, folded at blanks where there is no room for it; what follows is indented. Text from outside is made
 * harmless. */
void table_line(size_t indent, const char *fmt, ...) PRINTF(2, 3);

#endif
