/* job.h -- Parameters of kinds fedsc and kmeans (Qiao, Ding, Fan, NeurIPS 2023). */
#ifndef PROTOCOLS_FEDSC_JOB_H
#define PROTOCOLS_FEDSC_JOB_H

#include "common/kind/kind.h"

enum {
	FEDSC_DIMS_MAX = 4096,
	FEDSC_DIMS_MOST = 250, /* number of landmarks at which the search for d starts */
	FEDSC_NEAR = 4         /* s: number of landmarks to which a row is tied */
};
/* The d largest eigenvalues of the sum of F'F (FEDSC_SPECTRUM, party.h) add up to at least this
 * share of its trace. */
#define FEDSC_DIMS_SHARE    0.99
#define FEDSC_PROFILE_NOISE 1.0 /* deviation of the noise on each sum of a profile */

/* Variants of fedsc's Stage II. The last is federated k-means, which is a kind of its own. */
enum fedsc_variant {
	FEDSC_BY_ANCHORS,
	FEDSC_BY_DENSE,
	FEDSC_BY_PAPER,
	FEDSC_BY_PAIRWISE, /* Appendix C */
	FEDSC_BY_KMEANS
};
/* Origin of Z^0 in all variants except anchor: landmarks of federated k-means, or random points
 * (Algorithm 1, line 1). */
enum fedsc_start { FEDSC_FROM_LANDMARKS, FEDSC_AT_RANDOM };
enum fedsc_noise_on {
	NOISE_NONE,
	NOISE_DATA,    /* noise on data (Section 3.1) */
	NOISE_FACTORS, /* noise on factors (Section 3.2) */
	/* kmeans and variant anchor: noise in aggregates; each party adds a share to each sum
	 * (private.h) */
	NOISE_SUMS
};

/* Parameters of the algorithm. The `how` of a struct fedsc_job has all of them except k, k_from,
 * noise levels, colluders, near, share, dims_most, profile_noise, seed and threads.
 * fedsc_params_of() sets these. */
struct fedsc_params {               /* kmeans uses only the parameters marked with + */
	enum fedsc_variant variant; /* + */
	unsigned k;                 /* + number of clusters; with a range, its largest number */
	unsigned k_from;            /* + smallest number of a range; 0: k is given */
	unsigned restarts;          /* + restarts of k-means at the coordinator */
	unsigned lloyd;             /* + job.iterations: federated rounds of the final k-means */
	unsigned least;             /* + job.min_cluster, mc: fewest rows behind any sum of rows */
	/* + the rounds end when ||Z^s - Z^(s-1)|| / ||Z^s|| is at most `tolerance`. For k-means, no
	 * centre may move further than that, in units of the rows' root mean square distance from
	 * their landmarks. 0: all rounds run */
	double tolerance;
	/* d: number of landmarks. 0 (JOB_AUTO in a job): fedsc_landmarks_most() with anchor,
	 * otherwise chosen by `share` */
	unsigned dims;
	unsigned near; /* FEDSC_NEAR: number of nearest landmarks to which a row is tied */
	/* for dense, paper and pairwise */
	enum fedsc_start start;
	double share;       /* FEDSC_DIMS_SHARE */
	unsigned dims_most; /* FEDSC_DIMS_MOST */
	/* job.kernel.width: r; 0: width_factor times the parties' mean distance */
	double width;
	double width_factor;    /* job.kernel.factor */
	double lambda;          /* job.kernel.lambda */
	unsigned rounds, inner; /* S and Q of Algorithm 1 */
	/* noise (noise.h) */
	/* + deviation of the noise on scaled rows, in standard deviations of the data */
	double beta;
	/* deviations of the noise of Section 3.2, in standard deviations of Z_p and of C_p */
	double noise_z, noise_c;
	double sigma_z, sigma_c; /* absolute deviations of additional noise */
	/* Lengths to which longer rows are shortened; 0: no row is shortened. `clip`: of scaled
	 * rows; with noise in sums, also of kmeans, of raw rows. `ball`: of rows of Z_p. */
	double clip, ball;
	/* + deviation of noise in aggregates, for a sum that one row can change by 1; 0: no
	 * noise */
	double multiplier;
	double gram; /* noise on B'B has deviation sqrt(2) gram (private.h) */
	/* + number of parties assumed to reveal their noise shares. */
	size_t colluders;
	enum job_standardize standardize; /* + */
	/* + job.profile: at the end, the parties sum a profile of each cluster */
	bool profile;
	/* + FEDSC_PROFILE_NOISE: deviation of the noise on each sum of a profile, over all
	 * parties, in units of a usual row's contribution */
	double profile_noise;
	uint64_t seed;    /* + */
	unsigned threads; /* + labels do not depend on it */
};

struct fedsc_job {
	JOB_HEAD;
	struct fedsc_params how;
	/* +: kmeans uses the parameter, too */
	enum fedsc_noise_on noise; /* + job.noise.on; for kmeans: none, data or sums */
	/* + sigma in standard deviations of the perturbed values; 0: eps gives it */
	double noise_beta;
	/* sigma for C_p if it differs from the sigma for Z_p; -1: both are equal */
	double noise_beta_c;
	double noise_eps, noise_delta; /* + 0: not in the job */
	double noise_clip;             /* + tau_X: length to which rows are shortened */
	/* tau_Z: length to which rows of Z are shortened; 0: no row is shortened */
	double noise_ball;
	/* + for noise in sums: number of parties assumed to reveal their noise shares;
	 * JOB_AUTO: half of the parties, rounded down */
	unsigned noise_colluders;
};
JOB_OF_KIND(fedsc_job)
#define fedsc_job(job) JOB_ACCESS(fedsc_job, job)

extern const struct kind kind_fedsc;
extern const struct kind kind_kmeans;
/* The last row has path NULL. */
extern const struct config_row fedsc_rows[], kmeans_rows[];
extern const char *const fedsc_variant_names[];
extern const char *const fedsc_noise_names[];

void fedsc_presets(const struct json *root, struct kind_presets *to);
void kmeans_presets(const struct json *root, struct kind_presets *to);
void kmeans_settle(void *job, bool modulus_given);
const char *fedsc_unread(const void *job, const struct config_row *row);
const char *kmeans_unread(const void *job, const struct config_row *row);
enum err fedsc_check(const void *job) MUST_CHECK; /* kind kmeans uses it, too */
const char *fedsc_one_k(const void *job);         /* kind kmeans uses it, too */
void fedsc_disclosures(struct disclosures *s, const void *job, size_t parties);

/* Returns true for dense, paper and pairwise, which learn a dictionary (Stage I). */
static inline bool fedsc_learns(enum fedsc_variant variant)
{
	return variant == FEDSC_BY_DENSE || variant == FEDSC_BY_PAPER ||
	       variant == FEDSC_BY_PAIRWISE;
}
/* Returns true if the kernel's width derives from the parties' mean distance, which needs a sum. */
bool fedsc_width_is_summed(const struct fedsc_job *job);

/* Sets the parameters of the algorithm. They derive from the job alone, including noise, so both
 * sides compute the same without messages. ERR_INPUT: the noise cannot be calibrated. */
enum err fedsc_params_of(const struct fedsc_job *job, size_t parties, unsigned threads,
			 struct fedsc_params *p) MUST_CHECK;

double fedsc_memory(const void *job, const struct kind_sizes *sizes);

#endif
