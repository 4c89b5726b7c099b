#include "common/ranks/read.h"
#include "common/base/alloc.h"
#include "common/base/sort.h"
#include "common/data/edges.h"
#include "common/data/limits.h"
#include "common/data/mtx.h"
#include "common/data/npy.h"
#include "common/data/value.h"
#include "common/ranks/lines.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* ---- .npy ---- */

static enum err read_npy(struct ranks *R, const char *path, struct mat *X)
{
	size_t rows = 0, cols;

	TRY(ranks_agree(R, npy_read_shape(path, &rows, &cols)));
	ranks_cut(R, rows);
	return ranks_agree(R, npy_read_rows(path, ranks_first(R), ranks_rows(R), X));
}

/* ---- Matrix Market ---- */

enum { HEAD_BYTES = 1 << 16 }; /* bytes in which banner, comments and sizes must end */

struct reading_mtx {
	const char *path;
	struct mtx_head head;
	/* place_values() sets row and column of an array's values */
	struct triple *entry;
	size_t count, room;
};

/* Reads the head; *body is the byte at which entries begin. */
static enum err read_head(const struct file_part *f, struct mtx_head *h, size_t *body)
{
	size_t n = min_size(f->size, HEAD_BYTES);
	struct buf b = { 0 };
	struct text t;
	enum err err;

	if (f->whole)
		return err_set(ERR_INPUT, "%s: no regular file, which ranks cannot read by parts",
			       f->path);
	err = file_part_read(f, 0, buf_extend(&b, n), n);
	if (!err) {
		t = text_open((struct bytes){ b.p, b.n }, f->path);
		err = mtx_read_head(&t, f->size, h);
		*body = err ? 0 : (size_t)(t.p - (const char *)b.p);
	}
	buf_release(&b);
	/* If the part that was read ends within the sizes, their first digits would be read as
	 * other numbers. */
	if (n < f->size && (err || *body >= n))
		return err_set(ERR_INPUT, "%.900s; of a header ranks read the first %d bytes",
			       err ? err_detail() : f->path, HEAD_BYTES);
	return err;
}

static struct triple *next_entry(struct reading_mtx *m)
{
	ALLOC_ROOM(m->entry, m->count, m->room);
	return &m->entry[m->count++];
}

static enum err ranks_read_entry(void *arg, struct text *line)
{
	struct reading_mtx *m = arg;

	return mtx_read_entry(line, &m->head, next_entry(m));
}

/* Places the values of an array, which come column by column: this rank's first value follows the
 * values of lower ranks. */
static void place_values(const struct ranks *R, struct reading_mtx *m)
{
	size_t at = ranks_before(R, m->count);

	for (size_t i = 0; i < m->count; i++, at++) {
		m->entry[i].row = (uint32_t)(at % m->head.rows);
		m->entry[i].col = (uint32_t)(at / m->head.rows);
	}
}

/* Reads the head, as every rank does, and then this rank's lines. */
static enum err ranks_read_part(const struct ranks *R, const char *path, struct reading_mtx *m)
{
	struct file_part f;
	size_t body = 0, all;
	enum err err;

	*m = (struct reading_mtx){ .path = path };
	TRY(ranks_agree(R, file_part_open(&f, path, DATA_FILE_MAX)));
	err = read_head(&f, &m->head, &body);
	if (!err)
		err = ranks_lines(R, &f, body, '%', ranks_read_entry, m);
	file_part_close(&f);
	TRY(ranks_agree(R, err));
	all = ranks_total(R, m->count);
	return all == m->head.count
		   ? ERR_OK
		   : err_set(ERR_INPUT, "%s: it has %zu values, its header promises %zu", path, all,
			     m->head.count);
}

/* Sends entries to their owners and sorts each row. Refuses repeated entries. R must be cut. */
static enum err share_entries(const struct ranks *R, struct reading_mtx *m)
{
	size_t twice;

	m->entry = ranks_to_owners(R, m->entry, sizeof(*m->entry), m->count, &m->count);
	m->room = m->count;
	twice = triples_sort(m->entry, m->count);
	return ranks_agree(R, twice == m->count
				  ? ERR_OK
				  : err_set(ERR_INPUT, "%s: entry (%u, %u) is given twice", m->path,
					    m->entry[twice].row + 1, m->entry[twice].col + 1));
}

/* Adds the other triangle of a symmetric matrix. */
static void add_mirrored(const struct ranks *R, struct reading_mtx *m)
{
	size_t given = m->count;

	for (size_t e = 0; e < given; e++) {
		struct triple t = m->entry[e];

		if (t.row != t.col)
			*next_entry(m) = (struct triple){ t.col, t.row, t.value };
	}
	m->entry = ranks_to_owners(R, m->entry, sizeof(*m->entry), m->count, &m->count);
}

static void lay_array(const struct ranks *R, struct reading_mtx *m, struct mat *X)
{
	mat_init(X, ranks_rows(R), m->head.cols);
	for (size_t i = 0; i < m->count; i++)
		MAT(X, m->entry[i].row - ranks_first(R), m->entry[i].col) = m->entry[i].value;
	free(m->entry);
}

static enum err read_mtx(struct ranks *R, const char *path, struct features *X)
{
	struct reading_mtx m;
	enum err err = ranks_read_part(R, path, &m);

