#include "server/fedspectral/fedspectral.h"
#include "common/base/alloc.h"
#include "common/base/log.h"
#include "common/fedspectral/coordinator.h"
#include "server/run/align.h"
#include "server/run/sum.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* A pool of fedspectral.h over secure sums: what is said to all, and the sum of their answers. */
struct asking {
	struct run *run;
	struct tree tree;
	const struct tree_node *root;
	uint64_t round;
};

static enum err tell_choice(struct asking *a, enum choice what, uint64_t value)
{
	for (size_t l = 0; l < a->run->L; l++)
		TRY(channel_send_choice(a->run->channel[l], what, value));
	return ERR_OK;
}

static enum err tell_reals(struct asking *a, enum msg_type type, const double *x, size_t count)
{
	for (size_t l = 0; l < a->run->L; l++)
		TRY(channel_send_reals(a->run->channel[l], type, a->root->id, x, count));
	return ERR_OK;
}

static enum err degrees(void *ctx, double *degree)
{
	struct asking *a = ctx;
	size_t n = a->run->n;

	TRY(secure_sum_wide(a->run, a->root, &a->round, degree, n));
	for (size_t i = 0; i < n; i++) /* a party that says less than 0 will be told so by others */
		degree[i] = degree[i] > 0 ? degree[i] : 0;
	return tell_reals(a, MSG_MATRIX, degree, n);
}

static enum err check_size(const struct mat *V)
{
	if (V->rows <= MSG_REALS_MAX / V->cols)
		return ERR_OK;
	return err_set(ERR_JOB, "%zu columns for %zu nodes are more than %d numbers", V->cols,
		       V->rows, MSG_REALS_MAX);
}

/* V goes down with columns of length sqrt(rows), so that fixed point keeps the digits of entries,
 * which are then near 1; and as floats, off by 2^-24 of themselves: as much as the sum is. */
static enum err ask_block(struct asking *a, const struct mat *V, struct mat *Y)
{
	double root = sqrt((double)V->rows);
	size_t count = V->rows * V->cols;
	enum err e;

	mat_copy(Y, V);
	for (size_t i = 0; i < count; i++)
		Y->a[i] *= root;
	e = tell_reals(a, MSG_BLOCK, Y->a, count);
	if (e == ERR_OK)
		e = secure_sum_wide(a->run, a->root, &a->round, Y->a, count);
	if (e != ERR_OK)
		mat_release(Y);
	for (size_t i = 0; e == ERR_OK && i < count; i++)
		Y->a[i] /= root;
	return e;
}

static enum err products(void *ctx, const struct mat *V, struct mat *Y)
{
	TRY(check_size(V));
	TRY(tell_choice(ctx, CHOICE_WIDTH, V->cols));
	return ask_block(ctx, V, Y);
}

static enum err powers(void *ctx, const struct mat *V, struct mat *Y)
{
	TRY(check_size(V));
	return ask_block(ctx, V, Y);
}

static enum err cells(void *ctx, size_t k, uint32_t *label)
{
	struct run *run = ((struct asking *)ctx)->run;

	for (size_t l = 0; l < run->L; l++)
		TRY(channel_recv_labels(run->channel[l], MSG_LOCAL_CLUSTERS, (uint32_t)l,
					(uint32_t)k, label + l * run->n, run->n));
	return ERR_OK;
}

static void phase(void *ctx, const char *name)
{
	run_phase(((struct asking *)ctx)->run, name);
}

static void progress(void *ctx, unsigned round)
{
	run_progress(((struct asking *)ctx)->run, round, 0);
}

static void open_pool(struct asking *a, struct run *run, struct fedspectral_pool *pool)
{
	*a = (struct asking){ .run = run };
	tree_build(&a->tree, run->L, true);
	a->root = &a->tree.node[a->tree.count - 1];
	*pool = (struct fedspectral_pool){ .n = run->n,
					   .parties = run->L,
					   .ctx = a,
					   .degrees = degrees,
					   .products = products,
					   .powers = powers,
					   .cells = cells,
					   .phase = phase,
					   .progress = progress };
}

