#include "party/consent/policy.h"
#include "party/work/kind.h"

#include <inttypes.h>
#include <stdlib.h>

enum err policy_check(const struct party_config *config, const struct job *agreed,
		      const struct work *work)
{
	const char *kind = job_permission(&work->job);
	struct party_sums sums;
	uint8_t pin[SECAGG_HASH_LEN];
	char text[256];

	if (agreed && job_difference(agreed, &work->job, text, sizeof(text)))
		return err_set(ERR_PEER, "%s agreed to another job: %s", config->common.name, text);
	if (!config_strings_has(&config->policy.jobs, kind))
		return err_set(
		    ERR_PEER,
		    "the offered job is of kind %s, which policy.jobs of %s does not name", kind,
		    config->common.name);
	TRY(work->half->allow(config, work));
	if (config->policy.max_eps > 0)
		TRY(work->half->allow_eps(config, work));
	for (size_t l = 0; l < work->L; l++)
		if (l != work->own)
			TRY(policy_pin(config, work->name[l], pin));
	sums = work->half->sums(work);
	if (work->L == 1) {
		if (!config->policy.allow_single || !work->job.allow_single)
			return err_set(ERR_PEER, "a job of one party masks nothing: it needs "
						 "allow_single in job and policy");
	} else if (sums.least < config->policy.min_parties) {
		return err_set(ERR_PEER,
			       "the job (%s %s, %zu parties) has sums of %zu parties, "
			       "policy.min_parties is %u%s",
			       sums.of, sums.which, work->L, sums.least, config->policy.min_parties,
			       sums.hint);
	}
	return ERR_OK;
}

enum err policy_pin(const struct party_config *config, const char *name,
		    uint8_t pin[static SECAGG_HASH_LEN])
{
	const char *text = config_map_get(&config->peers, name);

	if (!text)
		return err_set(ERR_PEER, "%s takes part, but the peers of %s do not name it", name,
			       config->common.name);
	if (!fingerprint_parse(text, pin))
		return err_set(ERR_INPUT,
			       "peers.%s is \"%s\", expected sha256: and 64 hexadecimal digits",
			       name, text);
	return ERR_OK;
}

/* ---- limits over all jobs ---- */

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
	const struct config_strings *coordinators = &config->policy.coordinators;
	unsigned max_jobs = config->policy.max_jobs;
	char *other;
	enum err e;

	if (coordinators->count && !config_strings_has(coordinators, job->coordinator))
		return err_set(
		    ERR_PEER,
		    "the job is offered by %s, which policy.coordinators of %s does not name",
		    job->coordinator, config->common.name);
	if (max_jobs && spent->jobs + 1 > max_jobs)
		return err_set(ERR_PEER,
			       "it would be job %" PRIu64
			       " of %s over this data, policy.max_jobs of "
			       "%s is %u",
			       spent->jobs + 1, job->coordinator, config->common.name, max_jobs);
	/* Every kind sums at least once. */
	TRY(policy_may_spend(config, job->coordinator, spent, 1, 1));
	if (config->policy.allow_subsets)
		return ERR_OK;
	/* Two sums over the same data that differ by a party show that party. */
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
