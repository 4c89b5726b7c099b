#include "party/work/kind.h"
#include "common/base/file.h"
#include "common/data/dataset.h"

#include <stdlib.h>

/* ---- consent ---- */

enum err party_allow_clusters(const struct party_config *config, unsigned min_cluster,
			      const char *things)
{
	if (min_cluster >= config->policy.min_cluster)
		return ERR_OK;
	return err_set(ERR_PEER,
		       "the offered job has %s (job.min_cluster), policy.min_cluster of %s is %u",
		       things, config->common.name, config->policy.min_cluster);
}

enum err party_allow_claim(const struct party_config *config, const struct work *work)
{
	struct kind_claim claim = job_claim(&work->job);

	if (!(claim.eps > 0))
		return err_set(ERR_PEER,
			       "the offered job of kind %s claims no differential privacy, "
			       "policy.max_eps of %s is %g: it takes job.noise with eps and delta",
			       work->job.kind->name, config->common.name, config->policy.max_eps);
	if (claim.eps > config->policy.max_eps)
		return err_set(ERR_PEER,
			       "the offered job.noise.eps is %g, policy.max_eps of %s is %g",
			       claim.eps, config->common.name, config->policy.max_eps);
	if (claim.delta > config->policy.max_delta)
		return err_set(ERR_PEER,
			       "the offered job.noise.delta is %g, policy.max_delta of %s is %g",
			       claim.delta, config->common.name, config->policy.max_delta);
	return ERR_OK;
}

/* ---- data ---- */

const char *party_off_ranks(const struct work *work)
{
	return work->side->off_ranks ? work->side->off_ranks(work) : "no job of that kind does";
}

enum err party_check_rows(struct work *work)
{
	if (work->n >= 2)
		return ERR_OK;
	return err_set(ERR_INPUT, "%s has %zu row, expected at least 2 with a job of kind %s",
		       work->name[work->own], work->n, work->job.kind->name);
}

enum err party_describe_columns(const struct work *work, struct msg_accept *a)
{
	a->columns = (uint32_t)features_cols(work->features);
	return ERR_OK;
}

/* ---- the end ---- */

enum err party_keep_labels(struct work *work, const uint32_t *label)
{
	const struct dataset *d = work->dataset;
	char *csv, *npy;
	enum err e;

	record_result(work->record, label, d->n, work->job.clusters);
	if (work->confidence)
		record_confidence(work->record, work->confidence, d->n);
	csv = file_join(work->output, "labels.csv");
	npy = file_join(work->output, "labels.npy");
	e = file_make_dirs(work->output);
	if (e == ERR_OK)
		e = dataset_write_labels(csv, npy, d, label, work->confidence);
	free(csv);
	free(npy);
	return e;
}
