#include "server/kcagc/questions.h"
#include "common/base/alloc.h"
#include "common/base/log.h"
#include "server/run/sum.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct tree_node *root_of(const struct questions *q)
{
	return &q->tree.node[q->tree.count - 1];
}

unsigned questions_order(const struct job *job)
{
	return job->kcagc.filter_order == KCAGC_ORDER_AUTO ? 0 : job->kcagc.filter_order;
}

/* ---- what is said ---- */

static enum err tell_choice(struct questions *q, enum choice what, uint64_t value)
{
	for (size_t l = 0; l < q->run->L; l++)
		TRY(channel_send_choice(q->run->channel[l], what, value));
	return ERR_OK;
}

static enum err tell_reals(struct questions *q, const double *x, size_t count)
{
	for (size_t l = 0; l < q->run->L; l++)
		TRY(channel_send_reals(q->run->channel[l], MSG_BLOCK, root_of(q)->id, x, count));
	return ERR_OK;
}

static enum err tell_labels(struct questions *q, enum msg_type type, size_t k,
			    const uint32_t *label, size_t count)
{
	return run_broadcast_labels(q->run, 0, q->run->L, type, root_of(q)->id, (uint32_t)k, label,
				    count);
}

/* Once, and only if the job leaves it open. */
static enum err tell_order(struct questions *q, unsigned order)
{
	if (q->order_told || questions_order(&q->run->job))
		return ERR_OK;
	q->order_told = true;
	q->run->record->order = order;
	log_info("filter.order \"auto\" is %u", order);
	return tell_choice(q, CHOICE_ORDER, order);
}

/* Tells the assignment of a step of GCC or of polish; landmark's first means are of its sets. */
static enum err tell_clusters(struct questions *q, const struct question *ask)
{
	bool gcc = q->run->job.kcagc.method == METHOD_GCC;

	if (!gcc && q->last != ASK_QUALITY && q->last != ASK_MEANS) {
		run_phase(q->run, "landmarks");
		TRY(tell_order(q, ask->order));
		return tell_labels(q, MSG_LANDMARKS, ask->k, ask->label, q->run->n);
	}
	if (gcc && q->last != ASK_MEANS)
		run_phase(q->run, "iterate");
	TRY(tell_choice(q, CHOICE_MORE, 1));
	return tell_labels(q, MSG_ASSIGNMENT, ask->k, ask->label, q->run->n);
}

static enum err tell(struct questions *q, const struct question *ask)
{
	bool gcc = q->run->job.kcagc.method == METHOD_GCC, again = q->begun && q->last == ask->kind;

	switch (ask->kind) {
	case ASK_FACTS:
		run_phase(q->run, "norms");
		return ERR_OK;
	case ASK_NORMS:
		return tell_choice(q, CHOICE_WORDS, WORDS_SOME);
	case ASK_SPREADS:
		if (q->last == ASK_FACTS)
			TRY(tell_choice(q, CHOICE_WORDS, ask->idf ? WORDS_ALL : WORDS_NONE));
		return tell_reals(q, ask->square, q->run->n);
	case ASK_PRODUCTS:
		if (!again)
			run_phase(q->run, gcc ? "init" : "power");
		TRY(tell_order(q, ask->order));
		if (!gcc)
			TRY(tell_choice(q, CHOICE_WIDTH, ask->B->cols));
		return tell_reals(q, ask->B->a, ask->B->rows * ask->B->cols);
	case ASK_MEANS:
		return tell_clusters(q, ask);
	case ASK_QUALITY:
		run_phase(q->run, "polish");
		return tell_labels(q, MSG_ASSIGNMENT, ask->k, ask->label,
				   ask->labellings * q->run->n);
	}
	return ERR_OK;
}

/* ---- the pool ---- */

