/* A party's half of federated GCC (common/kcagc/gcc.h): its terms of K B = sum_l X_l (X_l' B). */
#include "party/kcagc/gcc.h"
#include "common/kcagc/gcc.h"
#include "party/kcagc/answers.h"

static enum err take_part(struct answers *a, const struct gcc_params *p, size_t width,
			  uint32_t *label)
{
	TRY(answers_facts(a));
	TRY(work_warm(a->work));
	TRY(answers_spreads(a));
	/* Init: K Q for the subspace iteration, sqrt(n) Q down, Y_u up. */
	work_phase(a->work, "init");
	TRY(answers_order(a));
	for (unsigned u = 0; u < p->rounds; u++)
		TRY(answers_products(a, width));
	/* Iterate: G down, K G D^-1 up. */
	work_phase(a->work, "iterate");
	TRY(answers_steps(a, p->iterations));
	return answers_result(a, label);
}

enum err party_gcc(struct work *work, uint32_t *label)
{
	struct gcc_params p;
	struct answers a;
	enum err e = answers_open(&a, work);

	gcc_defaults(&p, work->job.clusters, work->job.seed, work->threads);
	if (e == ERR_OK)
		e = take_part(&a, &p, gcc_width(&p, work->n), label);
	answers_close(&a);
	return e;
}
