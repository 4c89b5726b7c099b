/* A party's half of federated GCC (common/kcagc/gcc.h) and of landmark projection
 * (common/kcagc/landmark.h): it receives what the coordinator says, and only what is due, and sends
 * its term of the sum. The other half is common/kcagc/sums.h. */
#include "common/base/alloc.h"
#include "common/data/standard.h"
#include "common/kcagc/gcc.h"
#include "common/kcagc/landmark.h"
#include "common/kcagc/slice.h"
#include "common/kind/tree.h"
#include "crypto/fixed.h"
#include "party/kcagc/kcagc.h"
#include "party/kcagc/model.h"
#include "party/ranks/workers.h"
#include "party/work/secure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SPREADS_MOST = 4 << 10 }; /* bytes of what follows the norms */

struct answers {
	struct work *work;
	struct tree tree;
	const struct tree_node *root;  /* all parties */
	struct slice slice;            /* without rows where these are on ranks */
	struct features_source source; /* of slice */
	double *own;                   /* 2 + n: this party's facts and squared norms */
	unsigned order;                /* p: the job's; 0 until take_order(), if the data decide */
	uint32_t
	    *means; /* landmark: n, the clusters whose means were asked for last; NULL: none were */
};

/* As the slice was given them at first. */
static enum err read_again(void *arg, struct features *X)
{
	struct work *work = arg;

	*X = (struct features){ 0 };
	TRY(work->source.read(work->source.ctx, work->features));
	if (work->job.kcagc.standardize != STANDARDIZE_NONE)
		TRY(standard_features(work->features, work_columns(work)));
	*X = *work->features;
	*work->features = (struct features){ 0 };
	return ERR_OK;
}

/* Takes over work's features, where they are here. */
static enum err answers_open(struct answers *a, struct work *work)
{
	*a = (struct answers){ .work = work };
	if (work->job.kcagc.filter_order != KCAGC_ORDER_AUTO)
		a->order = work->job.kcagc.filter_order;
	tree_build(&a->tree, work->L, true);
	a->root = &a->tree.node[a->tree.count - 1];
	work_group(work, a->root);
	if (work->workers)
		return ERR_OK;
	TRY(party_standardize(work));
	TRY(slice_init(&a->slice, work->features, work->graph, work->threads));
	a->source = (struct features_source){ work, read_again };
	if (work->source.read)
		a->slice.source = &a->source;
	a->slice.degrees = work->job.kcagc.degrees;
	return ERR_OK;
}

/* Also after an error. */
static void answers_close(struct answers *a)
{
	slice_release(&a->slice);
	free(a->own);
	free(a->means);
}

void answers_free(struct answers *a)
{
	if (a)
		answers_close(a);
	free(a);
}

/* ---- terms of sums ---- */

/* What the numbers of an answer are multiplied by, to fill the job's words if their size is known.
 */
static double scale_of(const struct work *work, double most)
{
	struct fixed f = { work->job.modulus_bits, work->job.fraction_bits, work->L };

	return most > 0 && f.modulus_bits == 32 ? fixed_scale(&f, most) : 1;
}

/* x: the party's answer, scaled here. */
static enum err send_term(struct answers *a, const struct question *q, double *x)
{
	size_t count = question_words(q, a->work->n);
	double most = question_most(q, a->work->n), scale = scale_of(a->work, most);

	if (!most)
		return secure_send_wide(a->work, a->root, x, count);
	for (size_t i = 0; i < count; i++)
		x[i] *= scale;
	return secure_send(a->work, a->root, x, count);
}

struct term {
	struct secure *sum;
	double scale;
};

static enum err add_term(void *arg, const double *x, size_t count)
{
	const struct term *t = arg;
	enum { PIECE = 1024 };
	double scaled[PIECE];

	if (t->scale == 1)
		return secure_add(t->sum, x, count);
	for (size_t at = 0, next; at < count; at += next) {
		next = min_size(PIECE, count - at);
		for (size_t i = 0; i < next; i++)
			scaled[i] = x[at + i] * t->scale;
		TRY(secure_add(t->sum, scaled, next));
	}
	return ERR_OK;
}

/* By ranks, or by this process. Ranks have been asked for products when their block came. */
static enum err tell(struct answers *a, const struct question *q, slice_values *each, void *arg)
{
	struct workers *w = a->work->workers;

	if (!w)
		return slice_tell(&a->slice, q, each, arg);
	if (q->kind != ASK_PRODUCTS)
		TRY(workers_question(w, q));
	return workers_answer(w, q, each, arg);
}

/* This party's term, masked as it comes: it is held nowhere. */
static enum err answer(struct answers *a, const struct question *q)
{
	struct work *work = a->work;
	double most = question_most(q, work->n);
	struct term t = { .scale = scale_of(work, most) };
	enum err e = secure_begin(work, a->root, question_words(q, work->n), !most, &t.sum);

