#include "protocols/kcagc/order_search.h"
#include "common/base/alloc.h"
#include "common/base/progress.h"
#include "common/graph/filtered.h"
#include "protocols/kcagc/explained.h"
#include "protocols/kcagc/sketch.h"
#include "protocols/kcagc/slice.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* -- terms of one order --------------------------------------------------------------------- */

/* Adds to apart (2 k): for each cluster, the squared distances of its rows from its mean, then the
 * number of these rows. */
static void add_spread(const struct mat *X, const uint32_t *label, const struct mat *mean,
		       double *apart)
{
	size_t k = mean->rows;

	for (size_t i = 0; i < X->rows; i++) {
		assert(label[i] < k);
		apart[k + label[i]]++;
		for (size_t j = 0; j < X->cols; j++) {
			double gap = MAT(X, i, j) - MAT(mean, label[i], j);

			apart[label[i]] += gap * gap;
		}
	}
}

static double intra_of(const double *apart, size_t k)
{
	double sum = 0;

	for (size_t c = 0; c < k; c++)
		sum += apart[k + c] > 0 ? 2 * apart[c] / apart[k + c] : 0;
	return sum / (double)k;
}

double psi_intra(const struct ranks *R, const struct mat *X, const uint32_t *label, size_t k)
{
	double *apart = alloc(2 * k, sizeof(*apart)), intra;
	struct rowsum s;
	struct mat mean;

	mat_init(&mean, k, X->cols);
	kmeans_centres_of(R, X, NULL, label, &mean);
	ranks_sum_begin(R, &s, 2 * k, NULL, NULL);
	for (size_t b = 0; b < rowsum_blocks(X->rows); b++) {
		size_t first = b * ROWSUM_ROWS;
		struct mat block = { rowsum_rows(X->rows, b), X->cols, ROW(X, first) };

		add_spread(&block, label + first, &mean, rowsum_open(&s));
		rowsum_close(&s);
	}
	ranks_sum_end(R, &s, apart);
	intra = intra_of(apart, k);
	free(apart);
	mat_release(&mean);
	return intra;
}

/* Returns psi_intra() times k for the columns of a view. count (k): numbers of rows of the
 * clusters. Reads the view once, so rounding errors are larger than those of psi_intra(). */
static double spread_of_view(const struct filter_view *at, const uint32_t *label,
			     const double *count, size_t k)
{
	double *sum = alloc(2 * k, at->stride * sizeof(*sum));
	double *square = sum + k * at->stride, spread = 0;

	for (size_t i = 0; i < at->n; i++) {
		size_t c = label[at->order[i]] * at->stride;
		double *restrict to = sum + c, *restrict squares = square + c, leave = at->leave[i];
		const double *y = at->y + i * at->stride;

		for (size_t u = 0; u < at->stride; u++) {
			double x = leave * y[u];

			to[u] += x;
			squares[u] += x * x;
		}
	}
	for (size_t c = 0; c < k; c++)
		for (size_t u = 0; count[c] > 0 && u < at->width; u++) {
			double mean = sum[c * at->stride + u] / count[c];

			spread += 2 * fmax(square[c * at->stride + u] / count[c] - mean * mean, 0);
		}
	free(sum);
	return spread;
}

/* -- the features of a search --------------------------------------------------------------- */

/* Standardises the numbers of a slice that has numbers among words, and weighs the words. Otherwise
 * a number such as a year would be longer than all words together, and the rows would seem most
 * similar if they were not filtered. */
static void order_weigh_beside(struct order_search *s)
{
	struct features own = { .dense = s->F };
	struct slice slice;

	slice_begin(&slice, &own, s->g, s->how.threads);
	s->beside = slice_weigh_beside(&slice, &own);
	s->F = own.dense;
	slice_release(&slice);
}

static enum err order_form(struct order_search *s)
{
	TRY(embed_weighed(s->X, s->g, &s->how, &s->F));
	if (s->how.idf)
		order_weigh_beside(s);
	s->entries = embed_entries(s->g->ranks, &(struct features){ .dense = s->F });
	return ERR_OK;
}

/* True if no order of the next block needs formed features. */
static bool order_pays(const struct order_search *s)
{
	size_t n = features_rows(s->X), m = features_cols(s->X);
	size_t d = min_size(s->how.dims, min_size(n, m));

	if (s->beside || s->g->ranks)
		return false;
	for (unsigned t = 1; t <= ORDER_BLOCK; t++)
		if (!filtered_pays(n, m, s->entries, graph_neighbours(s->g), s->how.filter,
				   s->how.order + t, d))
			return false;
	return true;
}

/* Returns true if the search uses sketches in place of the features. It cannot if there are numbers
 * among words, because the map does not centre numbers. */
static bool order_sketches(struct order_search *s)
{
	struct features copy;
	struct slice slice;
	size_t n = features_rows(s->X), m = features_cols(s->X);
	bool beside = false;

	if (s->g->ranks || !s->X->is_sparse || n < SKETCH_ROWS || m <= 8 * SKETCH_COLUMNS ||
	    !s->how.dims || s->how.dims > SKETCH_DIMS)
		return false;
	s->entries = embed_entries(NULL, s->X);
	if (!order_pays(s))
		return false;
	if (s->how.idf) {
		features_copy(&copy, s->X);
		slice_begin(&slice, &copy, s->g, s->how.threads);
		beside = slice_weigh_beside(&slice, &copy);
		slice_release(&slice);
		features_release(&copy);
	}
	return !beside;
}

