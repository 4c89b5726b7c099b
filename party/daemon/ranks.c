/* A dataset that lies on ranks: this process reads what it must say of it, and holds no n x m. */
#include "common/base/alloc.h"
#include "common/base/log.h"
#include "common/data/npy.h"
#include "party/daemon/data.h"
#include "party/ranks/workers.h"

#include <stdlib.h>

enum { PANEL_ROWS = 4096 };

/* By blocks of the file, as data_fingerprint() has them in one piece. */
static enum err hash_features(struct sha256 *h, const char *path, size_t n, size_t cols)
{
	enum err e = ERR_OK;

	sha256_add_u64(h, n);
	sha256_add_u64(h, cols);
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

struct graph_hash {
	struct sha256 *h;
	const size_t *start;
	size_t n;
	bool begun;
};

static void begin_graph(struct graph_hash *g)
{
	if (!g->begun)
		sha256_add(g->h, g->start, (g->n + 1) * sizeof(*g->start));
	g->begun = true;
}

static void add_neighbours(void *arg, const uint32_t *index, size_t count)
{
	struct graph_hash *g = arg;

	begin_graph(g);
	sha256_add(g->h, index, count * sizeof(*index));
}

static enum err hash_graph(struct sha256 *h, struct workers *w)
{
	struct workers_sizes s = workers_sizes(w);
	size_t *start = alloc(s.n + 1, sizeof(*start));
	struct graph_hash g = { .h = h, .start = start, .n = s.n };
	enum err e;

	sha256_add_u64(h, s.n);
	sha256_add_u64(h, s.n);
	sha256_add_u64(h, s.neighbours);
	e = workers_graph(w, start, add_neighbours, &g);
	if (s.neighbours)
		sha256_add_u32(h, 0); /* without weights */
	free(start);
	return e;
}

static enum err fingerprint(struct party_data *d, const char *features)
{
	struct workers_sizes s = workers_sizes(d->workers);
	struct sha256 *h = sha256_new();
	enum err e;

	sha256_add_text(h, DATA_FINGERPRINT);
	sha256_add_u64(h, s.n);
	sha256_add_u32(h, 0); /* dense */
	e = hash_features(h, features, s.n, s.cols);
	if (e == ERR_OK)
		e = hash_graph(h, d->workers);
	sha256_add_u32(h, 0); /* without ids */
	sha256_end(h, d->data_hash);
	return e;
}

enum err party_data_on_ranks(struct party_data *d, const struct party_config *config)
{
	struct dataset *set = &d->dataset;
	struct workers_sizes s;

	TRY(workers_start(&d->workers));
	TRY(workers_read(d->workers, config->data.features, config->data.edges));
	s = workers_sizes(d->workers);
	set->n = s.n;
	set->X.dense.rows = set->g.adjacency.rows = set->g.adjacency.cols = s.n;
	set->X.dense.cols = s.cols;
	TRY(columns_beside(config->data.features, s.cols, &set->columns));
	log_info("%zu nodes, %zu features, %zu edges, on %zu ranks", s.n, s.cols, s.neighbours / 2,
		 s.ranks);
	return fingerprint(d, config->data.features);
}
