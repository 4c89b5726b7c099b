#include "common/job/removed.h"

#include <stddef.h>

const struct config_removed removed_keys[] = {
	{ "job.on_loss", "sum", "0.1.0", "use \"attempt\"" },
	{ "job.prototypes", "gmm", "0.2.0", "use \"matched\"" },
	{ "job.prototypes", "best", "0.2.0", "use \"kde\"" },
	{ "job.prototypes", "own", "0.2.0", "use \"matched\"" },
	{ "job.em", "10", "0.2.0", NULL },
	{ "job.em", NULL, "0.2.0", "leave it out: only prototypes \"gmm\" read it" },
	{ "job.aggregation", "none", "0.2.0",
	  "use job.baselines \"all\", of which \"alone\" trains each party by itself" },
	{ "party.policy.jobs", "fedgcn.best", "0.2.0", "remove it" },
	{ "job.plan", "off", "0.2.0", NULL },
	{ "job.plan", NULL, "0.2.0",
	  "give method and exchange (docs/OPERATIONS.md has the cost of each)" },
	{ "job.start_words", "4194304", "0.2.0", NULL },
	{ "job.start_words", NULL, "0.2.0", "leave it out: starts sum 4194304 words in a round" },
	{ "coordinator.http.submitter", NULL, "0.2.0",
	  "give submitters a certificate and a role in api.roles" },
	{ "job.align", "hashed", "0.2.0", "use \"intersect\"" },
	{ "party.policy.align", "hashed", "0.2.0", "remove it" },
	{ NULL, NULL, NULL, NULL },
};
