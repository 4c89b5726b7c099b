#include "party/ranks/workers.h"
#include "common/base/alloc.h"
#include "common/data/limits.h"
#include "party/ranks/rank0.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- files, rows and edges ---- */

static enum err put_path(char *to, const char *path)
{
	char *whole = !*path || *path == '/' ? NULL : realpath(path, NULL);
	int n = snprintf(to, RANKS_PATH_MAX, "%s", whole ? whole : path);

	free(whole);
	return n < RANKS_PATH_MAX
		   ? ERR_OK
		   : err_set(ERR_INPUT, "%s: a path longer than %d bytes", path, RANKS_PATH_MAX);
}

enum err workers_read(struct workers *w, const char *features, const char *edges)
{
	const struct ranks_sizes *r = &w->reply.sizes;

	TRY(put_path(w->command.features, features));
	TRY(put_path(w->command.edges, edges ? edges : ""));
	TRY(rank0_ask(w, RANKS_READ));
	if (r->ranks != w->sizes.ranks || r->n < 1 || r->n > ROWS_MAX || r->cols < 1 ||
	    r->cols > COLS_MAX || r->neighbours > 2 * EDGES_MAX ||
	    (r->is_sparse && r->entries > 2 * EDGES_MAX))
		return err_set(ERR_INTERNAL, "ranks: %zu x %zu features and %zu neighbours", r->n,
			       r->cols, r->neighbours);
	w->sizes = *r;
	return ERR_OK;
}

enum err workers_rename(struct workers *w, const uint32_t *place)
{
	return rank0_call(w, RANKS_RENAME, SENT(place, w->sizes.n));
}

enum err workers_show(struct workers *w, enum ranks_op op)
{
	return rank0_ask(w, op);
}

enum err workers_feed(struct workers *w, size_t bytes, dataset_feed *feed, void *arg)
{
	for (size_t left = bytes, n; left;) {
		TRY(rank0_piece(w, &left, 1, &n));
		feed(arg, w->piece, n);
	}
	return ERR_OK;
}

enum err workers_feed_edges(struct workers *w, dataset_feed *feed, void *arg)
{
	dataset_feed_graph(w->sizes.n, w->sizes.neighbours, feed, arg);
	TRY(rank0_ask(w, RANKS_EDGES));
	return workers_feed(w, w->sizes.neighbours / 2 * DATASET_EDGE_LEN, feed, arg);
}

/* ---- the embedding and k-means ---- */

enum err workers_embed(struct workers *w, const struct embed_params *p, struct embedding *how)
{
	const struct embedding *r = &w->reply.how;
	size_t cols = w->sizes.cols;

	*how = (struct embedding){ 0 };
	w->command.embed = *p;
	TRY(rank0_ask(w, RANKS_EMBED));
	if (r->map.cols < 1 || r->map.cols > cols)
		return err_set(ERR_INTERNAL, "ranks: projected on %zu of %zu dimensions",
			       r->map.cols, cols);
	w->sizes.dims = r->map.cols;
	*how = *r;
	mat_init(&how->map, cols, r->map.cols);
	how->idf = r->idf ? alloc(cols, sizeof(*how->idf)) : NULL;
	TRY(ranks_pipe_receive(&w->pipe, how->map.a, cols * how->map.cols * sizeof(*how->map.a)));
	return how->idf ? ranks_pipe_receive(&w->pipe, how->idf, cols * sizeof(*how->idf)) : ERR_OK;
}

enum err workers_embed_again(struct workers *w, const struct embedding *how)
{
	w->command.how = *how;
	w->sizes.dims = how->map.cols;
	return rank0_call(w, RANKS_AGAIN, SENT_MAT(&how->map), SENT(how->idf, w->sizes.cols));
}

enum err workers_norms(struct workers *w, double *norm)
{
	return rank0_call(w, RANKS_NORMS, RECEIVED(norm, w->sizes.n));
}

enum err workers_scale(struct workers *w, const double *norm, double mean, double power)
{
	w->command.how = (struct embedding){ .mean_norm = mean, .row_power = power };
	return rank0_call(w, RANKS_SCALE, SENT(norm, w->sizes.n));
}

