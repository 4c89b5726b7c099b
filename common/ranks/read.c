#include "common/ranks/read.h"
#include "common/base/alloc.h"
#include "common/base/file.h"
#include "common/data/limits.h"
#include "common/data/npy.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum err ranks_read_npy(struct ranks *R, const char *path, struct mat *X)
{
	size_t rows = 0, cols;
	enum err err = ranks_agree(R, npy_read_shape(path, &rows, &cols));

	*X = (struct mat){ 0 };
	if (!err) {
		ranks_cut(R, rows);
		err = ranks_agree(R, npy_read_rows(path, R->cut[R->own], ranks_rows(R), X));
	}
	if (err)
		mat_release(X);
	return err;
}

enum { READ_BYTES = 1 << 20 };

struct edge {
	uint32_t row, col;
};

struct reading_part {
	const struct ranks *R;
	const char *path;
	struct edge *edge;
	size_t count, room;
};

static bool blank(uint8_t c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

static enum err wrong(const struct reading_part *r, size_t at)
{
	return err_set(ERR_INPUT,
		       "%s: the line at byte %zu: expected two row numbers below %zu, and no "
		       "weight, which ranks do not read",
		       r->path, at, r->R->n);
}

/* The line from p to stop, which lies at that byte of the file. */
static enum err read_line(struct reading_part *r, const uint8_t *p, const uint8_t *stop,
			  size_t byte)
{
	uint32_t at[2];

	while (p < stop && blank(*p))
		p++;
	if (p == stop || *p == '#')
		return ERR_OK;
	for (int k = 0; k < 2; k++) {
		uint64_t x = 0;
		const uint8_t *first;

		while (p < stop && blank(*p))
			p++;
		for (first = p; p < stop && *p >= '0' && *p <= '9' && x < r->R->n; p++)
			x = 10 * x + (uint64_t)(*p - '0');
		if (p == first || x >= r->R->n || (p < stop && !blank(*p)))
			return wrong(r, byte);
		at[k] = (uint32_t)x;
	}
	while (p < stop && blank(*p))
		p++;
	if (p < stop)
		return wrong(r, byte);
	if (at[0] == at[1])
		return ERR_OK;
	if (r->count + 2 > r->room) {
		r->room = r->room ? 2 * r->room : 4096;
		r->edge = alloc_again(r->edge, r->room, sizeof(*r->edge));
	}
	r->edge[r->count++] = (struct edge){ at[0], at[1] };
	r->edge[r->count++] = (struct edge){ at[1], at[0] };
	return ERR_OK;
}

/* Rows of what came, each rising and without repetitions. */
static void lay_out(const struct ranks *R, const struct edge *edge, size_t count, struct csr *rows)
{
	size_t n = ranks_rows(R), first = R->cut[R->own], to = 0, *at;

	csr_init(rows, n, R->n, count, false);
	for (size_t i = 0; i < count; i++)
		rows->start[edge[i].row - first + 1]++;
	for (size_t i = 0; i < n; i++)
		rows->start[i + 1] += rows->start[i];
	ALLOC(at, n + 1);
	memcpy(at, rows->start, n * sizeof(*at));
	for (size_t i = 0; i < count; i++)
		rows->index[at[edge[i].row - first]++] = edge[i].col;
	free(at);
	for (size_t i = 0, begin = 0; i < n; i++) {
		size_t end = rows->start[i + 1], kept = to;

		if (end > begin)
			qsort(rows->index + begin, end - begin, sizeof(uint32_t), ranks_by_number);
		for (size_t e = begin; e < end; e++)
			if (to == kept || rows->index[e] != rows->index[to - 1])
				rows->index[to++] = rows->index[e];
		rows->start[i + 1] = to;
		begin = end;
	}
}

/* Of bytes that lie at `first` of the file the lines that are whole and begin before `to`; *read:
 * so many bytes. */
static enum err read_lines(struct reading_part *r, struct bytes b, size_t first, size_t to,
			   bool last, size_t *read)
{
	for (*read = 0; *read < b.n && first + *read < to;) {
		const uint8_t *line = b.p + *read, *stop = memchr(line, '\n', b.n - *read);

		if (!stop && !last)
			break;
		TRY(read_line(r, line, stop ? stop : b.p + b.n, first + *read));
		*read = stop ? (size_t)(stop - b.p) + 1 : b.n;
	}
	return ERR_OK;
}

/* The lines that begin within this rank's part of the file's bytes, some at a time. */
static enum err read_part(struct reading_part *r, const struct file_part *f)
{
	size_t share = f->size / r->R->count, from = share * r->R->own;
	size_t to = r->R->own + 1 == r->R->count ? f->size : from + share;
	size_t at = from ? from - 1 : 0; /* of b: a line begins behind a line's end */
	bool whole = from == 0;
	struct buf b = { 0 };
	enum err err = ERR_OK;

	while (!err && at < to && at + b.n < f->size) {
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
			err = read_lines(r, (struct bytes){ b.p, b.n }, at, to,
					 next + more == f->size, &read);
		buf_drop(&b, read);
		at += read;
	}
	buf_release(&b);
	return err;
}

/* To the owners of their rows; r's are used up. Returns what is this rank's, owned by the caller.
 */
static struct edge *share_out(struct reading_part *r, size_t *all)
{
	const struct ranks *R = r->R;
	size_t *count, *place, *in_count;
	struct edge *out = alloc(r->count, sizeof(*out)), *in;

	ALLOC(count, R->count);
	ALLOC(place, R->count);
	ALLOC(in_count, R->count);
	for (size_t i = 0; i < r->count; i++)
		count[ranks_owner(R, r->edge[i].row)]++;
	for (size_t q = 1; q < R->count; q++)
		place[q] = place[q - 1] + count[q - 1];
	for (size_t i = 0; i < r->count; i++)
		out[place[ranks_owner(R, r->edge[i].row)]++] = r->edge[i];
	free(r->edge);
	r->edge = NULL;
	in = ranks_exchange(R, sizeof(*in), out, count, in_count);
	*all = 0;
	for (size_t q = 0; q < R->count; q++)
		*all += in_count[q];
	free(out);
	free(in_count);
	free(place);
	free(count);
	return in;
}

enum err ranks_read_edges(const struct ranks *R, const char *path, struct csr *rows)
{
	struct reading_part r = { .R = R, .path = path };
	struct file_part file;
	enum err err = file_part_open(&file, path, DATA_FILE_MAX);
	struct edge *own;
	size_t count;

	if (!err) {
		err = file.whole
			  ? err_set(ERR_INPUT,
				    "%s: no regular file, which ranks cannot read by parts", path)
			  : read_part(&r, &file);
		file_part_close(&file);
	}
	err = ranks_agree(R, err);
	if (!err) {
		own = share_out(&r, &count);
		lay_out(R, own, count, rows);
		free(own);
	}
	free(r.edge);
	return err;
}
