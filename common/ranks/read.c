#include "common/ranks/read.h"
#include "common/base/alloc.h"
#include "common/base/file.h"
#include "common/data/limits.h"
#include "common/data/mtx.h"
#include "common/data/npy.h"
#include "common/data/value.h"
#include "common/ranks/lines.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static bool ends_with(const char *path, const char *end)
{
	size_t n = strlen(path), m = strlen(end);

	return n > m && !strcmp(path + n - m, end);
}

/* ---- .npy ---- */

static enum err read_npy(struct ranks *R, const char *path, struct mat *X)
{
	size_t rows = 0, cols;
	enum err err = ranks_agree(R, npy_read_shape(path, &rows, &cols));

	if (!err) {
		ranks_cut(R, rows);
		err = ranks_agree(R, npy_read_rows(path, R->cut[R->own], ranks_rows(R), X));
	}
	return err;
}

/* ---- Matrix Market ---- */

enum { HEAD_BYTES = 1 << 16 }; /* banner, comments and sizes */

struct reading_mtx {
	const char *path;
	struct file_part file;
	struct mtx_head head;
	size_t body;          /* the byte where entries begin */
	struct triple *entry; /* of an array the value alone, until all ranks have counted */
	size_t count, room;
};

static enum err read_head(struct reading_mtx *m)
{
	size_t n = min_size(m->file.size, HEAD_BYTES);
	struct buf b = { 0 };
	struct text t;
	enum err err;

	if (m->file.whole)
		return err_set(ERR_INPUT, "%s: no regular file, which ranks cannot read by parts",
			       m->path);
	err = file_part_read(&m->file, 0, buf_extend(&b, n), n);
	if (!err) {
		t = text_open((struct bytes){ b.p, b.n }, m->path);
		err = mtx_read_head(&t, m->file.size, &m->head);
		m->body = err ? 0 : (size_t)(t.p - (const char *)b.p);
	}
	buf_release(&b);
	/* Sizes that the part's end cuts off would be other ones. */
	if (n < m->file.size && (err || m->body >= n))
		return err_set(ERR_INPUT, "%.900s; of a header ranks read the first %d bytes",
			       err ? err_detail() : m->path, HEAD_BYTES);
	return err;
}

static struct triple *next_entry(struct reading_mtx *m)
{
	if (m->count == m->room) {
		m->room = m->room ? 2 * m->room : 4096;
		m->entry = alloc_again(m->entry, m->room, sizeof(*m->entry));
	}
	return &m->entry[m->count++];
}

static enum err read_value(void *arg, struct word line, size_t byte)
{
	struct text t = text_open((struct bytes){ (const uint8_t *)line.p, line.n }, "");
	struct reading_mtx *m = arg;
	struct triple e = { 0 };

	if (!text_line(&t, '%'))
		return ERR_OK;
	if (!word_number(text_word(&t), &e.value) || !text_at_end(&t))
		return err_set(ERR_INPUT, "%s: the line at byte %zu: expected a finite number",
			       m->path, byte);
	*next_entry(m) = e;
	return ERR_OK;
}

static enum err read_entry(void *arg, struct word line, size_t byte)
{
	struct text t = text_open((struct bytes){ (const uint8_t *)line.p, line.n }, "");
	struct reading_mtx *m = arg;
	const struct mtx_head *h = &m->head;
	double value = 1;
	uint64_t i, j;

	if (!text_line(&t, '%'))
		return ERR_OK;
	if (!word_whole(text_word(&t), &i) || !word_whole(text_word(&t), &j) || i < 1 || j < 1 ||
	    i > h->rows || j > h->cols || (h->is_symmetric && j > i) ||
	    (!h->is_pattern && !word_number(text_word(&t), &value)) || !text_at_end(&t))
		return err_set(ERR_INPUT,
			       "%s: the line at byte %zu: expected a row of 1 to %zu, a column of "
			       "1 to %zu%s%s",
			       m->path, byte, h->rows, h->cols,
			       h->is_symmetric ? ", none above the diagonal" : "",
			       h->is_pattern ? ", and no more" : ", and a finite number");
	*next_entry(m) = (struct triple){ (uint32_t)(i - 1), (uint32_t)(j - 1), value };
	return ERR_OK;
}

/* Values of an array come column by column: where this rank's are follows from how many others
 * have. */
