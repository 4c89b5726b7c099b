/* noise.h -- where the noise comes from that a party adds to its numbers.
 *
 * From a secret of its own (state/noise.key, made when it is first needed) and of what the noise is on:
 * so another attempt at a job that asks the same gets the same answer, and averaging attempts yields
 * nothing. What is asked goes into it too: the same noise on another number would show the difference
 * of the two, bare.
 */
#ifndef PARTY_WORK_NOISE_H
#define PARTY_WORK_NOISE_H

#include "common/privacy/noise.h"
#include "party/work/work.h"

struct work_noise {
	struct noise_source source;
	struct prg *prg;
};

/* *source becomes that of the noise on what `of` names, borrowed until the next call or
 * work_noise_end(). asked: all that the coordinator had a say in and on which those numbers depend; { 0 }:
 * they depend on this party's data and the job alone; otherwise how many parties there are, of whose noise this
 * is a share, counts too (where some were left out of an attempt, shares are larger). The same data, job, of and asked: the same bytes
 * from its beginning. Without a state directory (in memory, tests) they are drawn. ERR_JOB: the key
 * cannot be made or read; ERR_INPUT: it is no key of ours. */
enum err work_noise(struct work *work, const char *of, struct bytes asked,
		    const struct noise_source **source) MUST_CHECK;
void work_noise_end(struct work *work);

#endif
