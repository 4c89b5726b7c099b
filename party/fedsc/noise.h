/* noise.h -- the noise that a party adds to its rows before anything is made of them. */
#ifndef PARTY_FEDSC_NOISE_H
#define PARTY_FEDSC_NOISE_H

#include "common/linalg/mat.h"
#include "party/work/work.h"

/* Section 3.1: with job.noise.eps on data, X's rows (raw, as they were read) are shortened to
 * job.noise.clip and get noise; all that follows is made of these. Any other job leaves X as it is.
 * In every job with noise the record and the log say what it is ("privacy"); how many rows were
 * shortened goes to this party's own record alone ("clipped_rows"). X must be finite. ERR_INPUT,
 * ERR_INTERNAL. */
enum err party_noise_rows(struct work *work, struct mat *X) MUST_CHECK;

#endif
