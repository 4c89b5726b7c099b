/* Sums over rows (protocols/fedsc/party.h), which ranks answer for. */
#include "party/ranks/rank0.h"

enum err workers_rows_begin(struct workers *w, double min_cluster)
{
	w->order.min_cluster = min_cluster;
	w->sizes.dims = w->sizes.cols;
	return rank0_ask(w, RANKS_ROWS);
}

/* The matrix that goes with a question; NULL: none does. */
static const struct mat *question_matrix(const struct fedsc_question *q)
{
	switch (q->kind) {
	case FEDSC_CLUSTERS:
		return q->clusters->kind == FEDKMEANS_COUNTS ? q->clusters->centres : NULL;
	case FEDSC_ANCHOR:
		return q->Z;
	case FEDSC_EMBED:
		return q->R;
	default:
		return NULL;
	}
}

/* The numbers that go with a question of rows of m columns: o->given of them. */
static const double *question_numbers(const struct fedsc_question *q, size_t m,
				      struct ranks_question *o)
{
	const struct mat *matrix = question_matrix(q);

	o->k = o->cols = o->given = 0;
	if (matrix) {
		o->k = matrix->rows;
		o->cols = matrix->cols;
		o->given = o->k * o->cols;
		return matrix->a;
	}
	if (q->kind == FEDSC_CLUSTERS) {
		o->k = o->given = q->clusters->k;
		return q->clusters->count;
	}
	if (q->kind == FEDSC_SPREAD || (q->kind == FEDSC_SCALE && q->unit)) {
		o->given = m;
		return q->kind == FEDSC_SPREAD ? q->mean : q->unit;
	}
	return NULL;
}

/* After an embedding it is that what is clustered. */
static size_t answer_words(const struct workers *w, const struct fedsc_question *q)
{
	return fedsc_words(q, q->kind == FEDSC_CLUSTERS ? w->sizes.dims : w->sizes.cols);
}

enum err workers_ask(struct workers *w, const struct fedsc_question *q, double *x)
{
	struct ranks_question *o = &w->order.asked;
	const double *numbers = question_numbers(q, w->sizes.cols, o);

	o->kind = q->kind;
	o->columns = q->columns;
	o->has_unit = q->unit != NULL;
	o->scale = q->scale;
	o->clip = q->clip;
	o->near = q->near;
	if (q->kind == FEDSC_CLUSTERS) {
		o->clusters = q->clusters->kind;
		o->least = q->clusters->least;
	}
	o->words = answer_words(w, q);
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