	TRY(e);
	e = tell(a, q, add_term, &t);
	if (e == ERR_OK)
		e = secure_end(t.sum);
	secure_free(t.sum);
	return e;
}

/* One that this party needs itself. */
static enum err find_answer(struct answers *a, const struct question *q, double *x)
{
	return tell(a, q, slice_keep, &x);
}

/* X_l M' up, for the k means M of the party's rows over sets that have been received. */
static enum err send_means(struct answers *a, const uint32_t *label, size_t k)
{
	return answer(
	    a, &(struct question){ .kind = ASK_MEANS, .order = a->order, .label = label, .k = k });
}

/* ---- what is agreed first ---- */

/* Computes what send_facts() sends; needs no keys, so it runs before they are agreed. */
static enum err find_facts(struct answers *a)
{
	struct question facts = { .kind = ASK_FACTS };

	ALLOC(a->own, question_words(&facts, a->work->n));
	return find_answer(a, &facts, a->own);
}

/* Facts and squared norms up. */
static enum err send_facts(struct answers *a)
{
	struct question facts = { .kind = ASK_FACTS };

	work_phase(a->work, "norms");
	if (!a->own)
		TRY(find_facts(a));
	return send_term(a, &facts, a->own);
}

/* The coordinator says of all parties what this one knows of itself. */
static enum err agree_norms(struct answers *a, double *square, bool *idf)
{
	struct work *work = a->work;
	struct question norms = { .kind = ASK_NORMS };
	double rounding = ldexp((double)work->L, -JOB_WIDE_FRACTION), *own = a->own + 2;
	bool measured = a->own[0] != 0;
	uint64_t words;

	TRY(channel_recv_choice(work->channel, CHOICE_WORDS, WORDS_SOME, &words));
	if ((words == WORDS_ALL && measured) || (words == WORDS_NONE && !measured))
		return peer_fault(work->channel,
				  "sent CHOICE by which %s of the parties have features of 0 and 1 "
				  "alone; this one %s",
				  words == WORDS_ALL ? "all" : "none",
				  measured ? "has others" : "has");
	*idf = words == WORDS_ALL;
	if (words == WORDS_SOME) {
		TRY(find_answer(a, &norms, own));
		TRY(send_term(a, &norms, own));
	}
	TRY(channel_recv_reals(work->channel, MSG_BLOCK, a->root->id, square, work->n));
	for (size_t i = 0; i < work->n; i++)
		if (square[i] < 0 || square[i] < own[i] * (1 - BLOCK_ROUNDING) - rounding)
			return peer_fault(work->channel,
					  "sent a BLOCK of joint norms of which that of row %zu is "
					  "shorter than this party's part",
					  i);
	return ERR_OK;
}

/* Joint norms down, spreads up. */
static enum err send_spreads(struct answers *a)
{
	double *square = alloc(a->work->n, sizeof(*square));
	struct question spreads = { .kind = ASK_SPREADS,
				    .square = square,
				    .shares = !a->order,
				    .degrees = a->work->job.kcagc.degrees != DEGREES_OFF,
				    .parties = a->work->L };
	enum err e;

	work_phase(a->work, "order");
	e = agree_norms(a, square, &spreads.idf);
	if (e == ERR_OK)
		e = answer(a, &spreads);
	free(square);
	return e;
}

/* The order down, unless the job gives it; needed from the first product or means on. */
static enum err take_order(struct answers *a)
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

static enum err give_ranks(void *workers, const double *x, size_t count)
{
	return workers_block(workers, x, count);
}

/* The block goes on to the ranks as it comes, and is held by them alone. They begin when the last
 * of it is there, which is given when it has been verified. */
static enum err pass_products(struct answers *a, const struct question *q)
{
	struct work *work = a->work;

	TRY(workers_filter(work->workers, q->order));
	TRY(workers_question(work->workers, q));
	TRY(work_pass_block(work, a->root, work->n, q->B->cols, give_ranks, work->workers));
	return answer(a, q);
}

/* B (n x width) down, orthogonal columns of length sqrt(n) or ERR_PEER; X_l (X_l' B) up. The filter
 * takes room: the block comes when that is free again. */
static enum err send_products(struct answers *a, size_t width)
{
	struct mat B = { a->work->n, width, NULL };
	struct question q = { .kind = ASK_PRODUCTS, .order = a->order, .B = &B };
	enum err e;

	if (a->work->workers)
		return pass_products(a, &q);
	TRY(slice_filter(&a->slice, a->order));
	mat_init(&B, a->work->n, width);
	e = work_recv_block(a->work, a->root, &B);
	if (e == ERR_OK)
		e = answer(a, &q);
	mat_release(&B);
	return e;
}

/* ---- clusters ---- */

