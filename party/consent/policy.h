/* policy.h -- decides whether this party's configuration permits an offered job. */
#ifndef PARTY_CONSENT_POLICY_H
#define PARTY_CONSENT_POLICY_H

#include "common/job/daemon.h"
#include "crypto/ledger.h"
#include "party/work/work.h"

/* Checks the offer in work (job, names, own number). ERR_PEER: the policy forbids it; the text has
 * the offered value, the permitted one, and the setting. ERR_INPUT: the fingerprint of a party in
 * the configuration is invalid. agreed: a job to which this party agreed beforehand, or NULL. */
enum err policy_check(const struct party_config *config, const struct job *agreed,
		      struct work *work) MUST_CHECK;

/* Checks policy.max_eps_total, if it is set: adds this job's claim to those of earlier jobs over
 * this data set, of any coordinator, unless it is booked already. ERR_PEER: the job has no claim
 * (claim->eps 0), or the budget does not suffice; the text then has the remaining budget. */
enum err policy_check_privacy(const struct party_config *config, struct ledger *ledger,
			      const struct ledger_job *job, const struct kind_claim *claim,
			      bool booked) MUST_CHECK;

/* Checks whether the job may have one more claim in addition to `claims`, which are booked or due.
 * Call if an attempt asks a question that needs this claim. ERR_PEER: the job exceeds
 * policy.max_eps, or all jobs exceed policy.max_eps_total. */
enum err policy_check_again(const struct party_config *config, struct ledger *ledger,
			    const struct ledger_job *job, const struct kind_claim *claim,
			    uint64_t claims) MUST_CHECK;

/* Checks an offer against earlier jobs in the ledger. policy.coordinators must contain the
 * coordinator, if it names any, and no budget may be exhausted. Earlier jobs must have had the same
 * parties, unless policy.allow_subsets is set, and earlier attempts at the job the same data. job:
 * as offered. spent: egress of this data to the job's coordinator. ERR_PEER: as policy_check(). */
enum err policy_check_past(const struct party_config *config, struct ledger *ledger,
			   const struct ledger_job *job,
			   const struct ledger_spent *spent) MUST_CHECK;

/* Asks a user if policy.confirm requires it. Writes the offer to state/offers, and sends ASKING to
 * the coordinator. Then waits up to confirm_s for the answer of `coterie approve`; the connection
 * stays alive. Does not ask again at another attempt if the offer was answered before. ERR_PEER:
 * refused, with the user's words; ERR_DEADLINE: no answer; other errors: the job ended while the
 * user was asked. job, spent: as for policy_check_past(). */
enum err policy_confirm(const struct party_config *config, struct work *work,
			const struct ledger_job *job, const struct ledger_spent *spent) MUST_CHECK;

/* Call during the job. Checks that the jobs and numbers in `spent`, including this job's, are
 * within the budgets, and that other jobs had the same parties, unless policy.allow_subsets is set.
 * ERR_PEER: a budget is exceeded, or another job had other parties. */
enum err policy_check_spent(const struct party_config *config, struct ledger *ledger,
			    const struct ledger_job *job,
			    const struct ledger_spent *spent) MUST_CHECK;

/* Call during the job. Checks that the party may send `words` more numbers. ERR_PEER: a budget does
 * not suffice; the text has the spent value, the permitted one, and the setting. */
enum err policy_may_spend(const struct party_config *config, const char *coordinator,
			  const struct ledger_spent *spent, uint64_t words) MUST_CHECK;

/* Returns the pinned fingerprint of a party, from the configured peers. ERR_PEER: the party is not
 * configured; ERR_INPUT: the configured value is not a fingerprint. */
enum err policy_pin(const struct party_config *config, const char *name,
		    uint8_t pin[static SECAGG_HASH_LEN]) MUST_CHECK;

#endif
