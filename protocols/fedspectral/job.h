/* job.h -- Parameters of kind fedspectral (Thakkar, Joshi 2023, and the exact variant). */
#ifndef PROTOCOLS_FEDSPECTRAL_JOB_H
#define PROTOCOLS_FEDSPECTRAL_JOB_H

#include "protocols/fedspectral/coordinator.h"
#include "common/kind/facts.h"
#include "common/kind/kind.h"

enum fedspectral_variant { FEDSPECTRAL_EXACT, FEDSPECTRAL_PLUS, FEDSPECTRAL_PLAIN };

enum fedspectral_noise { FEDSPECTRAL_NO_NOISE, FEDSPECTRAL_IN_SUMS };

struct fedspectral_job {
	JOB_HEAD;
	enum fedspectral_variant variant;
	bool allow_disjoint;           /* the parties may have no node in common */
	struct fedspectral_params how; /* all parameters except k, noise levels, seed and threads */
	enum fedspectral_noise noise;  /* job.noise.on */
	double noise_eps, noise_delta; /* eps and delta; 0: not given in the job */
};
JOB_OF_KIND(fedspectral_job)
#define fedspectral_job(job) JOB_ACCESS(fedspectral_job, job)

/* Returns the parameters of the algorithm, which the job determines. */
struct fedspectral_params fedspectral_params_of(const struct fedspectral_job *job,
						unsigned threads);

/* Returns the claim of privacy for each edge, with noise in aggregates. eps 0: there is no
 * claim. */
struct kind_claim fedspectral_claim(const void *job);
/* Records mechanism, eps, delta and the limits of the claim in r. */
void fedspectral_record_noise(const struct fedspectral_job *job, struct facts *r);

extern const struct kind kind_fedspectral;
/* The last row has path NULL. */
extern const struct config_row fedspectral_rows[];

void fedspectral_presets(const struct json *root, struct kind_presets *to);
void fedspectral_standard(const void *job, struct json *root);
const char *fedspectral_unread(const void *job, const struct config_row *row);
enum err fedspectral_check(const void *job) MUST_CHECK;
void fedspectral_disclosures(struct disclosures *s, const void *job, size_t parties);

double fedspectral_memory(const void *job, const struct kind_sizes *sizes);

#endif
