/* offer.h -- decides whether this party takes part in an offered job. */
#ifndef PARTY_DAEMON_OFFER_H
#define PARTY_DAEMON_OFFER_H

#include "party/daemon/job.h"

/* Reads the offer and the data, and decides. Checks that need no data come first, so that a
 * coordinator with a forbidden offer learns nothing about the data. Opens work->leaving, so that
 * the ledger records the answer; leaves it NULL if too many offers were declined, or if the ledger
 * cannot be used. ERR_OK: work->considered is set. Otherwise work->ending is the reason of the
 * decline. ERR_PEER: the offer is invalid, or the policy forbids it. ERR_INPUT: data are invalid or
 * unsuitable. Other errors concern memory and files. */
enum err offer_consider(struct work *work, const struct job_means *means,
			const struct msg_offer *offer) MUST_CHECK;

/* Logs the memory estimate before the job begins. known: whether the number of the job's rows is
 * known. If so, returns ERR_INPUT if the estimate exceeds policy.max_memory or this process's
 * memory. */
enum err offer_check_memory(struct work *work, const struct job_means *means,
			    bool known) MUST_CHECK;

#endif
