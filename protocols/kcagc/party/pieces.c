#include "protocols/kcagc/party/pieces.h"
#include "common/base/alloc.h"
#include "common/data/limits.h"
#include "proto/codec.h"

static void pieces_walk_doubles(struct codec *c, double **a, size_t count)
{
	if (!codec_room(c, count, sizeof(**a)))
		return;
	if (!c->out)
		ALLOC(*a, count);
	codec_fixed(c, (uint8_t *)*a, count * sizeof(**a));
}

static void walk_mat(struct codec *c, struct mat *m)
{
	uint64_t rows = m->rows, cols = m->cols;

	codec_u64(c, &rows);
	codec_u64(c, &cols);
	codec_check(c, rows <= ROWS_MAX && cols <= COLS_MAX);
	if (c->bad)
		return;
	m->rows = (size_t)rows;
	m->cols = (size_t)cols;
	pieces_walk_doubles(c, &m->a, m->rows * m->cols);
}

static void walk_embedding(struct codec *c, struct mat *Z, struct embedding *e)
{
	uint32_t filter = e->filter, order = e->order, unit_rows = e->unit_rows;
	uint32_t idf = e->idf != NULL;

	walk_mat(c, Z);
	codec_u32(c, &filter);
	codec_u32(c, &order);
	codec_u32(c, &unit_rows);
	e->filter = (enum filter_kind)filter;
	e->order = order;
	e->unit_rows = unit_rows == 1;
	codec_fixed(c, (uint8_t *)&e->row_power, sizeof(e->row_power));
	codec_fixed(c, (uint8_t *)&e->mean_norm, sizeof(e->mean_norm));
	codec_fixed(c, (uint8_t *)&e->share, sizeof(e->share));
	codec_fixed(c, (uint8_t *)&e->word, sizeof(e->word));
	walk_mat(c, &e->map);
	codec_u32(c, &idf);
	codec_check(c, unit_rows <= 1 && idf <= 1);
	if (idf)
		pieces_walk_doubles(c, &e->idf, e->map.rows);
}

static void walk_clusters(struct codec *c, uint32_t *label, size_t n, size_t k, struct mat *centre)
{
	codec_fixed(c, (uint8_t *)label, n * sizeof(*label));
	for (size_t i = 0; i < n && !c->bad; i++)
		codec_check(c, label[i] < k);
	walk_mat(c, centre);
	codec_check(c, centre->rows == k);
}

void embedding_write(struct mat *Z, struct embedding *how, struct buf *to)
{
	struct codec out = { .out = to };

	walk_embedding(&out, Z, how);
}

bool embedding_parse(struct bytes piece, size_t n, size_t columns, struct mat *Z,
		     struct embedding *how)
{
	struct codec in = { .pos = piece.p, .end = piece.p + piece.n };

	walk_embedding(&in, Z, how);
	if (!in.bad && in.pos == in.end && Z->rows == n && Z->cols == how->map.cols &&
	    how->map.rows == columns)
		return true;
	mat_release(Z);
	embedding_release(how);
	return false;
}

void clusters_write(uint32_t *label, size_t n, size_t k, struct mat *centre, struct buf *to)
{
	struct codec out = { .out = to };

	walk_clusters(&out, label, n, k, centre);
}

bool clusters_parse(struct bytes piece, const struct mat *Z, size_t k, uint32_t *label,
		    struct mat *centre)
{
	struct codec in = { .pos = piece.p, .end = piece.p + piece.n };

	walk_clusters(&in, label, Z->rows, k, centre);
	if (!in.bad && in.pos == in.end && centre->cols == Z->cols)
		return true;
	mat_release(centre);
	return false;
}
