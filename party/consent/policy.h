/* policy.h -- decides on an offer by this party's configuration. */
#ifndef PARTY_CONSENT_POLICY_H
#define PARTY_CONSENT_POLICY_H

#include "common/job/daemon.h"
#include "crypto/ledger.h"
#include "party/work/work.h"

/* Checks an offer in work (job, names, own number). ERR_PEER with the offered value, the permitted
 * one, and the setting. agreed: a job to which this party agreed beforehand, or NULL. */
enum err policy_check(const struct party_config *config, const struct job *agreed,
		      struct work *work) MUST_CHECK;

/* Checks policy.max_eps_total: adds this job's claim to those of earlier jobs over this data set,
 * of any coordinator, unless it is booked already. Refuses a job without a claim (claim->eps 0).
 * ERR_PEER with the remaining budget. */
enum err policy_check_privacy(const struct party_config *config, struct ledger *ledger,
			      const struct ledger_job *job, const struct kind_claim *claim,
			      bool booked) MUST_CHECK;

/* For an attempt that asks another question under noise, when `claims` claims of this job are
 * booked or due. Checks one more against policy.max_eps, of this job, and policy.max_eps_total.
 * ERR_PEER. */
enum err policy_check_again(const struct party_config *config, struct ledger *ledger,
			    const struct ledger_job *job, const struct kind_claim *claim,
			    uint64_t claims) MUST_CHECK;

/* Checks an offer against earlier jobs in the ledger. policy.coordinators must contain the
 * coordinator, and budgets must be left. The parties must be the same, and the data those of the
 * job's earlier attempts. job: as offered; spent: by its coordinator, of this data. ERR_PEER as
 * policy_check(). */
enum err policy_check_past(const struct party_config *config, struct ledger *ledger,
			   const struct ledger_job *job,
			   const struct ledger_spent *spent) MUST_CHECK;

/* Asks a user if policy.confirm requires it. Writes the offer to state/offers, sends ASKING to the
 * coordinator, and waits up to confirm_s for the answer of `coterie approve`; the connection stays
 * alive. Does not ask again about an offer that was answered before (another attempt at the same
 * job). ERR_PEER: refused, with the user's words; ERR_DEADLINE: no answer; otherwise the error that
 * ended the job meanwhile. job, spent: as above. */
enum err policy_confirm(const struct party_config *config, struct work *work,
			const struct ledger_job *job, const struct ledger_spent *spent) MUST_CHECK;

/* During the job: checks that the jobs and numbers of spent, which includes this job's, are within
 * the budgets, and that other jobs had the same parties. ERR_PEER. */
enum err policy_check_spent(const struct party_config *config, struct ledger *ledger,
			    const struct ledger_job *job,
			    const struct ledger_spent *spent) MUST_CHECK;

/* During the job: checks that this many more numbers may leave. ERR_PEER with the spent value, the
 * permitted one, and the setting. */
enum err policy_may_spend(const struct party_config *config, const char *coordinator,
			  const struct ledger_spent *spent, uint64_t words) MUST_CHECK;

/* Pinned fingerprint of a party, from the configured peers. ERR_PEER: not configured; ERR_INPUT:
 * not a fingerprint. */
enum err policy_pin(const struct party_config *config, const char *name,
		    uint8_t pin[static SECAGG_HASH_LEN]) MUST_CHECK;

#endif
