#include "common/ranks/read.h"
#include "common/base/alloc.h"
#include "common/base/file.h"
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

struct edge {
	uint32_t row, col;
};

struct reading_part {
	const struct ranks *R;
	const char *path;
	const uint8_t *p, *end, *begin; /* begin: of the file */
	struct edge *edge;
	size_t count, room;
};

static bool blank(uint8_t c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

static enum err wrong(const struct reading_part *r, const uint8_t *line)
{
	return err_set(ERR_INPUT,
		       "%s: the line at byte %td: expected two row numbers below %zu, and no "
		       "weight, which ranks do not read",
		       r->path, line - r->begin, r->R->n);
}

/* A line from r->p on, which goes to the next. */
static enum err read_line(struct reading_part *r, const uint8_t *file_end)
{
	const uint8_t *line = r->p, *p = line, *stop = memchr(p, '\n', (size_t)(file_end - p));
	uint32_t at[2];

	if (!stop)
		stop = file_end;
	r->p = stop < file_end ? stop + 1 : file_end;
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
			return wrong(r, line);
		at[k] = (uint32_t)x;
	}
	while (p < stop && blank(*p))
		p++;
	if (p < stop)
		return wrong(r, line);
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

static int by_number(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
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
			qsort(rows->index + begin, end - begin, sizeof(uint32_t), by_number);
		for (size_t e = begin; e < end; e++)
			if (to == kept || rows->index[e] != rows->index[to - 1])
				rows->index[to++] = rows->index[e];
		rows->start[i + 1] = to;
		begin = end;
	}
}

/* The lines that begin within this rank's part of the file's bytes. */
static enum err read_part(struct reading_part *r, struct bytes file)
{
	const uint8_t *end = file.p + file.n;

	r->begin = file.p;
	r->p = file.p + file.n / r->R->count * r->R->own;
	r->end =
	    r->R->own + 1 == r->R->count ? end : file.p + file.n / r->R->count * (r->R->own + 1);
	if (r->p > file.p && r->p[-1] != '\n') {
		const uint8_t *stop = memchr(r->p, '\n', (size_t)(end - r->p));

		r->p = stop ? stop + 1 : end;
	}
	while (r->p < r->end)
		TRY(read_line(r, end));
	return ERR_OK;
}

/* To the owners of their rows. Returns what is this rank's, owned by the caller. */
static struct edge *share_out(const struct reading_part *r, size_t *all)
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
	struct bytes file;
	enum err err = file_map(path, &file);
	struct edge *own;
	size_t count;

	if (!err)
		err = read_part(&r, file);
	err = ranks_agree(R, err);
	file_unmap(&file);
	if (!err) {
		own = share_out(&r, &count);
		lay_out(R, own, count, rows);
		free(own);
	}
	free(r.edge);
	return err;
}
