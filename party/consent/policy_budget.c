/* The policy's limits over all jobs: which coordinators, how often, how much, with which parties.
 */
#include "party/consent/policy.h"

#include <inttypes.h>
#include <stdlib.h>

static enum err check_coordinator(const struct party_config *config, const char *name)
{
	if (!config->policy.coordinators.count ||
	    config_strings_has(&config->policy.coordinators, name))
		return ERR_OK;
	return err_set(ERR_PEER,
		       "the job is offered by %s, which policy.coordinators of %s does not name",
		       name, config->common.name);
}

/* Two sums over the same data that differ by a party show that party. */
static enum err check_parties(const struct party_config *config, struct ledger *ledger,
			      const struct ledger_job *job)
{
	char *other;
	enum err e;

	if (config->policy.allow_subsets)
		return ERR_OK;
	TRY(ledger_other_parties(ledger, job->data, job->parties, &other));
	if (!other)
		return ERR_OK;
	e = err_set(ERR_PEER,
		    "the offered job is of %.200s, but an earlier one over the same data was of "
		    "%.200s: policy.allow_subsets of %s is false",
		    job->parties, other, config->common.name);
	free(other);
	return e;
}

enum err policy_may_spend(const struct party_config *config, const char *coordinator,
			  const struct ledger_spent *spent, uint64_t rounds, uint64_t words)
{
	uint64_t max_rounds = config->policy.max_rounds, max_words = config->policy.max_words;

	if (max_rounds && spent->rounds + rounds > max_rounds)
		return err_set(ERR_PEER,
			       "it would be secure sum %" PRIu64 " that %s has of this data, "
			       "policy.max_rounds of %s is %" PRIu64,
			       spent->rounds + rounds, coordinator, config->common.name,
			       max_rounds);
	if (max_words && spent->words + words > max_words)
		return err_set(ERR_PEER,
			       "%s would have %" PRIu64 " numbers of this data, policy.max_words "
			       "of %s is %" PRIu64,
			       coordinator, spent->words + words, config->common.name, max_words);
	return ERR_OK;
}

enum err policy_check_past(const struct party_config *config, struct ledger *ledger,
			   const struct ledger_job *job, const struct ledger_spent *spent)
{
	unsigned max_jobs = config->policy.max_jobs;

	TRY(check_coordinator(config, job->coordinator));
	if (max_jobs && spent->jobs + 1 > max_jobs)
		return err_set(ERR_PEER,
			       "it would be job %" PRIu64
			       " of %s over this data, policy.max_jobs of "
			       "%s is %u",
			       spent->jobs + 1, job->coordinator, config->common.name, max_jobs);
	/* Every kind sums at least once. */
	TRY(policy_may_spend(config, job->coordinator, spent, 1, 1));
	return check_parties(config, ledger, job);
}
