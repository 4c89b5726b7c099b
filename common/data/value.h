/* value.h -- a value of the data in a sentence: value_text(p, n).s.
 *
 * Sentences of a daemon end in its log, and from there in journald and wherever that is shipped. So
 * a value (a cell, an id, a weight, a label) is quoted by these functions alone, and they show it
 * only after values_show(), which nobody but `coterie` calls: its user owns the file. A daemon
 * names file, line and column. Names of columns are no values, but where the heading of a table may
 * be a row.
 */
#ifndef COMMON_DATA_VALUE_H
#define COMMON_DATA_VALUE_H

#include <stdbool.h>
#include <stddef.h>

struct value {
	char s[56];
};
/* "abc" in quotes, cut, made harmless; or (not shown) */
struct value value_text(const char *p, size_t n);
struct value value_number(double x);

void values_show(void); /* before threads start */
bool values_are_shown(void);

#endif
