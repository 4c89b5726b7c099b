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
	const char *p; /* a word's bytes; NULL: free */
	uint32_t mark; /* its length and a part of its hash */
	uint32_t number;
};
/* A hash table of words, each with a number; slots is 0 or a power of two. */
struct id_table {
	struct id_slot *slot;
	size_t slots;
};
/* A hint: w will be looked up soon. Fetches its slot; with `bytes`, some time later, the
 * id in that slot. Changes nothing. */
void id_table_fetch(const struct id_table *t, struct word w, bool bytes);

/* Owned. Sorted: id[0] < id[1] < ..; row[i] is the line (from 0) of id[i]. After ids_cut() they are
 * in the given order, and row[i] is i. */
struct ids {
	size_t n;
	char **id;
	uint32_t *row;
	struct id_table table; /* of positions */
};

/* ERR_INPUT with the line: no id, or not one id; an id given twice (and where first). */
enum err ids_parse(struct bytes file, const char *where, struct ids *ids) MUST_CHECK;
enum err ids_read(const char *path, struct ids *ids) MUST_CHECK;
/* Those at n different positions, in this order; the others go. */
void ids_cut(struct ids *ids, const uint32_t *position, size_t n);
void ids_release(struct ids *ids);

/* The position of an id; SIZE_MAX if it is none of them. O(1). */
size_t ids_find(const struct ids *ids, struct word id);

/* Words that become ids: each once, numbered in order of appearance. Borrows them. Zero-initialised
 * is empty. */
struct names {
	struct word *word; /* n of them */
	size_t n, room;
	struct id_table table; /* of numbers */
};
/* The number of a word that can be an id; a new one if it was not there. O(1). */
uint32_t names_number(struct names *s, struct word w);
/* The word numbered last is from now on at w.p, with the same bytes: its first buffer goes away. */
void names_keep(struct names *s, struct word w);
/* Sorts them, copied, into ids (row[i] = i); place[number] (s->n entries) is where each went. There
 * may be none. */
void names_sort(const struct names *s, struct ids *ids, uint32_t *place);
void names_release(struct names *s);

/* ERR_INPUT, at t's line, if the word cannot be an id. */
enum err id_check(const struct text *t, struct word id) MUST_CHECK;

#endif
