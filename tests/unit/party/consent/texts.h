/* texts.h -- a table of the sentences that users read, which a test compares with a file.
 *
 *     [section]
 *     12 of kcagc, 3 of kmeans; kcagc method=flat, 2 parties: the first text of this form
 *
 * Each row is one form of text. Refusals that differ only in names and values have one form; every
 * other text is its own form. The row has the first text of its form with that text's subject, and
 * counts the subjects in each group with a text of this form. So a reworded sentence changes one
 * row, and a changed condition shows in the counts. */
#ifndef TESTS_UNIT_PARTY_TEXTS_H
#define TESTS_UNIT_PARTY_TEXTS_H

#include "tests/test.h"

#include "common/base/alloc.h"
#include "common/base/buf.h"
#include "common/base/file.h"

#include <ctype.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXTS_MAX = 1024, TEXTS_GROUPS = 16, TEXTS_FILE_MAX = 1 << 20 };

struct texts_count {
	const char *group; /* static */
	size_t count;
};

struct texts_row {
	const char *section; /* a static string, as the names of groups are */
	char *form, *text, *subject;
	struct texts_count of[TEXTS_GROUPS]; /* group NULL ends the array */
};

struct texts {
	struct texts_row row[TEXTS_MAX];
	size_t n;
	void *root;      /* a tree of all texts */
	struct buf seen; /* all texts, each once, one per line */
};

/* ---- forms ---- */

static inline bool texts_is_named(const char *out, size_t n)
{
	static const char *const before[] = { " kind ",        " method ", " method is ",
					      " exchange is ", "(kind ",   "(method " };

	for (size_t i = 0; i < sizeof(before) / sizeof(*before); i++) {
		size_t m = strlen(before[i]);

		if (n >= m && !memcmp(out + n - m, before[i], m))
			return true;
	}
	return false;
}

/* Returns the end of a quoted text, an object or an array. */
static inline const char *texts_end_of_value(const char *at)
{
	const char *end = strchr(at + 1, *at == '"' ? '"' : *at == '{' ? '}' : ']');

	return end ? end + 1 : at + strlen(at);
}

/* Returns the end of the word that starts at `at`. */
static inline const char *texts_end_of_word(const char *at)
{
	while (isalnum((uint8_t)*at) || (*at && strchr("._+-", *at)))
		at++;
	return at;
}

/* Is the word a value: a number, true, false or null? */
static inline bool texts_is_value(const char *at, size_t n)
{
	return isdigit((uint8_t)at[at[0] == '-']) || (n == 4 && !strncmp(at, "true", 4)) ||
	       (n == 5 && !strncmp(at, "false", 5)) || (n == 4 && !strncmp(at, "null", 4));
}

/* Returns a text without its varying parts. Each value and each list of values becomes "?", a
 * parameter's path "job.?", and the name of a kind, method or exchange "?". */
static inline char *texts_form(const char *text)
{
	size_t n = 0, list = strlen("?, ?");
	char *out;

	ALLOC(out, 2 * strlen(text) + 8);
	while (*text) {
		const char *end = texts_end_of_word(text);
		size_t word = (size_t)(end - text);
		bool value = *text == '"' || *text == '{' || *text == '[';

		if (value)
			end = texts_end_of_value(text);
		else if (word)
			value = texts_is_value(text, word) || texts_is_named(out, n);
		if (value) {
			out[n++] = '?';
		} else if (word > 4 && !strncmp(text, "job.", 4)) {
			n += (size_t)sprintf(out + n, "job.?");
		} else {
			end = word ? end : text + 1;
			memcpy(out + n, text, (size_t)(end - text));
			n += (size_t)(end - text);
		}
		if (n >= list && !memcmp(out + n - list, "?, ?", list))
			n -= list - 1;
		text = end;
	}
	out[n] = 0;
	return out;
}

/* ---- rows ---- */

static inline void texts_count_one(struct texts_row *row, const char *group)
{
	size_t i = 0;

	while (row->of[i].group && strcmp(row->of[i].group, group) != 0)
		i++;
	assert_in_range(i, 0, TEXTS_GROUPS - 2);
	row->of[i].group = group;
	row->of[i].count++;
}

static inline int texts_order(const void *a, const void *b)
{
	return strcmp(a, b);
}

