#include "common/job/check.h"

enum err job_check_clusters(const struct job *job)
{
	if (job->clusters != JOB_AUTO)
		return ERR_OK;
	return err_set(
	    ERR_INPUT,
	    "job.clusters is \"auto\", expected a number with kind \"%s\": only fedspectral "
	    "has a rule for it",
	    job_kind_name(job));
}

enum err job_check_kind(const struct job *job)
{
	if (job->kind == JOB_FEDSPECTRAL)
		return ERR_OK;
	return job->kind == JOB_KCAGC_PREDICT ? job_check_clusters(job) : job_check_fedsc(job);
}
