#include "worker/state.h"
#include "common/base/alloc.h"
#include "common/data/limits.h"
#include "worker/link.h"

#include <stdlib.h>
#include <string.h>

/* ---- rows of sums over rows ---- */

enum err order_begin_rows(struct state *s)
{
	struct mat X;

	if (s->X.is_sparse)
		csr_to_dense(&s->X.sparse, &X);
	else
		X = s->X.dense;
	csr_release(&s->X.sparse);
	s->X = (struct features){ 0 };
	graph_release(&s->g);
	fedsc_party_release(&s->party);
	fedsc_party_part(&s->party, &X, s->order.min_cluster, s->R);
	s->embedded = link_cost();
	return ERR_OK;
}

bool order_is_answerable(const struct state *s)
{
	const struct ranks_question *q = &s->order.asked;
	size_t m = s->party.X.cols;

	if (q->k > ROWS_MAX || q->cols > COLS_MAX || q->words > RANKS_WORDS_MAX ||
	    q->given > RANKS_WORDS_MAX)
		return false;
	switch (q->kind) {
	case FEDSC_TOTALS:
		return q->given == 0;
	case FEDSC_SPREAD:
		return q->given == m;
	case FEDSC_SCALE:
		return q->given == (q->has_unit ? m : 0);
	case FEDSC_CLUSTERS:
		return q->given == (q->clusters == FEDKMEANS_COUNTS ? q->k * q->cols : q->k);
	case FEDSC_ANCHOR:
	case FEDSC_EMBED:
		return q->given == q->k * q->cols;
	default:
		return false;
	}
}

/* After an embedding it is that what is clustered. */
static size_t words_of(const struct state *s, const struct fedsc_question *q)
{
	const struct mat *rows =
	    q->kind == FEDSC_CLUSTERS ? fedsc_rows_clustered(&s->party) : &s->party.X;

	return fedsc_words(q, rows->cols);
}

/* The numbers that go with a question are all of one thing. */
enum err order_ask_rows(struct state *s)
{
	const struct ranks_question *o = &s->order.asked;
	struct mat matrix = { .rows = o->k, .cols = o->cols };
	struct fedkmeans_question clusters = {
		.kind = o->clusters, .centres = &matrix, .k = o->k, .least = o->least
	};
	struct fedsc_question q = { .kind = o->kind,
				    .columns = o->columns,
				    .scale = o->scale,
				    .clip = o->clip,
				    .near = o->near,
				    .Z = &matrix,
				    .R = &matrix,
				    .clusters = &clusters };

	free(s->given);
	free(s->sums);
	ALLOC(s->given, o->given);
	ALLOC(s->sums, o->words);
	state_receive_told(s, s->given, o->given * sizeof(*s->given));
	matrix.a = s->given;
	clusters.count = q.mean = s->given;
	q.unit = o->has_unit ? s->given : NULL;
	if (words_of(s, &q) != o->words)
		link_abort("rank 0 was asked for %zu words of an answer of %zu", o->words,
			   words_of(s, &q));
	return fedsc_answer(&s->party, &q, s->sums);
}

void order_send_sums(struct state *s)
{
	state_send_told(s, s->sums, s->order.asked.words * sizeof(*s->sums));
}

static void make_nearest(struct state *s, size_t first, size_t count, void *to)
{
	memcpy(to, s->party.clusters.label + first, count * sizeof(uint32_t));
}

static void make_margins(struct state *s, size_t first, size_t count, void *to)
{
	double *margin = to;

	for (size_t i = 0; i < count; i++)
		margin[i] = fedkmeans_margin(&s->party.clusters, first + i);
}

void order_send_nearest(struct state *s)
{
	size_t n = s->party.X.rows;

	state_send_up(s, sizeof(uint32_t), n, RANKS_FRAME_MAX / sizeof(uint32_t), make_nearest);
	state_send_up(s, sizeof(double), n, RANKS_FRAME_MAX / sizeof(double), make_margins);
}
