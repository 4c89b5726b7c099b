/* job.h -- Parameters of kind fedgcn (Liu et al., AAAI 2025). */
#ifndef PROTOCOLS_FEDGCN_JOB_H
#define PROTOCOLS_FEDGCN_JOB_H

#include "protocols/fedgcn/party.h"
#include "common/kind/kind.h"

enum {
	/* Maximum number of clusters. It is limited because each round sends one prototype per
	 * cluster. */
	FEDGCN_CLUSTERS_MAX = 1024,
	/* Maximum number of prototypes that a party uploads in a round. */
	FEDGCN_STACK_MAX = 4096
};
enum fedgcn_baselines { BASELINES_ALL, BASELINES_QUICK, BASELINES_OFF };

struct fedgcn_job {
	JOB_HEAD;
	struct fedgcn_params how; /* all parameters except k, seed and threads */
	enum fedgcn_baselines baselines;
};
JOB_OF_KIND(fedgcn_job)
#define fedgcn_job(job) JOB_ACCESS(fedgcn_job, job)

extern const struct kind kind_fedgcn;
/* The last row has path NULL. */
extern const struct config_row fedgcn_rows[];
extern const char *const fedgcn_features_names[];

enum err fedgcn_check(const void *job) MUST_CHECK;
void fedgcn_disclosures(struct disclosures *s, const void *job, size_t parties);

/* Derives the algorithm's parameters from the job alone, so both sides have the same. ERR_INPUT:
 * parameters are invalid. */
enum err fedgcn_params_of(const struct fedgcn_job *job, unsigned threads,
			  struct fedgcn_params *p) MUST_CHECK;

double fedgcn_memory(const void *job, const struct kind_sizes *sizes);

#endif