static enum err workers_check_labels(const struct workers *w, size_t k, const uint32_t *label)
{
	for (size_t i = 0; i < w->sizes.n; i++)
		if (label[i] >= k)
			return err_set(ERR_INTERNAL, "ranks: row %zu is in cluster %u of %zu", i,
				       label[i], k);
	return ERR_OK;
}

enum err workers_clusters(struct workers *w, const struct kmeans_params *p, uint32_t *label,
			  struct mat *centres)
{
	mat_init(centres, p->k, w->sizes.dims);
	w->command.clusters = *p;
	TRY(rank0_call(w, RANKS_CLUSTERS, RECEIVED(label, w->sizes.n), RECEIVED_MAT(centres)));
	return workers_check_labels(w, p->k, label);
}

enum err workers_centres(struct workers *w, const uint32_t *label, struct mat *c)
{
	w->command.k = c->rows;
	return rank0_call(w, RANKS_CENTRES, SENT_MAT(c), SENT(label, w->sizes.n), RECEIVED_MAT(c));
}

enum err workers_distances(struct workers *w, const struct mat *c, workers_values *each, void *arg)
{
	w->command.k = c->rows;
	TRY(rank0_call(w, RANKS_DISTANCES, SENT_MAT(c)));
	return rank0_values(w, w->sizes.n * c->rows, each, arg);
}

enum err workers_terms(struct workers *w, bool begins, const struct embed_params *how,
		       const struct kmeans_params *clusters, double *term)
{
	w->command.begins = begins;
	w->command.embed = *how;
	w->command.clusters = *clusters;
	return rank0_call(w, RANKS_TERMS, RECEIVED(term, ORDER_WORDS));
}

/* ---- landmark and gcc ---- */

static void workers_put_question(struct workers *w, const struct question *q)
{
	w->command.question = *q;
	w->command.question.square = NULL;
	w->command.question.label = NULL;
	w->command.question.B = NULL;
	w->command.question.how = NULL;
	w->command.dims = q->kind == ASK_PRODUCTS ? q->B->cols : 0;
	if (q->kind == ASK_MEANS)
		w->command.question.labellings = 1;
}

enum err workers_filter(struct workers *w, unsigned order)
{
	workers_put_question(w, &(struct question){ .kind = ASK_MEANS, .order = order });
	return rank0_ask(w, RANKS_FILTER);
}

enum err workers_question(struct workers *w, const struct question *q)
{
	size_t n = w->sizes.n;

	workers_put_question(w, q);
	TRY(rank0_order(w, RANKS_ASK));
	if (q->kind == ASK_PRODUCTS)
		return ERR_OK;
	if (q->kind == ASK_SPREADS)
		return ranks_pipe_send(&w->pipe, q->square, n * sizeof(*q->square), 1);
	return ranks_pipe_send(&w->pipe, q->label,
			       w->command.question.labellings * n * sizeof(*q->label), 1);
}

enum err workers_block(struct workers *w, const double *x, size_t count)
{
	return ranks_pipe_send(&w->pipe, x, count * sizeof(*x), 1);
}

enum err workers_answer(struct workers *w, const struct question *q, workers_values *each,
			void *arg)
{
	TRY(rank0_answered(w));
	return rank0_values(w, question_words(q, w->sizes.n), each, arg);
}

enum err workers_cells(struct workers *w, unsigned order, size_t parties, size_t dims,
		       const struct kmeans_params *how, uint32_t *label)
{
	workers_put_question(
	    w, &(struct question){
		   .kind = ASK_CELLS, .order = order, .parties = parties, .dims = dims });
	w->command.clusters = *how;
	TRY(rank0_call(w, RANKS_CELLS, RECEIVED(label, w->sizes.n)));
	return workers_check_labels(w, how->k, label);
}

enum err workers_means(struct workers *w, const uint32_t *label, size_t k, struct slice *s,
		       struct mat *M)
{
	size_t cols = w->sizes.cols;