static void place_values(const struct ranks *R, struct reading_mtx *m)
{
	size_t *each = ranks_all(R, sizeof(m->count), &m->count), at = 0;

	for (size_t q = 0; q < R->own; q++)
		at += each[q];
	free(each);
	for (size_t i = 0; i < m->count; i++, at++) {
		m->entry[i].row = (uint32_t)(at % m->head.rows);
		m->entry[i].col = (uint32_t)(at / m->head.rows);
	}
}

static enum err check_count(const struct ranks *R, const struct reading_mtx *m)
{
	size_t all = ranks_total(R, m->count);

	return all == m->head.count
		   ? ERR_OK
		   : err_set(ERR_INPUT, "%s: it has %zu values, its header promises %zu", m->path,
			     all, m->head.count);
}

/* The head at each rank, and this rank's lines. */
static enum err read_mtx_part(const struct ranks *R, const char *path, struct reading_mtx *m)
{
	enum err err;

	*m = (struct reading_mtx){ .path = path };
	err = ranks_agree(R, file_part_open(&m->file, path, DATA_FILE_MAX));
	if (err)
		return err;
	err = read_head(m);
	if (!err)
		err = ranks_lines(R, &m->file, m->body, m->head.is_array ? read_value : read_entry,
				  m);
	file_part_close(&m->file);
	err = ranks_agree(R, err);
	return err ? err : check_count(R, m);
}

/* Entries to their owners, each row's rising; none twice. R is cut. */
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

/* Of a symmetric matrix the other triangle. */
static void add_mirrored(const struct ranks *R, struct reading_mtx *m)
{
	size_t given = m->count;

	if (!m->head.is_symmetric)
		return;
	for (size_t e = 0; e < given; e++) {
		struct triple t = m->entry[e];

		if (t.row != t.col)
			*next_entry(m) = (struct triple){ t.col, t.row, t.value };
	}
	m->entry = ranks_to_owners(R, m->entry, sizeof(*m->entry), m->count, &m->count);
	triples_sort(m->entry, m->count);
}

static void lay_array(const struct ranks *R, struct reading_mtx *m, struct mat *X)
{
	size_t first = R->cut[R->own];

	mat_init(X, ranks_rows(R), m->head.cols);
	for (size_t i = 0; i < m->count; i++)
		MAT(X, m->entry[i].row - first, m->entry[i].col) = m->entry[i].value;
	free(m->entry);
}

static enum err read_mtx(struct ranks *R, const char *path, struct features *X)
{
	struct reading_mtx m;
	enum err err = read_mtx_part(R, path, &m);

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
	add_mirrored(R, &m);
	ranks_lay_out(R, m.entry, m.count, m.head.cols, true, &X->sparse);
	return ERR_OK;
}

enum err ranks_read_features(struct ranks *R, const char *path, struct features *X)
{
	enum err err;

	*X = (struct features){ 0 };
	err = ends_with(path, ".mtx") ? read_mtx(R, path, X) : read_npy(R, path, &X->dense);
	if (err)
		features_release(X);
	return err;
}

/* ---- edges ---- */

struct edge {
	uint32_t row, col;
};

/* weight: of each edge, once one is not 1. */
struct edges {
	const struct ranks *R;
	const char *path;
	struct edge *edge;
	double *weight;
	size_t count, room, weights;
};

/* In both directions; no loop. */
static void add_edge(struct edges *r, uint32_t u, uint32_t v, double weight)
{
	if (u == v)
		return;
	if (r->count + 2 > r->room) {
		r->room = r->room ? 2 * r->room : 4096;
		r->edge = alloc_again(r->edge, r->room, sizeof(*r->edge));
	}
	if (weight != 1 || r->weight) {
		if (r->weights < r->room) {
			r->weight = alloc_again(r->weight, r->room, sizeof(*r->weight));
			for (; r->weights < r->room; r->weights++)
				r->weight[r->weights] = 1;
		}
		r->weight[r->count] = r->weight[r->count + 1] = weight;
	}
	r->edge[r->count++] = (struct edge){ u, v };
	r->edge[r->count++] = (struct edge){ v, u };
}

static bool blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

static enum err wrong(const struct edges *r, size_t at)
{
	return err_set(ERR_INPUT,
		       "%s: the line at byte %zu: expected two row numbers below %zu, and no more "
		       "than a weight above 0",
		       r->path, at, r->R->n);
}

static enum err read_edge(void *arg, struct word line, size_t byte)
{
	const char *p = line.p, *stop = line.p + line.n;
	struct edges *r = arg;
	double weight = 1;
	uint32_t at[2];

