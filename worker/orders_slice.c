#include "worker/state.h"
#include "common/base/alloc.h"
#include "common/linalg/la.h"
#include "worker/link.h"

#include <stdlib.h>
#include <string.h>

/* Of rows of a product that go up at once. */
enum { SENT_TILES = 8 };

/* ---- filter.order "auto" ---- */

enum err order_find_terms(struct state *s)
{
	const struct ranks_order *o = &s->order;

	if (o->begins) {
		order_end(&s->search);
		TRY(order_begin(&s->search, &s->X, &s->g, &o->embed, &o->clusters));
	}
	return order_next(&s->search, s->terms);
}

void order_send_terms(struct state *s)
{
	state_send_told(s, s->terms, sizeof(s->terms));
}

/* ---- landmark and gcc ---- */

/* Features and graph become it, the first time. */
static enum err need_slice(struct state *s)
{
	const char *end = strrchr(s->features, '.');

	if (s->slice.g)
		return ERR_OK;
	TRY(slice_init(&s->slice, &s->X, &s->g, 1));
	s->source = (struct features_source){ s, orders_read_again };
	if (!s->slice.X.is_sparse && end && !strcmp(end, ".npy"))
		s->slice.source = &s->source;
	return ERR_OK;
}

enum err order_filter(struct state *s)
{
	enum err e = need_slice(s);

	if (e == ERR_OK)
		e = slice_filter(&s->slice, s->order.question.order);
	if (e == ERR_OK && s->embedded.memory == 0)
		s->embedded = link_cost();
	return e;
}

/* What a question points to, of this rank's rows. */
struct pointed {
	double *square;
	uint32_t *label;
	struct mat B;
};

static void receive_pointed(struct state *s, struct question *q, struct pointed *p)
{
	size_t n = ranks_rows(s->R);

	*p = (struct pointed){ 0 };
	if (q->kind == ASK_SPREADS) {
		ALLOC(p->square, n);
		state_receive_rows(s, sizeof(*p->square), p->square);
	} else if (q->kind == ASK_PRODUCTS) {
		mat_init(&p->B, n, s->order.dims);
		state_receive_rows(s, p->B.cols * sizeof(*p->B.a), p->B.a);
	} else if (q->labellings) {
		ALLOC(p->label, q->labellings * n);
		for (size_t t = 0; t < q->labellings; t++)
			state_receive_rows(s, sizeof(*p->label), p->label + t * n);
	}
	q->square = p->square;
	q->label = p->label;
	q->B = &p->B;
}

static void release_pointed(struct pointed *p)
{
	mat_release(&p->B);
	free(p->label);
	free(p->square);
}

static void release_answer(struct state *s)
{
	mat_release(&s->product);
	free(s->answer);
	s->answer = NULL;
}

enum err order_answer(struct state *s)
{
	struct question *q = &s->order.question;
	struct pointed p;
	enum err e = need_slice(s);

	receive_pointed(s, q, &p);
	s->order.dims = question_width(q);
	s->answer = alloc(slice_words_before(q, ranks_rows(s->R)), sizeof(*s->answer));
	if (e == ERR_OK)
		e = slice_begin_answer(&s->slice, q, s->answer, &s->product);
	if (s->slice.is_filtered && s->embedded.memory == 0)
		s->embedded = link_cost();
	release_pointed(&p);
	if (e != ERR_OK)
		release_answer(s);
	return e;
}

static void make_answer(struct state *s, size_t first, size_t count, void *to)
{
	size_t width = s->order.dims;

	memcpy(to, s->answer + question_whole(&s->order.question) + first * width,
	       count * width * sizeof(*s->answer));
}

static void make_product(struct state *s, size_t first, size_t count, void *to)
{
	slice_product_rows(&s->slice, &s->product, first, count, to);
}

/* Rows of a product are made when they go: all ranks' at once would take as much room as what they
 * were asked with. */
void order_send_answer(struct state *s)
{
	size_t row = s->order.dims * sizeof(*s->answer), rows = ranks_rows(s->R);

	state_send_told(s, s->answer, question_whole(&s->order.question) * sizeof(*s->answer));
	if (s->product.a)
		state_send_up(s, row, rows, SENT_TILES * LA_TILE, make_product);
	else if (row)
		state_send_up(s, row, rows, state_rows_of_frame(row), make_answer);
	release_answer(s);
}

enum err order_find_cells(struct state *s)
{
	const struct question *q = &s->order.question;

	TRY(need_slice(s));
	return slice_cluster(&s->slice, q->order, q->parties, q->dims, &s->order.clusters,
			     s->label);
}

void order_send_labels(struct state *s)
{
	state_send_up(s, sizeof(*s->label), ranks_rows(s->R), RANKS_FRAME_MAX / sizeof(*s->label),
		      state_make_labels);
}

enum err order_find_means(struct state *s)
{
	state_receive_rows(s, sizeof(*s->label), s->label);
	mat_release(&s->c);
	slice_means(&s->slice, s->label, s->order.k, &s->c);
	return ERR_OK;
}

void order_send_means(struct state *s)
{
	const struct slice *own = &s->slice;

	state_send_mat(s, &s->c);
	state_send_told(s, own->shift, own->columns * sizeof(*own->shift));
	state_send_told(s, own->weight, own->columns * sizeof(*own->weight));
	state_send_told(s, own->word, own->columns);
}

/* ---- new rows after landmark ---- */

enum err order_weigh_rows(struct state *s)
{
	struct placing *p = &s->place;
	size_t m = features_cols(&s->X), k = s->order.k;
	enum err e;

	placing_release(p);
	p->order = s->order.embed.order;
	ALLOC(p->shift, m);
	ALLOC(p->weight, m);
	ALLOC(p->word, m);
	ALLOC(p->offset, k);
	state_receive_told(s, p->shift, m * sizeof(*p->shift));
	state_receive_told(s, p->weight, m * sizeof(*p->weight));
	state_receive_told(s, p->word, m);
	state_receive_told(s, p->offset, k * sizeof(*p->offset));
	state_receive_mat(s, &p->map, m, k);
	s->answer = alloc(ranks_rows(s->R), sizeof(*s->answer));
	e = placing_weigh(p, &s->X, s->answer);
	if (e != ERR_OK) {
		free(s->answer);
		s->answer = NULL;
	}
	return e;
}

static void make_lengths(struct state *s, size_t first, size_t count, void *to)
{
	memcpy(to, s->answer + first, count * sizeof(*s->answer));
}

void order_send_lengths(struct state *s)
{
	state_send_up(s, sizeof(*s->answer), ranks_rows(s->R), RANKS_FRAME_MAX / sizeof(*s->answer),
		      make_lengths);
	free(s->answer);
	s->answer = NULL;
}

enum err order_place_rows(struct state *s)
{
	double *norm = alloc(ranks_rows(s->R), sizeof(*norm));
	enum err e;

	state_receive_rows(s, sizeof(*norm), norm);
	mat_release(&s->Z);
	e = placing_distances(&s->place, &s->X, &s->g, norm, 1, &s->Z);
	graph_release(&s->g);
	free(norm);
	return e;
}

static void make_placed(struct state *s, size_t first, size_t count, void *to)
{
	memcpy(to, ROW(&s->Z, first), count * s->Z.cols * sizeof(*s->Z.a));
}

void order_send_placed(struct state *s)
{
	size_t row = s->Z.cols * sizeof(*s->Z.a);

	state_send_up(s, row, s->Z.rows, state_rows_of_frame(row), make_placed);
}