enum err party_take_clusters(struct work *work)
{
	struct job *job = &work->job;
	uint64_t k;

	if (!job->clusters_from)
		return ERR_OK;
	TRY(channel_recv_choice(work->channel, CHOICE_CLUSTERS, job->clusters, &k));
	if (k < job->clusters_from)
		return peer_fault(work->channel, "sent CHOICE of %u clusters, expected %u to %u",
				  (unsigned)k, job->clusters_from, job->clusters);
	job->clusters = (unsigned)k;
	return ERR_OK;
}

static void keep_means(struct answers *a, const uint32_t *label)
{
	if (!a->means)
		ALLOC(a->means, a->work->n);
	memcpy(a->means, label, a->work->n * sizeof(*label));
}

/* Sums over the clusters of ASSIGNMENT, at most so many, as long as the coordinator wants more. */
static enum err follow_steps(struct answers *a, unsigned most)
{
	struct work *work = a->work;
	uint32_t *label = alloc(work->n, sizeof(*label)), *before = alloc(work->n, sizeof(*before));
	enum err e = ERR_OK;

	for (unsigned step = 1; e == ERR_OK; step++) {
		size_t moved = 0;
		uint64_t more;

		e = channel_recv_choice(work->channel, CHOICE_MORE, step <= most, &more);
		if (e != ERR_OK || !more)
			break;
		e = work_recv_clusters(work, MSG_ASSIGNMENT, a->root, work->job.clusters, label,
				       work->n);
		if (e == ERR_OK)
			e = send_means(a, label, work->job.clusters);
		keep_means(a, label);
		for (size_t i = 0; i < work->n; i++)
			moved += step == 1 || label[i] != before[i];
		if (e == ERR_OK)
			work_progress(work, step, moved);
		memcpy(before, label, work->n * sizeof(*label));
	}
	free(label);
	free(before);
	return e;
}

/* Two clusterings down, how well each fits the graph up, with the means of the first if they are
 * wanted. */
static enum err weigh_two(struct answers *a, bool means)
{
	struct work *work = a->work;
	unsigned k = work->job.clusters;
	uint32_t *both = alloc(2 * work->n, sizeof(*both));
	struct question quality = { .kind = ASK_QUALITY,
				    .order = a->order,
				    .label = both,
				    .k = k,
				    .labellings = 2,
				    .parties = work->L,
				    .means = means };
	enum err e = work_recv_clusters(work, MSG_ASSIGNMENT, a->root, k, both, 2 * work->n);

	if (e == ERR_OK)
		e = answer(a, &quality);
	if (means)
		keep_means(a, both);
	free(both);
	return e;
}

static enum err take_result(struct answers *a, uint32_t *label)
{
	struct work *work = a->work;

	work_phase(work, "result");
	return work_recv_clusters(work, MSG_RESULT, a->root, work->job.clusters, label, work->n);
}

/* ---- federated GCC: terms of K B = sum_l X_l (X_l' B) ---- */

static enum err gcc(struct answers *a, const struct gcc_params *p, uint32_t *label)
{
	TRY(send_facts(a));
	TRY(work_warm(a->work));
	TRY(send_spreads(a));
	/* Init: K Q for the subspace iteration, sqrt(n) Q down, Y_u up. */
	work_phase(a->work, "init");
	TRY(take_order(a));
	for (unsigned u = 0; u < p->rounds; u++)
		TRY(send_products(a, gcc_width(p, a->work->n)));
	TRY(party_take_clusters(a->work));
	/* Iterate: G down, K G D^-1 up, the first time with the guard. */
	work_phase(a->work, "iterate");
	TRY(weigh_two(a, true));
	TRY(follow_steps(a, p->iterations - 1));
	return take_result(a, label);
}

enum err party_gcc(struct work *work, uint32_t *label)
{
	struct gcc_params p;
	struct answers a;
	enum err e = answers_open(&a, work);

	gcc_defaults(&p, work->job.clusters, work->job.seed, work->threads);
	if (e == ERR_OK)
		e = gcc(&a, &p, label);
	answers_close(&a);
	return e;
}

/* ---- landmark projection: k^ local clusters, q sets of nodes, K = sum_l X_l X_l', M the means of
 * the party's own rows over each set ---- */

/* Step 3: Protocol 1's clusters, as in kCAGC. */
enum err party_landmark_begin(struct work *work, uint32_t *label)
{
	uint32_t clusters = kcagc_local_clusters(&work->job.kcagc);
	struct kmeans_params how =
	    landmark_local(work->job.clusters, clusters, work->job.seed, work->threads);
	struct answers *a;

	ALLOC(work->begun, 1);
	a = work->begun;
	work_phase(work, "local");
	TRY(answers_open(a, work));
	TRY(find_facts(a));
	return work->workers
		   ? workers_cells(work->workers, a->order, work->L, work->job.clusters, &how,
				   label)
		   : slice_cluster(&a->slice, a->order, work->L, work->job.clusters, &how, label);
}

