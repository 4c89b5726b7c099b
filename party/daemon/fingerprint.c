#include "party/daemon/fingerprint.h"

static void feed(void *hash, const void *p, size_t n)
{
	sha256_add(hash, p, n);
}

static void add_csr(struct sha256 *h, const struct csr *s)
{
	size_t count = s->start ? s->start[s->rows] : 0;

	sha256_add_u64(h, s->rows);
	sha256_add_u64(h, s->cols);
	sha256_add_u64(h, count);
	if (!count)
		return;
	sha256_add(h, s->start, (s->rows + 1) * sizeof(*s->start));
	sha256_add(h, s->index, count * sizeof(*s->index));
	sha256_add_u32(h, s->value != NULL);
	if (s->value)
		sha256_add(h, s->value, count * sizeof(*s->value));
}

static void add_mat(struct sha256 *h, const struct mat *m)
{
	sha256_add_u64(h, m->rows);
	sha256_add_u64(h, m->cols);
	if (m->rows && m->cols)
		sha256_add(h, m->a, m->rows * m->cols * sizeof(*m->a));
}

static void add_graphs(struct sha256 *h, const struct graphs *g)
{
	sha256_add_u64(h, g->count);
	sha256_add(h, g->first, (g->count + 1) * sizeof(*g->first));
	add_csr(h, &g->A);
	add_mat(h, &g->attribute);
}

void data_fingerprint(const struct dataset *d, const struct graphs *graphs,
		      uint8_t hash[static SHA256_LEN])
{
	struct sha256 *h = sha256_new();

	sha256_add_text(h, "coterie data v1");
	sha256_add_u64(h, d->n);
	sha256_add_u32(h, d->X.is_sparse);
	if (d->X.is_sparse)
		add_csr(h, &d->X.sparse);
	else
		add_mat(h, &d->X.dense);
	add_csr(h, &d->g.adjacency);
	sha256_add_u32(h, d->has_ids);
	if (d->has_ids)
		dataset_feed_ids(d, feed, h);
	if (d->hosted)
		sha256_add(h, d->hosted, d->n * sizeof(*d->hosted));
	if (graphs && graphs->count)
		add_graphs(h, graphs);
	sha256_end(h, hash);
}
