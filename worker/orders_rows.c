#include "worker/state.h"
#include "common/base/alloc.h"
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
	csr_release(&s->rows);
	fedsc_party_release(&s->party);
	s->over = ranks_over(s->R);
	fedsc_party_part(&s->party, &X, s->order.min_cluster, &s->over);
	s->embedded = link_cost();
	return ERR_OK;
}

/* The numbers that go with a question are all of one thing. */
enum err order_ask_rows(struct state *s)
{
	const struct ranks_question *o = &s->order.asked;
	struct mat centres = { .rows = o->k, .cols = s->party.X.cols };
	struct fedkmeans_question clusters = {
		.kind = o->clusters, .centres = &centres, .k = o->k, .least = o->least
	};
	struct fedsc_question q = { .kind = o->kind,
				    .columns = o->columns,
				    .scale = o->scale,
				    .clip = o->clip,
				    .clusters = &clusters };

	free(s->given);
	free(s->sums);
	ALLOC(s->given, o->given);
	ALLOC(s->sums, o->words);
	state_receive_told(s, s->given, o->given * sizeof(*s->given));
	centres.a = s->given;
	clusters.count = q.mean = s->given;
	q.unit = o->has_unit ? s->given : NULL;
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
