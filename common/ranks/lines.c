#include "common/ranks/lines.h"
#include "common/base/alloc.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { READ_BYTES = 1 << 20 };

struct part {
	const struct file_part *f;
	size_t from, to; /* lines that begin in these bytes */
	char comment;
	ranks_line *each;
	void *arg;
};

/* whole: the part begins with a line. Otherwise reading begins one byte before the part, and the
 * first line belongs to another rank. */
static enum err ranks_lines_read_part(const struct part *part, bool whole, FILE *file)
{
	size_t at = part->from - !whole, room = 0;
	enum err err = ERR_OK;
	char *line = NULL;

	setvbuf(file, NULL, _IOFBF, READ_BYTES);
	if (fseeko(file, (off_t)at, SEEK_SET) != 0)
		return err_set(ERR_INPUT, "%s: %s", part->f->path, strerror(errno));
	while (!err && at < part->to) {
		ssize_t n = getline(&line, &room, file);
		struct text text;

		if (n <= 0) {
			err =
			    ferror(file)
				? err_set(ERR_INPUT, "%s: %s", part->f->path, strerror(errno))
				: err_set(ERR_INPUT, "%s: it has become shorter while it was read",
					  part->f->path);
			break;
		}
		text = text_of_line((struct word){ line, (size_t)n - (line[n - 1] == '\n') }, at,
				    part->f->path);
		if (whole && text_line(&text, part->comment))
			err = part->each(part->arg, &text);
		whole = true;
		at += (size_t)n;
	}
	free(line);
	return err;
}

enum err ranks_lines(const struct ranks *R, const struct file_part *f, size_t first, char comment,
		     ranks_line *each, void *arg)
{
	struct part part = { .f = f, .comment = comment, .each = each, .arg = arg };
	size_t share = f->size > first ? (f->size - first) / R->count : 0;
	enum err err;
	FILE *file;

	if (f->whole)
		return err_set(ERR_INPUT, "%s: no regular file, which ranks cannot read by parts",
			       f->path);
	part.from = first + share * R->own;
	part.to = R->own + 1 == R->count ? f->size : part.from + share;
	file = fdopen(dup(f->fd), "r");
	if (!file)
		return err_set(ERR_INPUT, "%s: %s", f->path, strerror(errno));
	err = ranks_lines_read_part(&part, R->own == 0 || part.from == 0, file);
	fclose(file);
	return err;
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
