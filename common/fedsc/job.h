/* job.h -- what a job of kind fedsc or kmeans says (Qiao, Ding, Fan, NeurIPS 2023). */
#ifndef COMMON_FEDSC_JOB_H
#define COMMON_FEDSC_JOB_H

#include "common/kind/kind.h"

enum { FEDSC_DIMS_MAX = 4096 };

/* Stage II; and federated k-means, which is a kind of its own. */
enum fedsc_variant { FEDSC_BY_ANCHORS, FEDSC_BY_DENSE, FEDSC_BY_PAPER, FEDSC_BY_KMEANS };
enum fedsc_noise_on { NOISE_NONE, NOISE_DATA, NOISE_FACTORS }; /* Sections 3.1 and 3.2 */

struct fedsc_job { /* kmeans has those marked with + */
	JOB_HEAD;
	enum fedsc_variant variant; /* kmeans: FEDSC_BY_KMEANS */
	unsigned restarts;     /* + of k-means at the coordinator */
	unsigned iterations;   /* + federated rounds of k-means at the end */
	unsigned dims;         /* d; or JOB_AUTO */
	double dims_share;     /* of the eigenvalues of F'F that d keeps where it is found by them */
	unsigned dims_most;    /* where that search begins */
	unsigned min_cluster;  /* + mc: fewest rows behind any sum of rows */
	unsigned near;         /* s: landmarks near a row */
	unsigned neighbours;   /* paper: of kNN; or JOB_AUTO */
	double width;          /* job.kernel.width: r; 0: it is summed, fedsc_width_is_summed() */
	double width_factor;   /* r in mean distances */
	double lambda;         /* job.kernel.lambda */
	unsigned rounds, inner; /* S, Q */
	double tolerance; /* + of what an iteration changes, in relative terms; 0: all rounds */
	unsigned participants; /* parties that take part in each round of Stage I; 0: all */
	enum fedsc_noise_on noise; /* + job.noise.on; kmeans: none or data */
	double noise_beta;   /* + sigma in standard deviations of what it is added to; 0: by eps */
	double noise_beta_c; /* the same of C_p, where it is another than Z_p's; -1: it is not */
	double noise_eps, noise_delta; /* + 0: not given */
	double noise_clip;             /* + tau_X: rows are shortened to it */
	double noise_ball;             /* tau_Z: rows of Z are shortened to it; 0: not */
};

/* Each ends with path NULL. */
extern const struct config_row fedsc_rows[], kmeans_rows[];
extern const char *const fedsc_variant_names[];
extern const char *const fedsc_noise_names[];

void kmeans_presets(const struct json *root, struct kind_presets *to);
void kmeans_settle(void *job, bool modulus_given);
const char *fedsc_unread(const void *job, const struct config_row *row);
enum err fedsc_check(const void *job) MUST_CHECK; /* kmeans too */
void fedsc_leaks(struct said *s, const void *job, size_t parties);

/* dense and paper learn a dictionary (Stage I). */
static inline bool fedsc_learns(enum fedsc_variant variant)
{
	return variant == FEDSC_BY_DENSE || variant == FEDSC_BY_PAPER;
}
/* r is the parties' mean distance, which takes a sum. */
bool fedsc_width_is_summed(const struct fedsc_job *job);

struct fedsc_params;
/* What the algorithm takes. draw: of the attempt (crypto/secagg.h), by which the parties are drawn
 * that take part in a round of Stage I; parties alone need it. Everything comes from the job, noise
 * too, so that both sides have the same numbers without telling each other. ERR_INPUT: more
 * participants than parties, noise that cannot be calibrated. */
enum err fedsc_params_of(const struct fedsc_job *job, size_t parties, uint64_t draw,
			 unsigned threads, struct fedsc_params *p) MUST_CHECK;

#endif
