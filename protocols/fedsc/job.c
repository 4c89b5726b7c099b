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

/* Variants that read a row; none: all do. */
enum {
	ANCHOR = 1 << FEDSC_BY_ANCHORS,
	DENSE = 1 << FEDSC_BY_DENSE,
	LEARNT = DENSE | 1 << FEDSC_BY_PAPER | 1 << FEDSC_BY_PAIRWISE
};

#define AT(field) offsetof(struct fedsc_job, field)

/* clang-format off */
/* Rows of both kinds. */
#define ON_COLUMNS \
	{ "standardize", CONFIG_ENUM, AT(how.standardize), .standard = "none", \
	  .names = kind_standardize_names, \
	  .help = "columns come to mean 0 and deviation 1, but for categories and sparse " \
		  "features: by all parties' rows, from one sum more (\"joint\"), or each " \
		  "party's by its own (\"local\")" }, \
	{ "profile", CONFIG_BOOL, AT(how.profile), .standard = "false", \
	  .help = "at the end, what sets clusters apart over all parties: means and shares of " \
		  "each column by cluster, which policy.profile of each party must allow" }
#define PRIVACY \
	{ "noise.eps", CONFIG_DOUBLE, AT(noise_eps), 1e-6, 1e6, "", \
	  .help = "differential privacy: eps; with noise.delta and noise.clip" }, \
	{ "noise.delta", CONFIG_DOUBLE, AT(noise_delta), 1e-300, 0.5, "", \
	  .help = "differential privacy: delta" }, \
	{ "noise.clip", CONFIG_DOUBLE, AT(noise_clip), 1e-300, 1e300, "", \
	  .help = "tau_X: longer rows are shortened to it" }
#define COLLUDERS \
	{ "noise.colluders", CONFIG_UNSIGNED, AT(noise_colluders), 1, PARTIES_MAX - 1, "auto", \
	  .names = auto_word, \
	  .help = "sums: so many parties may tell the coordinator what noise they added, and the " \
		  "rest is enough; \"auto\": half of them. 1 at least, for a party knows its own" }