	while (p < stop && blank(*p))
		p++;
	if (p == stop || *p == '#')
		return ERR_OK;
	for (int k = 0; k < 2; k++) {
		uint64_t x = 0;
		const char *first;

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
	if (p < stop) {
		struct text t =
		    text_open((struct bytes){ (const uint8_t *)p, (size_t)(stop - p) }, "");

		if (!word_number(text_word(&t), &weight) || !(weight > 0) || !text_at_end(&t))
			return wrong(r, byte);
	}
	add_edge(r, at[0], at[1], weight);
	return ERR_OK;
}

static enum err read_tsv(struct edges *r)
{
	struct file_part file;
	enum err err = file_part_open(&file, r->path, DATA_FILE_MAX);

	if (!err) {
		err = ranks_lines(r->R, &file, 0, read_edge, r);
		file_part_close(&file);
	}
	return ranks_agree(r->R, err);
}

static enum err read_edges_mtx(struct edges *r)
{
	size_t n = r->R->n;
	struct reading_mtx m;
	enum err err = read_mtx_part(r->R, r->path, &m);

	if (!err && m.head.is_array)
		err = err_set(ERR_INPUT, "%s: an array, expected coordinates", r->path);
	else if (!err && (m.head.rows != n || m.head.cols != n))
		err = err_set(ERR_INPUT,
			      "%s: %zu x %zu, expected %zu x %zu as there are that many nodes",
			      r->path, m.head.rows, m.head.cols, n, n);
	if (!err)
		err = share_entries(r->R, &m);
	for (size_t i = 0; i < m.count && !err; i++) {
		const struct triple *e = &m.entry[i];

		if (e->value > 0)
			add_edge(r, e->row, e->col, e->value);
		else
			err = err_set(ERR_INPUT,
				      "%s: entry (%u, %u) is %g, expected a weight of more than 0",
				      r->path, e->row + 1, e->col + 1, e->value);
	}
	free(m.entry);
	return ranks_agree(r->R, err);
}

/* Rows of what came, each rising and without repetitions. */
static void lay_edges(const struct ranks *R, const struct edge *edge, size_t count,
		      struct csr *rows)
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

/* An edge said again has the weight that it had. */
static enum err drop_repeated(const struct edges *r, struct triple *t, size_t *count)
{
	size_t kept = 0;

	triples_sort(t, *count);
	for (size_t i = 0; i < *count; i++) {
		const struct triple e = t[i], *last = kept ? &t[kept - 1] : NULL;

		if (!last || last->row != e.row || last->col != e.col)
			t[kept++] = e;
		else if (last->value != e.value)
			return err_set(
			    ERR_INPUT,
			    "%s: the edge of rows %u and %u is given with weight %s, but with %s "
			    "elsewhere",
			    r->path, e.row, e.col, value_number(e.value).s,
			    value_number(last->value).s);
	}
	*count = kept;
	return ERR_OK;
}

/* r's edges are used up. */
static enum err share_weighted(struct edges *r, struct csr *rows)
{
	struct triple *t = alloc(r->count, sizeof(*t));
	size_t count = r->count;
	enum err err;

	for (size_t i = 0; i < count; i++)
		t[i] =
		    (struct triple){ r->edge[i].row, r->edge[i].col, r->weight ? r->weight[i] : 1 };
	free(r->weight);
	free(r->edge);
	r->weight = NULL;
	r->edge = NULL;
	t = ranks_to_owners(r->R, t, sizeof(*t), count, &count);
	err = ranks_agree(r->R, drop_repeated(r, t, &count));
	if (err)
		free(t);
	else
		ranks_lay_out(r->R, t, count, r->R->n, true, rows);
	return err;
}

static void share_plain(struct edges *r, struct csr *rows)
{
	size_t count;

	r->edge = ranks_to_owners(r->R, r->edge, sizeof(*r->edge), r->count, &count);
	lay_edges(r->R, r->edge, count, rows);
}

enum err ranks_read_edges(const struct ranks *R, const char *path, struct csr *rows)
{
	struct edges r = { .R = R, .path = path };
	enum err err = ends_with(path, ".mtx") ? read_edges_mtx(&r) : read_tsv(&r);

	*rows = (struct csr){ 0 };
	if (!err && ranks_total(R, r.weight != NULL))
		err = share_weighted(&r, rows);
	else if (!err)
		share_plain(&r, rows);
	free(r.edge);
	free(r.weight);
	return err;
}
