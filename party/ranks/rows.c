/* Sums over rows (protocols/fedsc/party.h), which ranks answer for. */
#include "party/ranks/rank0.h"

enum err workers_rows_begin(struct workers *w, double min_cluster)
{
	w->order.min_cluster = min_cluster;
	w->sizes.dims = w->sizes.cols;
	return rank0_ask(w, RANKS_ROWS);
}

/* The numbers that a question of rows of m columns points to: o->given of them. */
static const double *question_numbers(const struct fedsc_question *q, size_t m,
				      struct ranks_question *o)
{
	const struct mat *matrix = q->kind == FEDSC_ANCHOR ? q->Z : q->R;

	o->given = 0;
	switch (q->kind) {
	case FEDSC_SPREAD:
		o->given = m;
		return q->mean;
	case FEDSC_SCALE:
		o->given = q->unit ? m : 0;
		return q->unit;
	case FEDSC_CLUSTERS:
		o->given = q->clusters->k;
		if (q->clusters->kind != FEDKMEANS_COUNTS)
			return q->clusters->count;
		matrix = q->clusters->centres;
		break;
	case FEDSC_ANCHOR:
	case FEDSC_EMBED:
		break;
	default:
		return NULL;
	}
	o->k = matrix->rows;
	o->cols = matrix->cols;
	o->given = o->k * o->cols;
	return matrix->a;
}

enum err workers_ask(struct workers *w, const struct fedsc_question *q, double *x)
{
	struct ranks_question *o = &w->order.asked;
	const double *numbers;

	*o = (struct ranks_question){ .q = *q };
	numbers = question_numbers(q, w->sizes.cols, o);
	if (q->kind == FEDSC_CLUSTERS)
		o->clusters = *q->clusters;
	/* Once there is an embedding, it is clustered. */
	o->words = fedsc_words(q, q->kind == FEDSC_CLUSTERS ? w->sizes.dims : w->sizes.cols);
	if (o->words > RANKS_WORDS_MAX || o->given > RANKS_WORDS_MAX)
		return err_set(ERR_INPUT,
			       "a question of %zu numbers with an answer of %zu: ranks "
			       "take at most %d",
			       o->given, o->words, RANKS_WORDS_MAX);
	TRY(rank0_order(w, RANKS_ASK_ROWS));
	TRY(rank0_send(w, numbers, o->given * sizeof(*numbers)));
	TRY(rank0_answered(w));
	if (q->kind == FEDSC_EMBED)
		w->sizes.dims = q->R->cols;
	return rank0_receive(w, x, o->words * sizeof(*x));
}

enum err workers_nearest(struct workers *w, uint32_t *label, double *margin)
{
	return rank0_call(w, RANKS_NEAREST, RECEIVED(label, w->sizes.n),
			  RECEIVED(margin, w->sizes.n));
}