const struct config_row fedsc_rows[] = {
	{ "restarts", CONFIG_UNSIGNED, AT(how.restarts), 1, JOB_RESTARTS_MAX, "20",
	  .help = "R, starts that go on to the end; the one of least inertia wins" },
	{ "iterations", CONFIG_UNSIGNED, AT(how.lloyd), 1, JOB_ITERATIONS_MAX, "10",
	  .help = "Q, Lloyd steps at most; fedspectral+: power iterations of a round",
	  .readers = ANCHOR | DENSE },
	{ "variant", CONFIG_ENUM, AT(how.variant), .standard = "anchor",
	  .names = fedsc_variant_names,
	  .help = "Stage II: landmarks and sums alone, the whole kernel by sums alone, or the "
		  "paper's, which uploads in clear what rows can be read from; or its Appendix C, "
		  "in which parties compute similarities by encryption" },
	{ "dims", CONFIG_UNSIGNED, AT(how.dims), 1, FEDSC_DIMS_MAX, "auto", .names = auto_word,
	  .help = "d, landmarks or the dictionary's size; \"auto\": min(n/5, 600) landmarks, n/3 "
		  "of fewer than 30 rows a cluster; else as few of min(n/5, 250) as keep "
		  "0.99 of the eigenvalues of F'F; with 1 their similarities follow from the rows' "
		  "distances to one point alone" },
	{ "start", CONFIG_ENUM, AT(how.start), .standard = "landmarks", .names = start_names,
	  .help = "all but anchor: the dictionary before the first round is landmarks, or at "
		  "random as in the paper",
	  .readers = LEARNT },
	{ "min_cluster", CONFIG_UNSIGNED, AT(how.least), 1, JOB_LEAST_MAX, "3",
	  .help = "mc, fewest rows behind any sum of rows" },
	{ "kernel.width", CONFIG_DOUBLE, AT(how.width), 0, 1e9, "0",
	  .help = "all but anchor: r; 0: kernel.factor times the parties' mean distance",
	  .readers = LEARNT },
	{ "kernel.factor", CONFIG_DOUBLE, AT(how.width_factor), 1e-6, 1e6, "1",
	  .help = "all but anchor: r in mean distances",
	  .readers = LEARNT },
	{ "kernel.lambda", CONFIG_DOUBLE, AT(how.lambda), 0, 1e6, "0.01",
	  .help = "all but anchor: lambda, the ridge of C",
	  .readers = LEARNT },
	{ "rounds", CONFIG_UNSIGNED, AT(how.rounds), 0, JOB_ITERATIONS_MAX, "4",
	  .help = "all but anchor: S, rounds of Stage I",
	  .readers = LEARNT },
	{ "inner", CONFIG_UNSIGNED, AT(how.inner), 1, JOB_ITERATIONS_MAX, "5",
	  .help = "all but anchor: Q, a party's own steps in a round",
	  .readers = LEARNT },
	{ "tolerance", CONFIG_DOUBLE, AT(how.tolerance), 0, 1, "0",
	  .help = "all but anchor: Stage I ends when Z changes by no more than this share; 0: "
		  "after all rounds",
	  .readers = LEARNT },
	ON_COLUMNS,
	{ "noise.on", CONFIG_ENUM, AT(noise), .standard = "none", .names = fedsc_noise_names,
	  .help = "what Gaussian noise is added to: nothing, each party's rows, its factors Z_p "
		  "and C_p, or, by shares of all parties, each sum (anchor)" },
	{ "noise.beta", CONFIG_DOUBLE, AT(noise_beta), 0, 1e6, "0",
	  .help = "sigma in standard deviations; claims no privacy" },
	{ "noise.beta_c", CONFIG_DOUBLE, AT(noise_beta_c), -1, 1e6, "-1",
	  .help = "paper: sigma of C_p in its standard deviations, where noise.beta is Z_p's "
		  "alone; -1: noise.beta is both's" },
	PRIVACY,
	{ "noise.ball", CONFIG_DOUBLE, AT(noise_ball), 1e-300, 1e300, "",
	  .help = "factors: tau_Z, the public ball that rows of Z are clipped to" },
	COLLUDERS,
	{ 0 },
};

const struct config_row kmeans_rows[] = {
	{ "restarts", CONFIG_UNSIGNED, AT(how.restarts), 1, JOB_RESTARTS_MAX, "20",
	  .help = "R, starts that go on to the end; the one of least inertia wins" },
	{ "iterations", CONFIG_UNSIGNED, AT(how.lloyd), 1, JOB_ITERATIONS_MAX, "10",
	  .help = "Q, Lloyd steps at most; fedspectral+: power iterations of a round" },
	{ "min_cluster", CONFIG_UNSIGNED, AT(how.least), 1, JOB_LEAST_MAX, "3",
	  .help = "mc, fewest rows behind any sum of rows" },
	{ "tolerance", CONFIG_DOUBLE, AT(how.tolerance), 0, 1, "1e-6",
	  .help = "ends when no centre moves by more than this share of the rows' spread" },
	ON_COLUMNS,
	{ "noise.on", CONFIG_ENUM, AT(noise), .standard = "none", .names = fedsc_noise_names,
	  .help = "what Gaussian noise is added to: nothing, each party's rows, or, by shares of "
		  "all parties, each sum" },
	{ "noise.beta", CONFIG_DOUBLE, AT(noise_beta), 0, 1e6, "0",
	  .help = "sigma in standard deviations; claims no privacy" },
	PRIVACY,
	COLLUDERS,
	{ 0 },
};
/* clang-format on */

/* kmeans has only its Lloyd rounds, and each is small. */
static const struct config_preset lloyd[] = { { "iterations", "100" }, { NULL, NULL } };
/* With noise in aggregates each round costs a part of eps. */
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
