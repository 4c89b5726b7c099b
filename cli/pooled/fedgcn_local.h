/* fedgcn_local.h -- FedGCN with all parties in this process, what a run of daemons is compared with:
 * its sums are in the same fixed point, so models and labels are the same bits. */
#ifndef CLI_POOLED_FEDGCN_LOCAL_H
#define CLI_POOLED_FEDGCN_LOCAL_H

#include "common/base/err.h"
#include "common/base/json.h"

#include <stdbool.h>
#include <stddef.h>

enum { FEDGCN_SETS_MAX = 64 };

struct fedgcn_local_params {
	const char *job;   /* a file; of kind fedgcn */
	char *const *set;  /* "path=value" over it, NULL at the end; or NULL */
	const char **data; /* each party's set of graphs */
	size_t sets;       /* FEDGCN_SETS_MAX at most */
	unsigned threads;
	bool baselines;
	const char *out; /* labels and model of each party, by the sets' names; may be NULL */
};

/* Puts what the run came to, and the scores of sets that have labels, into *result. ERR_INPUT: job
 * or sets are wrong; ERR_JOB: as fedgcn_run(), or cannot be written. */
enum err fedgcn_local(const struct fedgcn_local_params *p, struct json *result) MUST_CHECK;

#endif
