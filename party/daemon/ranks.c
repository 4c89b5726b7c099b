/* Loads a distributed dataset. This process reads only the parts that it needs, and never holds the
 * whole matrix of features. */
#include "common/base/alloc.h"
#include "common/base/file.h"
#include "common/base/log.h"
#include "common/data/npy.h"
#include "party/daemon/data.h"
#include "party/ranks/workers.h"

#include <stdlib.h>

enum { PANEL_ROWS = 4096 };

/* Hashes an .npy file by blocks. The hash equals that of data_fingerprint(), which hashes the whole
 * matrix at once. */
static enum err hash_npy(struct sha256 *h, const char *path, size_t n, size_t cols)
{
	enum err e = ERR_OK;

	for (size_t row = 0; row < n && e == ERR_OK; row += PANEL_ROWS) {
		struct mat panel;

		e = npy_read_rows(path, row, PANEL_ROWS, &panel);
		if (e == ERR_OK &&
		    (panel.cols != cols || (n - row > PANEL_ROWS && panel.rows < PANEL_ROWS)))
			e = err_set(ERR_INPUT, "%s: changed while it was read", path);
		if (e == ERR_OK)
			sha256_add(h, panel.a, panel.rows * cols * sizeof(*panel.a));
		mat_release(&panel);
	}
	return e;
}

static void party_ranks_feed(void *h, const void *p, size_t n)
{
	sha256_add(h, p, n);
}

/* Hashes rows as add_csr() of data.c does. */
static enum err hash_rows(struct sha256 *h, struct workers *w, enum ranks_op op, size_t cols,
			  size_t count, bool weighted)
{
	size_t n = workers_sizes(w).n;

	sha256_add_u64(h, n);
	sha256_add_u64(h, cols);
	sha256_add_u64(h, count);
	if (!count)
		return ERR_OK;
	TRY(workers_show(w, op));
	TRY(workers_feed(w, (n + 1) * sizeof(size_t), party_ranks_feed, h));
	TRY(workers_feed(w, count * sizeof(uint32_t), party_ranks_feed, h));
	sha256_add_u32(h, weighted);
	return weighted ? workers_feed(w, count * sizeof(double), party_ranks_feed, h) : ERR_OK;
}

static enum err hash_features(struct sha256 *h, const struct party_data *d, const char *path)
{
	struct workers *w = d->workers;
	struct ranks_sizes s = workers_sizes(w);

	sha256_add_u32(h, s.is_sparse);
	if (s.is_sparse)
		return hash_rows(h, w, RANKS_FEATURES, s.cols, s.entries, true);
	sha256_add_u64(h, s.n);
	sha256_add_u64(h, s.cols);
	/* Only an .npy file without ids has the rows in the order of the ranks. Ranks turn
	 * columns of an .mtx array into rows, and order rows by ids. */
	if (file_ends(path, ".npy") && !d->dataset.has_ids)
		return hash_npy(h, path, s.n, s.cols);
	TRY(workers_show(w, RANKS_FEATURES));
	return workers_feed(w, s.n * s.cols * sizeof(double), party_ranks_feed, h);
}

static enum err party_ranks_fingerprint(struct party_data *d, const char *features)
{
	struct ranks_sizes s = workers_sizes(d->workers);
	struct sha256 *h = sha256_new();
	enum err e;

	sha256_add_text(h, DATA_FINGERPRINT);
	sha256_add_u64(h, s.n);
	e = hash_features(h, d, features);
	if (e == ERR_OK && d->dataset.g.adjacency.rows)
		e = hash_rows(h, d->workers, RANKS_GRAPH, s.n, s.neighbours, s.weighted);
	else
		for (int i = 0; i < 3; i++) /* hash of a graph without nodes */
			sha256_add_u64(h, 0);
	sha256_add_u32(h, d->dataset.has_ids);
	if (d->dataset.has_ids)
		dataset_feed_ids(&d->dataset, party_ranks_feed, h);
	sha256_end(h, d->data_hash);
	return e;
}

/* Reads ids in this process. Ranks receive only the order. */
static enum err order_by_ids(struct party_data *d, const char *path, const char *features)
{
	struct dataset *set = &d->dataset;
	uint32_t *place;
	enum err e;

	TRY(ids_read(path, &set->ids));
	set->has_ids = true;
	if (set->ids.n != set->n)
		return err_set(ERR_INPUT, "%s: %zu ids, expected %zu as %s has that many rows",
			       path, set->ids.n, set->n, features);
	ALLOC(place, set->n);
	for (size_t i = 0; i < set->n; i++)
		place[set->ids.row[i]] = (uint32_t)i;
	e = workers_rename(d->workers, place);
	free(place);
	return e;
}

enum err party_data_on_ranks(struct party_data *d, const struct party_config *config)
{
	struct dataset *set = &d->dataset;
	struct ranks_sizes s;

	TRY(workers_start(&d->workers));
	TRY(workers_read(d->workers, config->data.features, config->data.edges));
	s = workers_sizes(d->workers);
	set->n = s.n;
	set->X.dense.rows = s.n;
	if (config->data.edges)
		set->g.adjacency.rows = set->g.adjacency.cols = s.n;
	set->X.dense.cols = s.cols;
	set->first_row = file_ends(config->data.edges, ".mtx");
	if (config->data.ids)
		TRY(order_by_ids(d, config->data.ids, config->data.features));
	TRY(columns_beside(config->data.features, s.cols, &set->columns));
	log_info("%zu nodes, %zu features, %zu edges, on %zu ranks", s.n, s.cols, s.neighbours / 2,
		 s.ranks);
	return party_ranks_fingerprint(d, config->data.features);
}