enum err order_begin(struct order_search *s, const struct features *X, const struct graph *g,
		     const struct embed_params *how, const struct kmeans_params *clusters)
{
	enum err e;

	*s = (struct order_search){ .X = X, .g = g, .how = *how, .clusters = *clusters };
	s->how.order = 0;
	s->clusters.ranks = g->ranks;
	TRY(graph_check_rows(g, features_rows(X)));
	s->sketches = order_sketches(s);
	if (!s->sketches)
		TRY(order_form(s));
	e = filter_run_begin(g, how->filter, &s->run);
	if (e != ERR_OK)
		mat_release(&s->F);
	return e;
}

void order_end(struct order_search *s)
{
	mat_release(&s->F);
	mat_release(&s->part);
	free(s->label);
	s->label = NULL;
	features_release(&s->W);
	if (s->map)
		filtered_release(s->map);
	free(s->map);
	s->map = NULL;
	filter_run_end(s->run);
	s->run = NULL;
}

/* -- features that stay unformed for their singular vectors --------------------------------- */

/* Clusters of a block of orders, and parts of psi_intra() for each panel and order. Parts of an
 * order add up. */
struct order_block {
	size_t n, k;
	uint32_t *label;      /* ORDER_BLOCK x n */
	double *count, *part; /* ORDER_BLOCK x k; panels x ORDER_BLOCK */
};

static void order_see(void *ctx, size_t step, const struct filter_view *at)
{
	const struct order_block *b = ctx;

	b->part[at->column / at->stride * ORDER_BLOCK + step] =
	    spread_of_view(at, b->label + step * b->n, b->count + step * b->k, b->k);
}

/* Computes the singular vectors of one order. If products do not converge, uses formed features. */
static enum err order_project_unformed(struct order_search *s, struct mat *Z)
{
	struct features copy;
	bool settled;

	filtered_set_order(s->map, s->how.order);
	TRY(embed_project_map(&s->map->map, &s->how, Z, &settled));
	if (embed_takes(&s->map->map, settled))
		return ERR_OK;
	mat_release(Z);
	features_copy(&copy, s->X);
	return embed(&copy, s->g, &s->how, Z);
}

static enum err order_cluster_block(struct order_search *s, struct order_block *b, double *term)
{
	for (size_t t = 0; t < ORDER_BLOCK; t++) {
		uint32_t *label = b->label + t * b->n;
		struct mat Z;

		s->how.order++;
		TRY(order_project_unformed(s, &Z));
		kmeans(&Z, NULL, &s->clusters, label, NULL, NULL);
		mat_release(&Z);
		for (size_t i = 0; i < b->n; i++)
			b->count[t * b->k + label[i]]++;
		term[ORDER_BLOCK + t] = modularity(s->g, label, b->k);
		progress_tick();
	}
	return ERR_OK;
}

/* Initialises *map with the unformed features at order 1, and *W with the weighted features. */
static enum err order_map(const struct order_search *s, struct features *W, struct filtered *map)
{
	struct embed_params first = s->how;

	first.order = 1;
	features_copy(W, s->X);
	return embed_map(W, s->g, &first, map);
}

/* Clusters at all orders of the block, then filters F, so that each panel of F goes through all
 * steps in cache. */
static enum err order_next_unformed(struct order_search *s, double *term)
{
	struct order_block b = { .n = s->F.rows, .k = s->clusters.k };
	size_t width = filter_run_panel(s->run), panels = (s->F.cols + width - 1) / width;
	enum err e;

	if (!s->map) {
		ALLOC(s->map, 1);
		TRY(order_map(s, &s->W, s->map));
	}
	b.label = alloc(ORDER_BLOCK * b.n, sizeof(*b.label));
	ALLOC(b.count, ORDER_BLOCK * b.k);
	ALLOC(b.part, panels * ORDER_BLOCK);
	e = order_cluster_block(s, &b, term);
	if (e == ERR_OK)
		filter_run_steps(s->run, ORDER_BLOCK, s->how.threads, &s->F, order_see, &b);
	for (size_t t = 0; t < ORDER_BLOCK && e == ERR_OK; t++) {
		term[t] = 0;
		for (size_t p = 0; p < panels; p++)
			term[t] += b.part[p * ORDER_BLOCK + t] / (double)b.k;
	}
	free(b.label);
	free(b.count);
	free(b.part);
	return e;
}

static enum err order_sketch(struct order_search *s)
{
	struct features W = { 0 };
	struct filtered map;
	struct mat Y;
	enum err e = order_map(s, &W, &map);

	if (e == ERR_OK) {
		e = sketch_of(&map, &Y);
		filtered_release(&map);
	}
	if (e == ERR_OK) {
		filter_run_hold(s->run, s->how.threads, &Y);
		mat_release(&Y);
	}
	features_release(&W);
	return e;
}

