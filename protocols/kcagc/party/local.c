#include "protocols/kcagc/party/local.h"
#include "common/base/alloc.h"
#include "common/base/log.h"
#include "common/data/limits.h"
#include "common/data/standard.h"
#include "protocols/kcagc/job.h"
#include "protocols/kcagc/order_search.h"
#include "protocols/kcagc/party/pieces.h"
#include "common/privacy/bound.h"
#include "party/work/bound.h"
#include "party/work/cache.h"
#include "party/work/secure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Records in run.json that a result came from the cache. */
static void found(struct work *work, const char *what)
{
	log_info("%s: found in the cache of an earlier attempt", what);
	facts_number(&work->record->facts, what, 1);
}

static void embed_key(const struct work *work, const struct embed_params *p,
		      uint8_t key[static SHA256_LEN])
{
	struct sha256 *h = sha256_new();
	uint64_t power_bits;

	memcpy(&power_bits, &p->row_power, sizeof(power_bits));
	sha256_add_text(h, "coterie " COTERIE_VERSION " embedding");
	sha256_add(h, work->data_hash, SHA256_LEN);
	sha256_add_u32(h, p->idf);
	sha256_add_u32(h, p->filter);
	sha256_add_u32(h, p->order);
	sha256_add_u32(h, p->unit_basis);
	sha256_add_u64(h, p->dims);
	sha256_add_u32(h, p->unit_rows);
	sha256_add_u64(h, power_bits);
	sha256_add_u32(h, kcagc_job(&work->job)->standardize != STANDARDIZE_NONE);
	if (kcagc_job(&work->job)->standardize != STANDARDIZE_NONE) {
		bool *apart = standard_unscaled(work->features, work_columns(work));

		for (size_t j = 0; j < features_cols(work->features); j++)
			sha256_add_u32(h, apart[j]);
		free(apart);
	}
	sha256_end(h, key);
}

