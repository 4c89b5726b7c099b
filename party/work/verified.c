#include "party/work/verified.h"
#include "crypto/secret.h"
#include "party/work/secure.h"

static enum err here(struct verified *v, enum err e)
{
	v->here = v->here || e != ERR_OK;
	return e;
}

static void verified_phase(void *ctx, const char *name)
{
	work_phase(((struct verified *)ctx)->work, name);
}

static void verified_progress(void *ctx, unsigned round, size_t moved)
{
	work_progress(((struct verified *)ctx)->work, round, moved);
}

static enum err verified_pass_reals(void *ctx, double *x, size_t n)
{
	struct verified *v = ctx;

	return here(v, channel_recv_reals(v->work->channel, MSG_MATRIX, v->root->id, x, n));
}

static enum err verified_refuse(void *ctx, enum err e)
{
	struct verified *v = ctx;

	if (e != ERR_PEER)
		return here(v, e);
	return here(v, peer_fault(v->work->channel, "sent MATRIX with %s", err_detail()));
}

static enum err verified_sum(void *ctx, const void *question, enum parties_how how, double most,
			     double *x, size_t n)
{
	struct verified *v = ctx;
	enum err e = v->kind->answer(v, question, x, n);

	(void)most;
	if (e == ERR_OK && n > 0)
		switch (how) {
		case PARTIES_OPENED:
			e = secure_sum_verified(v->work, v->root, x, n);
			break;
		case PARTIES_OPENED_PARTS:
			e = secure_sum_verified_parts(v->work, v->root, x, n);
			break;
		case PARTIES_WIDE:
		case PARTIES_BOUND:
			e = err_set(ERR_INTERNAL, "a sum that parties are not told");
			break;
		}
	if (e != ERR_OK && x) /* x must not contain an unmasked term */
		wipe(x, n * sizeof(*x));
	return here(v, e);
}

static enum err verified_collect_rows(void *ctx, const void *question, struct mat *C)
{
	struct verified *v = ctx;

	(void)C;
	return here(v, v->kind->upload(v, question));
}

static enum err verified_collect_reals(void *ctx, const void *question, double *x, size_t n)
{
	(void)x;
	(void)n;
	return verified_collect_rows(ctx, question, NULL);
}

static enum err verified_exchange(void *ctx, const void *question, enum parties_batches what)
{
	struct verified *v = ctx;

	return here(v, v->kind->exchange(v, question, what));
}

static enum err verified_send_labels(void *ctx, size_t values, const uint32_t *label, size_t n)
{
	struct verified *v = ctx;

	(void)label;
	(void)n;
	return here(v, v->kind->take(v, values));
}

enum err verified_open(struct verified *v, struct work *work, const struct verified_kind *kind,
		       void *party)
{
	static const struct parties_backend backend = { .phase = verified_phase,
							.progress = verified_progress,
							.pass_reals = verified_pass_reals,
							.refuse = verified_refuse,
							.sum = verified_sum,
							.collect_rows = verified_collect_rows,
							.collect_reals = verified_collect_reals,
							.exchange = verified_exchange,
							.send_labels = verified_send_labels };

	*v = (struct verified){ .work = work, .kind = kind, .party = party };
	v->parties = (struct parties){
		.count = work->L, .backend = &backend, .ctx = v, .phase = "", .at_party = true
	};
	tree_build(&v->tree, work->L, true);
	v->root = &v->tree.node[v->tree.count - 1];
	work_group(work, v->root);
	return work_group_key(work);
}

enum err verified_error(struct verified *v, enum err e)
{
	struct err_saved own = err_save(e);
	struct msg m;

	if (e == ERR_OK || v->here || e == ERR_CANCELLED || e == ERR_INTERNAL)
		return e;
	/* If ABORT arrives instead of DONE, the job has failed. */
	TRY(channel_recv(v->work->channel, MSG_DONE, &m));
	return err_restore(&own);
}
