#include "protocols/fedspectral/job.h"
#include "protocols/fedspectral/private.h"
#include "common/kind/own.h"
#include "common/kind/tree.h"
#include "common/privacy/account.h"

#include <stddef.h>
#include <string.h>

static const char *const fedspectral_names[] = { "exact", "fedspectral+", "fedspectral", NULL };
static const char *const ids_names[] = { "hashed", "plain", NULL };
static const char *const noise_names[] = { "none", "sums", NULL };
static const char *const auto_word[] = { "auto", NULL };

/* Bits of the variants that read a parameter; 0: all variants do. */
enum { EXACT = 1 << FEDSPECTRAL_EXACT, PLUS = 1 << FEDSPECTRAL_PLUS };

#define AT(field) offsetof(struct fedspectral_job, field)

/* clang-format off */
const struct config_row fedspectral_rows[] = {
	{ "restarts", CONFIG_UNSIGNED, AT(how.restarts), 1, JOB_RESTARTS_MAX, "20",
	  .help = "starts of k-means at the coordinator, R; the start with the least inertia "
		  "wins" },
	{ "iterations", CONFIG_UNSIGNED, AT(how.iterations), 1, JOB_ITERATIONS_MAX, "10",
	  .help = "most power iterations in a round",
	  .readers = PLUS },
	{ "variant", CONFIG_ENUM, AT(variant), .standard = "exact",
	  .names = fedspectral_names,
	  .help = "\"exact\": products with the joint graph, which disclose the graph; "
		  "\"fedspectral+\": Algorithms 3 and 4; \"fedspectral\": Algorithms 1 and 2" },
	{ "rounds", CONFIG_UNSIGNED, AT(how.rounds), 1, JOB_ITERATIONS_MAX, "auto",
	  .names = auto_word,
	  .help = "most rounds; \"auto\": 100 for exact, 20 for fedspectral+",
	  .readers = EXACT | PLUS },
	{ "tolerance", CONFIG_DOUBLE, AT(how.tolerance), 1e-6, 1, "5e-4",
	  .help = "largest residual of an eigenvector, relative to the first eigenvalue",
	  .readers = EXACT },
	{ "tau", CONFIG_DOUBLE, AT(how.tau), 0, 10, "0",
	  .help = "regularisation tau, in harmonic mean degrees: (D + tau I)^-1/2 A (D + tau "
		  "I)^-1/2 replaces D^-1/2 A D^-1/2. It prevents clusters of a few nodes that "
		  "hang on one edge. Default 0.2 without noise",
	  .readers = EXACT },
	{ "unit_rows", CONFIG_BOOL, AT(how.unit_rows), .standard = "true",
	  .help = "scale rows to length 1 before k-means; false: do not, as in the paper's "
		  "Algorithm 4" },
	{ "ids", CONFIG_ENUM, AT(ids), .standard = "hashed", .names = ids_names,
	  .help = "form of node ids at the coordinator: \"hashed\" with a key that the "
		  "coordinator lacks, or \"plain\"" },
	{ "allow_disjoint", CONFIG_BOOL, AT(allow_disjoint), .standard = "false",
	  .help = "allow parties without a common node; by default the job then fails, since "
		  "ids may be false" },
	{ "block", CONFIG_UNSIGNED, AT(how.block), 1, 1024, "auto", .names = auto_word,
	  .help = "number of columns of a product, b; \"auto\": max(20, k + 10)",
	  .readers = EXACT },
	{ "noise.on", CONFIG_ENUM, AT(noise), .standard = "none", .names = noise_names,
	  .help = "target of Gaussian noise: no noise (none), or each sum, where all parties "
		  "add a part (sums, for exact only)" },
	{ "noise.eps", CONFIG_DOUBLE, AT(noise_eps), 1e-6, 1e6, "",
	  .help = "eps of differential privacy; requires noise.delta" },
	{ "noise.delta", CONFIG_DOUBLE, AT(noise_delta), 1e-300, 0.5, "",
	  .help = "delta of differential privacy" },
	{ "noise.colluders", CONFIG_UNSIGNED, AT(how.colluders), 1, PARTIES_MAX - 1, "auto",
	  .names = auto_word,
	  .help = "number of parties that may collude: noise in sums still suffices if they "
		  "reveal their part of it; \"auto\": half of the parties" },
	{ 0 },
};
/* clang-format on */

/* k-means runs at the coordinator and costs no round, so it has many restarts. */
static const struct config_preset standard[] = { { "restarts", "100" },
						 { "iterations", "6" },
						 { NULL, NULL } };

