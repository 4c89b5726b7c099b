#include "protocols/fedgcn/job.h"
#include "protocols/fedgcn/own.h"

#include <stddef.h>

static const char *const prototypes_names[] = { "matched", "kde", "stacked", "printed", NULL };
static const char *const aggregation_names[] = { "fedavg", "fedprox", "fedper", NULL };
const char *const fedgcn_features_names[] = { "structure", "drawing", "coordinates", NULL };
static const char *const final_names[] = { "default", "paper", NULL };
static const char *const baselines_names[] = { "all", "quick", "off", NULL };

#define AT(field) offsetof(struct fedgcn_job, field)

/* clang-format off */
const struct config_row fedgcn_rows[] = {
	{ "features", CONFIG_ENUM, AT(how.features), .standard = "structure",
	  .names = fedgcn_features_names,
	  .help = "features of nodes: degrees and random walks (structure); two coordinates "
		  "from 0 to 3, the first two attributes, and the directions of lines at the "
		  "node (drawing); or structure and coordinates (coordinates)" },
	{ "rounds", CONFIG_UNSIGNED, AT(how.rounds), 1, JOB_ITERATIONS_MAX, "10",
	  .help = "most rounds" },
	{ "epochs", CONFIG_UNSIGNED, AT(how.epochs), 1, JOB_ITERATIONS_MAX, "10",
	  .help = "passes of a party over its graphs in a round" },
	{ "batch", CONFIG_UNSIGNED, AT(how.batch), 2, 1 << 16, "128",
	  .help = "graphs in a training step" },
	{ "rate", CONFIG_DOUBLE, AT(how.rate), 1e-9, 1, "1e-3",
	  .help = "learning rate of Adam; at least 0.001 with unmasked prototypes" },
	{ "lambda", CONFIG_DOUBLE, AT(how.lambda), 0, 1e6, "10",
	  .help = "weight of the reconstruction loss relative to the clustering loss" },
	{ "prototypes", CONFIG_ENUM, AT(how.prototypes), .standard = "matched",
	  .names = prototypes_names,
	  .help = "means by index (matched); or the paper's density estimate of unmasked "
		  "prototypes: after each round (kde), after each epoch (stacked), or after "
		  "each epoch with full covariances (printed)" },
	{ "aggregation", CONFIG_ENUM, AT(how.sharing), .standard = "fedavg",
	  .names = aggregation_names,
	  .help = "mean of all weights (fedavg), the same with a proximal term (fedprox), or "
		  "mean of the weights except the last layers (fedper)" },
	{ "mu", CONFIG_DOUBLE, AT(how.mu), 0, 1e6, "0.01",
	  .help = "weight of the proximal term", .readers = 1 << FEDGCN_PROX },
	{ "final", CONFIG_ENUM, AT(how.final), .standard = "default", .names = final_names,
	  .help = "final clustering: a Gaussian mixture on three principal components "
		  "(default), or k-means as published (paper)" },
	{ "min_cluster", CONFIG_UNSIGNED, AT(how.min_cluster), 1, JOB_LEAST_MAX, "5",
	  .help = "fewest graphs in a prototype that a party sends" },
	{ "bounded", CONFIG_BOOL, AT(how.bounded), .standard = "true",
	  .help = "true: a party scales down its embeddings after a round; false: as published, "
		  "embeddings may grow until the run fails" },
	{ "baselines", CONFIG_ENUM, AT(baselines), .standard = "all", .names = baselines_names,
	  .help = "local results for comparison (all, off); \"quick\" omits training without "
		  "the other parties, which takes as long as the rounds" },
	{ 0 },
};
/* clang-format on */

enum err fedgcn_params_of(const struct fedgcn_job *job, unsigned threads, struct fedgcn_params *p)
{
	*p = job->how;
	p->k = job->clusters;
	p->seed = job->seed;
	p->threads = threads;
	return fedgcn_params_check(p);
}

enum err fedgcn_check(const void *p)
{
	const struct fedgcn_job *job = p;

