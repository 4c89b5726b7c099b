#include "protocols/fedgcn/coordinator.h"
#include "common/base/alloc.h"
#include "common/base/rng.h"
#include "protocols/fedgcn/own.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Bound of a number in unmasked prototypes. */
static const double UPLOAD_MAX = 1e12;

struct run {
	struct parties *parties;
	const struct fedgcn_params *p;
	struct fedgcn_report *report;
	struct gin net;
	/* The joint weights, net.weights numbers. FedPer uses only the first
	 * fedgcn_travelling(). */
	double *W;
	struct mat C;
	double *up, *down;
};

/* Sends the question `down`, sums the parties' answers into `up`, and broadcasts the sum. */
static enum err fedgcn_coordinator_ask(struct run *r, enum fedgcn_kind kind, unsigned round)
{
	struct fedgcn_question q = { kind, round, r->down };
	size_t n = fedgcn_up(r->p, kind);

	TRY(parties_sum_opened(r->parties, &q, r->up, n));
	for (size_t i = 0; i < n; i++)
		if (!isfinite(r->up[i]))
			return err_set(ERR_JOB,
				       "round %u: number %zu of the sum of answers to %s is %g",
				       round, i, fedgcn_kind_name(kind), r->up[i]);
	return ERR_OK;
}

static void fedgcn_coordinator_put_floats(double *down, const double *x, size_t n)
{
	for (size_t i = 0; i < n; i++)
		down[i] = (float)x[i];
}

/* ---- first prototypes: k-means by splitting, on embeddings of the untrained network ---- */

static enum err fedgcn_coordinator_check_counts(const struct run *r, const char *what,
						const double *x, size_t n)
{
	double all;

	TRY(parties_check_counts(r->parties->phase, what, x, n, r->report->n, &all));
	if (all > r->report->n)
		return err_set(ERR_PEER,
			       "a party's count is wrong: the parties' counts of %s 0 to %zu add "
			       "to %.17g, of %.17g graphs (during %s)",
			       what, n - 1, all, r->report->n, r->parties->phase);
	return ERR_OK;
}

static enum err fedgcn_coordinator_step(struct run *r, size_t have, double *count, double *spread)
{
	r->down[0] = (double)have;
	fedgcn_coordinator_put_floats(r->down + 1, r->C.a, r->p->k * (size_t)FEDGCN_Z);
	TRY(fedgcn_coordinator_ask(r, FEDGCN_CENTRES, 0));
	for (size_t c = 0; c < have; c++)
		count[c] = r->up[c * (2 + FEDGCN_Z)];
	TRY(fedgcn_coordinator_check_counts(r, "graphs of centre", count, have));
	for (size_t c = 0; c < have; c++) {
		const double *x = r->up + c * (2 + FEDGCN_Z);

		spread[c] = x[1 + FEDGCN_Z];
		for (size_t j = 0; j < FEDGCN_Z && x[0] > 0; j++)
			MAT(&r->C, c, j) = x[1 + j] / x[0];
	}
	return ERR_OK;
}

static void split_one(struct run *r, struct rng *rng, size_t have, double *count, double *spread)
{
	size_t from = 0;
	double e;

	for (size_t c = 1; c < have; c++)
		if (spread[c] > spread[from])
			from = c;
	e = count[from] > 0 ? sqrt(fmax(spread[from], 0) / count[from] / FEDGCN_Z) : 0;
	for (size_t j = 0; j < FEDGCN_Z; j++) {
		double d = (e + 1e-6) / 2 * rng_normal(rng);

		MAT(&r->C, have, j) = MAT(&r->C, from, j) - d;
		MAT(&r->C, from, j) += d;
	}
	count[have] = count[from] /= 2;
	spread[have] = spread[from] /= 4;
}

static enum err first_prototypes(struct run *r)
{
	unsigned steps = fedgcn_centre_rounds(r->p), k = r->p->k;
	double *count, *spread;
	size_t have = 1;
	struct rng rng;
	enum err err;

