#include "party/consent/policy.h"
#include "common/fedsc/noise.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_of_rows(const struct job *job)
{
	return job->kind == JOB_FEDSC || job->kind == JOB_KMEANS;
}

/* The fewest members any sum of this job has, or may have if a plan takes the tree. */
static size_t smallest_group(const struct work *work)
{
	bool planned = work->job.kind == JOB_KCAGC && work->job.plan != PLAN_OFF;
	struct tree t;
	size_t least = work->L;

	if (is_of_rows(&work->job)) {
		size_t part = work->job.participants;

		return part && part < least ? part : least;
	}
	tree_build(&t, work->L, !planned && job_is_flat(&work->job));
	for (size_t i = t.parties; i < t.count; i++)
		if (t.node[i].last - t.node[i].first < least)
			least = t.node[i].last - t.node[i].first;
	return least;
}

static enum err check_members(const struct party_config *config, const struct work *work)
{
	size_t least = smallest_group(work);

	if (work->L == 1) {
		if (!config->policy.allow_single || !work->job.allow_single)
			return err_set(ERR_PEER, "a job of one party masks nothing: it needs "
						 "allow_single in job and policy");
		return ERR_OK;
	}
	if (least >= config->policy.min_parties)
		return ERR_OK;
	if (work->job.kind != JOB_KCAGC)
		return err_set(ERR_PEER,
			       "the job (kind %s, %zu parties) has sums of %zu parties, "
			       "policy.min_parties is %u%s",
			       job_kind_name(&work->job), work->L, least,
			       config->policy.min_parties,
			       least < work->L ? "; job.participants makes them smaller" : "");
	return err_set(ERR_PEER,
		       "the job (method %s, %zu parties) has sums of %zu parties, "
		       "policy.min_parties is %u; flat and basic sum over all parties",
		       job_method_names[work->job.method], work->L, least,
		       config->policy.min_parties);
}

static enum err check_method(const struct party_config *config, enum job_method method)
{
	const char *name = job_method_names[method];

	if (!config->policy.methods.count || config_strings_has(&config->policy.methods, name))
		return ERR_OK;
	return err_set(ERR_PEER,
		       "the offered method is %s, which policy.methods of %s does not name", name,
		       config->common.name);
}

static enum err check_exchange(const struct party_config *config, enum job_exchange exchange)
{
	const char *name = job_exchange_names[exchange];

	if (!config->policy.exchanges.count || config_strings_has(&config->policy.exchanges, name))
		return ERR_OK;
	return err_set(ERR_PEER,
		       "the offered exchange is %s, which policy.exchanges of %s does not name",
		       name, config->common.name);
}

/* What is behind one number of a kcagc job: the nodes of a cell, or, in a prediction, one. */
static enum err check_cells(const struct party_config *config, const struct job *job)
{
	unsigned least = job->kind == JOB_KCAGC ? job->min_cell : 1;

	if (least >= config->policy.min_cell)
		return ERR_OK;
	return err_set(ERR_PEER,
		       "the offered job of kind %s has cells of %u nodes (job.min_cell), "
		       "policy.min_cell of %s is %u",
		       job_kind_name(job), least, config->common.name, config->policy.min_cell);
}

/* The method and exchange of a kcagc job; with a plan, every one that it may take. */
static enum err check_kcagc(const struct party_config *config, const struct job *job)
{
	TRY(check_method(config, job->method));
	for (unsigned m = METHOD_TREE; job->plan != PLAN_OFF && m <= METHOD_BASIC; m++)
		if (m != METHOD_BASIC || job->min_cell == 1)
			TRY(check_method(config, (enum job_method)m));
	TRY(check_exchange(config, job->exchange));
	return job->plan == PLAN_OFF ? ERR_OK : check_exchange(config, EXCHANGE_DISTANCES);
}

/* The job's own numbers, not the coordinator's word, say what is summed and what noise there is. */
static enum err check_rows(const struct party_config *config, const struct work *work)
{
	const struct job *job = &work->job;

	if (job->participants > work->L)
		return err_set(ERR_PEER, "the offered job.participants is %u, of %zu parties",
			       job->participants, work->L);
	if (job->min_cluster < config->policy.min_cluster)
		return err_set(ERR_PEER,
			       "the offered job has sums of %u rows (job.min_cluster), "
			       "policy.min_cluster of %s is %u",
			       job->min_cluster, config->common.name, config->policy.min_cluster);
	return ERR_OK;
}

/* What is withheld this party withholds itself, but by the job's number. */
static enum err check_graphs(const struct party_config *config, const struct work *work)
{
	if (work->job.min_cluster >= config->policy.min_cluster)
		return ERR_OK;
	return err_set(ERR_PEER,
		       "the offered job has prototypes of %u graphs (job.min_cluster), "
		       "policy.min_cluster of %s is %u",
		       work->job.min_cluster, config->common.name, config->policy.min_cluster);
}

/* Whatever its kind, a job must claim as much privacy as the policy asks for. */
static enum err check_eps(const struct party_config *config, const struct job *job)
{
	struct job_noise_numbers noise;

	if (!(config->policy.max_eps > 0))
		return ERR_OK;
	if (job->kind == JOB_FEDWALK)
		return err_set(
		    ERR_PEER,
		    "the offered job of kind fedwalk promises at most job.eps, %g, for "
		    "single ties; policy.max_eps of %s is %g, for all that one vertex or "
		    "row has",
		    job->eps, config->common.name, config->policy.max_eps);
	TRY(job_noise(job, &noise));
	if (!(noise.eps > 0))
		return err_set(ERR_PEER,
			       "the offered job of kind %s claims no differential privacy, "
			       "policy.max_eps of %s is %g: %s",
			       job_kind_name(job), config->common.name, config->policy.max_eps,
			       is_of_rows(job) ? "it takes job.noise.on \"data\" with "
						 "job.noise.eps, delta and clip"
					       : "no job of this kind does");
	if (noise.eps > config->policy.max_eps)
		return err_set(ERR_PEER,
			       "the offered job.noise.eps is %g, policy.max_eps of %s is %g",
			       noise.eps, config->common.name, config->policy.max_eps);
	if (noise.delta > config->policy.max_delta)
		return err_set(ERR_PEER,
			       "the offered job.noise.delta is %g, policy.max_delta of %s is %g",
			       noise.delta, config->common.name, config->policy.max_delta);
	return ERR_OK;
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
	if (work->job.kind == JOB_KCAGC)
		TRY(check_kcagc(config, &work->job));
	if (work->job.kind == JOB_KCAGC || work->job.kind == JOB_KCAGC_PREDICT)
		TRY(check_cells(config, &work->job));
	if (is_of_rows(&work->job))
		TRY(check_rows(config, work));
	if (work->job.kind == JOB_FEDGCN)
		TRY(check_graphs(config, work));
	TRY(check_eps(config, &work->job));
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
