#include "common/data/ids.h"
#include "common/base/alloc.h"
#include "common/base/file.h"
#include "common/base/json_scan.h"
#include "common/data/limits.h"

#include <stdlib.h>
#include <string.h>

enum err id_check(const struct text *t, struct word id)
{
	size_t len;

	if (id.n == 0 || id.n > ID_MAX)
		return text_error(t, "an id of %zu bytes, expected 1 to %d", id.n, ID_MAX);
	if (id.p[0] == '#')
		return text_error(t, "the id \"%.*s\" begins with '#', which begins a comment",
				  (int)id.n, id.p);
	for (size_t i = 0; i < id.n; i += len) {
		len = utf8_length((const unsigned char *)id.p + i, id.n - i);
		if (len == 0 || (unsigned char)id.p[i] <= ' ' || id.p[i] == 0x7f)
			return text_error(
			    t, "byte %zu of the id is a blank, a control character or not UTF-8",
			    i + 1);
	}
	return ERR_OK;
}

/* One line's id, as the file has it: with its number, and still in the file's bytes. */
struct entry {
	struct word id;
	uint32_t row;
};

static int compare(struct word a, struct word b)
{
	int order = memcmp(a.p, b.p, a.n < b.n ? a.n : b.n);

	return order ? order : (a.n > b.n) - (a.n < b.n);
}

static int by_id(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;
	int order = compare(x->id, y->id);

	return order ? order : (x->row > y->row) - (x->row < y->row);
}

static enum err read_entries(struct text *t, struct entry **entry, size_t *n)
{
	size_t room = 0;

	while (t->p < t->end) {
		struct word id = text_word(t);

		TRY(id_check(t, id));
		TRY(text_end(t));
		if (*n == ROWS_MAX)
			return text_error(t, "more than %zu ids", ROWS_MAX);
		if (*n == room) {
			room = room ? 2 * room : 1024;
			*entry = alloc_again(*entry, room, sizeof(**entry));
		}
		(*entry)[*n] = (struct entry){ id, (uint32_t)*n };
		++*n;
	}
	return *n ? ERR_OK : err_set(ERR_INPUT, "%s: the file has no ids", t->where);
}

enum err ids_parse(struct bytes file, const char *where, struct ids *ids)
{
	struct text t = text_open(file, where);
	struct entry *entry = NULL;
	size_t n = 0;
	enum err err;

	*ids = (struct ids){ 0 };
	err = read_entries(&t, &entry, &n);
	if (!err)
		qsort(entry, n, sizeof(*entry), by_id);
	for (size_t i = 1; i < n && !err; i++) {
		if (compare(entry[i - 1].id, entry[i].id) == 0)
			err = err_set(ERR_INPUT,
				      "%s:%u: the id \"%.*s\" is given twice, first on line %u",
				      where, entry[i].row + 1, (int)entry[i].id.n, entry[i].id.p,
				      entry[i - 1].row + 1);
	}
	if (!err) {
		ALLOC(ids->id, n);
		ALLOC(ids->row, n);
		for (ids->n = 0; ids->n < n; ids->n++) {
			struct entry *e = &entry[ids->n];

			ids->id[ids->n] = alloc(e->id.n + 1, 1);
			memcpy(ids->id[ids->n], e->id.p, e->id.n);
			ids->row[ids->n] = e->row;
		}
	}
	free(entry);
	return err;
}

enum err ids_read(const char *path, struct ids *ids)
{
	struct buf file = { 0 };
	enum err err;

	*ids = (struct ids){ 0 };
	TRY(file_read(path, DATA_FILE_MAX, &file));
	err = ids_parse((struct bytes){ file.p, file.n }, path, ids);
	buf_release(&file);
	return err;
}

void ids_release(struct ids *ids)
{
	for (size_t i = 0; i < ids->n; i++)
		free(ids->id[i]);
	free(ids->id);
	free(ids->row);
	*ids = (struct ids){ 0 };
}

size_t ids_find(const struct ids *ids, struct word id)
{
	size_t low = 0, high = ids->n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;
		struct word at = { ids->id[mid], strlen(ids->id[mid]) };
		int order = compare(id, at);

		if (order == 0)
			return mid;
		if (order < 0)
			high = mid;
		else
			low = mid + 1;
	}
	return SIZE_MAX;
}
