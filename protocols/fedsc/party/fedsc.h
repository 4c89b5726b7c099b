/* fedsc.h -- The party's side of kinds fedsc (Qiao, Ding, Fan, NeurIPS 2023) and kmeans. */
#ifndef PROTOCOLS_FEDSC_PARTY_FEDSC_H
#define PROTOCOLS_FEDSC_PARTY_FEDSC_H

#include "common/linalg/mat.h"
#include "party/work/kind.h"

extern const struct party_kind party_kind_fedsc, party_kind_kmeans;

/* Runs fedsc or kmeans. label: one entry for each of this party's n rows. Uses up the features. */
enum err party_fedsc(struct work *work, uint32_t *label) MUST_CHECK;

/* Adds noise to data (Section 3.1). If the job has noise on data with eps, shortens the rows of X
 * (raw, finite) to job.noise.clip and adds noise. Otherwise leaves X unchanged. Records the noise
 * in run.json and the log ("privacy"). The number of shortened rows goes into this party's own
 * record alone ("clipped_rows"). Errors are ERR_INPUT and ERR_INTERNAL. */
enum err party_noise_rows(struct work *work, struct mat *X) MUST_CHECK;

#endif
