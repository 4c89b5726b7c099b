#include "common/ranks/lines.h"
#include "common/base/alloc.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { READ_BYTES = 1 << 20 };

struct part {
	const struct file_part *f;
	size_t to; /* a line that begins here or later is another rank's */
	char comment;
	ranks_line *each;
	void *arg;
};

/* Lines of b, which lies at `first` of the file, that are whole and begin before part->to; *read:
 * so many bytes. */
static enum err ranks_lines_read(const struct part *part, struct bytes b, size_t first, bool last,
				 size_t *read)
{
	for (*read = 0; *read < b.n && first + *read < part->to;) {
		const char *p = (const char *)b.p + *read, *stop = memchr(p, '\n', b.n - *read);
		struct word w = { p, stop ? (size_t)(stop - p) : b.n - *read };
		struct text line = text_of_line(w, first + *read, part->f->path);

		if (!stop && !last)
			break;
		if (text_line(&line, part->comment))
			TRY(part->each(part->arg, &line));
		*read += w.n + (stop != NULL);
	}
	return ERR_OK;
}

/* at: where the part begins; the line that it begins in is another rank's unless a line ends right
 * before it. */
static enum err ranks_lines_read_part(const struct part *part, size_t at, bool whole)
{
	const struct file_part *f = part->f;
	struct buf b = { 0 };
	enum err err = ERR_OK;

	at -= !whole;
	while (!err && at < part->to && at + b.n < f->size) {
		size_t next = at + b.n, more = f->size - next;
		size_t read = 0;

		if (more > READ_BYTES)
			more = READ_BYTES;
		err = file_part_read(f, next, buf_extend(&b, more), more);
		if (!err && !whole) {
			const uint8_t *stop = memchr(b.p, '\n', b.n);

			whole = stop;
			read = stop ? (size_t)(stop - b.p) + 1 : b.n;
			buf_drop(&b, read);
			at += read;
			read = 0;
		}
		if (!err && whole)
			err = ranks_lines_read(part, (struct bytes){ b.p, b.n }, at,
					       next + more == f->size, &read);
		buf_drop(&b, read);
		at += read;
	}
	buf_release(&b);
	return err;
}

enum err ranks_lines(const struct ranks *R, const struct file_part *f, size_t first, char comment,
		     ranks_line *each, void *arg)
{
	struct part part = { .f = f, .comment = comment, .each = each, .arg = arg };
	size_t share = f->size > first ? (f->size - first) / R->count : 0;
	size_t from = first + share * R->own;

	if (f->whole)
		return err_set(ERR_INPUT, "%s: no regular file, which ranks cannot read by parts",
			       f->path);
	part.to = R->own + 1 == R->count ? f->size : from + share;
	return ranks_lines_read_part(&part, from, R->own == 0 || from == 0);
}

void *ranks_to_owners(const struct ranks *R, void *items, size_t bytes, size_t count, size_t *all)
{
	const char *from = items;
	size_t *each, *place, *in_count;
	char *out = alloc(count, bytes);
	void *in;

	ALLOC(each, R->count);
	ALLOC(place, R->count);
	ALLOC(in_count, R->count);
	for (size_t i = 0; i < count; i++)
		each[ranks_owner(R, *(const uint32_t *)(const void *)(from + i * bytes))]++;
	for (size_t q = 1; q < R->count; q++)
		place[q] = place[q - 1] + each[q - 1];
	for (size_t i = 0; i < count; i++) {
		size_t q = ranks_owner(R, *(const uint32_t *)(const void *)(from + i * bytes));

		memcpy(out + place[q]++ * bytes, from + i * bytes, bytes);
	}
	free(items);
	in = ranks_exchange(R, bytes, out, each, in_count);
	*all = 0;
	for (size_t q = 0; q < R->count; q++)
		*all += in_count[q];
	free(out);
	free(in_count);
	free(place);
	free(each);
	return in;
}

void ranks_lay_out(const struct ranks *R, struct triple *t, size_t count, size_t cols,
		   bool weighted, struct csr *rows)
{
	for (size_t i = 0; i < count; i++)
		t[i].row -= (uint32_t)ranks_first(R);
	csr_from_triples(rows, ranks_rows(R), cols, t, count);
	free(t);
	if (weighted)
		return;
	free(rows->value);
	rows->value = NULL;
}
