#include "common/data/ids.h"
#include "common/base/alloc.h"
#include "common/base/file.h"
#include "common/base/utf8.h"
#include "common/data/limits.h"
#include "common/data/value.h"

#include <stdlib.h>
#include <string.h>

enum err id_check(const struct text *t, struct word id)
{
	size_t len;

	if (id.n == 0 || id.n > ID_MAX)
		return text_error(t, "an id of %zu bytes, expected 1 to %d", id.n, ID_MAX);
	if (id.p[0] == '#')
		return text_error(t, "the id %s begins with '#', which begins a comment",
				  value_text(id.p, id.n).s);
	for (size_t i = 0; i < id.n; i += len) {
		len = utf8_length((const unsigned char *)id.p + i, id.n - i);
		if (len == 0 || (unsigned char)id.p[i] <= ' ' || id.p[i] == 0x7f)
			return text_error(
			    t, "byte %zu of the id is a blank, a control character or not UTF-8",
			    i + 1);
	}
	return ERR_OK;
}

/* An id in the file: its bytes, which are borrowed from the file, and its line, counted from 0. */
struct entry {
	struct word id;
	uint32_t row;
};

static int ids_compare_words(struct word a, struct word b)
{
	return bytes_order((struct bytes){ (const uint8_t *)a.p, a.n },
			   (struct bytes){ (const uint8_t *)b.p, b.n });
}

static int ids_by_id(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;
	int order = ids_compare_words(x->id, y->id);

	return order ? order : (x->row > y->row) - (x->row < y->row);
}

static enum err ids_read_entries(struct text *t, struct entry **entry, size_t *n)
{
	size_t room = 0;

	while (t->p < t->end) {
		struct word id = text_word(t);

		TRY(id_check(t, id));
		TRY(text_end(t));
		if (*n == ROWS_MAX)
			return text_error(t, "more than %zu ids", ROWS_MAX);
		ALLOC_ROOM(*entry, *n, room);
		(*entry)[*n] = (struct entry){ id, (uint32_t)*n };
		++*n;
	}
	return *n ? ERR_OK : err_set(ERR_INPUT, "%s: the file has no ids", t->where);
}

/* ---- a table of words ---- */

/* Returns the FNV-1a hash of the word, with its high bits folded in. */
static uint64_t hash(struct word id)
{
	uint64_t h = 0xcbf29ce484222325u;

	for (size_t i = 0; i < id.n; i++)
		h = (h ^ (unsigned char)id.p[i]) * 0x100000001b3u;
	return h ^ h >> 32;
}

/* Makes a table for n words, of which they use at most half of the slots. */
static void ids_table_init(struct id_table *t, size_t n)
{
	for (t->slots = 1; t->slots < 2 * n;)
		t->slots *= 2;
	ALLOC(t->slot, t->slots);
}

/* Returns the slot of a word, or the free slot for it. Compares marks first, so that the bytes of
 * other words are rarely fetched. */
static struct id_slot *table_find(const struct id_table *t, struct word w, uint32_t *mark)
{
	uint64_t h = hash(w);
	size_t at = (size_t)h & (t->slots - 1);

	*mark = (uint32_t)(h >> 32 << 8) | (uint32_t)(w.n & 0xff);
	while (t->slot[at].p && (t->slot[at].mark != *mark || memcmp(t->slot[at].p, w.p, w.n)))
		at = (at + 1) & (t->slots - 1);
	return &t->slot[at];
}

static void table_add(struct id_table *t, struct word w, uint32_t number)
{
	uint32_t mark;
	struct id_slot *s = table_find(t, w, &mark);

	*s = (struct id_slot){ w.p, mark, number };
}

void id_table_fetch(const struct id_table *t, struct word w, bool bytes)
{
	const struct id_slot *s;

	if (!t->slots || w.n > ID_MAX)
		return;
	s = &t->slot[(size_t)hash(w) & (t->slots - 1)];
	__builtin_prefetch(bytes ? (const void *)s->p : (const void *)s);
}

static void table_release(struct id_table *t)
{
	free(t->slot);
	*t = (struct id_table){ 0 };
}

/* ---- ids ---- */

