/* noise.h -- the source of the noise that a party adds to its numbers, with one key per question.
 *
 * A release is one answer with noise. The key of its noise is an HMAC by the party's own secret
 * (secret.h). The HMAC covers all that the true answer and its meaning depend on, each field with
 * its length:
 *
 *     the sampler's version; the target of the noise; the number of the release in its attempt
 *     job id; the hash of all parameters, the submitter, the coordinator and the parties that began
 *         the job
 *     the data set's digest
 *     the values that this party received in this job (work->received): each broadcast and
 *         per-party value, the decoded sums, the numbering of its own ids in its own order; not
 *         keys, boxes and tags, which each session draws anew
 *     for a sum: its members
 *     the noise's scale and the answer before noise
 *
 * Two attempts that ask the same question get the same noise, which discloses nothing new. If they
 * ask different questions, they get independent noise. Before it answers, the party reports each
 * question to work->question (the ledger's account), which refuses a question that the budgets do
 * not cover.
 */
#ifndef PARTY_WORK_NOISE_H
#define PARTY_WORK_NOISE_H

#include "common/privacy/noise.h"
#include "party/work/work.h"

/* NOISE_ON_OWN: noise on this party's own numbers; this noise alone makes them private.
 * NOISE_IN_SUM: this party's share of the noise in a sum. */
enum noise_on { NOISE_ON_OWN, NOISE_IN_SUM };

/* Returns the source of this job's noise, borrowed until work_noise_end(). noise_begin() sets its
 * key; a draw before that is ERR_INTERNAL. Without a state directory (in memory, tests), each key
 * has a secret of its own. Errors of noise_begin(): ERR_JOB, ERR_INPUT: as secret_hmac(); ERR_PEER:
 * this party does not answer the question. */
const struct noise_source *work_noise(struct work *work, enum noise_on on);
void work_noise_end(struct work *work);

#endif
