#include "common/base/alloc.h"
#include "common/data/limits.h"
#include "worker/link.h"
#include "worker/state.h"

#include <stdlib.h>

/* ---- sums over rows ---- */

void command_rows(struct state *s)
{
	features_form(&s->X);
	graph_release(&s->g);
	fedsc_party_release(&s->party);
	fedsc_party_part(&s->party, &s->X.dense, s->command.min_cluster, s->R);
	s->X = (struct features){ 0 };
	s->embedded = link_cost();
	(void)state_reply(s, ERR_OK);
}

bool command_is_answerable(const struct state *s)
{
	const struct ranks_question *o = &s->command.asked;
	size_t m = s->party.X.cols;

	if (o->k > ROWS_MAX || o->cols > ROWS_MAX || o->k * o->cols > RANKS_WORDS_MAX)
		return false;
	switch (o->q.kind) {
	case FEDSC_TOTALS:
		return o->k == 0;
	case FEDSC_SPREAD:
		return o->k == 1 && o->cols == m;
	case FEDSC_SCALE:
		return o->k == (o->q.unit != NULL) && o->cols == m && !o->q.width && o->q.beta == 0;
	case FEDSC_CLUSTERS:
		return o->clusters.kind == FEDKMEANS_COUNTS ||
		       (o->k == 1 && o->cols == o->clusters.k);
	case FEDSC_ANCHOR:
	case FEDSC_EMBED:
		return true;
	default:
		return false;
	}
}

/* Returns the number of columns of the rows that a question is about. Once the rows are embedded,
 * FEDSC_CLUSTERS is about the embedding. */
static size_t columns_asked(const struct state *s, const struct fedsc_question *q)
{
	return q->kind == FEDSC_CLUSTERS ? fedsc_rows_clustered(&s->party)->cols : s->party.X.cols;
}

/* Answers a question about rows. The numbers that come with the question are one matrix; the kind
 * of question decides what they mean. */
void command_ask_rows(struct state *s)
{
	struct ranks_question *o = &s->command.asked;
	struct fedsc_question *q = &o->q;
	struct mat matrix;
	double *given, *sums;
	size_t words;

	state_receive_mat(s, &matrix, o->k, o->cols);
	given = matrix.a;
	q->mean = given;
	q->unit = q->unit ? given : NULL;
	q->Z = q->R = o->clusters.centres = &matrix;
	o->clusters.count = given;
	q->clusters = &o->clusters;
	/* for FEDKMEANS_SUMS the number of words depends on the given counts */
	words = fedsc_words(q, columns_asked(s, q));
	if (words > RANKS_WORDS_MAX)
		link_abort("rank 0 was asked for an answer of %zu words", words);
	ALLOC(sums, words);
	if (state_reply(s, fedsc_answer(&s->party, q, sums)))
		state_send_common(s, sums, words * sizeof(*sums));
	mat_release(&matrix);
	free(sums);
}

static void make_margins(void *clusters, size_t first, size_t count, void *to)
{
	double *margin = to;

	for (size_t i = 0; i < count; i++)
		margin[i] = fedkmeans_margin(clusters, first + i);
}

void command_nearest(struct state *s)
{
	size_t n = s->party.X.rows, bytes = sizeof(double);

	if (!state_reply(s, ERR_OK))
		return;
	state_send_items(s, sizeof(uint32_t), n, s->party.clusters.label);
	state_send_made(s, bytes, n, RANKS_FRAME_MAX / bytes, make_margins, &s->party.clusters);
}
