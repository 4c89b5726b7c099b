#include "party/consent/policy.h"
#include "party/work/kind.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static enum err check_members(const struct party_config *config, const struct work *work)
{
	struct party_sums sums = work->half->sums(work);

	if (work->L == 1) {
		if (!config->policy.allow_single || !work->job.allow_single)
			return err_set(ERR_PEER, "a job of one party masks nothing: it needs "
						 "allow_single in job and policy");
		return ERR_OK;
	}
	if (sums.least >= config->policy.min_parties)
		return ERR_OK;
	return err_set(ERR_PEER,
		       "the job (%s %s, %zu parties) has sums of %zu parties, "
		       "policy.min_parties is %u%s",
		       sums.of, sums.which, work->L, sums.least, config->policy.min_parties,
		       sums.hint);
}

enum err policy_check(const struct party_config *config, const struct job *agreed,
		      const struct work *work)
{
	const char *kind = job_permission(&work->job);
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
	return check_members(config, work);
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
