/* confirm.h -- a person says whether this party takes part in a job (policy.confirm). */
#ifndef PARTY_CONSENT_CONFIRM_H
#define PARTY_CONSENT_CONFIRM_H

#include "common/job/daemon.h"
#include "crypto/ledger.h"
#include "party/work/work.h"

/* Writes what is offered to state/offers, tells the coordinator (ASKING), and waits up to confirm_s
 * for what `coterie approve` answers; the connection stays alive meanwhile. An offer that was
 * answered before (another attempt at the same job) is not asked about again. At once where the
 * policy does not want it. ERR_PEER: refused, with the person's words; ERR_DEADLINE: nobody
 * answered; or what the job ended with meanwhile. job, spent: as in policy_check_past(). */
enum err confirm(const struct party_config *config, struct work *work,
		 const struct ledger_job *job, const struct ledger_spent *spent) MUST_CHECK;

#endif