	if (!err) {
		ranks_cut(R, m.head.rows);
		if (m.head.is_array)
			place_values(R, &m);
		err = share_entries(R, &m);
	}
	if (err) {
		free(m.entry);
		return err;
	}
	X->is_sparse = !m.head.is_array;
	if (m.head.is_array) {
		lay_array(R, &m, &X->dense);
		return ERR_OK;
	}
	if (m.head.is_symmetric)
		add_mirrored(R, &m);
	ranks_lay_out(R, m.entry, m.count, m.head.cols, true, &X->sparse);
	return ERR_OK;
}

enum err ranks_read_features(struct ranks *R, const char *path, struct features *X)
{
	enum err err;

	*X = (struct features){ 0 };
	err = file_ends(path, ".mtx") ? read_mtx(R, path, X) : read_npy(R, path, &X->dense);
	if (err)
		features_release(X);
	return err;
}

/* ---- edges ---- */

/* The edges that this rank has read, each with its ends in either order. */
struct edges {
	const struct ranks *R;
	const char *path;
	struct triple *t;
	size_t count, room;
	bool weighted; /* true if some edge has a weight other than 1 */
};

static void ranks_read_add_edge(struct edges *r, struct triple t)
{
	if (t.row == t.col)
		return;
	ALLOC_ROOM(r->t, r->count, r->room);
	r->t[r->count++] = t;
	r->weighted |= t.value != 1;
}

static enum err read_edge(void *arg, struct text *line)
{
	struct edges *r = arg;
	struct triple t;

	TRY(edges_read_line(line, r->R->n, &t.row, &t.col, &t.value));
	ranks_read_add_edge(r, t);
	return ERR_OK;
}

static enum err ranks_read_tsv(struct edges *r)
{
	struct file_part f;
	enum err err = file_part_open(&f, r->path, DATA_FILE_MAX);

	if (!err) {
		err = ranks_lines(r->R, &f, 0, '#', read_edge, r);
		file_part_close(&f);
	}
	return ranks_agree(r->R, err);
}

static enum err read_edges_mtx(struct edges *r)
{
	struct reading_mtx m;
	enum err err = ranks_read_part(r->R, r->path, &m);

	if (!err)
		err = edges_check_mtx(r->path, m.head.is_array, m.head.rows, m.head.cols, r->R->n);
	if (!err)
		err = share_entries(r->R, &m);
	for (size_t i = 0; i < m.count && !err; i++) {
		const struct triple *e = &m.entry[i];

		if (e->value > 0)
			ranks_read_add_edge(r, *e);
		else
			err = err_set(ERR_INPUT,
				      "%s: entry (%u, %u) is %s, expected a weight of more than 0",
				      r->path, e->row + 1, e->col + 1, value_number(e->value).s);
	}
	free(m.entry);
	return ranks_agree(r->R, err);
}

struct edge {
	uint32_t row, col;
};

/* Builds rows from received edges, each row ascending and without repetitions. */
static void lay_edges(const struct ranks *R, const struct edge *edge, size_t count,
		      struct csr *rows)
{
	size_t n = ranks_rows(R), first = ranks_first(R), to = 0, *at;

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
			sort_u32(rows->index + begin, end - begin);
		for (size_t e = begin; e < end; e++)
			if (to == kept || rows->index[e] != rows->index[to - 1])
				rows->index[to++] = rows->index[e];
		rows->start[i + 1] = to;
		begin = end;
	}
}

static enum err share_weighted(struct edges *r, struct csr *rows)
{
	size_t given = r->count, repeated;
	struct triple clash;
	enum err err = ERR_OK;

	r->t = alloc_again(r->t, 2 * given, sizeof(*r->t));
	for (size_t i = 0; i < given; i++)
		r->t[given + i] = (struct triple){ r->t[i].col, r->t[i].row, r->t[i].value };
	r->t = ranks_to_owners(r->R, r->t, sizeof(*r->t), 2 * given, &r->count);
	if (!edges_unite(r->t, &r->count, &repeated, &clash))
		err = err_set(ERR_INPUT, "%s: the edge of rows %u and %u is given with two weights",
			      r->path, clash.row < clash.col ? clash.row : clash.col,
			      clash.row < clash.col ? clash.col : clash.row);
	TRY(ranks_agree(r->R, err));
	ranks_lay_out(r->R, r->t, r->count, r->R->n, true, rows);
	r->t = NULL;
	return ERR_OK;
}

/* Reuses the memory of triples: both directions of an edge without weight fit into one triple. */
static void share_plain(struct edges *r, struct csr *rows)
{
	struct edge *edge = (struct edge *)(void *)r->t;
	size_t count;

	for (size_t i = 0; i < r->count; i++) {
		uint32_t u = r->t[i].row, v = r->t[i].col;

		edge[2 * i] = (struct edge){ u, v };
		edge[2 * i + 1] = (struct edge){ v, u };
	}
	r->t = NULL;
	edge = ranks_to_owners(r->R, edge, sizeof(*edge), 2 * r->count, &count);
	lay_edges(r->R, edge, count, rows);
	free(edge);
}

enum err ranks_read_edges(const struct ranks *R, const char *path, struct csr *rows)
{
	struct edges r = { .R = R, .path = path };
	enum err err = file_ends(path, ".mtx") ? read_edges_mtx(&r) : ranks_read_tsv(&r);

	*rows = (struct csr){ 0 };
	if (!err && ranks_total(R, r.weighted))
		err = share_weighted(&r, rows);
	else if (!err)
		share_plain(&r, rows);
	free(r.t);
	return err;
}
