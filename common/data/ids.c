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

/* FNV-1a, and its high bits folded in. */
static size_t hash(struct word id)
{
	uint64_t h = 0xcbf29ce484222325u;

	for (size_t i = 0; i < id.n; i++)
		h = (h ^ (unsigned char)id.p[i]) * 0x100000001b3u;
	return (size_t)(h ^ h >> 32);
}

/* ---- a table of ids ---- */

/* The slot where an id is, or the free one where it would be. */
static size_t slot_of(const struct ids *ids, struct word id)
{
	size_t at = hash(id) & (ids->slots - 1);

	for (; ids->slot[at]; at = (at + 1) & (ids->slots - 1)) {
		const char *there = ids->id[ids->slot[at] - 1];

		if (strlen(there) == id.n && !memcmp(there, id.p, id.n))
			break;
	}
	return at;
}

/* Copies the sorted entries, and makes the table: at most half full. */
static void keep(struct ids *ids, const struct entry *entry, size_t n)
{
	ALLOC(ids->id, n);
	ALLOC(ids->row, n);
	for (ids->slots = 1; ids->slots < 2 * n;)
		ids->slots *= 2;
	ALLOC(ids->slot, ids->slots);
	for (ids->n = 0; ids->n < n; ids->n++) {
		const struct entry *e = &entry[ids->n];

		ids->id[ids->n] = alloc(e->id.n + 1, 1);
		memcpy(ids->id[ids->n], e->id.p, e->id.n);
		ids->row[ids->n] = e->row;
		ids->slot[slot_of(ids, e->id)] = (uint32_t)ids->n + 1;
	}
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
	if (!err)
		keep(ids, entry, n);
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
	free(ids->slot);
	*ids = (struct ids){ 0 };
}

/* ---- words that become ids ---- */

static size_t slot_of_name(const struct names *s, struct word w)
{
	size_t at = hash(w) & (s->slots - 1);

	while (s->slot[at] && compare(s->word[s->slot[at] - 1], w) != 0)
		at = (at + 1) & (s->slots - 1);
	return at;
}

/* Twice the room, and a table that is at most half full. */
static void grow(struct names *s)
{
	s->room = s->room ? 2 * s->room : 1024;
	s->word = alloc_again(s->word, s->room, sizeof(*s->word));
	s->slots = 2 * s->room;
	free(s->slot);
	ALLOC(s->slot, s->slots);
	for (size_t i = 0; i < s->n; i++)
		s->slot[slot_of_name(s, s->word[i])] = (uint32_t)i + 1;
}

uint32_t names_number(struct names *s, struct word w)
{
	size_t at;

	if (s->n == s->room)
		grow(s);
	at = slot_of_name(s, w);
	if (!s->slot[at]) {
		s->word[s->n] = w;
		s->slot[at] = (uint32_t)++s->n;
	}
	return s->slot[at] - 1;
}

void names_sort(const struct names *s, struct ids *ids, uint32_t *place)
{
	struct entry *entry = alloc(s->n, sizeof(*entry));

	for (size_t i = 0; i < s->n; i++)
		entry[i] = (struct entry){ s->word[i], (uint32_t)i };
	qsort(entry, s->n, sizeof(*entry), by_id);
	*ids = (struct ids){ 0 };
	keep(ids, entry, s->n);
	for (size_t i = 0; i < s->n; i++) {
		place[entry[i].row] = (uint32_t)i;
		ids->row[i] = (uint32_t)i;
	}
	free(entry);
}

void names_release(struct names *s)
{
	free(s->word);
	free(s->slot);
	*s = (struct names){ 0 };
}

size_t ids_find(const struct ids *ids, struct word id)
{
	uint32_t found = ids->slot[slot_of(ids, id)];

	return found ? found - 1 : SIZE_MAX;
}