/* True if s->how.order gets no clusters of its own. */
static bool order_is_skipped(const struct order_search *s)
{
	return !s->alone && s->how.order > ORDER_EACH && s->how.order % 2 == 1;
}

/* Clusters Z. Clusters change little from one order to the next. So after the first order, unless
 * s->alone is set, one run from the means of the last clusters replaces all restarts. */
static void order_cluster_on(struct order_search *s, const struct mat *Z)
{
	struct kmeans_params how = s->clusters;
	struct mat start = { 0 };

	if (s->how.order > 1 && !s->alone) {
		mat_init(&start, how.k, Z->cols);
		kmeans_centres(Z, NULL, s->label, &start);
		how.start = &start;
		how.restarts = 1;
	}
	kmeans(Z, NULL, &how, s->label, NULL, NULL);
	mat_release(&start);
}

/* Computes s->last from the clusters of the sketch. */
static void order_rate_sketch(struct order_search *s, const struct filter_view *Y)
{
	size_t k = s->clusters.k;
	double *count = alloc(k, sizeof(*count));

	for (size_t i = 0; i < Y->n; i++)
		count[s->label[i]]++;
	s->last[0] = spread_of_view(Y, s->label, count, k) / (double)k;
	if (!s->alone)
		s->last[0] *= pow(1 + ORDER_FLAT, s->how.order);
	s->last[1] = modularity(s->g, s->label, k);
	free(count);
}

static enum err order_sketched(struct order_search *s)
{
	struct filter_view Y = filter_run_held(s->run);
	struct mat Z;

	if (!s->part.a)
		mat_init(&s->part, Y.n, SKETCH_LEADING);
	sketch_leading(&Y, &s->part);
	TRY(embed_project(NULL, &s->part, &s->how, &Z));
	order_cluster_on(s, &Z);
	mat_release(&Z);
	order_rate_sketch(s, &Y);
	progress_tick();
	return ERR_OK;
}

/* A block ends with an even order, so that each skipped order has both neighbours in the block or
 * is its first. */
static enum err order_next_sketched(struct order_search *s, double *term)
{
	bool skipped = false; /* the order before */

	static_assert(ORDER_BLOCK % 2 == 0, "blocks end with an even order");
	if (!s->label)
		ALLOC(s->label, s->g->adjacency.rows);
	for (int t = 0; t < ORDER_BLOCK; t++) {
		double before = s->last[0]; /* distance of the last order with clusters */

		s->how.order++;
		if (s->how.order == 1)
			TRY(order_sketch(s));
		else
			filter_run_step_held(s->run, s->how.threads);
		if (!order_is_skipped(s))
			TRY(order_sketched(s));
		term[t] = s->last[0];
		term[ORDER_BLOCK + t] = s->last[1];
		if (skipped)
			term[t - 1] = (before + s->last[0]) / 2;
		skipped = order_is_skipped(s);
	}
	return ERR_OK;
}

static enum err order_next_formed(struct order_search *s, double *term)
{
	const struct ranks *R = s->g->ranks;
	uint32_t *label;
	enum err e = ERR_OK;

	label = alloc(s->F.rows, sizeof(*label));
	for (int t = 0; t < ORDER_BLOCK && e == ERR_OK; t++) {
		struct mat Z;

		s->how.order++;
		filter_run_step(s->run, s->how.threads, &s->F);
		if (!s->beside)
			e = embed_check_ranks(s->g, s->F.cols, s->entries, &s->how);
		if (e == ERR_OK)
			e = embed_project(R, &s->F, &s->how, &Z);
		if (e != ERR_OK)
			break;
		kmeans(&Z, NULL, &s->clusters, label, NULL, NULL);
		term[t] = psi_intra(R, &s->F, label, s->clusters.k);
		term[ORDER_BLOCK + t] = modularity(s->g, label, s->clusters.k);
		mat_release(&Z);
		progress_tick();
	}
	free(label);
	return e;
}

/* Returns true if degrees explain the features: weighted, or as given if they are sketched. */
static bool order_degrees(const struct order_search *s)
{
	struct features formed = { .dense = s->F };
	double x[2];

	explained_by_degrees(s->sketches ? s->X : &formed, s->g, x);
	return x[0] > EXPLAINED * x[1];
}

/* True if no clusters of a block of terms are communities. */
static bool order_scattered(const double *term)
{
	for (int t = 0; t < ORDER_BLOCK; t++)
		if (term[ORDER_BLOCK + t] > ORDER_COMMUNITIES)
			return false;
	return true;
}

enum err order_next(struct order_search *s, double *term)
{
	bool first = s->how.order == 0;
	enum err e;

	if (first && !s->alone)
		s->degrees = order_degrees(s);
	if (s->sketches)
		e = order_next_sketched(s, term);
	else
		e = order_pays(s) ? order_next_unformed(s, term) : order_next_formed(s, term);
	if (first && e == ERR_OK)
		s->degrees = s->degrees && order_scattered(term);
	if (s->degrees)
		memset(term + ORDER_BLOCK, 0, ORDER_BLOCK * sizeof(*term));
	return e;
}
