#include "common/base/alloc.h"
#include "common/base/file.h"
#include "common/data/npy.h"
#include "common/linalg/la.h"
#include "common/ranks/read.h"
#include "worker/link.h"
#include "worker/state.h"

#include <stdlib.h>

/* A product is computed and sent in pieces of SENT_TILES tiles of LA_TILE rows. */
enum { SENT_TILES = 8 };

/* ---- landmark and gcc ---- */

/* Reads X again from its .npy file, and moves its rows to the same places as before. */
static enum err commands_slice_read_again(void *arg, struct features *X)
{
	struct state *s = arg;
	struct csr none = { 0 };
	size_t rows = ranks_rows(s->R);
	enum err e;

	*X = (struct features){ 0 };
	e = npy_read_rows(s->features, ranks_first(s->R), rows, &X->dense);
	if (e == ERR_OK && (X->dense.rows != rows || X->dense.cols != s->slice.columns))
		e = err_set(ERR_INPUT, "%s: has changed since it was read", s->features);
	e = ranks_agree(s->R, e);
	if (e != ERR_OK)
		mat_release(&X->dense);
	else if (s->moved)
		ranks_rename(s->R, s->moved, X, &none);
	return e;
}

/* Turns features and graph into s->slice (protocols/kcagc/slice.h) when first called. */
static enum err need_slice(struct state *s)
{
	if (s->slice.g)
		return ERR_OK;
	TRY(slice_init(&s->slice, &s->X, &s->g, 1));
	s->source = (struct features_source){ s, commands_slice_read_again };
	if (!s->slice.X.is_sparse && file_ends(s->features, ".npy"))
		s->slice.source = &s->source;
	return ERR_OK;
}

static void note_filtered(struct state *s)
{
	if (s->slice.is_filtered && s->embedded.memory == 0)
		s->embedded = link_cost();
}

void command_filter(struct state *s)
{
	enum err e = need_slice(s);

	if (e == ERR_OK)
		e = slice_filter(&s->slice, s->command.question.order);
	note_filtered(s);
	(void)state_reply(s, e);
}

/* Vectors over rows that a question points to. Each rank has the part for its own rows. */
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
		mat_init(&p->B, n, s->command.dims);
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

struct product {
	const struct slice *s;
	struct mat C;
};

static void make_product(void *arg, size_t first, size_t count, void *to)
{
	const struct product *p = arg;

	slice_product_rows(p->s, &p->C, first, count, to);
}

/* Answers a question. Computes the rows of a product only when they are sent, because all rows at
 * once would take as much memory as the block in the question. */
void command_ask(struct state *s)
{
	struct question *q = &s->command.question;
	size_t n = ranks_rows(s->R), whole = question_whole(q), width;
	struct product product = { .s = &s->slice };
	struct pointed p;
	double *x;
	enum err e = need_slice(s);

	receive_pointed(s, q, &p);
	width = question_width(q);
	x = alloc(slice_words_before(q, n), sizeof(*x));
	if (e == ERR_OK)
		e = slice_begin_answer(&s->slice, q, x, &product.C);
	note_filtered(s);
	release_pointed(&p);
	if (state_reply(s, e)) {
		state_send_common(s, x, whole * sizeof(*x));
		if (product.C.a)
			state_send_made(s, width * sizeof(*x), n, SENT_TILES * LA_TILE,
					make_product, &product);
		else if (width)
			state_send_items(s, width * sizeof(*x), n, x + whole);
	}
	mat_release(&product.C);
	free(x);
}

void command_cells(struct state *s)
{
	const struct question *q = &s->command.question;
	uint32_t *label = alloc(ranks_rows(s->R), sizeof(*label));
	enum err e = need_slice(s);

	if (e == ERR_OK)
		e = slice_cluster(&s->slice, q->order, q->parties, q->dims, &s->command.clusters,
				  label);
	if (state_reply(s, e))
		state_send_items(s, sizeof(*label), ranks_rows(s->R), label);
	free(label);
}

void command_means(struct state *s)
{
	uint32_t *label = alloc(ranks_rows(s->R), sizeof(*label));
	const struct slice *own = &s->slice;
	struct mat M;

	state_receive_rows(s, sizeof(*label), label);
	slice_means(own, label, s->command.k, &M);
	if (state_reply(s, ERR_OK)) {
		state_send_mat(s, &M);
		state_send_common(s, own->shift, own->columns * sizeof(*own->shift));
		state_send_common(s, own->weight, own->columns * sizeof(*own->weight));
		state_send_common(s, own->word, own->columns);
	}
	mat_release(&M);
	free(label);
}

/* ---- new rows after landmark ---- */

void command_weigh(struct state *s)
{
	struct placing *p = &s->place;
	size_t n = ranks_rows(s->R), m = features_cols(&s->X), k = s->command.k;
	double *length = alloc(n, sizeof(*length));

	placing_release(p);
	p->order = s->command.embed.order;
	ALLOC(p->shift, m);
	ALLOC(p->weight, m);
	ALLOC(p->word, m);
	ALLOC(p->offset, k);
	state_receive_common(s, p->shift, m * sizeof(*p->shift));
	state_receive_common(s, p->weight, m * sizeof(*p->weight));
	state_receive_common(s, p->word, m);
	state_receive_common(s, p->offset, k * sizeof(*p->offset));
	state_receive_mat(s, &p->map, m, k);
	if (state_reply(s, placing_weigh(p, &s->X, length)))
		state_send_items(s, sizeof(*length), n, length);
	free(length);
}

void command_place(struct state *s)
{
	double *norm = alloc(ranks_rows(s->R), sizeof(*norm));
	enum err e;

	state_receive_rows(s, sizeof(*norm), norm);
	mat_release(&s->Z);
	e = placing_distances(&s->place, &s->X, &s->g, norm, 1, &s->Z);
	graph_release(&s->g);
	free(norm);
	if (state_reply(s, e))
		state_send_items(s, s->Z.cols * sizeof(*s->Z.a), s->Z.rows, s->Z.a);
}
