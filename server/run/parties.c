#include "server/run/parties.h"
#include "common/base/alloc.h"
#include "common/base/log.h"
#include "common/privacy/parts.h"
#include "server/run/bound.h"
#include "server/run/relay.h"
#include "server/run/sum.h"

#include <stdio.h>
#include <stdlib.h>

_Static_assert((int)PARTIES_VECTOR_MAX == (int)MSG_REALS_MAX &&
		   (int)PARTIES_VECTOR_MAX == (int)MSG_ITEMS_MAX,
	       "what a protocol may tell must fit into messages");

/* Returns true if parties scale up their terms of a PARTIES_BOUND sum, so that the sum fills the
 * masked words (modulus_bits). They do not if words have 64 bits and the job gives
 * fraction_bits. */
static bool run_fills(const struct run *run)
{
	return run->job.modulus_bits == 32 || run->job.fraction_bits == JOB_AUTO;
}

static enum err run_parties_check_size(const struct run_parties *p, size_t n)
{
	if (n <= PARTIES_VECTOR_MAX)
		return ERR_OK;
	return err_set(ERR_JOB,
		       "%zu numbers at once, expected at most %d: fewer clusters, columns or "
		       "landmarks are needed (during %s)",
		       n, PARTIES_VECTOR_MAX, p->parties.phase);
}

/* -- broadcasts ----------------------------------------------------------------------------- */

static void run_parties_phase(void *ctx, const char *name)
{
	run_phase(((struct run_parties *)ctx)->run, name);
}

static void run_parties_progress(void *ctx, unsigned round, size_t moved)
{
	run_progress(((struct run_parties *)ctx)->run, round, moved);
}

static void run_parties_note(void *ctx, const char *text)
{
	(void)ctx;
	log_info("%s", text);
}

static enum err broadcast_choice(void *ctx, enum choice what, uint64_t value)
{
	struct run *run = ((struct run_parties *)ctx)->run;
	struct msg m = { .type = MSG_CHOICE, .choice = { (uint16_t)what, value } };

	return run_broadcast(run, 0, run->L, &m);
}

static enum err broadcast_reals(void *ctx, enum parties_reals as, const double *x, size_t n)
{
	static const enum msg_type type[] = {
		[PARTIES_MATRIX] = MSG_MATRIX, [PARTIES_BLOCK] = MSG_BLOCK
	};
	struct run_parties *p = ctx;

	TRY(run_parties_check_size(p, n));
	return channel_send_reals_all(p->run->channel, p->run->L, type[as], p->root->id, x, n);
}

static enum err run_parties_pass_reals(void *ctx, double *x, size_t n)
{
	return broadcast_reals(ctx, PARTIES_MATRIX, x, n);
}

static enum err run_parties_broadcast_labels(void *ctx, enum parties_labels as, size_t values,
					     const uint32_t *label, size_t n)
{
	static const enum msg_type type[] = { [PARTIES_ASSIGNMENT] = MSG_ASSIGNMENT,
					      [PARTIES_LANDMARKS] = MSG_LANDMARKS,
					      [PARTIES_RESULT] = MSG_RESULT };
	struct run_parties *p = ctx;

	return run_broadcast_labels(p->run, 0, p->run->L, type[as], p->root->id, (uint32_t)values,
				    label, n);
}

static enum err warm(void *ctx)
{
	return run_warm(((struct run_parties *)ctx)->run);
}

static enum err bound(void *ctx, int *e)
{
	struct run_parties *p = ctx;

	return run_bound(p->run, p->root, &p->round, BOUND_NO_FEATURES, e);
}

/* -- sums and uploads ----------------------------------------------------------------------- */

static enum err run_parties_sum(void *ctx, const void *question, enum parties_how how, double most,
				double *x, size_t n)
{
	struct run_parties *p = ctx;
	struct fixed f = run_fixed(p->run, p->run->L);
	double *part, scale;
	enum err e = ERR_OK;

	(void)question;
	if (n == 0)
		return ERR_OK;
	TRY(run_parties_check_size(p, n));
	switch (how) {
	case PARTIES_WIDE:
		return secure_sum_wide(p->run, p->root, &p->round, x, n);
	case PARTIES_OPENED:
		return secure_sum_opened(p->run, p->root, &p->round, x, n);
	case PARTIES_OPENED_PARTS:
		part = alloc(n, PARTS * sizeof(*part));
		e = secure_sum_opened(p->run, p->root, &p->round, part, PARTS * n);
		if (e == ERR_OK)
			e = parts_join(part, n, p->run->L, x);
		free(part);
		break;
	case PARTIES_BOUND: /* the parties have multiplied their terms by `scale` */
		scale = run_fills(p->run) ? fixed_scale(&f, most) : 1;
		e = secure_sum_reals(p->run, p->root, &p->round, x, n);
		for (size_t i = 0; i < n && e == ERR_OK; i++)
			x[i] /= scale;
		break;
	}
	return e;
}