/* ---- what is found ---- */

static void tell_values(const struct fedspectral_report *r)
{
	char text[ERR_DETAIL_MAX];
	size_t at = 0;

	text[0] = 0;
	for (size_t i = 0; i < r->values && at < sizeof(text) - 16; i++)
		at += (size_t)snprintf(text + at, sizeof(text) - at, " %.6f", r->value[i]);
	log_info("leading eigenvalues%s; after the %u. they fall by %.6f; %zu component%s", text,
		 r->k, r->gap, r->components, r->components == 1 ? "" : "s");
}

static void record_report(struct run *run, const struct fedspectral_report *r)
{
	struct record *to = run->record;

	facts_number(&to->facts, "nodes", (double)run->n);
	facts_number(&to->facts, "isolated", (double)r->isolated);
	if (r->isolated)
		log_info("%zu of %zu nodes have no edges: they are cluster %u", r->isolated, run->n,
			 r->k);
	facts_number(&to->facts, "clusters", r->k);
	if (run->job.fedspectral.variant == FEDSPECTRAL_PLAIN)
		return;
	facts_number(&to->facts, "rounds", r->rounds);
	if (run->job.fedspectral.variant == FEDSPECTRAL_PLUS)
		return;
	facts_number(&to->facts, "residual", r->residual);
	facts_numbers(&to->facts, "eigenvalues", r->value, r->values);
	facts_number(&to->facts, "eigengap", r->gap);
	facts_number(&to->facts, "components", (double)r->components);
	tell_values(r);
}

/* ---- the whole ---- */

static void params_of(const struct run *run, struct fedspectral_params *p)
{
	const struct job *job = &run->job;
	bool plus = job->fedspectral.variant == FEDSPECTRAL_PLUS;

	fedspectral_defaults(p, job->clusters == JOB_AUTO ? 0 : job->clusters, job->seed,
			     run->threads);
	p->block = job->fedspectral.block == JOB_AUTO ? 0 : job->fedspectral.block;
	p->tolerance = job->fedspectral.tolerance;
	p->restarts = job->fedspectral.restarts;
	if (job->fedspectral.rounds != JOB_AUTO)
		p->rounds = job->fedspectral.rounds;
	else if (plus)
		p->rounds = FEDSPECTRAL_PLUS_ROUNDS;
}

static enum err find(struct asking *a, const struct fedspectral_pool *pool, uint32_t *label,
		     struct fedspectral_report *report)
{
	struct fedspectral_params p;

	params_of(a->run, &p);
	switch (a->run->job.fedspectral.variant) {
	case FEDSPECTRAL_PLUS:
		return fedspectral_plus(pool, &p, label, report);
	case FEDSPECTRAL_PLAIN:
		return fedspectral_plain(pool, &p, label, report);
	default:
		TRY(fedspectral_exact(pool, &p, label, report));
		return tell_choice(a, CHOICE_WIDTH, 0);
	}
}

static enum err serve(struct run *run, const struct align *align, uint32_t *label)
{
	struct fedspectral_report report;
	struct fedspectral_pool pool;
	struct asking a;

	open_pool(&a, run, &pool);
	TRY(find(&a, &pool, label, &report));
	record_report(run, &report);
	run_phase(run, "result");
	run->job.clusters = report.clusters;
	TRY(tell_choice(&a, CHOICE_CLUSTERS, report.clusters));
	return server_own_labels(run, align, MSG_RESULT, a.root->id, report.clusters - 1, label);
}

enum err server_fedspectral(struct run *run, uint32_t **label)
{
	struct align align;
	enum err e;

	TRY(server_align(run, &align));
	ALLOC(*label, run->n);
	e = serve(run, &align, *label);
	align_release(&align);
	if (e != ERR_OK) {
		free(*label);
		*label = NULL;
	}
	return e;
}
