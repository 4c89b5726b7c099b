#include "party/kcagc/local.h"
#include "common/base/alloc.h"
#include "common/base/log.h"
#include "common/data/limits.h"
#include "party/work/cache.h"
#include "proto/codec.h"

#include <stdlib.h>
#include <string.h>

/* run.json says that a piece did not have to be computed. */
static void found(struct work *work, const char *what)
{
	log_info("%s: found in the cache of an earlier attempt", what);
	facts_number(&work->record->facts, what, 1);
}

/* ---- keys ---- */

static void add_double(struct sha256 *h, double v)
{
	uint64_t bits;

	memcpy(&bits, &v, sizeof(bits));
	sha256_add_u64(h, bits);
}

static void embed_key(const struct work *work, const struct embed_params *p,
		      uint8_t key[static SHA256_LEN])
{
	struct sha256 *h = sha256_new();

	sha256_add_text(h, "coterie " COTERIE_VERSION " embedding");
	sha256_add(h, work->data_hash, SHA256_LEN);
	sha256_add_u32(h, p->idf);
	sha256_add_u32(h, p->filter);
	sha256_add_u32(h, p->order);
	sha256_add_u32(h, p->unit_basis);
	sha256_add_u64(h, p->dims);
	sha256_add_u32(h, p->unit_rows);
	add_double(h, p->row_power);
	sha256_end(h, key);
}

static void clusters_key(const struct mat *Z, const struct kmeans_params *p, const uint8_t *hash,
			 uint8_t key[static SHA256_LEN])
{
	struct sha256 *h = sha256_new();

	sha256_add_text(h, "coterie " COTERIE_VERSION " clusters");
	sha256_add_u64(h, Z->rows);
	sha256_add_u64(h, Z->cols);
	if (hash)
		sha256_add(h, hash, SHA256_LEN);
	else
		sha256_add(h, Z->a, Z->rows * Z->cols * sizeof(*Z->a));
	sha256_add_u64(h, p->k);
	sha256_add_u32(h, p->restarts);
	sha256_add_u32(h, p->iterations);
	sha256_add_u32(h, p->ninth);
	sha256_add_u64(h, p->seed);
	sha256_end(h, key);
}

/* ---- pieces: numbers as this host has them, for nobody else reads them ---- */

static void walk_size(struct codec *c, size_t *v, size_t most)
{
	uint64_t wide = *v;

	codec_u64(c, &wide);
	codec_check(c, wide <= most);
	*v = c->bad ? 0 : (size_t)wide;
}

static void walk_bool(struct codec *c, bool *v)
{
	uint32_t wide = *v;

	codec_u32(c, &wide);
	codec_check(c, wide <= 1);
	*v = wide == 1;
}

static void walk_doubles(struct codec *c, double **a, size_t count)
{
	if (!c->out) {
		codec_check(c, count <= (size_t)(c->end - c->pos) / sizeof(**a));
		if (c->bad)
			return;
		ALLOC(*a, count);
	}
	codec_fixed(c, (uint8_t *)*a, count * sizeof(**a));
}

static void walk_mat(struct codec *c, struct mat *m)
{
	walk_size(c, &m->rows, ROWS_MAX);
	walk_size(c, &m->cols, COLS_MAX);
	walk_doubles(c, &m->a, m->rows * m->cols);
}

static void walk_embedding(struct codec *c, struct mat *Z, struct embedding *e)
{
	uint32_t filter = e->filter, order = e->order;
	bool idf = e->idf;

	walk_mat(c, Z);
	codec_u32(c, &filter);
	codec_u32(c, &order);
	e->filter = (enum filter_kind)filter;
	e->order = order;
	walk_bool(c, &e->unit_rows);
	codec_fixed(c, (uint8_t *)&e->row_power, sizeof(e->row_power));
	codec_fixed(c, (uint8_t *)&e->mean_norm, sizeof(e->mean_norm));
	codec_fixed(c, (uint8_t *)&e->word, sizeof(e->word));
	walk_mat(c, &e->map);
	walk_bool(c, &idf);
	if (idf)
		walk_doubles(c, &e->idf, e->map.rows);
}

static void walk_clusters(struct codec *c, uint32_t *label, size_t n, size_t k, struct mat *centre)
{
	codec_fixed(c, (uint8_t *)label, n * sizeof(*label));
	for (size_t i = 0; i < n && !c->bad; i++)
		codec_check(c, label[i] < k);
	walk_mat(c, centre);
	codec_check(c, centre->rows == k);
}

static bool is_right(const struct codec *c)
{
	return !c->bad && c->pos == c->end;
}

/* ---- the embedding ---- */

static bool find_embedding(struct work *work, const uint8_t *key, struct mat *Z,
			   struct embedding *how)
{
	size_t columns = features_cols(work->features);
	struct codec c = { 0 };
	struct bytes piece;
	struct buf file;
	bool ok = false;

	if (!cache_find(work->cache, "embedding", key, DATA_FILE_MAX, &file, &piece))
		return false;
	c.pos = piece.p;
	c.end = piece.p + piece.n;
	walk_embedding(&c, Z, how);
	ok = is_right(&c) && Z->rows == work->n && Z->cols == how->map.cols &&
	     how->map.rows == columns;
	buf_release(&file);
	if (ok)
		return true;
	mat_release(Z);
	embedding_release(how);
	return false;
}

enum err local_embed(struct work *work, const struct embed_params *p, struct mat *Z,
		     struct embedding *how, uint8_t hash[static SECAGG_HASH_LEN])
{
	struct buf piece = { 0 };
	struct codec c = { .out = &piece };

	memset(hash, 0, SECAGG_HASH_LEN);
	if (!work->cache)
		return embed_keep(work->features, work->graph, p, Z, how);
	embed_key(work, p, hash);
	if (find_embedding(work, hash, Z, how)) {
		features_release(work->features);
		found(work, "cached_embedding");
		return ERR_OK;
	}
	TRY(embed_keep(work->features, work->graph, p, Z, how));
	walk_embedding(&c, Z, how);
	cache_keep(work->cache, "embedding", hash, (struct bytes){ piece.p, piece.n });
	buf_release(&piece);
	return ERR_OK;
}

/* ---- the clusters ---- */

static bool find_clusters(struct work *work, const uint8_t *key, const struct mat *Z, size_t k,
			  uint32_t *label, struct mat *centre)
{
	struct codec c = { 0 };
	struct bytes piece;
	struct buf file;
	bool ok;

	if (!cache_find(work->cache, "clusters", key, DATA_FILE_MAX, &file, &piece))
		return false;
	c.pos = piece.p;
	c.end = piece.p + piece.n;
	walk_clusters(&c, label, Z->rows, k, centre);
	ok = is_right(&c) && centre->cols == Z->cols;
	buf_release(&file);
	if (!ok)
		mat_release(centre);
	return ok;
}

void local_clusters(struct work *work, const struct mat *Z, const struct kmeans_params *p,
		    const uint8_t *hash, uint32_t *label, struct mat *centre)
{
	struct buf piece = { 0 };
	struct codec c = { .out = &piece };
	uint8_t key[SHA256_LEN];

	if (!work->cache) {
		kmeans(Z, NULL, p, label, centre, NULL);
		return;
	}
	clusters_key(Z, p, hash, key);
	if (find_clusters(work, key, Z, p->k, label, centre)) {
		found(work, "cached_clusters");
		return;
	}
	kmeans(Z, NULL, p, label, centre, NULL);
	walk_clusters(&c, label, Z->rows, p->k, centre);
	cache_keep(work->cache, "clusters", key, (struct bytes){ piece.p, piece.n });
	buf_release(&piece);
}
