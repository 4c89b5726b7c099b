/* Options common to launch and run. */
#include "cli/launch/launch.h"
#include "common/job/kinds.h"
#include "common/kind/tree.h"

#include <string.h>

enum {
	KEY_SHARED = 512,
	KEY_OVERLAP,
	KEY_REGIONS,
	KEY_SKEW,
	KEY_ROWS,
	KEY_ALLOW,
	KEY_POLICY,
	KEY_SINGLE,
	KEY_KEEP,
	KEY_CONTIGUOUS
};

static const struct argp_option options[] = {
	{ "data", 'd', "DIR", 0,
	  "directory with features.mtx|npy|csv, edges.tsv|mtx, and optional ids.txt and "
	  "labels.txt; features or edges may be absent if the job does not need them; for "
	  "graphs a set in TU format, or a directory of such sets",
	  0 },
	{ "job", 'j', "FILE", 0, "the job", 0 },
	{ "parties", 'l', "L", 0, "number of parties", 0 },
	{ "by", 'b', "WHAT", 0,
	  "split by columns, rows, edges, vertices or graphs; by default the job's kind "
	  "decides. If DIR has several sets of graphs, each party gets one, in the order of "
	  "names",
	  0 },
	{ "shared-edges", KEY_SHARED, "F", 0,
	  "by columns: part of the edges that each party gets, 0.5 to 1; needs --set graphs=own",
	  0 },
	{ "keep", KEY_ROWS, "F", 0,
	  "by columns: part of the rows that each party gets, in its own order; needs --set "
	  "align=intersect",
	  0 },
	{ "contiguous", KEY_CONTIGUOUS, NULL, 0,
	  "by columns: each party gets adjacent columns, in their order", 0 },
	{ "overlap", KEY_OVERLAP, "F", 0,
	  "by edges: part of the parties that get each edge, 0 to 1; default one party", 0 },
	{ "regions", KEY_REGIONS, NULL, 0, "by edges: each party gets the edges of one region", 0 },
	{ "skew", KEY_SKEW, "S", 0,
	  "by rows or graphs: part of them that is split by class, 0 to 1, so that parties "
	  "differ",
	  0 },
	{ "allow", KEY_ALLOW, "NAME", 0,
	  "add NAME, such as fedsc.paper, to policy.jobs of the parties; may be repeated; by "
	  "default they accept every kind, but no variant that discloses more",
	  0 },
	{ "policy", KEY_POLICY, "KEY=X", 0,
	  "set a key of the parties' policy: min_cluster, min_common, max_eps, max_delta, "
	  "allow_loss or profile (1: yes)",
	  0 },
	{ "seed", 's', "S", 0, "seed of the split and of the job", 0 },
	ARGS_SET,
	{ "out", 'o', "DIR", 0,
	  "directory of results; must not have an earlier run; default out/launch-TIME-PID", 0 },
	{ "allow-single", KEY_SINGLE, NULL, 0, "allow --parties 1, which masks nothing", 0 },
	{ "keep-data", KEY_KEEP, NULL, 0, "keep slices, keys and configurations in OUT/work", 0 },
	{ "quiet", 'q', NULL, 0, "print no progress and no table", 0 },
	{ "verbose", 'v', NULL, 0,
	  "also print seconds of each phase, traffic and facts of the job; run: also the logs "
	  "of all processes",
	  0 },
	{ 0 },
};

static int launch_options_number_in(const char *const *names, const char *text)
{
	for (int i = 0; names[i]; i++)
		if (!strcmp(names[i], text))
			return i;
	return -1;
}

static void take_policy(struct launch *l, struct argp_state *state, const char *text)
{
	static const char *const keys[] = { "min_cluster=", "min_common=", "max_eps=",
					    "max_delta=",   "profile=",    "allow_loss=" };

	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
		if (!strncmp(text, keys[i], strlen(keys[i]))) {
			args_number(state, "policy", text + strlen(keys[i]), 0, 1e9);
			overrides_add(&l->policy, "%s", text);
			return;
		}
	argp_error(state,
		   "--policy is \"%s\", expected min_cluster=X, min_common=X, max_eps=X, "
		   "max_delta=X, allow_loss=X or profile=1",
		   text);
}

static error_t launch_options_parse(int key, char *arg, struct argp_state *state)
{
	struct launch *l = state->input;
	int by;

	switch (key) {
	case 'd':
		l->data = arg;
		return 0;
	case 'j':
		l->job_path = arg;
		return 0;
	case 'l':
		l->parties = (unsigned)args_whole(state, "parties", arg, 1, PARTIES_MAX);
		return 0;
	case 'b':
		by = launch_options_number_in(split_by_names, arg);
		if (by < 0)
			argp_error(
			    state,
			    "--by is \"%s\", expected columns, rows, edges, vertices or graphs",
			    arg);
		l->split.by = (enum kind_split)by;
		l->split_given = true;
		return 0;
	case KEY_SHARED:
		l->split.shared_edges =
		    args_number(state, "shared-edges", arg, SPLIT_SHARED_MIN, 1);
		return 0;
	case KEY_ROWS:
		l->split.keep = args_number(state, "keep", arg, SPLIT_KEEP_MIN, 1);
		return 0;
	case KEY_CONTIGUOUS:
		l->split.contiguous = true;
		return 0;
	case KEY_OVERLAP:
		l->split.overlap = args_number(state, "overlap", arg, 0, 1);
		return 0;
	case KEY_REGIONS:
		l->split.regions = true;
		return 0;
	case KEY_SKEW:
		l->split.skew = args_number(state, "skew", arg, 0, 1);
		return 0;
	case KEY_ALLOW:
		if (launch_options_number_in(kind_permissions(), arg) < 0)
			argp_error(state,
				   "--allow is \"%s\", expected the name of a kind of job, such as "
				   "fedsc.paper",
				   arg);
		overrides_add(&l->allowed, "%s", arg);
		return 0;
	case KEY_POLICY:
		take_policy(l, state, arg);
		return 0;
	case 's':
		l->split.seed = args_seed(state, arg);
		overrides_add(&l->set, "seed=%s", arg);
		return 0;
	case 'S':
		overrides_add(&l->set, "%s", arg);
		return 0;
	case 'o':
		l->out_given = arg;
		return 0;
	case KEY_SINGLE:
		l->allow_single = true;
		overrides_add(&l->set, "allow_single=true");
		return 0;
	case KEY_KEEP:
		l->keep_data = true;
		return 0;
	case 'q':
		l->quiet = true;
		return 0;
	case 'v':
		l->verbose = true;
		return 0;
	case ARGP_KEY_END:
		args_need(state, l->data && l->job_path && l->parties,
			  "--data, --job and --parties are needed");
		if (l->parties == 1 && !l->allow_single)
			argp_error(state, "--parties is 1: one party masks nothing; if that is "
					  "meant, add --allow-single");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

const struct argp launch_argp = {
	.options = options,
	.parser = launch_options_parse,
};
