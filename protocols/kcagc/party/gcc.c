/* The party's side of federated GCC: terms of K B = sum_l X_l (X_l' B). */
#include "protocols/kcagc/gcc.h"
#include "protocols/kcagc/party/answers.h"
#include "protocols/kcagc/party/kcagc.h"

static enum err party_gcc_cluster(struct answers *a, unsigned t)
{
	struct gcc_params p;

	(void)t;
	gcc_defaults(&p, a->work->job.clusters, a->work->job.seed, a->work->threads);
	/* Phase "init", the subspace iteration by K: receives sqrt(n) B, and sends this party's
	 * term of K B. */
	work_phase(a->work, "init");
	for (unsigned u = 0; u < p.rounds; u++)
		TRY(answers_send_products(a, gcc_width(&p, a->work->n)));
	TRY(party_take_clusters(a->work));
	/* Phase "iterate": receives clusters, and sends this party's term of sums_means(). In the
	 * first iteration the party also receives two clusterings, and sends its terms of their
	 * modularities (guard.h). */
	work_phase(a->work, "iterate");
	TRY(answers_weigh_two(a, true));
	return answers_follow_steps(a, p.iterations - 1);
}

static enum err gcc(struct answers *a, uint32_t *label)
{
	unsigned taken;

	TRY(answers_send_facts(a));
	TRY(work_warm(a->work));
	TRY(answers_send_spreads(a));
	TRY(answers_settle(a, party_gcc_cluster, &taken));
	return answers_take_result(a, label);
}

enum err party_gcc(struct work *work, uint32_t *label)
{
	struct answers a;
	enum err e = answers_open(&a, work);

	if (e == ERR_OK)
		e = gcc(&a, label);
	answers_close(&a);
	return e;
}
