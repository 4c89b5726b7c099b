/* Checks of fedwalk that concern several parameters. */
#include "protocols/fedwalk/job.h"
#include "protocols/fedwalk/response.h"

#include <string.h>

const char *fedwalk_unread(const void *p, const struct config_row *row)
{
	const struct fedwalk_job *job = p;

	return job->dissimilarity == DISSIMILARITY_L1 && !strcmp(row->path, "dtw_rows")
		   ? "where job.dissimilarity is \"dtw\""
		   : NULL;
}

enum err fedwalk_check(const void *p)
{
	const struct fedwalk_job *job = p;

	if (job->window >= job->length)
		return err_set(ERR_INPUT,
			       "job.window is %u, expected less than job.length, %u: no two "
			       "vertices of a walk are further apart",
			       job->window, job->length);
	if (job->mode == FEDWALK_RESPONSE &&
	    (job->eps < FEDWALK_RESPONSE_MIN || job->eps > FEDWALK_RESPONSE_MAX))
		return err_set(
		    ERR_INPUT,
		    "job.eps is %g, expected %g to %g with mode \"randomized-response\": "
		    "below it reports say nothing, above it nothing is randomised",
		    job->eps, FEDWALK_RESPONSE_MIN, FEDWALK_RESPONSE_MAX);
	return ERR_OK;
}