/* Copies the sorted entries and builds the table. */
static void ids_keep_sorted(struct ids *ids, const struct entry *entry, size_t n)
{
	ALLOC(ids->id, n);
	ALLOC(ids->row, n);
	ids_table_init(&ids->table, n);
	for (ids->n = 0; ids->n < n; ids->n++) {
		const struct entry *e = &entry[ids->n];

		ids->id[ids->n] = alloc(e->id.n + 1, 1);
		memcpy(ids->id[ids->n], e->id.p, e->id.n);
		ids->row[ids->n] = e->row;
		table_add(&ids->table, (struct word){ ids->id[ids->n], e->id.n }, (uint32_t)ids->n);
	}
}

enum err ids_parse(struct bytes file, const char *where, struct ids *ids)
{
	struct text t = text_open(file, where);
	struct entry *entry = NULL;
	size_t n = 0;
	enum err err;

	*ids = (struct ids){ 0 };
	err = ids_read_entries(&t, &entry, &n);
	if (!err)
		qsort(entry, n, sizeof(*entry), ids_by_id);
	for (size_t i = 1; i < n && !err; i++) {
		if (ids_compare_words(entry[i - 1].id, entry[i].id) == 0)
			err = err_set(ERR_INPUT,
				      "%s:%u: the id %s is given twice, first on line %u", where,
				      entry[i].row + 1, value_text(entry[i].id.p, entry[i].id.n).s,
				      entry[i - 1].row + 1);
	}
	if (!err)
		ids_keep_sorted(ids, entry, n);
	free(entry);
	return err;
}

enum err ids_read(const char *path, struct ids *ids)
{
	struct buf file = { 0 };
	enum err err;

	*ids = (struct ids){ 0 };
	TRY(file_read_text(path, DATA_FILE_MAX, &file));
	err = ids_parse((struct bytes){ file.p, file.n }, path, ids);
	buf_release(&file);
	return err;
}

void ids_cut(struct ids *ids, const uint32_t *position, size_t n)
{
	struct entry *entry = alloc(n, sizeof(*entry));
	struct ids cut;

	for (size_t r = 0; r < n; r++) {
		const char *id = ids->id[position[r]];

		entry[r] = (struct entry){ { id, strlen(id) }, (uint32_t)r };
	}
	ids_keep_sorted(&cut, entry, n);
	free(entry);
	ids_release(ids);
	*ids = cut;
}

void ids_release(struct ids *ids)
{
	for (size_t i = 0; i < ids->n; i++)
		free(ids->id[i]);
	free(ids->id);
	free(ids->row);
	table_release(&ids->table);
	*ids = (struct ids){ 0 };
}

/* ---- words that become ids ---- */

uint32_t names_number(struct names *s, struct word w)
{
	struct id_slot *slot;
	uint32_t mark;

	if (s->n == s->room) {
		s->room = s->room ? 2 * s->room : 1024;
		s->word = alloc_again(s->word, s->room, sizeof(*s->word));
		table_release(&s->table);
		ids_table_init(&s->table, s->room);
		for (size_t i = 0; i < s->n; i++)
			table_add(&s->table, s->word[i], (uint32_t)i);
	}
	slot = table_find(&s->table, w, &mark);
	if (!slot->p) {
		*slot = (struct id_slot){ w.p, mark, (uint32_t)s->n };
		s->word[s->n++] = w;
	}
	return slot->number;
}

void names_keep(struct names *s, struct word w)
{
	uint32_t mark;

	table_find(&s->table, w, &mark)->p = w.p;
	s->word[s->n - 1] = w;
}

void names_sort(const struct names *s, struct ids *ids, uint32_t *place)
{
	struct entry *entry = alloc(s->n, sizeof(*entry));

	for (size_t i = 0; i < s->n; i++)
		entry[i] = (struct entry){ s->word[i], (uint32_t)i };
	qsort(entry, s->n, sizeof(*entry), ids_by_id);
	*ids = (struct ids){ 0 };
	ids_keep_sorted(ids, entry, s->n);
	for (size_t i = 0; i < s->n; i++) {
		place[entry[i].row] = (uint32_t)i;
		ids->row[i] = (uint32_t)i;
	}
	free(entry);
}

void names_release(struct names *s)
{
	free(s->word);
	table_release(&s->table);
	*s = (struct names){ 0 };
}

size_t ids_find(const struct ids *ids, struct word id)
{
	uint32_t mark;
	const struct id_slot *slot;

	if (id.n > ID_MAX) /* no id is that long, and its length does not fit into a mark */
		return SIZE_MAX;
	slot = table_find(&ids->table, id, &mark);
	return slot->p ? slot->number : SIZE_MAX;
}