	ALLOC(count, k);
	ALLOC(spread, k);
	rng_seed(&rng, r->p->seed, 0x200000);
	err = fedgcn_coordinator_step(r, have, count, spread);
	for (unsigned t = 1; t < steps && !err; t++) {
		if ((t - 1) % FEDGCN_CENTRE_STEPS == 0 && have < k)
			for (size_t to = 2 * have < k ? 2 * have : k; have < to; have++)
				split_one(r, &rng, have, count, spread);
		err = fedgcn_coordinator_step(r, have, count, spread);
	}
	free(count);
	free(spread);
	return err;
}

static size_t travelling(const struct run *r)
{
	return fedgcn_travelling(r->p, &r->net);
}

static void put_model(struct run *r)
{
	fedgcn_coordinator_put_floats(r->down, r->W, travelling(r));
	fedgcn_coordinator_put_floats(r->down + travelling(r), r->C.a, r->p->k * (size_t)FEDGCN_Z);
}

/* FedAvg: divides the sum of n_m W_m by the sum of n_m, over parties m with n_m graphs and weights
 * W_m. Also records the mean losses. */
static enum err take_weights(struct run *r, unsigned round)
{
	size_t count = travelling(r);
	const double *x = r->up, *loss = x + count;
	struct fedgcn_report *to = r->report;
	double n = x[count];

	TRY(fedgcn_coordinator_check_counts(r, "graphs of all parties,", &n, 1));
	TRY(fedgcn_coordinator_check_counts(r, "graphs that change clusters,", loss + 3, 1));
	if (r->p->prototypes == FEDGCN_MATCHED)
		TRY(fedgcn_coordinator_check_counts(r, "graphs of cluster", loss + 4, r->p->k));
	if (n < 1)
		return err_set(ERR_PEER, "round %u: the parties have %g graphs in all", round, n);
	for (size_t i = 0; i < count; i++)
		if (!(fabs(x[i] / n) <= FEDGCN_WEIGHT_MAX))
			return err_set(ERR_JOB,
				       "round %u: the mean of weight %zu explodes to %g, beyond %g",
				       round, i, x[i] / n, FEDGCN_WEIGHT_MAX);
	for (size_t i = 0; i < count; i++)
		r->W[i] = x[i] / n;
	to->kl[round - 1] = loss[1] / n;
	to->reconstruction[round - 1] = loss[2] / n;
	to->changed[round - 1] = loss[3];
	parties_progress(r->parties, round, (size_t)loss[3]);
	parties_note(r->parties,
		     "round %u: loss %.5g by clusters, %.5g by reconstruction; %g graphs changed "
		     "their cluster",
		     round, loss[1] / n, loss[2] / n, loss[3]);
	return ERR_OK;
}

/* Broadcasts prototypes that only the coordinator can compute. Parties cannot verify these numbers,
 * but check that they are within bounds. */
static enum err pass_prototypes(struct run *r)
{
	size_t n = r->p->k * (size_t)FEDGCN_Z;

	TRY(parties_pass_reals(r->parties, r->C.a, n));
	for (size_t i = 0; r->parties->at_party && i < n; i++)
		if (!(fabs(r->C.a[i]) <= UPLOAD_MAX))
			return parties_refuse(r->parties, err_set(ERR_PEER, "prototype %zu with %g",
								  i / FEDGCN_Z, r->C.a[i]));
	return ERR_OK;
}

static enum err share_prototypes(struct run *r)
{
	/* used only with prototypes "matched" */
	const double *count = r->up + travelling(r) + 4, *sum = count + r->p->k;
	size_t parties = r->parties->count, words = fedgcn_upload_words(r->p);
	double *x;
	enum err err;

	if (r->p->prototypes == FEDGCN_OWN)
		return ERR_OK;
	if (fedgcn_in_plaintext(r->p)) { /* the paper's equations 10 to 14 */
		x = alloc(parties * words, sizeof(*x));
		err = parties_collect_reals(r->parties, NULL, x, words);
		for (size_t i = 0; !err && i < parties * words; i++)
			if (!(fabs(x[i]) <= UPLOAD_MAX))
				err = err_set(ERR_PEER, "party %zu uploads %g", i / words, x[i]);
		if (!err && !r->parties->at_party)
			err = fedgcn_kde(r->p, parties, x, &r->C);
		free(x);
		return err ? err : pass_prototypes(r);
	}
	r->report->withheld = 0;
	for (size_t c = 0; c < r->p->k; c++) {
		r->report->withheld += !(count[c] >= 1);
		for (size_t j = 0; j < FEDGCN_Z && count[c] >= 1; j++)
			MAT(&r->C, c, j) = sum[c * FEDGCN_Z + j] / count[c];
	}
	return ERR_OK;
}

