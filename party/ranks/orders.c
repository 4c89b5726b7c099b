/* Computing on ranks. */
#include "party/ranks/rank0.h"
#include "common/base/alloc.h"

enum err workers_embed(struct workers *w, const struct embed_params *p, struct embedding *how)
{
	const struct ranks_reply *r = &w->reply;

	*how = (struct embedding){ .filter = p->filter,
				   .order = p->order,
				   .unit_rows = p->unit_rows,
				   .row_power = p->row_power };
	w->order.embed = *p;
	TRY(rank0_ask(w, RANKS_EMBED));
	if (r->sizes.dims < 1 || r->sizes.dims > w->sizes.cols)
		return err_set(ERR_INTERNAL, "ranks: projected on %zu of %zu dimensions",
			       r->sizes.dims, w->sizes.cols);
	w->sizes.dims = r->sizes.dims;
	how->word = r->word;
	how->mean_norm = r->mean_norm;
	mat_init(&how->map, w->sizes.cols, r->sizes.dims);
	TRY(rank0_receive(w, how->map.a, w->sizes.cols * r->sizes.dims * sizeof(double)));
	if (!r->has_idf)
		return ERR_OK;
	ALLOC(how->idf, w->sizes.cols);
	return rank0_receive(w, how->idf, w->sizes.cols * sizeof(*how->idf));
}

enum err workers_embed_again(struct workers *w, const struct embedding *how)
{
	w->order.embed = (struct embed_params){ .filter = how->filter,
						.order = how->order,
						.unit_rows = how->unit_rows,
						.row_power = how->row_power };
	w->order.word = how->word;
	w->order.mean_norm = how->mean_norm;
	w->order.has_idf = how->idf != NULL;
	w->order.dims = w->sizes.dims = how->map.cols;
	return rank0_call(w, RANKS_AGAIN, SENT_MAT(&how->map), SENT(how->idf, w->sizes.cols));
}

enum err workers_norms(struct workers *w, double *norm)
{
	return rank0_call(w, RANKS_NORMS, RECEIVED(norm, w->sizes.n));
}

enum err workers_scale(struct workers *w, const double *norm, double mean, double power)
{
	w->order.mean_norm = mean;
	w->order.embed.row_power = power;
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
	w->order.clusters = *p;
	TRY(rank0_call(w, RANKS_CLUSTERS, RECEIVED(label, w->sizes.n), RECEIVED_MAT(centres)));
	return workers_check_labels(w, p->k, label);
}

enum err workers_centres(struct workers *w, const uint32_t *label, struct mat *c)
{
	w->order.k = c->rows;
	return rank0_call(w, RANKS_CENTRES, SENT_MAT(c), SENT(label, w->sizes.n), RECEIVED_MAT(c));
}

enum err workers_distances(struct workers *w, const struct mat *c, workers_values *each, void *arg)
{
	w->order.k = c->rows;
	TRY(rank0_call(w, RANKS_DISTANCES, SENT_MAT(c)));
	return rank0_values(w, w->sizes.n * c->rows, each, arg);
}

enum err workers_terms(struct workers *w, bool begins, const struct embed_params *how,
		       const struct kmeans_params *clusters, double *term)
{
	w->order.begins = begins;
	w->order.embed = *how;
	w->order.clusters = *clusters;
	return rank0_call(w, RANKS_TERMS, RECEIVED(term, ORDER_WORDS));
}

/* ---- landmark and gcc ---- */

static void workers_put_question(struct workers *w, const struct question *q)
{
	w->order.question = *q;
	w->order.question.square = NULL;
	w->order.question.label = NULL;
	w->order.question.B = NULL;
	w->order.question.how = NULL;
	w->order.dims = q->kind == ASK_PRODUCTS ? q->B->cols : 0;
	if (q->kind == ASK_MEANS)
		w->order.question.labellings = 1;
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
		return rank0_send(w, q->square, n * sizeof(*q->square));
	return rank0_send(w, q->label, w->order.question.labellings * n * sizeof(*q->label));
}

enum err workers_block(struct workers *w, const double *x, size_t count)
{
	return rank0_send(w, x, count * sizeof(*x));
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
	w->order.clusters = *how;
	TRY(rank0_call(w, RANKS_CELLS, RECEIVED(label, w->sizes.n)));
	return workers_check_labels(w, how->k, label);
}

enum err workers_means(struct workers *w, const uint32_t *label, size_t k, struct slice *s,
		       struct mat *M)
{
	size_t cols = w->sizes.cols;

	mat_init(M, k, cols);
	w->order.k = k;
	return rank0_call(w, RANKS_MEANS, SENT(label, w->sizes.n), RECEIVED_MAT(M),
			  RECEIVED(s->shift, cols), RECEIVED(s->weight, cols),
			  RECEIVED(s->word, cols));
}

enum err workers_place_weigh(struct workers *w, const struct placing *p, double *length)
{
	size_t cols = w->sizes.cols;

	w->order.k = p->map.cols;
	w->order.embed.order = p->order;
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
