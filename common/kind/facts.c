#include "common/kind/facts.h"
#include "common/base/alloc.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct fact *fact_named(struct facts *f, const char *name)
{
	size_t i = 0;

	while (i < f->count && strcmp(f->item[i].name, name))
		i++;
	if (i == f->count) {
		assert(f->count < FACTS_MAX && strlen(name) < sizeof(f->item[i].name));
		f->count++;
	}
	free(f->item[i].text);
	free(f->item[i].value);
	f->item[i] = (struct fact){ 0 };
	snprintf(f->item[i].name, sizeof(f->item[i].name), "%s", name);
	return &f->item[i];
}

void facts_numbers(struct facts *f, const char *name, const double *value, size_t values)
{
	struct fact *own = fact_named(f, name);

	ALLOC(own->value, values);
	memcpy(own->value, value, values * sizeof(*value));
	own->values = values;
}

void facts_number(struct facts *f, const char *name, double value)
{
	facts_numbers(f, name, &value, 1);
}

void facts_format(struct facts *f, const char *name, const char *format, ...)
{
	struct fact *own = fact_named(f, name);
	va_list ap;

	va_start(ap, format);
	own->text = alloc_format(format, ap);
	va_end(ap);
}

void facts_release(struct facts *f)
{
	for (size_t i = 0; i < f->count; i++) {
		free(f->item[i].text);
		free(f->item[i].value);
	}
	*f = (struct facts){ 0 };
}
