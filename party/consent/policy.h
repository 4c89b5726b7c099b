/* policy.h -- what this party takes part in, by its own configuration and the offer. */
#ifndef PARTY_CONSENT_POLICY_H
#define PARTY_CONSENT_POLICY_H

#include "common/job/daemon.h"
#include "crypto/ledger.h"
#include "party/work/work.h"

/* Checks an offer that work already holds (job, names, own number): ERR_PEER with what was offered,
 * what is allowed, and the setting. agreed: the job this party agreed to beforehand, or NULL. */
enum err policy_check(const struct party_config *config, const struct job *agreed,
		      struct work *work) MUST_CHECK;

/* policy.max_eps_total: what earlier jobs over this data set have claimed, whoever coordinated, and this one's claim
 * (claim->eps 0: none, which is refused), unless it is booked already, come to no more together. ERR_PEER with what is
 * left. */
enum err policy_check_privacy(const struct party_config *config, struct ledger *ledger,
			      const struct ledger_job *job, const struct kind_claim *claim,
			      bool booked) MUST_CHECK;

/* Another attempt asks another question under noise, `claims` claims of this job being booked or due: does one more fit
 * into policy.max_eps, of this job, and policy.max_eps_total? ERR_PEER. */
enum err policy_check_again(const struct party_config *config, struct ledger *ledger,
			    const struct ledger_job *job, const struct kind_claim *claim,
			    uint64_t claims) MUST_CHECK;

/* The same of what depends on earlier jobs, as the ledger has them: is the coordinator one of
 * policy.coordinators, is there something left of the budgets, were the parties the same, and the data
 * those of the job's earlier attempts? job: as
 * offered; spent: what its coordinator has had of this data. */
enum err policy_check_past(const struct party_config *config, struct ledger *ledger,
			   const struct ledger_job *job,
			   const struct ledger_spent *spent) MUST_CHECK;

/* Does a person agree, where policy.confirm wants one to? Writes what is offered to state/offers,
 * tells the coordinator (ASKING), and waits up to confirm_s for what `coterie approve` answers; the
 * connection stays alive. An offer that was answered before (another attempt at the same job) is not
 * asked about again. ERR_PEER: refused, with the person's words; ERR_DEADLINE: nobody answered; or
 * what the job ended with meanwhile. job, spent: as above. */
enum err policy_confirm(const struct party_config *config, struct work *work,
			const struct ledger_job *job, const struct ledger_spent *spent) MUST_CHECK;

/* In the job: are the jobs, sums and numbers of spent, which has this job's too, within the budgets,
 * and were the parties of other jobs the same? ERR_PEER. */
enum err policy_check_spent(const struct party_config *config, struct ledger *ledger,
			    const struct ledger_job *job,
			    const struct ledger_spent *spent) MUST_CHECK;

/* In the job: may so many more sums and numbers leave? ERR_PEER with what was spent, what is
 * allowed, and the setting. */
enum err policy_may_spend(const struct party_config *config, const char *coordinator,
			  const struct ledger_spent *spent, uint64_t rounds,
			  uint64_t words) MUST_CHECK;

/* The pinned fingerprint of a party, from the peers of the configuration. */
enum err policy_pin(const struct party_config *config, const char *name,
		    uint8_t pin[static SECAGG_HASH_LEN]) MUST_CHECK;

#endif
