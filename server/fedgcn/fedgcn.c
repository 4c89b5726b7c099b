/* The coordinator's half of FedGCN: common/fedgcn/coordinator.h's, with parties to ask. */
#include "server/fedgcn/fedgcn.h"
#include "common/base/file.h"
#include "common/base/log.h"
#include "common/fedgcn/file.h"
#include "common/fedgcn/coordinator.h"
#include "common/fedgcn/job.h"
#include "server/run/sum.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A pool of fedgcn.h over secure sums: what is said to all, and the sum of their answers. */
struct asking {
	struct run *run;
	struct tree tree;
	const struct tree_node *root;
	struct fedgcn_params p;
	uint64_t round;
	const char *now; /* phase */
};

/* ---- what is asked ---- */

/* Parties know the order but not when it is enough. */
static enum err tell_more(struct asking *a, bool more)
{
	for (size_t l = 0; l < a->run->L; l++)
		TRY(channel_send_choice(a->run->channel[l], CHOICE_ROUND, more));
	return ERR_OK;
}

static enum err check_graphs(struct asking *a, double n)
{
	struct run *run = a->run;
	double least = (double)run->L * run->job.clusters;

	if (!(n >= least && n <= MSG_ITEMS_MAX) || n != nearbyint(n))
		return step_fault(run->channel[0],
				  "the parties say that they have %.17g graphs, expected %g to %d "
				  "of %zu parties with %u or more each",
				  n, least, MSG_ITEMS_MAX, run->L, run->job.clusters);
	run->n = (size_t)n;
	return ERR_OK;
}

static enum err ask_all(void *ctx, const struct fedgcn_question *q, double *x)
{
	struct asking *a = ctx;
	size_t down = fedgcn_down(&a->p, q->kind), up = fedgcn_up(&a->p, q->kind);

	if (q->kind == FEDGCN_TRAIN || q->kind == FEDGCN_FINAL)
		TRY(tell_more(a, q->kind == FEDGCN_TRAIN));
	for (size_t l = 0; l < a->run->L; l++)
		TRY(channel_send_reals(a->run->channel[l], MSG_BLOCK, a->root->id, q->x, down));
	TRY(secure_sum_wide(a->run, a->root, &a->round, x, up));
	return q->kind == FEDGCN_START ? check_graphs(a, x[0]) : ERR_OK;
}

/* Prototypes that a density estimate needs one by one. */
static enum err gather_prototypes(void *ctx, double *x)
{
	struct asking *a = ctx;
	size_t words = fedgcn_upload_words(&a->p);

	for (size_t l = 0; l < a->run->L; l++)
		TRY(channel_recv_reals(a->run->channel[l], MSG_PROTOTYPES, (uint32_t)l,
				       x + l * words, words));
	return ERR_OK;
}

/* All rounds are one phase, with what becomes of their prototypes. */
static void phase(void *ctx, const char *name)
{
	struct asking *a = ctx;

	if (strcmp(name, "prototypes") != 0 && strcmp(name, a->now) != 0)
		run_phase(a->run, a->now = name);
}

static void progress(void *ctx, unsigned round, double kl, double reconstruction, double changed)
{
	run_progress(((struct asking *)ctx)->run, round, (size_t)changed);
	log_info("round %u: loss %.5g by clusters, %.5g by reconstruction; %g graphs changed their "
		 "cluster",
		 round, kl, reconstruction, changed);
}

static void open_pool(struct asking *a, struct run *run, struct fedgcn_pool *pool)
{
	a->run = run;
	a->now = "";
	tree_build(&a->tree, run->L, true);
	a->root = &a->tree.node[a->tree.count - 1];
	*pool = (struct fedgcn_pool){ .parties = run->L,
				      .ctx = a,
				      .ask = ask_all,
				      .upload = fedgcn_in_clear(&a->p) ? gather_prototypes : NULL,
				      .phase = phase,
				      .progress = progress };
}

/* ---- what comes of it ---- */

static void keep_record(struct run *run, const struct fedgcn_report *r, bool ended)
{
	struct record *to = run->record;

	facts_number(&to->facts, "graphs", r->n);
	facts_number(&to->facts, "rounds", r->rounds);
	if (r->rounds) {
		facts_numbers(&to->facts, "loss_clusters", r->kl, r->rounds);
		facts_numbers(&to->facts, "loss_reconstruction", r->reconstruction, r->rounds);
		facts_numbers(&to->facts, "changed", r->changed, r->rounds);
		facts_number(&to->facts, "prototypes_withheld", (double)r->withheld);
	}
	if (ended)
		record_sizes(to, r->size, run->job.clusters);
}

/* The joint model without anybody's own last clustering: it assigns by the nearest prototype. Where
 * layers stay with their parties it is not whole. */
static enum err keep_model(const struct asking *a, const struct fedgcn_report *r)
{
	struct fedgcn_model m = { .features = a->p.features,
				  .k = a->p.k,
				  .weights = fedgcn_down(&a->p, FEDGCN_START),
				  .W = r->W,
				  .C = r->C };
	char *path;
	enum err e;

	if (!r->W || !r->C.a || a->p.sharing == FEDGCN_LOCAL || a->p.sharing == FEDGCN_PER)
		return ERR_OK;
	path = file_join(a->run->output, "model.fedgcn");
	e = fedgcn_file_write(path, &m);
	free(path);
	return e;
}

/* An error found only from the sums is a failed job, not wrong input. */
static enum err within_the_run(enum err e)
{
	return e == ERR_INPUT ? ERR_JOB : e;
}

/* The run's own error counts, not that its last good model could not be kept. */
static enum err keep(struct asking *a, const struct fedgcn_report *r, enum err e)
{
	struct err_saved saved = err_save(e);

	keep_record(a->run, r, e == ERR_OK);
	if (e == ERR_OK)
		return keep_model(a, r);
	if (keep_model(a, r) != ERR_OK)
		log_warn("the last good model could not be kept: %s", err_detail());
	return err_restore(&saved);
}

enum err server_fedgcn(struct run *run)
{
	struct fedgcn_report report = { 0 };
	struct fedgcn_pool pool;
	struct asking a = { 0 };
	enum err e;

	TRY(fedgcn_params_of(&run->job.fedgcn, run->threads, &a.p));
	open_pool(&a, run, &pool);
	if (pool.upload)
		log_warn("prototypes \"%s\": parties upload each of their prototypes in clear",
			 fedgcn_prototypes_names[run->job.fedgcn.prototypes]);
	e = within_the_run(fedgcn_run(&pool, &a.p, &report));
	e = keep(&a, &report, e);
	fedgcn_report_release(&report);
	return e;
}