	if (job->clusters > FEDGCN_CLUSTERS_MAX)
		return err_set(ERR_INPUT,
			       "job.clusters is %u, expected at most %d with kind \"fedgcn\"",
			       job->clusters, FEDGCN_CLUSTERS_MAX);
	if (job->how.sharing == FEDGCN_PROX && !(job->how.mu > 0))
		return err_set(ERR_INPUT,
			       "job.mu is %g, expected above 0 with job.aggregation \"fedprox\": "
			       "with 0 it is \"fedavg\"",
			       job->how.mu);
	if (fedgcn_is_stacked(&job->how) &&
	    (size_t)job->how.epochs * job->clusters > FEDGCN_STACK_MAX)
		return err_set(ERR_INPUT,
			       "job.epochs is %u with %u clusters, expected at most %d prototypes "
			       "with job.prototypes \"%s\"",
			       job->how.epochs, job->clusters, FEDGCN_STACK_MAX,
			       prototypes_names[job->how.prototypes]);
	if (fedgcn_is_stacked(&job->how) && job->how.features == GRAPHS_DRAWING)
		return err_set(ERR_INPUT,
			       "job.features is \"drawing\", expected \"structure\" or "
			       "\"coordinates\" with job.prototypes \"%s\"",
			       prototypes_names[job->how.prototypes]);
	/* If weights hardly change, differences between successive prototypes disclose single
	 * graphs (docs/security/inference.md). */
	if (fedgcn_in_plaintext(&job->how) && !(job->how.rate >= 1e-3))
		return err_set(ERR_INPUT,
			       "job.rate is %g, expected 0.001 or more with job.prototypes "
			       "\"%s\": it is that weights move which keeps single graphs from "
			       "being read in prototypes in clear",
			       job->how.rate, prototypes_names[job->how.prototypes]);
	return ERR_OK;
}

enum err fedgcn_params_check(const struct fedgcn_params *p)
{
	if (p->k < 1 || p->rounds < 1 || p->epochs < 1 || p->batch < 2)
		return err_set(ERR_INPUT,
			       "fedgcn: %u clusters, %u rounds, %u epochs, batches of %u: 1 at "
			       "least, and batches of 2",
			       p->k, p->rounds, p->epochs, p->batch);
	if (!(p->rate > 0) || !(p->rate <= 1) || !(p->lambda >= 0) || !(p->lambda <= 1e6) ||
	    !(p->mu >= 0) || !(p->mu <= 1e6))
		return err_set(ERR_INPUT,
			       "fedgcn: rate %g, lambda %g, mu %g: the rate is above 0 and at most "
			       "1, the others 0 to 1e6",
			       p->rate, p->lambda, p->mu);
	if (p->min_cluster < 1)
		return err_set(ERR_INPUT, "fedgcn: min_cluster is 0, expected at least 1");
	return ERR_OK;
}

bool fedgcn_in_plaintext(const struct fedgcn_params *p)
{
	return p->prototypes == FEDGCN_KDE || fedgcn_is_stacked(p);
}

bool fedgcn_is_stacked(const struct fedgcn_params *p)
{
	return p->prototypes == FEDGCN_STACKED || p->prototypes == FEDGCN_PRINTED;
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
	static const char *const name[] = { "?", "start", "centres", "train", "final" };

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
		return fedgcn_travelling(p, &net) + 4 +
		       (p->prototypes == FEDGCN_MATCHED ? p->k * (size_t)(1 + FEDGCN_Z) : 0);
	case FEDGCN_FINAL:
		return p->k;
	}
	return 0;
}

size_t fedgcn_upload_rows(const struct fedgcn_params *p)
{
	return p->k * (size_t)(fedgcn_is_stacked(p) ? p->epochs : 1);
}

size_t fedgcn_upload_words(const struct fedgcn_params *p)
{
	return fedgcn_upload_rows(p) * (FEDGCN_Z + 1) + 1;
}
