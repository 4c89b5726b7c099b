/* job.h -- Parameters of kinds fedsc and kmeans (Qiao, Ding, Fan, NeurIPS 2023). */
#ifndef PROTOCOLS_FEDSC_JOB_H
#define PROTOCOLS_FEDSC_JOB_H

#include "common/kind/kind.h"

enum {
	FEDSC_DIMS_MAX = 4096,
	FEDSC_DIMS_MOST = 250, /* start of the search for d */
	FEDSC_NEAR = 4         /* s, the number of landmarks to which a row is tied */
};
#define FEDSC_DIMS_SHARE    0.99 /* share of the eigenvalues of F'F that d keeps */
#define FEDSC_PROFILE_NOISE 1.0  /* deviation of the noise on each sum of a profile */

/* Stage II; and federated k-means, which is a kind of its own. */
enum fedsc_variant {
	FEDSC_BY_ANCHORS,
	FEDSC_BY_DENSE,
	FEDSC_BY_PAPER,
	FEDSC_BY_PAIRWISE, /* Appendix C */
	FEDSC_BY_KMEANS
};
/* Z^0 of all variants but anchor: landmarks of federated k-means, or random points (Algorithm 1,
 * line 1). */
enum fedsc_start { FEDSC_FROM_LANDMARKS, FEDSC_AT_RANDOM };
enum fedsc_noise_on {
	NOISE_NONE,
	NOISE_DATA,    /* Section 3.1 */
	NOISE_FACTORS, /* Section 3.2 */
	/* kmeans and variant anchor: noise in aggregates; each party adds a share to each sum
	 * (private.h) */
	NOISE_SUMS
};

/* The algorithm's parameters. A job gives all but k, noise levels, near, share, dims_most,
 * profile_noise, seed and threads. */
struct fedsc_params {               /* kmeans reads those marked with + */
	enum fedsc_variant variant; /* + */
	unsigned k;                 /* + the last of a range */
	unsigned k_from;            /* + the first of a range; 0: k is given */
	unsigned restarts;          /* + of k-means at the coordinator */
	unsigned lloyd;             /* + job.iterations: federated rounds of the final k-means */
	unsigned least;             /* + job.min_cluster, mc: fewest rows behind any sum of rows */
	/* + bound of ||Z^s - Z^(s-1)|| / ||Z^s||; for k-means of the centres' moves, in deviations
	 * of the rows; 0: all rounds */
	double tolerance;
	/* d; 0 (in a job JOB_AUTO): fedsc_landmarks_most(), or by the share */
	unsigned dims;
	unsigned near; /* FEDSC_NEAR: nearest landmarks of a row */
	/* dense, paper and pairwise */
	enum fedsc_start start;
	double share;       /* FEDSC_DIMS_SHARE */
	unsigned dims_most; /* FEDSC_DIMS_MOST */
	/* job.kernel.width, r; 0: width_factor x the parties' mean distance */
	double width;
	double width_factor;    /* job.kernel.factor */
	double lambda;          /* job.kernel.lambda */
	unsigned rounds, inner; /* S, Q */
	/* noise (noise.h) */
	double beta;             /* + on scaled rows, in standard deviations */
	double noise_z, noise_c; /* Section 3.2: in standard deviations of Z_p and C_p */
	double sigma_z, sigma_c; /* further noise, absolute */
	/* lengths to which scaled rows (clip) and rows of Z_p (ball) are shortened; 0: not */
	double clip, ball;
	/* + deviation of noise in aggregates, for a sum that a row can move by 1; 0: none */
	double multiplier;
	double gram;                      /* the same for B'B (private.h) */
	size_t colluders;                 /* + parties assumed to reveal their noise shares */
	enum job_standardize standardize; /* + */
	bool profile;                     /* + job.profile: sums by cluster at the end */
	/* + FEDSC_PROFILE_NOISE: deviation over all parties, in units of a usual row's contribution
	 */
	double profile_noise;
	uint64_t seed;    /* + */
	unsigned threads; /* + does not change labels */
};

struct fedsc_job {
	JOB_HEAD;
	struct fedsc_params how;
	enum fedsc_noise_on noise; /* + job.noise.on; kmeans: none, data or sums */
	/* + sigma in standard deviations of the perturbed values; 0: by eps */
	double noise_beta;
	double noise_beta_c; /* the same for C_p, if it differs from Z_p's; -1: it does not */
	double noise_eps, noise_delta; /* + 0: not given */
	double noise_clip;             /* + tau_X: rows are shortened to this length */
	double noise_ball;             /* tau_Z: rows of Z are shortened to this length; 0: not */
	/* + for noise in sums; JOB_AUTO: half of the parties, rounded down */
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
enum err fedsc_check(const void *job) MUST_CHECK; /* kmeans too */
const char *fedsc_one_k(const void *job);         /* kmeans too */
void fedsc_disclosures(struct disclosures *s, const void *job, size_t parties);

/* dense, paper and pairwise learn a dictionary (Stage I). */
static inline bool fedsc_learns(enum fedsc_variant variant)
{
	return variant == FEDSC_BY_DENSE || variant == FEDSC_BY_PAPER ||
	       variant == FEDSC_BY_PAIRWISE;
}
/* True if r derives from the parties' mean distance, which takes a sum. */
bool fedsc_width_is_summed(const struct fedsc_job *job);

/* The algorithm's parameters. Everything derives from the job, noise too, so both sides compute the
 * same numbers without messages. ERR_INPUT: noise that cannot be calibrated. */
enum err fedsc_params_of(const struct fedsc_job *job, size_t parties, unsigned threads,
			 struct fedsc_params *p) MUST_CHECK;

double fedsc_memory(const void *job, const struct kind_sizes *sizes);

#endif
