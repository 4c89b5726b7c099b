/* facts.h -- numbers and texts by name that a kind adds to run.json under "facts". */
#ifndef COMMON_KIND_FACTS_H
#define COMMON_KIND_FACTS_H

#include "common/base/err.h"

#include <stddef.h>

enum { FACTS_MAX = 48 };

struct fact {
	char name[32];
	double *value; /* owned; NULL for a text */
	size_t values;
	char *text; /* owned */
};

/* Empty if zero-initialised. */
struct facts {
	size_t count;
	struct fact item[FACTS_MAX];
};

/* Facts keep the order of their first addition; setting a name again replaces its value. */
void facts_number(struct facts *f, const char *name, double value);
void facts_numbers(struct facts *f, const char *name, const double *value, size_t values);
void facts_format(struct facts *f, const char *name, const char *format, ...) PRINTF(3, 4);
void facts_release(struct facts *f);

#endif
