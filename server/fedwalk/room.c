#include "server/fedwalk/fedwalk.h"
#include "common/base/log.h"
#include "common/base/machine.h"
#include "common/fedwalk/distance.h"

#include <math.h>
#include <stdio.h>

enum err fedwalk_check_room(const struct run *run)
{
	const struct job *job = &run->job;
	bool response = job->fedwalk.mode == FEDWALK_RESPONSE;
	enum fedwalk_how how = fedwalk_tree_how(&job->fedwalk, run->n);
	double train =
	    fedwalk_train_bytes(run->n, job->fedwalk.walks, job->fedwalk.length, run->threads);
	double first = fedwalk_first_bytes(&job->fedwalk, run->n, how);
	double have = machine_memory();
	const char *what = response ? "reports" : "tree";
	char advice[160] = "fewer job.walks, or shorter ones, take less";

	log_info(
	    "%zu vertices: the %s will take %.2f GiB here, walks and training %.2f GiB, of %.2f "
	    "GiB",
	    run->n, what, first / 0x1p30, train / 0x1p30, have / 0x1p30);
	if (fmax(first, train) <= have) /* the first is released before walks begin */
		return ERR_OK;
	if (response && first > train)
		snprintf(advice, sizeof(advice), "a larger job.eps takes less");
	else if (how != FEDWALK_LANDMARKS && first > train)
		snprintf(advice, sizeof(advice),
			 "job.tree \"landmarks\"%s takes %.2f GiB for the tree",
			 how == FEDWALK_DTW ? " with job.dissimilarity \"l1\"" : "",
			 fedwalk_first_bytes(&job->fedwalk, run->n, FEDWALK_LANDMARKS) / 0x1p30);
	return err_set(
	    ERR_JOB,
	    "%zu vertices: the %s takes %.2f GiB and later walks and training %.2f GiB, this "
	    "coordinator has %.2f GiB; %s",
	    run->n, what, first / 0x1p30, train / 0x1p30, have / 0x1p30, advice);
}