void fedspectral_presets(const struct json *root, struct kind_presets *to)
{
	static const struct config_preset without_noise[] = { { "tau", "0.2" }, { NULL, NULL } };
	const char *variant = json_text(root, "variant");
	const struct json *noise = json_get_as(root, "noise", JSON_OBJECT);
	/* Records of release 0.2.0 have this key instead of tau. */
	bool older = json_get(root, "regularize");

	presets_add(to, standard);
	if (!older && (!*variant || !strcmp(variant, "exact")) &&
	    (!noise || strcmp(json_text(noise, "on"), "sums") != 0))
		presets_add(to, without_noise);
}

void fedspectral_standard(const void *p, struct json *root)
{
	const struct fedspectral_job *job = p;

	kind_standard_clusters(p, root);
	json_put_string(json_put_object(root, "noise"), "on", noise_names[job->noise]);
}

const char *fedspectral_unread(const void *p, const struct config_row *row)
{
	const struct fedspectral_job *job = p;
	static const char *const without_noise[] = { "tolerance", "tau", NULL };

	return job->noise == FEDSPECTRAL_IN_SUMS && kind_among(row->path, without_noise)
		   ? "where job.noise.on is \"none\""
		   : NULL;
}

static enum err fedspectral_check_noise(const struct fedspectral_job *job)
{
	double mu;

	if (job->noise == FEDSPECTRAL_NO_NOISE) {
		if (job->noise_eps > 0 || job->noise_delta > 0 || job->how.colluders != JOB_AUTO)
			return err_set(ERR_INPUT,
				       "job.noise.%s is given, but job.noise.on is \"none\", "
				       "expected \"sums\"",
				       job->noise_eps > 0     ? "eps"
				       : job->noise_delta > 0 ? "delta"
							      : "colluders");
		return ERR_OK;
	}
	if (job->variant != FEDSPECTRAL_EXACT)
		return err_set(ERR_INPUT,
			       "job.noise.on is \"sums\", expected \"none\" with variant \"%s\": "
			       "an edge can change powers of a party's graph by any amount, only "
			       "\"exact\" has noise in its sums",
			       fedspectral_names[job->variant]);
	if (job->clusters == JOB_AUTO)
		return err_set(ERR_INPUT, "job.clusters is \"auto\", expected a number where "
					  "job.noise.on is \"sums\": there are no eigenvalues");
	if (!(job->noise_eps > 0 && job->noise_delta > 0))
		return err_set(ERR_INPUT, "job.noise.on is \"sums\", but job.noise.%s is not given",
			       job->noise_eps > 0 ? "delta" : "eps");
	return account_mu(job->noise_eps, job->noise_delta, &mu);
}

enum err fedspectral_check(const void *p)
{
	const struct fedspectral_job *job = p;

	TRY(fedspectral_check_noise(job));
	if (job->clusters != JOB_AUTO || job->variant == FEDSPECTRAL_EXACT)
		return ERR_OK;
	return err_set(ERR_INPUT, "job.clusters is \"auto\", expected a number with this "
				  "job.variant: only \"exact\" knows the eigengap");
}

struct kind_claim fedspectral_claim(const void *p)
{
	const struct fedspectral_job *job = p;
	double mu;

	if (job->noise != FEDSPECTRAL_IN_SUMS ||
	    account_mu(job->noise_eps, job->noise_delta, &mu) != ERR_OK)
		return (struct kind_claim){ 0 };
	return (struct kind_claim){ .eps = job->noise_eps,
				    .delta = job->noise_delta,
				    .mu = mu,
				    .unit = "edge",
				    .in_sums = true,
				    .colluders = job->how.colluders };
}

void fedspectral_record_noise(const struct fedspectral_job *job, struct facts *r)
{
	if (job->noise != FEDSPECTRAL_IN_SUMS)
		return;
	facts_format(
	    r, "privacy",
	    "(eps %g, delta %g)-differential privacy of each edge of a party, by the discrete "
	    "gaussian mechanism in sums: weights are shortened to 1, and degrees and each of the "
	    "products have noise, in shares of all parties. Noise does not hide a party's nodes; "
	    "an edge that several parties have is one of each; every further job on the same "
	    "edges, and an attempt that asks something else, spends its own eps",
	    job->noise_eps, job->noise_delta);
	facts_number(r, "privacy_eps", job->noise_eps);
	facts_number(r, "privacy_delta", job->noise_delta);
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
	if (job->noise == FEDSPECTRAL_IN_SUMS)
		fedspectral_private_settle(&p, fedspectral_claim(job).mu,
					   job->how.rounds == JOB_AUTO);
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
