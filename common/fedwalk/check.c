/* What the bounds of single parameters cannot say of fedwalk. */
#include "common/job/check.h"

#include <string.h>

static bool among(const char *path, const char *const *paths)
{
	for (; *paths; paths++)
		if (!strcmp(path, *paths))
			return true;
	return false;
}

const char *job_fedwalk_unread(const struct job *job, const char *path)
{
	static const char *const of_walks[] = { "dissimilarity", "dtw_rows", "tree", "p",
						"bins",          NULL };

	if (job->fedwalk_mode == FEDWALK_RESPONSE && among(path, of_walks))
		return "mode \"randomized-response\" does not read it";
	if (job->dissimilarity == DISSIMILARITY_L1 && !strcmp(path, "dtw_rows"))
		return "dissimilarity \"l1\" does not read it";
	return NULL;
}

/* Below it reports say nothing and are n^2 / 4, beyond it every one is true. */
static const double RESPONSE_EPS_MIN = 0.1, RESPONSE_EPS_MAX = 40;

enum err job_check_fedwalk(const struct job *job)
{
	if (job->window >= job->length)
		return err_set(ERR_INPUT,
			       "job.window is %u, expected less than job.length, %u: no two "
			       "vertices of a walk are further apart",
			       job->window, job->length);
	if (job->fedwalk_mode == FEDWALK_RESPONSE &&
	    (job->eps < RESPONSE_EPS_MIN || job->eps > RESPONSE_EPS_MAX))
		return err_set(
		    ERR_INPUT,
		    "job.eps is %g, expected %g to %g with mode \"randomized-response\": "
		    "below it reports say nothing, above it nothing is randomised",
		    job->eps, RESPONSE_EPS_MIN, RESPONSE_EPS_MAX);
	if (job->dissimilarity == DISSIMILARITY_DTW && job->hct == TREE_LANDMARKS)
		return err_set(ERR_INPUT,
			       "job.tree is \"landmarks\", expected \"exact\" or \"auto\" "
			       "with dissimilarity \"dtw\": groups are of degree vectors");
	return ERR_OK;
}