static void fedgcn_coordinator_keep_report(struct run *r, unsigned round)
{
	struct fedgcn_report *to = r->report;

	memcpy(to->W, r->W, r->net.weights * sizeof(*to->W));
	memcpy(to->C.a, r->C.a, r->C.rows * FEDGCN_Z * sizeof(double));
	to->rounds = round;
}

static enum err fedgcn_coordinator_run(struct run *r)
{
	double n, least = (double)r->parties->count * r->p->k;

	/* Sends the initial weights; the parties embed their graphs with them. */
	parties_phase(r->parties, "start");
	gin_draw(&r->net, r->p->seed, r->W);
	fedgcn_coordinator_put_floats(r->down, r->W, r->net.weights);
	TRY(fedgcn_coordinator_ask(r, FEDGCN_START, 0));
	n = r->up[0];
	if (!(n >= least && n <= PARTIES_VECTOR_MAX) || n != nearbyint(n))
		return err_set(ERR_PEER,
			       "the parties say that they have %.17g graphs, expected %g to %d of "
			       "%zu parties with %u or more each (during %s)",
			       n, least, PARTIES_VECTOR_MAX, r->parties->count, r->p->k,
			       r->parties->phase);
	r->report->n = n;
	parties_phase(r->parties, "centres");
	TRY(first_prototypes(r));
	fedgcn_coordinator_keep_report(r, 0);
	/* Algorithm 1, lines 2 to 20: the parties train for some epochs (lines 5 to 14); then the
	 * joint weights and prototypes are computed. */
	parties_phase(r->parties, "train");
	for (unsigned round = 1; round <= r->p->rounds; round++) {
		put_model(r);
		TRY(fedgcn_coordinator_ask(r, FEDGCN_TRAIN, round));
		TRY(take_weights(r, round));
		TRY(share_prototypes(r));
		fedgcn_coordinator_keep_report(r, round);
	}
	parties_phase(r->parties, "final");
	put_model(r);
	TRY(fedgcn_coordinator_ask(r, FEDGCN_FINAL, r->report->rounds));
	TRY(fedgcn_coordinator_check_counts(r, "graphs of cluster", r->up, r->p->k));
	memcpy(r->report->size, r->up, r->p->k * sizeof(double));
	return ERR_OK;
}

static size_t most(const struct fedgcn_params *p,
		   size_t (*words)(const struct fedgcn_params *, enum fedgcn_kind))
{
	size_t n = 0;

	for (enum fedgcn_kind kind = FEDGCN_START; kind <= FEDGCN_FINAL; kind++)
		n = words(p, kind) > n ? words(p, kind) : n;
	return n;
}

enum err fedgcn_run(struct parties *parties, const struct fedgcn_params *p,
		    struct fedgcn_report *report)
{
	struct run r = { .parties = parties, .p = p, .report = report };
	enum err err;

	*report = (struct fedgcn_report){ 0 };
	TRY(fedgcn_params_check(p));
	gin_init(&r.net, p->features);
	ALLOC(r.W, r.net.weights);
	mat_init(&r.C, p->k, FEDGCN_Z);
	ALLOC(r.up, most(p, fedgcn_up));
	ALLOC(r.down, most(p, fedgcn_down));
	ALLOC(report->kl, p->rounds);
	ALLOC(report->reconstruction, p->rounds);
	ALLOC(report->changed, p->rounds);
	ALLOC(report->size, p->k);
	ALLOC(report->W, r.net.weights);
	mat_init(&report->C, p->k, FEDGCN_Z);
	err = fedgcn_coordinator_run(&r);
	free(r.W);
	free(r.up);
	free(r.down);
	mat_release(&r.C);
	return err;
}

void fedgcn_report_release(struct fedgcn_report *r)
{
	free(r->kl);
	free(r->reconstruction);
	free(r->changed);
	free(r->size);
	free(r->W);
	mat_release(&r->C);
	*r = (struct fedgcn_report){ 0 };
}
