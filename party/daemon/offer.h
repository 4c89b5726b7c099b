/* offer.h -- is an offered job one that this party takes part in? */
#ifndef PARTY_DAEMON_OFFER_H
#define PARTY_DAEMON_OFFER_H

#include "party/daemon/job.h"

/* Reads the offer, brings the data, and decides. What needs no data comes first: a coordinator whose offer is not
 * allowed learns nothing about them. From then on work->leaving is open, so that what is answered is in the
 * ledger. ERR_OK: work->considered is set. Else work->ending says as what it is declined; errors are the
 * coordinator's (ERR_PEER), of the policy, of data that are wrong or do not fit (ERR_INPUT), of room, of files. */
enum err offer_consider(struct work *work, const struct job_means *means,
			const struct msg_offer *offer) MUST_CHECK;

/* Logs the memory that the job will take before it begins, and compares it with policy.max_memory once it is
 * known of which rows the job is. */
enum err offer_check_room(struct work *work, const struct job_means *means, bool known) MUST_CHECK;

#endif