/* Steps 4 and 5: set ids down, X_l M' up. Each set has min_cell nodes at least: what is summed is
 * of no fewer. */
static enum err landmarks(struct answers *a, uint32_t *set)
{
	struct work *work = a->work;
	uint32_t sets = (uint32_t)landmark_most(work->job.clusters, work->n);
	size_t *size;
	enum err e = ERR_OK;

	work_phase(work, "landmarks");
	TRY(take_order(a));
	TRY(channel_recv_labels_upto(work->channel, MSG_LANDMARKS, a->root->id, 1, &sets, set,
				     work->n));
	ALLOC(size, (size_t)sets + 1);
	for (size_t i = 0; i < work->n; i++)
		size[set[i]]++;
	if (size[sets])
		e = peer_fault(work->channel, "sent LANDMARKS with %zu nodes in none of %u sets",
			       size[sets], sets);
	for (uint32_t c = 0; c < sets && e == ERR_OK; c++)
		if (size[c] < work->job.kcagc.min_cell)
			e = peer_fault(work->channel,
				       "sent LANDMARKS with %u sets, of which set %u has %zu "
				       "nodes, fewer than job.min_cell, %u",
				       sets, c, size[c], work->job.kcagc.min_cell);
	free(size);
	TRY(e);
	return send_means(a, set, sets);
}

/* Step 6: sqrt(n) B down, K B up. */
static enum err power(struct answers *a)
{
	struct work *work = a->work;
	size_t most = landmark_columns(work->job.clusters, work->n);
	uint64_t width;

	work_phase(work, "power");
	TRY(channel_recv_choice(work->channel, CHOICE_WIDTH, most, &width));
	if (!width)
		return peer_fault(work->channel, "sent CHOICE of a BLOCK of no columns");
	TRY(channel_touch(work->channel)); /* the block takes its time */
	return send_products(a, width);
}

/* Steps 8 and 9: the guard, with the means for the first polish; then more polish. */
static enum err polish(struct answers *a)
{
	unsigned steps = a->work->job.kcagc.polish;

	work_phase(a->work, "polish");
	TRY(weigh_two(a, steps > 0));
	return follow_steps(a, steps);
}

static enum err project(struct answers *a, uint32_t *label)
{
	struct work *work = a->work;

	TRY(send_facts(a)); /* step 1 */
	TRY(channel_send_labels(work->channel, MSG_LOCAL_CLUSTERS, (uint32_t)work->own,
				kcagc_local_clusters(&work->job.kcagc), label, work->n));
	TRY(work_warm(work));
	TRY(work_warm_on(work, SPREADS_MOST));
	TRY(send_spreads(a)); /* step 2 */
	TRY(work_warm(work));
	TRY(landmarks(a, label));
	if (work->job.kcagc.landmark_power)
		TRY(power(a));
	TRY(party_take_clusters(a->work));
	TRY(polish(a));
	return take_result(a, label);
}

/* placing_of() of rows that are on ranks. */
static enum err placing_away(struct answers *a, struct placing *place)
{
	struct workers *w = a->work->workers;
	struct features shape = { .dense.cols = workers_sizes(w).cols };
	struct slice s;
	struct mat M;
	enum err e;

	slice_begin(&s, &shape, a->work->graph, 1);
	s.order = a->order;
	e = workers_means(w, a->means, a->work->job.clusters, &s, &M);
	if (e == ERR_OK)
		placing_by(&s, &M, a->work->L, place);
	mat_release(&M);
	slice_release(&s);
	return e;
}

/* The labels are by the means of the clusters that were told last, and so are those of new rows.
 * Above min_cell 1 nothing may be summed over single nodes; and a model knows no means and
 * deviations of columns, nor of degrees. */
static enum err keep_placing(struct answers *a, const uint32_t *label)
{
	struct work *work = a->work;
	struct placing place;

	work->model = model_new(work);
	if (!a->means || work->job.kcagc.min_cell > 1 ||
	    work->job.kcagc.standardize != STANDARDIZE_NONE ||
	    work->job.kcagc.degrees != DEGREES_OFF)
		return ERR_OK;
	if (work->workers)
		TRY(placing_away(a, &place));
	else
		placing_of(&a->slice, a->means, work->job.clusters, work->L, &place);
	model_fill_placing(work->model, &place, label, work->n);
	return ERR_OK;
}

enum err party_landmark(struct work *work, uint32_t *label)
{
	enum err e = work->begun ? ERR_OK : party_landmark_begin(work, label);

	if (e == ERR_OK)
		e = project(work->begun, label);
	if (e == ERR_OK)
		e = keep_placing(work->begun, label);
	answers_free(work->begun);
	work->begun = NULL;
	return e;
}
