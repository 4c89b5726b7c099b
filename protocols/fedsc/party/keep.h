/* keep.h -- results of a run of fedsc or kmeans at a party, and their files. */
#ifndef PROTOCOLS_FEDSC_PARTY_KEEP_H
#define PROTOCOLS_FEDSC_PARTY_KEEP_H

#include "common/data/profile.h"
#include "common/linalg/mat.h"
#include "party/work/work.h"
#include "protocols/fedsc/model.h"

/* Results in work->protocol, from the end of the run on. */
struct fedsc_kept {
	/* Centres of the clusters, in the data's units; empty if there are none. */
	struct mat centres;
	struct profile joint;     /* job.profile: profile over all parties; otherwise empty */
	struct fedsc_model model; /* model that places new rows; m 0: there is none */
};

/* Writes labels. If the run has them, also writes centres.csv, profile-joint.csv and
 * FEDSC_MODEL_FILE. ERR_JOB: a file cannot be written. */
enum err party_keep_rows(struct work *work, const uint32_t *label) MUST_CHECK;
void party_release_rows(struct work *work);

#endif
