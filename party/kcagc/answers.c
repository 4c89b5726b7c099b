#include "party/kcagc/answers.h"
#include "common/base/alloc.h"
#include "crypto/fixed.h"
#include "party/work/secure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum err answers_open(struct answers *a, struct work *work)
{
	*a = (struct answers){ .work = work };
	if (work->job.kcagc.filter_order != KCAGC_ORDER_AUTO)
		a->order = work->job.kcagc.filter_order;
	tree_build(&a->tree, work->L, true);
	a->root = &a->tree.node[a->tree.count - 1];
	work_group(work, a->root);
	return slice_init(&a->slice, work->features, work->graph, work->threads);
}

void answers_close(struct answers *a)
{
	slice_release(&a->slice);
	free(a->own);
}

void answers_free(struct answers *a)
{
	if (a)
		answers_close(a);
	free(a);
}

/* ---- terms of sums ---- */

/* x: the party's answer, scaled here to fill the job's words if its size is known. */
static enum err send_term(struct answers *a, const struct question *q, double *x)
{
	const struct work *work = a->work;
	struct fixed f = { work->job.modulus_bits, work->job.fraction_bits, work->L };
	size_t count = question_words(q, work->n);
	double most = question_most(q, work->n), scale;

	if (!most)
		return secure_send_wide(a->work, a->root, x, count);
	scale = f.modulus_bits == 32 ? fixed_scale(&f, most) : 1;
	for (size_t i = 0; i < count; i++)
		x[i] *= scale;
	return secure_send(a->work, a->root, x, count);
}

static enum err answer(struct answers *a, const struct question *q)
{
	double *x = alloc(question_words(q, a->work->n), sizeof(*x));
	enum err e = slice_answer(&a->slice, q, x);

	if (e == ERR_OK)
		e = send_term(a, q, x);
	free(x);
	return e;
}

enum err answers_means(struct answers *a, const uint32_t *label, size_t k)
{
	return answer(
	    a, &(struct question){ .kind = ASK_MEANS, .order = a->order, .label = label, .k = k });
}

enum err answers_quality(struct answers *a, const uint32_t *label, size_t k, size_t labellings,
			 bool means)
{
	return answer(a, &(struct question){ .kind = ASK_QUALITY,
					     .order = a->order,
					     .label = label,
					     .k = k,
					     .labellings = labellings,
					     .parties = a->work->L,
					     .means = means });
}

/* ---- what is agreed first ---- */

/* The coordinator says of all parties what this one knows of itself. */
static enum err check_words(const struct answers *a, uint64_t words, bool measured)
{
	if ((words == WORDS_ALL && measured) || (words == WORDS_NONE && !measured))
		return peer_fault(a->work->channel,
				  "sent CHOICE by which %s of the parties have features of 0 and 1 "
				  "alone; this one %s",
				  words == WORDS_ALL ? "all" : "none",
				  measured ? "has others" : "has");
	return ERR_OK;
}

static enum err check_square(const struct answers *a, const double *own, const double *square)
{
	double rounding = ldexp((double)a->work->L, -JOB_WIDE_FRACTION);

	for (size_t i = 0; i < a->work->n; i++)
		if (square[i] < 0 || square[i] < own[i] * (1 - BLOCK_ROUNDING) - rounding)
			return peer_fault(a->work->channel,
					  "sent a BLOCK of joint norms of which that of row %zu is "
					  "shorter than this party's part",
					  i);
	return ERR_OK;
}

enum err answers_own_facts(struct answers *a)
{
	struct question facts = { .kind = ASK_FACTS };

	ALLOC(a->own, question_words(&facts, a->work->n));
	return slice_answer(&a->slice, &facts, a->own);
}

enum err answers_facts(struct answers *a)
{
	struct question facts = { .kind = ASK_FACTS };

	work_phase(a->work, "norms");
	if (!a->own)
		TRY(answers_own_facts(a));
	return send_term(a, &facts, a->own);
}

static enum err agree_norms(struct answers *a, double *square, bool *idf)
{
	struct work *work = a->work;
	struct question norms = { .kind = ASK_NORMS };
	uint64_t words;

	TRY(channel_recv_choice(work->channel, CHOICE_WORDS, WORDS_SOME, &words));
	TRY(check_words(a, words, a->own[0] != 0));
	if (words == WORDS_SOME) {
		TRY(slice_answer(&a->slice, &norms, a->own + 2));
		TRY(send_term(a, &norms, a->own + 2));
	}
	*idf = words == WORDS_ALL;
	TRY(channel_recv_reals(work->channel, MSG_BLOCK, a->root->id, square, work->n));
	return check_square(a, a->own + 2, square);
}

enum err answers_spreads(struct answers *a)
{
	double *square = alloc(a->work->n, sizeof(*square));
	struct question spreads = { .kind = ASK_SPREADS, .square = square };
	enum err e;

	work_phase(a->work, "order");
	e = agree_norms(a, square, &spreads.idf);
	if (e == ERR_OK)
		e = answer(a, &spreads);
	free(square);
	return e;
}

enum err answers_order(struct answers *a)
{
	struct work *work = a->work;
	uint64_t order;

	if (a->order)
		return ERR_OK;
	TRY(channel_recv_choice(work->channel, CHOICE_ORDER, SLICE_ORDER_MAX, &order));
	if (!order)
		return peer_fault(work->channel, "sent CHOICE of filter order 0");
	a->order = work->record->order = (unsigned)order;
	return ERR_OK;
}

/* ---- products ---- */

enum err answers_products(struct answers *a, size_t width)
{
	struct mat B;
	enum err e;

	mat_init(&B, a->work->n, width);
	e = work_recv_block(a->work, a->root, &B);
	if (e == ERR_OK)
		e = answer(a,
			   &(struct question){ .kind = ASK_PRODUCTS, .order = a->order, .B = &B });
	mat_release(&B);
	return e;
}

/* ---- clusters ---- */

static size_t differences(const uint32_t *a, const uint32_t *b, size_t n)
{
	size_t count = 0;

	for (size_t i = 0; i < n; i++)
		count += a[i] != b[i];
	return count;
}

static enum err steps(struct answers *a, unsigned most, uint32_t *label, uint32_t *before)
{
	struct work *work = a->work;

	for (unsigned step = 1;; step++) {
		uint64_t more;

		TRY(channel_recv_choice(work->channel, CHOICE_MORE, step <= most, &more));
		if (!more)
			return ERR_OK;
		TRY(work_recv_clusters(work, MSG_ASSIGNMENT, a->root, work->job.clusters, label,
				       work->n));
		TRY(answers_means(a, label, work->job.clusters));
		work_progress(work, step, step > 1 ? differences(label, before, work->n) : work->n);
		memcpy(before, label, work->n * sizeof(*label));
	}
}

enum err answers_steps(struct answers *a, unsigned most)
{
	uint32_t *label = alloc(a->work->n, sizeof(*label));
	uint32_t *before = alloc(a->work->n, sizeof(*before));
	enum err e = steps(a, most, label, before);

	free(label);
	free(before);
	return e;
}

enum err answers_result(struct answers *a, uint32_t *label)
{
	struct work *work = a->work;

	work_phase(work, "result");
	return work_recv_clusters(work, MSG_RESULT, a->root, work->job.clusters, label, work->n);
}
