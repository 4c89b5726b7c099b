#include "common/job/removed.h"

#include <stddef.h>

/* clang-format off */
/* Kinds whose jobs had a removed key; ALL: every kind, or a configuration. */
#define ALL     { NULL }
#define JOINT   { "kcagc", "kmeans.columns" }
#define GRAPHS  { "kcagc", "kcagc.predict" }
#define KCAGC   { "kcagc" }
#define ROWS    { "fedsc", "kmeans" }
#define FEDSC   { "fedsc" }
#define FEDGCN  { "fedgcn" }
#define FEDWALK { "fedwalk" }
#define SPECTRAL { "fedspectral" }

const struct config_removed removed_keys[] = {
	{ "job.on_loss", "sum", "0.1.0", "use \"attempt\"", ALL },
	{ "job.prototypes", "gmm", "0.2.0", "use \"matched\"", FEDGCN },
	{ "job.prototypes", "best", "0.2.0", "use \"kde\"", FEDGCN },
	{ "job.prototypes", "own", "0.2.0", "use \"matched\"", FEDGCN },
	{ "job.em", "10", "0.2.0", NULL, FEDGCN },
	{ "job.em", NULL, "0.2.0", "leave it out: only prototypes \"gmm\" read it", FEDGCN },
	{ "job.aggregation", "none", "0.2.0",
	  "use job.baselines \"all\", of which \"alone\" trains each party by itself", FEDGCN },
	{ "party.policy.jobs", "fedgcn.best", "0.2.0", "remove it", ALL },
	{ "job.plan", "off", "0.2.0", NULL, KCAGC },
	{ "job.plan", NULL, "0.2.0",
	  "give method and exchange (docs/explanation/methods.md has the cost of each)", KCAGC },
	{ "job.start_words", "4194304", "0.2.0", NULL, JOINT },
	{ "job.start_words", NULL, "0.2.0",
	  "leave it out: starts sum 4194304 words in a round", JOINT },
	{ "coordinator.tcp_congestion", "cubic", "0.2.0", NULL, ALL },
	{ "coordinator.tcp_congestion", NULL, "0.2.0",
	  "leave it out: the system's default applies", ALL },
	{ "coordinator.user", NULL, "0.2.0",
	  "start the daemon as that user (User= of its unit)", ALL },
	{ "party.user", NULL, "0.2.0", "start the daemon as that user (User= of its unit)", ALL },
	{ "coordinator.away_s", "600", "0.2.0", NULL, ALL },
	{ "coordinator.away_s", NULL, "0.2.0", "leave it out: after 600 s on_event is run", ALL },
	{ "coordinator.greetings_per_address", "64", "0.2.0", NULL, ALL },
	{ "coordinator.greetings_per_address", NULL, "0.2.0", "leave it out: it is 64", ALL },
	{ "coordinator.max_queued", "1000", "0.2.0", NULL, ALL },
	{ "coordinator.max_queued", NULL, "0.2.0", "leave it out: 1000 jobs may wait", ALL },
	{ "party.tcp_congestion", "cubic", "0.2.0", NULL, ALL },
	{ "party.tcp_congestion", NULL, "0.2.0",
	  "leave it out: the system's default applies", ALL },
	{ "party.away_s", "600", "0.2.0", NULL, ALL },
	{ "party.away_s", NULL, "0.2.0", "leave it out: after 600 s on_event is run", ALL },
	{ "party.policy.max_rounds", NULL, "0.2.0", "use party.policy.max_words", ALL },
	{ "party.data.read.comment", NULL, "0.2.0",
	  "leave it out: '#' begins a comment in edges, nothing does in tables", ALL },
	{ "party.data.read.most", "64", "0.2.0", NULL, ALL },
	{ "party.data.read.most", NULL, "0.2.0",
	  "leave it out; a category whose values are given may have more than 64", ALL },
	{ "party.policy.min_change", "10", "0.2.0", NULL, ALL },
	{ "party.policy.min_change", NULL, "0.2.0", "leave it out: it is 10", ALL },
	{ "party.policy.max_declines", "60", "0.2.0", NULL, ALL },
	{ "party.policy.max_declines", NULL, "0.2.0", "leave it out: it is 60", ALL },
	{ "job.ninth", "true", "0.2.0", NULL, JOINT },
	{ "job.ninth", NULL, "0.2.0", "leave it out: the 1/9 step is always taken", JOINT },
	{ "job.polish_rows", "0", "0.2.0", NULL, JOINT },
	{ "job.polish_rows", NULL, "0.2.0",
	  "leave it out: each polish step is over all nodes", JOINT },
	{ "job.edges_to_others", "drop", "0.2.0", NULL, GRAPHS },
	{ "job.edges_to_others", NULL, "0.2.0",
	  "leave it out: such edges are left out and counted", GRAPHS },
	{ "job.participants", "0", "0.2.0", NULL, FEDSC },
	{ "job.participants", NULL, "0.2.0",
	  "leave it out: all parties take part in each round", FEDSC },
	{ "job.near", "4", "0.2.0", NULL, FEDSC },
	{ "job.near", NULL, "0.2.0", "leave it out: 4 landmarks stand for a row", FEDSC },
	{ "job.dims_share", "0.99", "0.2.0", NULL, FEDSC },
	{ "job.dims_share", NULL, "0.2.0",
	  "leave it out: d keeps 0.99 of the eigenvalues", FEDSC },
	{ "job.dims_most", "250", "0.2.0", NULL, FEDSC },
	{ "job.dims_most", NULL, "0.2.0", "leave it out, or give job.dims", FEDSC },
	{ "job.neighbours", "auto", "0.2.0", NULL, FEDSC },
	{ "job.neighbours", NULL, "0.2.0",
	  "leave it out: a row keeps max(ceil(ln n), 1)", FEDSC },
	{ "job.profile_noise", "1", "0.2.0", NULL, ROWS },
	{ "job.profile_noise", NULL, "0.2.0", "leave it out: the deviation is 1", ROWS },
	{ "job.unchanged", "0", "0.2.0", NULL, FEDGCN },
	{ "job.unchanged", NULL, "0.2.0", "leave it out, and give job.rounds", FEDGCN },
	{ "job.tree", "auto", "0.2.0", NULL, FEDWALK },
	{ "job.tree", NULL, "0.2.0",
	  "leave it out: the tree is exact up to 50000 vertices", FEDWALK },
	{ "job.regularize", "0", "0.2.0", NULL, SPECTRAL },
	{ "job.regularize", NULL, "0.2.0",
	  "use tau, in harmonic means of the degrees: smaller than in means", SPECTRAL },
	{ "coordinator.http.submitter", NULL, "0.2.0",
	  "give submitters a certificate and a role in api.roles", ALL },
	{ "job.align", "hashed", "0.2.0", "use \"intersect\"", ALL },
	{ "party.policy.align", "hashed", "0.2.0", "remove it", ALL },
	{ NULL, NULL, NULL, NULL, ALL },
};
/* clang-format on */
