#include "common/fedspectral/job.h"
#include "common/kind/own.h"

#include <stddef.h>

static const char *const fedspectral_names[] = { "exact", "fedspectral+", "fedspectral", NULL };
static const char *const ids_names[] = { "hashed", "plain", NULL };
static const char *const auto_word[] = { "auto", NULL };

#define AT(field) offsetof(struct fedspectral_job, field)

/* clang-format off */
const struct config_row fedspectral_rows[] = {
	{ "restarts", CONFIG_UNSIGNED, AT(how.restarts), 1, JOB_RESTARTS_MAX, "20",
	  .help = "R, starts that go on to the end; the one of least inertia wins" },
	{ "iterations", CONFIG_UNSIGNED, AT(how.iterations), 1, JOB_ITERATIONS_MAX, "10",
	  .help = "Q, Lloyd steps at most; fedspectral+: power iterations of a round" },
	{ "variant", CONFIG_ENUM, AT(variant), .standard = "exact",
	  .names = fedspectral_names,
	  .help = "products with the joint graph, which show it; Algorithms 3 and 4; or Algorithms 1 and 2" },
	{ "rounds", CONFIG_UNSIGNED, AT(how.rounds), 1, JOB_ITERATIONS_MAX, "auto", .names = auto_word,
	  .help = "rounds at most; \"auto\": 100 for exact, 20 for fedspectral+" },
	{ "tolerance", CONFIG_DOUBLE, AT(how.tolerance), 1e-6, 1, "5e-4",
	  .help = "exact: largest residual of an eigenvector, relative to the first eigenvalue" },
	{ "ids", CONFIG_ENUM, AT(ids), .standard = "hashed", .names = ids_names,
	  .help = "how nodes' ids reach the coordinator: as hashes by a key it does not have, or as they are" },
	{ "allow_disjoint", CONFIG_BOOL, AT(allow_disjoint), .standard = "false",
	  .help = "no two parties need have a node in common: without, that is taken for a lie about rows" },
	{ "block", CONFIG_UNSIGNED, AT(how.block), 1, 1024, "auto", .names = auto_word,
	  .help = "exact: b, columns of a product; \"auto\": max(20, k + 10)" },
	{ 0 },
};
/* clang-format on */

/* A k-means at the coordinator costs no round. */
static const struct config_preset standard[] = { { "restarts", "100" },
						 { "iterations", "6" },
						 { NULL, NULL } };

void fedspectral_presets(const struct json *root, struct kind_presets *to)
{
	(void)root;
	presets_add(to, standard);
}

/* Only exact has eigenvalues. */
enum err fedspectral_check(const void *p)
{
	const struct fedspectral_job *job = p;

	if (job->clusters != JOB_AUTO || job->variant == FEDSPECTRAL_EXACT)
		return ERR_OK;
	return err_set(ERR_INPUT, "job.clusters is \"auto\", expected a number with this "
				  "job.variant: only \"exact\" knows the eigengap");
}

struct fedspectral_params fedspectral_params_of(const struct fedspectral_job *job, unsigned threads)
{
	struct fedspectral_params p = job->how;
	bool plus = job->variant == FEDSPECTRAL_PLUS;

	p.k = job->clusters == JOB_AUTO ? 0 : job->clusters;
	p.block = p.block == JOB_AUTO ? 0 : p.block;
	if (p.rounds == JOB_AUTO)
		p.rounds = plus ? FEDSPECTRAL_PLUS_ROUNDS : FEDSPECTRAL_ROUNDS;
	p.seed = job->seed;
	p.threads = threads;
	return p;
}

void fedspectral_defaults(struct fedspectral_params *p, unsigned k, uint64_t seed, unsigned threads)
{
	struct fedspectral_job job;

	kind_standards(&kind_fedspectral, &job, sizeof(job));
	job.clusters = k;
	job.seed = seed;
	*p = fedspectral_params_of(&job, threads);
}
