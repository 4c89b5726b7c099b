/* ids.h -- names of rows.
 *
 * ids.txt: one id per line, in the order of the rows. An id is 1 to 255 bytes of UTF-8 without
 * blanks or control characters, and does not begin with '#'. Ids compare as bytes: "10" < "9".
 */
#ifndef COMMON_DATA_IDS_H
#define COMMON_DATA_IDS_H

#include "common/base/buf.h"
#include "common/base/err.h"
#include "common/data/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct id_slot {
	const char *p; /* the word's bytes; NULL: a free slot */
	uint32_t mark; /* its length and a part of its hash */
	uint32_t number;
};
/* A hash table of words, each with a number; slots is 0 or a power of two. */
struct id_table {
	struct id_slot *slot;
	size_t slots;
};
/* Prefetches memory for a lookup of w. Without `bytes` it prefetches w's slot; a later call with
 * `bytes` prefetches the id in that slot. Changes nothing. */
void id_table_fetch(const struct id_table *t, struct word w, bool bytes);

/* Owned ids, sorted: id[0] < id[1] < ..; row[i] is the line (from 0) of id[i]. After ids_cut() the
 * ids are in the order of that call, and row[i] is i. */
struct ids {
	size_t n;
	char **id;
	uint32_t *row;
	struct id_table table; /* maps ids to positions in id */
};

/* ERR_INPUT, with the line, if a line is not exactly one id, or if it repeats an id. For a repeated
 * id the error also names the line of the first occurrence. */
enum err ids_parse(struct bytes file, const char *where, struct ids *ids) MUST_CHECK;
enum err ids_read(const char *path, struct ids *ids) MUST_CHECK;
/* Keeps the ids at n different positions, in this order; drops the others. */
void ids_cut(struct ids *ids, const uint32_t *position, size_t n);
void ids_release(struct ids *ids);

/* Returns the position of an id; SIZE_MAX if it is missing. O(1). */
size_t ids_find(const struct ids *ids, struct word id);

/* Words that become ids, each once, numbered in order of appearance. Borrows the words. Empty if
 * zero-initialised. */
struct names {
	struct word *word; /* n of them */
	size_t n, room;
	struct id_table table; /* maps words to their numbers */
};
/* Returns the number of a word that can be an id; adds it if it is new. O(1). */
uint32_t names_number(struct names *s, struct word w);
/* Makes the word that was numbered last point to w.p, which has the same bytes. The caller may then
 * free the word's first buffer. */
void names_keep(struct names *s, struct word w);
/* Copies the words, sorted, into ids (row[i] = i). place[number] becomes the position of the word
 * with that number; `place` has s->n entries. s may have no words. */
void names_sort(const struct names *s, struct ids *ids, uint32_t *place);
void names_release(struct names *s);

/* ERR_INPUT, at t's line, if the word cannot be an id. */
enum err id_check(const struct text *t, struct word id) MUST_CHECK;

#endif
