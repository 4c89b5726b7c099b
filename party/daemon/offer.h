/* offer.h -- decides whether this party takes part in an offered job. */
#ifndef PARTY_DAEMON_OFFER_H
#define PARTY_DAEMON_OFFER_H

#include "party/daemon/job.h"

/* Reads the offer and the data, and decides. Checks that need no data come first: a coordinator
 * with a forbidden offer learns nothing about the data. From then on work->leaving is open, so that
 * the ledger has the answer. ERR_OK: work->considered is set. Otherwise work->ending is the reason
 * of the decline. Errors: of the coordinator (ERR_PEER), of the policy, of invalid or unsuitable
 * data (ERR_INPUT), of memory, of files. */
enum err offer_consider(struct work *work, const struct job_means *means,
			const struct msg_offer *offer) MUST_CHECK;

/* Logs the memory estimate before the job begins. Once the job's rows are `known`, compares it with
 * policy.max_memory. */
enum err offer_check_memory(struct work *work, const struct job_means *means,
			    bool known) MUST_CHECK;

#endif
