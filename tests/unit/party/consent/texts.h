/* texts.h -- a long text made of few sentences, kept in a file and compared with it.
 *
 *     [texts]            each distinct one once, behind a label made of what it says
 *     a3k9wz a sum is not differential privacy
 *     [a section]        lines that refer to texts by their labels
 *     gram flat: b77q2m
 *
 * Labels follow from texts alone: one that changes, changes lines that refer to it and no others.
 */
#ifndef TESTS_UNIT_PARTY_TEXTS_H
#define TESTS_UNIT_PARTY_TEXTS_H

#include "tests/test.h"

#include "common/base/alloc.h"
#include "common/base/buf.h"
#include "common/base/file.h"

#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LABEL_LEN = 6, TEXTS_MAX = 4 << 20 };

struct texts {
	struct buf known, lines; /* the two parts of the file */
	void *root;              /* of a tree of struct known_text, by label */
	size_t count;
};

struct known_text {
	char label[LABEL_LEN + 1];
	char *text;
};

static inline int by_label(const void *a, const void *b)
{
	return strcmp(((const struct known_text *)a)->label, ((const struct known_text *)b)->label);
}

static inline void label_of(const char *text, char label[static LABEL_LEN + 1])
{
	uint64_t h = 0xcbf29ce484222325U; /* FNV-1a */

	for (; *text; text++)
		h = (h ^ (uint8_t)*text) * 0x100000001b3U;
	h = (h ^ h >> 33) * 0xff51afd7ed558ccdU; /* so that the last letters count everywhere */
	h = (h ^ h >> 33) * 0xc4ceb9fe1a85ec53U;
	h ^= h >> 33;
	for (int i = 0; i < LABEL_LEN; i++, h >>= 5)
		label[i] = "abcdefghijkmnopqrstuvwxyz2345678"[h & 31];
	label[LABEL_LEN] = 0;
}

/* The label of a text of one line, which is written down if it is new. */
static inline const char *text_label(struct texts *t, const char *text)
{
	struct known_text wanted = { .text = NULL }, *known, **found;

	label_of(text, wanted.label);
	found = tfind(&wanted, &t->root, by_label);
	if (found) {
		if (strcmp((*found)->text, text) != 0)
			fail_msg("one label of two texts, change label_of(): %s", text);
		return (*found)->label;
	}
	assert_null(strchr(text, '\n'));
	ALLOC(known, 1);
	*known = wanted;
	known->text = alloc_copy(text);
	assert_non_null(tsearch(known, &t->root, by_label));
	buf_printf(&t->known, "%s %s\n", known->label, text);
	t->count++;
	return known->label;
}

/* The same of what was put together in a buf, which is empty then. */
static inline const char *buf_label(struct texts *t, struct buf *text)
{
	const char *label;

	buf_add(text, "", 1);
	label = text_label(t, (const char *)text->p);
	buf_release(text);
	return label;
}

static inline void free_known(void *p)
{
	free(((struct known_text *)p)->text);
	free(p);
}

static inline size_t line_end(const struct buf *b, size_t from)
{
	const uint8_t *end = from < b->n ? memchr(b->p + from, '\n', b->n - from) : NULL;

	return end ? (size_t)(end - b->p) : b->n;
}

/* Prints the first line in which they differ. */
static inline void texts_tell(const char *path, const struct buf *kept, const struct buf *now)
{
	size_t a = 0, b = 0, line = 1;

	for (;; line++) {
		size_t a_end = line_end(kept, a), b_end = line_end(now, b);

		if (a_end - a != b_end - b || memcmp(kept->p + a, now->p + b, a_end - a) != 0) {
			fprintf(stderr, "%s:%zu:\nkept: %.*s\nnow:  %.*s\n", path, line,
				(int)(a_end - a), (char *)kept->p + a, (int)(b_end - b),
				(char *)now->p + b);
			return;
		}
		if (a_end >= kept->n || b_end >= now->n) {
			fprintf(stderr, "%s:%zu: one of the two ends here\n", path, line);
			return;
		}
		a = a_end + 1;
		b = b_end + 1;
	}
}

/* Compares with the file of this path, or writes COTERIE_WRITE_TEXTS. Frees t. head: first lines. */
static inline void texts_end(struct texts *t, const char *path, const char *head)
{
	const char *to = getenv("COTERIE_WRITE_TEXTS");
	struct buf now = { 0 }, kept = { 0 };
	bool same;

	buf_printf(&now, "%s\n[texts]\n", head);
	buf_add(&now, t->known.p, t->known.n);
	buf_add(&now, t->lines.p, t->lines.n);
	tdestroy(t->root, free_known);
	buf_release(&t->known);
	buf_release(&t->lines);
	if (to) {
		assert_ok(file_write(to, (struct bytes){ now.p, now.n }, 0644));
		buf_release(&now);
		return;
	}
	assert_ok(file_read(path, TEXTS_MAX, &kept));
	same = now.n == kept.n && memcmp(now.p, kept.p, now.n) == 0;
	if (!same)
		texts_tell(path, &kept, &now);
	buf_release(&now);
	buf_release(&kept);
	if (!same)
		fail_msg("what users read has changed; if that is meant: COTERIE_WRITE_TEXTS=%s "
			 "and this test again, then look at git diff",
			 path);
}

#endif