static inline void texts_keep(struct texts *t, const char *text)
{
	if (tfind(text, &t->root, texts_order))
		return;
	assert_non_null(tsearch(alloc_copy(text), &t->root, texts_order));
	buf_printf(&t->seen, "%s\n", text);
}

/* Counts a text, and copies the first text of each form. form: NULL if the text is its own form. */
static inline void texts_add(struct texts *t, const char *section, const char *group,
			     const char *subject, const char *text, const char *form)
{
	struct texts_row *row = t->row, *end = t->row + t->n;

	assert_null(strchr(text, '\n'));
	texts_keep(t, text);
	form = form ? form : text;
	while (row < end && (strcmp(row->section, section) != 0 || strcmp(row->form, form) != 0))
		row++;
	if (row == end) {
		assert_true(t->n++ < TEXTS_MAX);
		row->section = section;
		row->form = alloc_copy(form);
		row->text = alloc_copy(text);
		row->subject = alloc_copy(subject);
	}
	texts_count_one(row, group);
}

/* Counts a refusal, whose form omits values. */
static inline void texts_add_refusal(struct texts *t, const char *section, const char *group,
				     const char *subject, const char *text)
{
	char *form = texts_form(text);

	texts_add(t, section, group, subject, text, form);
	free(form);
}

static inline void texts_free(struct texts *t)
{
	for (size_t i = 0; i < t->n; i++) {
		free(t->row[i].form);
		free(t->row[i].text);
		free(t->row[i].subject);
	}
	tdestroy(t->root, free);
	buf_release(&t->seen);
	*t = (struct texts){ .n = 0 };
}

/* ---- the file ---- */

static inline void texts_write_row(struct buf *to, const struct texts_row *row)
{
	for (size_t i = 0; row->of[i].group; i++)
		buf_printf(to, "%s%zu%s%s", i ? ", " : "", row->of[i].count,
			   *row->of[i].group ? " of " : "", row->of[i].group);
	buf_printf(to, "; %s: %s\n", row->subject, row->text);
}

static inline void texts_write(const struct texts *t, const char *const sections[], struct buf *to)
{
	for (size_t s = 0; sections[s]; s++) {
		buf_printf(to, "\n[%s]\n", sections[s]);
		for (size_t i = 0; i < t->n; i++)
			if (!strcmp(t->row[i].section, sections[s]))
				texts_write_row(to, &t->row[i]);
	}
}

static inline size_t texts_line_end(const struct buf *b, size_t from)
{
	const uint8_t *end = from < b->n ? memchr(b->p + from, '\n', b->n - from) : NULL;

	return end ? (size_t)(end - b->p) : b->n;
}

/* Prints the first line that differs. */
static inline void texts_tell(const char *path, const struct buf *kept, const struct buf *now)
{
	size_t a = 0, b = 0;

	for (size_t line = 1;; line++) {
		size_t a_end = texts_line_end(kept, a), b_end = texts_line_end(now, b);

		if (a_end - a != b_end - b || memcmp(kept->p + a, now->p + b, a_end - a) != 0 ||
		    a_end >= kept->n || b_end >= now->n) {
			fprintf(stderr, "%s:%zu:\nkept: %.*s\nnow:  %.*s\n", path, line,
				(int)(a_end - a), (char *)kept->p + a, (int)(b_end - b),
				(char *)now->p + b);
			return;
		}
		a = a_end + 1;
		b = b_end + 1;
	}
}

/* Compares the table with the file `path`, or writes it to the file that COTERIE_WRITE_TEXTS
 * names. */
static inline void texts_compare(const struct buf *now, const char *path)
{
	const char *to = getenv("COTERIE_WRITE_TEXTS");
	struct buf kept = { 0 };
	bool same;

	if (to) {
		assert_ok(file_write(to, (struct bytes){ now->p, now->n }, 0644));
		return;
	}
	assert_ok(file_read(path, TEXTS_FILE_MAX, &kept));
	same = now->n == kept.n && memcmp(now->p, kept.p, kept.n) == 0;
	if (!same)
		texts_tell(path, &kept, now);
	buf_release(&kept);
	if (!same)
		fail_msg("the table of texts has changed; if that is meant: COTERIE_WRITE_TEXTS=%s "
			 "and this test again, then look at git diff",
			 path);
}

#endif
