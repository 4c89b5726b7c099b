/* job.h -- what a job of kind fedspectral says (Thakkar, Joshi 2023, and the exact variant). */
#ifndef COMMON_FEDSPECTRAL_JOB_H
#define COMMON_FEDSPECTRAL_JOB_H

#include "common/fedspectral/coordinator.h"
#include "common/kind/kind.h"

enum fedspectral_variant { FEDSPECTRAL_EXACT, FEDSPECTRAL_PLUS, FEDSPECTRAL_PLAIN };

struct fedspectral_job {
	JOB_HEAD;
	enum fedspectral_variant variant;
	bool allow_disjoint; /* no two parties need have a node in common */
	struct fedspectral_params how; /* but for k, seed and threads */
};

/* The algorithm's parameters, from the job. */
struct fedspectral_params fedspectral_params_of(const struct fedspectral_job *job, unsigned threads);

extern const struct kind kind_fedspectral;
/* Each ends with path NULL. */
extern const struct config_row fedspectral_rows[];

void fedspectral_presets(const struct json *root, struct kind_presets *to);
enum err fedspectral_check(const void *job) MUST_CHECK;
void fedspectral_leaks(struct said *s, const void *job, size_t parties);

/* kind.h */
double fedspectral_memory(const void *job, const struct kind_sizes *sizes);

#endif
