/* value.h -- quotes a value of the data in a message: value_text(p, n).s.
 *
 * A daemon's messages end in its log, and from there in journald and any log collector. So only
 * these functions quote a value (a cell, an id, a weight, a label). They show the value only after
 * values_show() was called. Only `coterie` calls values_show(), since its user owns the file.
 * Messages of a daemon have only file, line and column. Names of columns are not values, unless the
 * heading of a table may be a row.
 */
#ifndef COMMON_DATA_VALUE_H
#define COMMON_DATA_VALUE_H

#include <stdbool.h>
#include <stddef.h>

struct value {
	char s[56];
};
/* Returns the text in quotes, cut to 40 bytes and with harmful characters replaced; or "(not
 * shown)". */
struct value value_text(const char *p, size_t n);
struct value value_number(double x);

void values_show(void); /* call it before threads start */
bool values_are_shown(void);

#endif
