/* noise.h -- the source of the noise that a party adds to its numbers: one key for one question.
 *
 * The key of a release's noise is an HMAC, by the party's own secret (secret.h), of everything on
 * which the true answer and its meaning depend, each field with its length:
 *
 *     the sampler's version; the target of the noise; the number of the release in its attempt
 *     job id; the hash of all parameters, the submitter, the coordinator and the parties that began
 *         the job
 *     the data set's digest
 *     the values that this party received in this job (work->heard): each broadcast and per-party
 *         value, the decoded sums, the numbering of its own ids in its own order; not keys, boxes
 *         and tags, which each session draws anew
 *     for a sum: its members
 *     the noise's scale and the answer before noise
 *
 * So two attempts either ask the same question, and get the same noise, which discloses nothing
 * new; or they ask another one, and get noise independent of the first. work->question (the
 * ledger's account) hears of each question before it is answered, and refuses one that the budgets
 * do not cover.
 */
#ifndef PARTY_WORK_NOISE_H
#define PARTY_WORK_NOISE_H

#include "common/privacy/noise.h"
#include "party/work/work.h"

/* Noise on this party's own numbers, which makes them private by itself; or its share in a sum. */
enum noise_on { NOISE_ON_OWN, NOISE_IN_SUM };

/* The source of this job's noise, borrowed until work_noise_end(). noise_begin() keys it; drawing
 * bytes before is ERR_INTERNAL. Without a state directory (in memory, tests) each key has a secret
 * of its own. noise_begin(): ERR_JOB, ERR_INPUT: as secret_hmac(); ERR_PEER: this party does not
 * answer the question. */
const struct noise_source *work_noise(struct work *work, enum noise_on on);
void work_noise_end(struct work *work);

#endif
