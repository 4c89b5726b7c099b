#include "protocols/fedsc/job.h"
#include "common/kind/own.h"
#include "protocols/fedsc/coordinator.h"
#include "protocols/fedsc/noise.h"
#include "common/kind/tree.h"

#include <stddef.h>
#include <string.h>

const char *const fedsc_variant_names[] = { "anchor", "dense", "paper", "pairwise", NULL };
const char *const fedsc_noise_names[] = { "none", "data", "factors", "sums", NULL };
static const char *const start_names[] = { "landmarks", "random", NULL };
static const char *const auto_word[] = { "auto", NULL };

/* Bits of the variants that read a parameter; 0: all variants do. */
enum {
	ANCHOR = 1 << FEDSC_BY_ANCHORS,
	DENSE = 1 << FEDSC_BY_DENSE,
	LEARNT = DENSE | 1 << FEDSC_BY_PAPER | 1 << FEDSC_BY_PAIRWISE
};

#define AT(field) offsetof(struct fedsc_job, field)

/* clang-format off */
/* Parameters of both kinds. */
#define ON_COLUMNS \
	{ "standardize", CONFIG_ENUM, AT(how.standardize), .standard = "none", \
	  .names = kind_standardize_names, \
	  .help = "scale columns to mean 0 and deviation 1, except categories and sparse " \
		  "features: over the rows of all parties, by one more sum (joint), or " \
		  "over the rows of each party (local)" }, \
	{ "profile", CONFIG_BOOL, AT(how.profile), .standard = "false", \
	  .help = "write a joint profile of clusters at the end: mean and share of " \
		  "non-zeros of each column by cluster; policy.profile of each party " \
		  "must allow it" }
#define PRIVACY \
	{ "noise.eps", CONFIG_DOUBLE, AT(noise_eps), 1e-6, 1e6, "", \
	  .help = "eps of differential privacy; requires noise.delta and noise.clip" }, \
	{ "noise.delta", CONFIG_DOUBLE, AT(noise_delta), 1e-300, 0.5, "", \
	  .help = "delta of differential privacy" }, \
	{ "noise.clip", CONFIG_DOUBLE, AT(noise_clip), 1e-300, 1e300, "", \
	  .help = "largest norm of a row, tau_X; longer rows are scaled down to this norm" }
#define COLLUDERS \
	{ "noise.colluders", CONFIG_UNSIGNED, AT(noise_colluders), 1, PARTIES_MAX - 1, "auto", \
	  .names = auto_word, \
	  .help = "number of parties that may collude: noise in sums still suffices if " \
		  "they reveal their part of it; \"auto\": half of the parties" }

const struct config_row fedsc_rows[] = {
	{ "restarts", CONFIG_UNSIGNED, AT(how.restarts), 1, JOB_RESTARTS_MAX, "20",
	  .help = "starts that run to the end, R; the start with the least inertia wins" },
	{ "iterations", CONFIG_UNSIGNED, AT(how.lloyd), 1, JOB_ITERATIONS_MAX, "10",
	  .help = "most Lloyd steps, Q",
	  .readers = ANCHOR | DENSE },
	{ "variant", CONFIG_ENUM, AT(how.variant), .standard = "anchor",
	  .names = fedsc_variant_names,
	  .help = "\"anchor\": landmarks, by sums only; \"dense\": the whole kernel, by sums "
		  "only; \"paper\": as published, rows can be computed from its uploads; "
		  "\"pairwise\": Appendix C of the paper, encrypted similarities" },
	{ "dims", CONFIG_UNSIGNED, AT(how.dims), 1, FEDSC_DIMS_MAX, "auto", .names = auto_word,
	  .help = "d: number of landmarks (anchor), or size of the dictionary. \"auto\", "
		  "anchor: min(n/5, 600), or n/3 if a cluster has fewer than 30 rows on "
		  "average. \"auto\", other variants: the least d up to min(n/5, 250) that "
		  "keeps 0.99 of the sum of eigenvalues of F'F" },
	{ "start", CONFIG_ENUM, AT(how.start), .standard = "landmarks", .names = start_names,
	  .help = "initial dictionary: landmarks, or random as published",
	  .readers = LEARNT },
	{ "min_cluster", CONFIG_UNSIGNED, AT(how.least), 1, JOB_LEAST_MAX, "3",
	  .help = "fewest rows in any sum of rows, mc" },
	{ "kernel.width", CONFIG_DOUBLE, AT(how.width), 0, 1e9, "0",
	  .help = "width of the kernel, r; 0: kernel.factor times the mean distance between "
		  "rows",
	  .readers = LEARNT },
	{ "kernel.factor", CONFIG_DOUBLE, AT(how.width_factor), 1e-6, 1e6, "1",
	  .help = "width of the kernel as a multiple of the mean distance between rows",
	  .readers = LEARNT },
	{ "kernel.lambda", CONFIG_DOUBLE, AT(how.lambda), 0, 1e6, "0.01",
	  .help = "ridge parameter of C, lambda",
	  .readers = LEARNT },
	{ "rounds", CONFIG_UNSIGNED, AT(how.rounds), 0, JOB_ITERATIONS_MAX, "4",
	  .help = "number of rounds of Stage I, S",
	  .readers = LEARNT },
	{ "inner", CONFIG_UNSIGNED, AT(how.inner), 1, JOB_ITERATIONS_MAX, "5",
	  .help = "local steps of a party in a round, Q",
	  .readers = LEARNT },
	{ "tolerance", CONFIG_DOUBLE, AT(how.tolerance), 0, 1, "0",
	  .help = "relative change of Z at which Stage I ends; 0: after all rounds",
	  .readers = LEARNT },
	ON_COLUMNS,
	{ "noise.on", CONFIG_ENUM, AT(noise), .standard = "none", .names = fedsc_noise_names,
	  .help = "target of Gaussian noise: no noise (none), each party's rows (data), its "
		  "factors Z_p and C_p (factors), or each sum, where all parties add a part "
		  "(sums, for anchor only)" },
	{ "noise.beta", CONFIG_DOUBLE, AT(noise_beta), 0, 1e6, "0",
	  .help = "sigma of the noise, in standard deviations of the data; claims no privacy" },
	{ "noise.beta_c", CONFIG_DOUBLE, AT(noise_beta_c), -1, 1e6, "-1",
	  .help = "paper: sigma of the noise on C_p, if it differs from that on Z_p "
		  "(noise.beta). -1: noise.beta is for both" },
	PRIVACY,
	{ "noise.ball", CONFIG_DOUBLE, AT(noise_ball), 1e-300, 1e300, "",
	  .help = "factors: largest norm of a row of Z, tau_Z; longer rows are clipped" },
	COLLUDERS,
	{ 0 },
};