/* Numbers whose size is known fill the job's words; others are wide. */
static enum err sum_answers(struct questions *q, const struct question *ask, double *x)
{
	struct fixed f = run_fixed(q->run, q->run->L);
	size_t count = question_words(ask, q->run->n);
	double most = question_most(ask, q->run->n), scale;

	if (!most)
		return secure_sum_wide(q->run, root_of(q), &q->round, x, count);
	TRY(secure_sum_reals(q->run, root_of(q), &q->round, x, count));
	scale = f.modulus_bits == 32 ? fixed_scale(&f, most) : 1;
	for (size_t i = 0; i < count; i++)
		x[i] /= scale;
	return ERR_OK;
}

/* Protocol 3 line 2. The parties have sent them after facts, without having been asked. */
static enum err gather_cells(struct questions *q)
{
	struct run *run = q->run;
	uint32_t k = q->clusters;

	run_phase(run, "local");
	for (size_t l = 0; l < run->L; l++) {
		uint32_t *own = q->cells + l * run->n;

		TRY(channel_recv_labels(run->channel[l], MSG_LOCAL_CLUSTERS, (uint32_t)l, k, own,
					run->n));
		for (size_t i = 0; i < run->n; i++)
			if (own[i] == k)
				return peer_fault(
				    run->channel[l],
				    "sent LOCAL_CLUSTERS with node %zu in none of %u clusters", i,
				    k);
	}
	q->cells = NULL;
	return ERR_OK;
}

/* The largest vector that the coordinator sends is still to come. Nothing was said since the keys
 * with the facts, and the zeros that followed those are on their way: the norms should not wait
 * behind more. */
static bool block_follows(const struct questions *q, const struct question *ask)
{
	bool landmark = q->run->job.kcagc.method == METHOD_LANDMARK;

	return (ask->kind <= ASK_SPREADS && ask->kind != ASK_FACTS) ||
	       (landmark && ask->kind == ASK_MEANS && q->last < ASK_PRODUCTS);
}

static enum err ask(void *ctx, const struct question *ask, double *x)
{
	struct questions *q = ctx;
	bool facts_before = q->begun && q->last == ASK_FACTS;

	TRY(tell(q, ask));
	if (block_follows(q, ask))
		TRY(run_warm(q->run));
	if (q->cells)
		TRY(gather_cells(q));
	if (facts_before)
		run_phase(q->run, "order");
	q->last = ask->kind;
	q->begun = true;
	return sum_answers(q, ask, x);
}

static enum err cells(void *ctx, unsigned order, size_t clusters, uint32_t *label)
{
	struct questions *q = ctx;

	(void)order; /* the job says it to all */
	q->cells = label;
	q->clusters = (uint32_t)clusters;
	return ERR_OK;
}

static void progress(void *ctx, unsigned step, size_t moved, double objective)
{
	struct questions *q = ctx;

	if (!isnan(objective)) {
		q->objective = alloc_again(q->objective, q->steps + 1, sizeof(*q->objective));
		q->objective[q->steps++] = objective;
	}
	run_progress(q->run, step, moved);
}

void questions_open(struct questions *q, struct run *run, struct pool *pool)
{
	*q = (struct questions){ .run = run };
	tree_build(&q->tree, run->L, true);
	*pool = (struct pool){ .n = run->n,
			       .parties = run->L,
			       .ctx = q,
			       .ask = ask,
			       .cells = cells,
			       .progress = progress };
}

void questions_record(struct questions *q, const struct record_sum *kept)
{
	struct record_sum sum = *kept;

	sum.group = root_of(q)->id;
	sum.objective = q->objective;
	sum.objectives = q->steps;
	record_sum(q->run->record, &sum);
}

enum err questions_result(struct questions *q, const uint32_t *label)
{
	TRY(tell_choice(q, CHOICE_MORE, 0));
	run_phase(q->run, "result");
	return tell_labels(q, MSG_RESULT, q->run->job.clusters, label, q->run->n);
}

void questions_close(struct questions *q)
{
	free(q->objective);
}
