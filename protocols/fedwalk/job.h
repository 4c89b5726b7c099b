/* job.h -- Parameters of kind fedwalk (Pan, Zhu, KDD 2022). */
#ifndef PROTOCOLS_FEDWALK_JOB_H
#define PROTOCOLS_FEDWALK_JOB_H

#include "common/kind/kind.h"

enum { FEDWALK_DIMS = 128, FEDWALK_LENGTH_MAX = 1000 };

enum fedwalk_mode { FEDWALK_WALKS, FEDWALK_RESPONSE };
enum fedwalk_dissimilarity_by { DISSIMILARITY_L1, DISSIMILARITY_DTW };

struct fedwalk_job {
	JOB_HEAD;
	enum fedwalk_mode mode;
	enum fedwalk_dissimilarity_by dissimilarity;
	unsigned dtw_rows; /* rows to which ordered degree matrices are averaged; 0: none is
			    * averaged */
	double eps;        /* eps of degree vectors and the encoder, or of randomised response */
	double p;          /* probability with which the two-hop predictor is asked */
	unsigned bins;     /* k, or JOB_AUTO: floor(ln n) */
	unsigned walks;    /* gamma, number of walks from each vertex */
	unsigned length;   /* l, number of tokens of a walk */
	unsigned window;   /* w, window of SkipGram */
	unsigned dims;
	bool keep_embeddings;
};
JOB_OF_KIND(fedwalk_job)
#define fedwalk_job(job) JOB_ACCESS(fedwalk_job, job)

extern const struct kind kind_fedwalk;
/* The last row has path NULL. */
extern const struct config_row fedwalk_rows[];
extern const char *const fedwalk_mode_names[];

void fedwalk_presets(const struct json *root, struct kind_presets *to);
const char *fedwalk_unread(const void *job, const struct config_row *row);
enum err fedwalk_check(const void *job) MUST_CHECK;
void fedwalk_disclosures(struct disclosures *s, const void *job, size_t parties);

unsigned fedwalk_job_bins(const struct fedwalk_job *job, size_t n);

double fedwalk_memory(const void *job, const struct kind_sizes *sizes);

#endif