const struct config_row kmeans_rows[] = {
	{ "restarts", CONFIG_UNSIGNED, AT(how.restarts), 1, JOB_RESTARTS_MAX, "20",
	  .help = "starts that run to the end, R; the start with the least inertia wins" },
	{ "iterations", CONFIG_UNSIGNED, AT(how.lloyd), 1, JOB_ITERATIONS_MAX, "10",
	  .help = "most Lloyd steps, Q" },
	{ "min_cluster", CONFIG_UNSIGNED, AT(how.least), 1, JOB_LEAST_MAX, "3",
	  .help = "fewest rows in any sum of rows, mc" },
	{ "tolerance", CONFIG_DOUBLE, AT(how.tolerance), 0, 1, "1e-6",
	  .help = "the job ends if no centre moves further than this share of the root mean square "
		  "distance of rows from their mean" },
	ON_COLUMNS,
	{ "noise.on", CONFIG_ENUM, AT(noise), .standard = "none", .names = fedsc_noise_names,
	  .help = "target of Gaussian noise: no noise (none), each party's rows (data), or each "
		  "sum, where all parties add a part (sums)" },
	{ "noise.beta", CONFIG_DOUBLE, AT(noise_beta), 0, 1e6, "0",
	  .help = "sigma of the noise, in standard deviations of the data; claims no privacy" },
	PRIVACY,
	COLLUDERS,
	{ 0 },
};
/* clang-format on */

/* kmeans has only Lloyd rounds. Lloyd rounds are small, so kmeans may run more of them by
 * default. */
static const struct config_preset lloyd[] = { { "iterations", "100" }, { NULL, NULL } };
/* With noise in aggregates, each round uses a part of eps, so there are few rounds. */
static const struct config_preset few[] = { { "iterations", "7" }, { NULL, NULL } };
static const struct config_preset few_for_landmarks[] = { { "iterations", "6" }, { NULL, NULL } };

static bool noise_is_in_sums(const struct json *root)
{
	return !strcmp(json_text(json_get_as(root, "noise", JSON_OBJECT), "on"),
		       fedsc_noise_names[NOISE_SUMS]);
}

void fedsc_presets(const struct json *root, struct kind_presets *to)
{
	if (noise_is_in_sums(root))
		presets_add(to, few_for_landmarks);
}

void kmeans_presets(const struct json *root, struct kind_presets *to)
{
	presets_add(to, noise_is_in_sums(root) ? few : lloyd);
}

void kmeans_settle(void *job, bool modulus_given)
{
	(void)modulus_given;
	((struct fedsc_job *)job)->how.variant = FEDSC_BY_KMEANS;
}

enum err fedsc_params_of(const struct fedsc_job *job, size_t parties, unsigned threads,
			 struct fedsc_params *p)
{
	struct fedsc_noise noise;

	*p = job->how;
	p->k = job->clusters;
	p->k_from = job->clusters_from;
	p->dims = p->dims == JOB_AUTO ? 0 : p->dims;
	p->near = FEDSC_NEAR;
	p->share = FEDSC_DIMS_SHARE;
	p->dims_most = FEDSC_DIMS_MOST;
	p->profile_noise = FEDSC_PROFILE_NOISE;
	p->seed = job->seed;
	p->threads = threads;
	TRY(fedsc_noise_of(job, &noise));
	p->beta = noise.beta;
	p->noise_z = noise.noise_z;
	p->noise_c = noise.noise_c;
	p->clip = noise.scaled_clip;
	p->ball = noise.ball;
	p->sigma_z = noise.sigma_z;
	p->sigma_c = noise.sigma_c;
	p->multiplier = noise.multiplier;
	p->gram = noise.gram;
	p->colluders =
	    job->noise_colluders == JOB_AUTO ? parties / 2 : (size_t)job->noise_colluders;
	if (noise.multiplier > 0) {
		p->clip = job->noise_clip;
		if (p->colluders >= parties)
			return err_set(ERR_INPUT,
				       "job.noise.colluders is %zu, of %zu parties: expected "
				       "fewer, or nobody's noise is left",
				       p->colluders, parties);
	}
	return ERR_OK;
}

bool fedsc_width_is_summed(const struct fedsc_job *job)
{
	return fedsc_learns(job->how.variant) && job->how.width == 0;
}