static void clusters_key(const struct points *points, const struct kmeans_params *p,
			 const uint8_t *hash, uint8_t key[static SHA256_LEN])
{
	const struct mat *Z = &points->here;
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

/* Embeds on the ranks if they have the features, otherwise in this process. */
static enum err embed_now(struct work *work, const struct embed_params *p, struct points *Z,
			  struct embedding *how)
{
	if (!work->workers)
		return embed_keep(work->features, work->graph, p, &Z->here, how);
	TRY(workers_embed(work->workers, p, how));
	*Z = points_distributed(work->workers);
	return ERR_OK;
}

enum err local_embed(struct work *work, const struct embed_params *p, struct points *Z,
		     struct embedding *how, uint8_t hash[static SECAGG_HASH_LEN])
{
	size_t columns = features_cols(work->features);
	struct buf file, made = { 0 };
	struct bytes piece;

	memset(hash, 0, SECAGG_HASH_LEN);
	if (!work->cache)
		return embed_now(work, p, Z, how);
	embed_key(work, p, hash);
	if (work->workers)
		return embed_now(work, p, Z, how);
	if (cache_find(work->cache, "embedding", hash, DATA_FILE_MAX, &file, &piece)) {
		bool right = embedding_parse(piece, work->n, columns, &Z->here, how);

		buf_release(&file);
		if (right) {
			features_release(work->features);
			found(work, "cached_embedding");
			return ERR_OK;
		}
	}
	TRY(embed_now(work, p, Z, how));
	embedding_write(&Z->here, how, &made);
	cache_keep(work->cache, "embedding", hash, (struct bytes){ made.p, made.n });
	buf_release(&made);
	return ERR_OK;
}

enum err local_clusters(struct work *work, const struct points *Z, const struct kmeans_params *p,
			const uint8_t *hash, uint32_t *label, struct mat *centre)
{
	struct buf file, made = { 0 };
	struct bytes piece;
	uint8_t key[SHA256_LEN];

	if (!work->cache || (Z->workers && !hash))
		return points_clusters(Z, p, label, centre);
	clusters_key(Z, p, hash, key);
	if (cache_find(work->cache, "clusters", key, DATA_FILE_MAX, &file, &piece)) {
		bool right = clusters_parse(piece, &Z->here, p->k, label, centre);

		buf_release(&file);
		if (right) {
			found(work, "cached_clusters");
			return ERR_OK;
		}
	}
	TRY(points_clusters(Z, p, label, centre));
	clusters_write(label, Z->here.rows, p->k, centre, &made);
	cache_keep(work->cache, "clusters", key, (struct bytes){ made.p, made.n });
	buf_release(&made);
	return ERR_OK;
}

/* Sends a block of terms. Distances add up to the distance over all features. Modularities are
 * divided by L, so their sum is the mean. */
static enum err send_terms(struct work *work, const struct tree_node *root, double unit,
			   double *term)
{
	bool fit = kcagc_weighs_fit(kcagc_job(&work->job));

	for (size_t t = ORDER_BLOCK; t < ORDER_WORDS; t++)
		term[t] /= (double)work->L;
	for (size_t t = 0; t < ORDER_BLOCK; t++)
		term[t] *= unit;
	return secure_send_wide(work, root, term, fit ? ORDER_WORDS : ORDER_BLOCK);
}

/* Agrees on a unit from the first block of terms. Distances fall as features are smoothed, until
 * they rise and the search ends. Later terms may be a few times larger, for which wide words have
 * room. */
static enum err agree_unit(struct work *work, const struct tree_node *root, const double *term,
			   double *unit)
{
	double most = 0;
	int bound;

	for (size_t t = 0; t < ORDER_BLOCK; t++)
		most = fmax(most, term[t]);
	TRY(party_bound(work, root, most, &bound));
	*unit = bound_unit(bound);
	return ERR_OK;
}

enum err party_prepare_order(struct work *work, const struct tree_node *root)
{
	struct embed_params how = kcagc_embed_params(kcagc_job(&work->job), work->threads);
	struct kmeans_params clusters = { .k = work->job.clusters,
					  .restarts = kcagc_job(&work->job)->local_restarts,
					  .iterations = kcagc_job(&work->job)->iterations,
					  .seed = work->job.seed,
					  .threads = work->threads };
	struct order_search search = { 0 };
	uint64_t order = 0;
	double unit = 0;
	enum err e = ERR_OK;

	work_phase(work, "order");
	work_group(work, root);
	if (!work->workers)
		TRY(order_begin(&search, work->features, work->graph, &how, &clusters));
	search.alone = !kcagc_weighs_fit(kcagc_job(&work->job));
	/* Sends blocks of terms until the coordinator announces the order. */
	for (unsigned block = 1; !order && block <= ORDER_BLOCKS; block++) {
		double term[ORDER_WORDS];

		e = work->workers ? workers_terms(work->workers, block == 1, &how, &clusters, term)
				  : order_next(&search, term);
		if (e == ERR_OK && block == 1)
			e = agree_unit(work, root, term, &unit);
		if (e == ERR_OK)
			e = send_terms(work, root, unit, term);
		if (e == ERR_OK)
			e = channel_recv_choice(work->channel, CHOICE_ORDER, block * ORDER_BLOCK,
						&order);
		if (e != ERR_OK)
			goto out;
		work_progress(work, block, block * ORDER_BLOCK);
	}
	if (!order)
		e = peer_fault(work->channel, "chose no filter order up to %d", ORDER_CAP);
	else
		kcagc_job(&work->job)->filter_order = work->record->order = (unsigned)order;
out:
	order_end(&search);
	return e;
}

enum err party_prepare_norms(struct work *work, const struct tree_node *root, const double *own,
			     double *norm, double *mean)
{
	double *square = alloc(work->n, sizeof(*square)), sum = 0, longest = 0, rounding = 0;
	int bound;
	enum err e;

	work_phase(work, "norms");
	work_group(work, root);
	for (size_t i = 0; i < work->n; i++)
		longest = fmax(longest, own[i]);
	e = party_bound(work, root, longest * longest, &bound);
	if (e == ERR_OK) {
		double unit = bound_unit(bound);

		rounding = ldexp((double)work->L, -JOB_WIDE_FRACTION) / unit;
		for (size_t i = 0; i < work->n; i++)
			square[i] = own[i] * own[i] * unit;
		e = secure_send_wide(work, root, square, work->n);
	}
	if (e == ERR_OK)
		e = channel_recv_reals(work->channel, MSG_MATRIX, root->id, norm, work->n);
	for (size_t i = 0; i < work->n && e == ERR_OK; i++) {
		if (norm[i] < 0 || norm[i] * norm[i] < own[i] * own[i] * (1 - 1e-12) - rounding)
			e = peer_fault(
			    work->channel,
			    "sent a joint norm for row %zu that is shorter than this party's part",
			    i);
		sum += norm[i];
	}
	*mean = sum / (double)work->n;
	free(square);
	return e;
}
