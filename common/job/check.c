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

/* Only exact has eigenvalues. */
static enum err check_fedspectral(const struct job *job)
{
	if (job->clusters != JOB_AUTO || job->fedspectral_variant == FEDSPECTRAL_EXACT)
		return ERR_OK;
	return err_set(ERR_INPUT,
		       "job.clusters is \"auto\", expected a number with this job.variant: only "
		       "\"exact\" knows the eigengap");
}

enum err job_check_kind(const struct job *job)
{
	if (job->kind == JOB_FEDSPECTRAL)
		return check_fedspectral(job);
	if (job->kind == JOB_FEDWALK)
		return job_check_fedwalk(job);
	if (job->kind == JOB_FEDGCN)
		return job_check_fedgcn(job);
	return job->kind == JOB_KCAGC_PREDICT ? job_check_clusters(job) : job_check_fedsc(job);
}
