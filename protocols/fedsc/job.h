/* job.h -- what a job of kind fedsc or kmeans says (Qiao, Ding, Fan, NeurIPS 2023). */
#ifndef PROTOCOLS_FEDSC_JOB_H
#define PROTOCOLS_FEDSC_JOB_H

#include "common/kind/kind.h"

enum { FEDSC_DIMS_MAX = 4096 };

/* Stage II; and federated k-means, which is a kind of its own. */
enum fedsc_variant { FEDSC_BY_ANCHORS, FEDSC_BY_DENSE, FEDSC_BY_PAPER, FEDSC_BY_KMEANS };
enum fedsc_noise_on {
	NOISE_NONE,
	NOISE_DATA,    /* Section 3.1 */
	NOISE_FACTORS, /* Section 3.2 */
	NOISE_SUMS     /* + and anchor: of each sum all parties' shares together (private.h) */
};

/* The algorithm's parameters; a job gives all but k, the noise in numbers, draw, seed and threads. */
struct fedsc_params { /* kmeans reads those marked with + */
	enum fedsc_variant variant; /* + */
	unsigned k;            /* + the last of a range; */
	unsigned k_from;       /* + its first; 0: k is given */
	unsigned restarts;     /* + of k-means at the coordinator */
	unsigned lloyd;        /* + job.iterations: federated rounds of k-means at the end */
	unsigned least;        /* + job.min_cluster, mc: fewest rows behind any sum of rows */
	double tolerance;      /* + of ||Z^s - Z^(s-1)|| / ||Z^s||; of k-means: of how far centres move, in
				  deviations of the rows; 0: all rounds */
	unsigned dims;         /* d; 0 (in a job JOB_AUTO): fedsc_landmarks_most(), or by the share */
	unsigned near;         /* s: landmarks near a row */
	/* dense and paper */
	double share;          /* job.dims_share: of the eigenvalues of F'F that d keeps */
	unsigned dims_most;    /* where that search begins */
	double width;          /* job.kernel.width, r; 0: width_factor x the parties' mean distance */
	double width_factor;   /* job.kernel.factor */
	double lambda;         /* job.kernel.lambda */
	unsigned rounds, inner; /* S, Q */
	unsigned participants; /* parties that take part in each round of Stage I; 0: all */
	unsigned neighbours;   /* paper: of kNN; 0 (in a job JOB_AUTO): by knn_rule() */
	/* noise (noise.h) */
	double beta;             /* + on scaled rows: of so many standard deviations */
	double noise_z, noise_c; /* Section 3.2: in standard deviations of Z_p and C_p; */
	double sigma_z, sigma_c; /* and so much besides */
	double clip, ball;       /* scaled rows, and rows of Z_p, are shortened to it; 0: not */
	double multiplier;       /* + noise in sums: its deviation, in how far a row can move a sum; 0: none */
	double gram;             /* the same of B'B (private.h) */
	size_t colluders;        /* + so many parties' shares of it are taken to be known */
	enum job_standardize standardize; /* + */
	bool profile;          /* + job.profile: sums by cluster at the end */
	double profile_noise;  /* + of each of them over all parties, its deviation in what one row of usual size adds */
	uint64_t draw; /* from which the parties of each round are drawn: the attempt's hash */
	uint64_t seed;    /* + */
	unsigned threads; /* + the labels do not depend on it */
};

struct fedsc_job {
	JOB_HEAD;
	struct fedsc_params how;
	enum fedsc_noise_on noise; /* + job.noise.on; kmeans: none, data or sums */
	double noise_beta;   /* + sigma in standard deviations of what it is added to; 0: by eps */
	double noise_beta_c; /* the same of C_p, where it is another than Z_p's; -1: it is not */
	double noise_eps, noise_delta; /* + 0: not given */
	double noise_clip;             /* + tau_X: rows are shortened to it */
	double noise_ball;             /* tau_Z: rows of Z are shortened to it; 0: not */
	unsigned noise_colluders;      /* + sums: JOB_AUTO: half of the parties, rounded down */
};
JOB_OF_KIND(fedsc_job)
#define fedsc_job(job) JOB_ACCESS(fedsc_job, job)

extern const struct kind kind_fedsc;
extern const struct kind kind_kmeans;
/* Each ends with path NULL. */
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
void fedsc_leaks(struct said *s, const void *job, size_t parties);

/* dense and paper learn a dictionary (Stage I). */
static inline bool fedsc_learns(enum fedsc_variant variant)
{
	return variant == FEDSC_BY_DENSE || variant == FEDSC_BY_PAPER;
}
/* r is the parties' mean distance, which takes a sum. */
bool fedsc_width_is_summed(const struct fedsc_job *job);

/* The algorithm's parameters. draw: of the attempt (crypto/secagg.h), by which the parties are drawn
 * that take part in a round of Stage I; parties alone need it. Everything comes from the job, noise
 * too, so that both sides have the same numbers without telling each other. ERR_INPUT: more
 * participants than parties, noise that cannot be calibrated. */
enum err fedsc_params_of(const struct fedsc_job *job, size_t parties, uint64_t draw,
			 unsigned threads, struct fedsc_params *p) MUST_CHECK;

/* kind.h */
double fedsc_memory(const void *job, const struct kind_sizes *sizes);

#endif