static enum err run_parties_collect_labels(void *ctx, const void *question, size_t values,
					   uint32_t *label, size_t n)
{
	struct run *run = ((struct run_parties *)ctx)->run;

	(void)question;
	for (size_t l = 0; l < run->L; l++)
		TRY(channel_recv_labels(run->channel[l], MSG_LOCAL_CLUSTERS, (uint32_t)l,
					(uint32_t)values, label + l * n, n));
	return ERR_OK;
}

static enum err run_parties_collect_reals(void *ctx, const void *question, double *x, size_t n)
{
	struct run *run = ((struct run_parties *)ctx)->run;

	(void)question;
	for (size_t l = 0; l < run->L; l++)
		TRY(channel_recv_reals(run->channel[l], MSG_PROTOTYPES, (uint32_t)l, x + l * n, n));
	return ERR_OK;
}

static enum err run_parties_collect_rows(void *ctx, const void *question, struct mat *C)
{
	struct run_parties *p = ctx;
	struct run *run = p->run;
	size_t at = 0;

	(void)question;
	TRY(run_parties_check_size(p, C->rows * C->cols));
	free(p->rows);
	ALLOC(p->rows, run->L);
	p->parties.rows = p->rows;
	for (size_t l = 0; l < run->L; l++) {
		/* leaves at least 2 rows for each remaining party */
		size_t most = C->rows - at - 2 * (run->L - 1 - l);

		TRY(channel_recv_rows(run->channel[l], MSG_UPLOAD, (uint32_t)l, C->cols, 2, most,
				      ROW(C, at), &p->rows[l]));
		at += p->rows[l];
	}
	if (at != C->rows)
		return err_set(ERR_PEER, "the parties uploaded %zu rows of %zu (during %s)", at,
			       C->rows, record_now(run->record)->name);
	return ERR_OK;
}

static enum err run_parties_exchange(void *ctx, const void *question, enum parties_batches what)
{
	static const enum sealed sealed[] = {
		[PARTIES_CIPHERS] = SEALED_CIPHERS, [PARTIES_PRODUCTS] = SEALED_PRODUCTS
	};
	struct batch_totals unused = { 0 };

	(void)question;
	return relay_batches(((struct run_parties *)ctx)->run, sealed[what], &unused);
}

static enum err run_parties_send_labels(void *ctx, size_t values, const uint32_t *label, size_t n)
{
	struct run_parties *p = ctx;
	size_t at = 0;

	(void)n;
	for (size_t l = 0; l < p->run->L; l++) {
		TRY(channel_send_labels(p->run->channel[l], MSG_RESULT, p->root->id,
					(uint32_t)values, label + at, p->rows[l]));
		at += p->rows[l];
	}
	return ERR_OK;
}

/* -- backend -------------------------------------------------------------------------------- */

void run_parties_open(struct run_parties *p, struct run *run)
{
	static const struct parties_backend backend = {
		.phase = run_parties_phase,
		.progress = run_parties_progress,
		.note = run_parties_note,
		.broadcast_choice = broadcast_choice,
		.broadcast_reals = broadcast_reals,
		.pass_reals = run_parties_pass_reals,
		.broadcast_labels = run_parties_broadcast_labels,
		.sum = run_parties_sum,
		.collect_labels = run_parties_collect_labels,
		.collect_reals = run_parties_collect_reals,
		.collect_rows = run_parties_collect_rows,
		.exchange = run_parties_exchange,
		.send_labels = run_parties_send_labels,
		.warm = warm,
		.bound = bound,
	};

	*p = (struct run_parties){ .run = run, .round = run->rounds_before };
	p->parties = (struct parties){
		.count = run->L, .backend = &backend, .ctx = p, .phase = "", .name = run->name
	};
	tree_build(&p->tree, run->L, true);
	p->root = &p->tree.node[p->tree.count - 1];
}

void run_parties_close(struct run_parties *p)
{
	free(p->rows);
}

enum err run_parties_error(enum err e)
{
	char why[ERR_DETAIL_MAX];

	if (e != ERR_INPUT)
		return e;
	snprintf(why, sizeof(why), "%s", err_detail());
	return err_set(ERR_JOB, "%s", why);
}
