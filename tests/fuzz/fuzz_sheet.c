/* Fuzzes tables; the first two bytes select the reading options. All numbers of an accepted table
 * are finite, the ids differ and there is one for each row, and each column has a name. The memory
 * is bounded by the size of the file. */
#include "common/base/alloc.h"
#include "common/base/log.h"
#include "common/data/limits.h"
#include "common/data/sheet.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void add(struct config_strings *s, const char *text)
{
	s->item = alloc_again(s->item, s->count + 1, sizeof(*s->item));
	s->item[s->count++] = alloc_copy(text);
}

static void check(const struct sheet *t, size_t bytes)
{
	if (t->room > bytes + 1 || t->room * (t->numbers + t->codes) > 2 * bytes + 2 * t->columns)
		abort();
	if (t->X.cols != t->out.n || (t->X.cols && t->X.rows != t->rows) ||
	    (t->has_ids && t->ids.n != t->rows))
		abort();
	for (size_t i = 0; i < t->X.rows * t->X.cols; i++)
		if (!isfinite(t->X.a[i]))
			abort();
	for (size_t i = 1; i < t->ids.n; i++)
		if (strcmp(t->ids.id[i - 1], t->ids.id[i]) >= 0)
			abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct sheet_said said;
	struct reading how;
	struct sheet t;

	if (size < 2)
		return 0;
	log_set_level(LOG_ERROR);
	reading_init(&how);
	how.header = data[0] % 3;
	add(&how.missing, missing_names[data[0] / 3 % 4]);
	if (data[0] & 0x80)
		add(&how.category, "#2");
	if (data[1] & 1)
		how.id = alloc_copy("#1");
	if (data[1] & 2)
		how.label = alloc_copy("#3");
	if (data[1] & 4)
		add(&how.date, "#4");
	if (data[1] & 8)
		how.separator = alloc_copy(";");
	if (data[1] & 16) {
		free(how.decimal);
		how.decimal = alloc_copy(",");
	}
	if (sheet_parse(&t, (struct bytes){ data + 2, size - 2 }, "f.csv", &how, &said) == ERR_OK)
		check(&t, size);
	sheet_release(&t);
	reading_release(&how);
	return 0;
}