	mat_init(M, k, cols);
	w->command.k = k;
	return rank0_call(w, RANKS_MEANS, SENT(label, w->sizes.n), RECEIVED_MAT(M),
			  RECEIVED(s->shift, cols), RECEIVED(s->weight, cols),
			  RECEIVED(s->word, cols));
}

enum err workers_place_weigh(struct workers *w, const struct placing *p, double *length)
{
	size_t cols = w->sizes.cols;

	w->command.k = p->map.cols;
	w->command.embed.order = p->order;
	return rank0_call(w, RANKS_WEIGH, SENT(p->shift, cols), SENT(p->weight, cols),
			  SENT(p->word, cols), SENT(p->offset, p->map.cols), SENT_MAT(&p->map),
			  RECEIVED(length, w->sizes.n));
}

enum err workers_place(struct workers *w, const struct placing *p, const double *norm,
		       workers_values *each, void *arg)
{
	TRY(rank0_call(w, RANKS_PLACE, SENT(norm, w->sizes.n)));
	return rank0_values(w, w->sizes.n * p->map.cols, each, arg);
}

enum err workers_costs(struct workers *w, struct ranks_cost *cost)
{
	return rank0_call(w, RANKS_COSTS, RECEIVED(cost, w->sizes.ranks));
}

/* ---- sums over rows (protocols/fedsc/party.h) ---- */

enum err workers_rows_begin(struct workers *w, double min_cluster)
{
	w->command.min_cluster = min_cluster;
	w->sizes.dims = w->sizes.cols;
	return rank0_ask(w, RANKS_ROWS);
}

/* Returns the numbers to which q points, o->k x o->cols, and sets o->k and o->cols. m: number of
 * columns of the rows. */
static const double *question_numbers(const struct fedsc_question *q, size_t m,
				      struct ranks_question *o)
{
	const struct mat *matrix = q->kind == FEDSC_ANCHOR ? q->Z : q->R;

	o->k = 1;
	o->cols = m;
	switch (q->kind) {
	case FEDSC_SPREAD:
		return q->mean;
	case FEDSC_SCALE:
		o->k = q->unit != NULL;
		return q->unit;
	case FEDSC_CLUSTERS:
		o->cols = q->clusters->k;
		if (q->clusters->kind != FEDKMEANS_COUNTS)
			return q->clusters->count;
		matrix = q->clusters->centres;
		break;
	case FEDSC_ANCHOR:
	case FEDSC_EMBED:
		break;
	default:
		o->k = 0;
		return NULL;
	}
	o->k = matrix->rows;
	o->cols = matrix->cols;
	return matrix->a;
}

enum err workers_ask(struct workers *w, const struct fedsc_question *q, double *x)
{
	struct ranks_question *o = &w->command.asked;
	const double *numbers;
	size_t given, words;

	*o = (struct ranks_question){ .q = *q };
	numbers = question_numbers(q, w->sizes.cols, o);
	if (q->kind == FEDSC_CLUSTERS)
		o->clusters = *q->clusters;
	/* After FEDSC_EMBED, a FEDSC_CLUSTERS question is about the embedding. */
	words = fedsc_words(q, q->kind == FEDSC_CLUSTERS ? w->sizes.dims : w->sizes.cols);
	given = o->k * o->cols;
	if (words > RANKS_WORDS_MAX || given > RANKS_WORDS_MAX)
		return err_set(ERR_INPUT,
			       "a question of %zu numbers with an answer of %zu: ranks "
			       "take at most %d",
			       given, words, RANKS_WORDS_MAX);
	TRY(rank0_order(w, RANKS_ASK_ROWS));
	TRY(ranks_pipe_send(&w->pipe, numbers, given * sizeof(*numbers), 1));
	TRY(rank0_answered(w));
	if (q->kind == FEDSC_EMBED)
		w->sizes.dims = q->R->cols;
	return ranks_pipe_receive(&w->pipe, x, words * sizeof(*x));
}

enum err workers_nearest(struct workers *w, uint32_t *label, double *margin)
{
	return rank0_call(w, RANKS_NEAREST, RECEIVED(label, w->sizes.n),
			  RECEIVED(margin, w->sizes.n));
}
