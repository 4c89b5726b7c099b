#include "common/fedgcn/job.h"
#include "common/fedgcn/own.h"
#include "common/kind/own.h"

void fedgcn_defaults(struct fedgcn_params *p, unsigned k, uint64_t seed, unsigned threads)
{
	struct fedgcn_job job;

	kind_standards(&kind_fedgcn, &job, sizeof(job));
	*p = job.how;
	p->k = k;
	p->seed = seed;
	p->threads = threads;
}

enum err fedgcn_params_check(const struct fedgcn_params *p)
{
	if (p->k < 1 || p->rounds < 1 || p->epochs < 1 || p->batch < 2 || p->em < 1)
		return err_set(
		    ERR_INPUT,
		    "fedgcn: %u clusters, %u rounds, %u epochs, batches of %u, %u steps of EM: "
		    "1 at least, and batches of 2",
		    p->k, p->rounds, p->epochs, p->batch, p->em);
	if (!(p->rate > 0) || !(p->rate <= 1) || !(p->lambda >= 0) || !(p->lambda <= 1e6) ||
	    !(p->mu >= 0) || !(p->mu <= 1e6))
		return err_set(
		    ERR_INPUT,
		    "fedgcn: rate %g, lambda %g, mu %g: the rate is above 0 and at most 1, the "
		    "others 0 to 1e6",
		    p->rate, p->lambda, p->mu);
	if (p->min_cluster < 1 || !(p->unchanged >= 0) || !(p->unchanged < 1))
		return err_set(
		    ERR_INPUT,
		    "fedgcn: min_cluster %u, at least 1; unchanged %g, at least 0 and below 1",
		    p->min_cluster, p->unchanged);
	return ERR_OK;
}

bool fedgcn_in_clear(const struct fedgcn_params *p)
{
	return p->prototypes == FEDGCN_KDE || p->prototypes == FEDGCN_BEST;
}

unsigned fedgcn_centre_rounds(const struct fedgcn_params *p)
{
	unsigned rounds = 1 + FEDGCN_CENTRE_LAST;

	for (unsigned have = 1; have < p->k; have *= 2)
		rounds += FEDGCN_CENTRE_STEPS;
	return rounds;
}

size_t fedgcn_travelling(const struct fedgcn_params *p, const struct gin *net)
{
	return p->sharing == FEDGCN_PER ? net->shared : net->weights;
}

const char *fedgcn_kind_name(enum fedgcn_kind kind)
{
	static const char *const name[] = { "?", "start", "centres", "train", "em", "final" };

	return kind >= FEDGCN_START && kind <= FEDGCN_FINAL ? name[kind] : name[0];
}

size_t fedgcn_down(const struct fedgcn_params *p, enum fedgcn_kind kind)
{
	size_t centres = (size_t)p->k * FEDGCN_Z;
	struct gin net;

	gin_init(&net, p->features);
	switch (kind) {
	case FEDGCN_START:
		return net.weights;
	case FEDGCN_CENTRES:
		return 1 + centres;
	case FEDGCN_TRAIN:
	case FEDGCN_FINAL:
		return fedgcn_travelling(p, &net) + centres;
	case FEDGCN_EM:
		return p->k * (size_t)(2 + FEDGCN_Z + FEDGCN_TRIANGLE);
	}
	return 0;
}

size_t fedgcn_up(const struct fedgcn_params *p, enum fedgcn_kind kind)
{
	struct gin net;

	gin_init(&net, p->features);
	switch (kind) {
	case FEDGCN_START:
		return 1;
	case FEDGCN_CENTRES:
		return p->k * (size_t)(2 + FEDGCN_Z);
	case FEDGCN_TRAIN:
		return fedgcn_travelling(p, &net) + 4 + p->k * (size_t)(1 + FEDGCN_Z);
	case FEDGCN_EM:
		return p->k * (size_t)(1 + FEDGCN_Z + FEDGCN_TRIANGLE);
	case FEDGCN_FINAL:
		return p->k;
	}
	return 0;
}

size_t fedgcn_upload_words(const struct fedgcn_params *p)
{
	return p->k * (size_t)(FEDGCN_Z + 1) + 1;
}
