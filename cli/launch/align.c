/* coterie align: finds the common ids of several files, by a job of kind align in this process. */
#include "cli/launch/launch.h"
#include "common/base/alloc.h"
#include "common/base/file.h"
#include "common/data/ids.h"
#include "common/kind/align.h"
#include "common/kind/tree.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { KEY_BOUND = 512, KEY_LEAST };

struct aligning {
	struct launch launch;
};

static const struct argp_option options[] = {
	{ "bound", KEY_BOUND, "N", 0,
	  "most ids of a party, which all parties learn; by default they learn counts, rounded "
	  "up",
	  0 },
	{ "min-common", KEY_LEAST, "N", 0,
	  "fewest common ids; if there are fewer, the job ends; default 100", 0 },
	{ "seed", 's', "S", 0, "seed of the order of the common ids", 0 },
	{ "out", 'o', "DIR", 0,
	  "directory of results; must not have an earlier run; default out/align-PID", 0 },
	{ "quiet", 'q', NULL, 0, "print nothing", 0 },
	{ "verbose", 'v', NULL, 0, "print the logs of all processes", 0 },
	{ 0 },
};

static error_t align_command_parse(int key, char *arg, struct argp_state *state)
{
	struct aligning *a = state->input;
	struct launch *l = &a->launch;

	switch (key) {
	case KEY_BOUND:
		overrides_add(&l->set, "align_bound=%" PRIu64,
			      args_whole(state, "bound", arg, 1, ALIGN_IDS_MAX));
		return 0;
	case KEY_LEAST:
		overrides_add(&l->set, "min_common=%" PRIu64,
			      args_whole(state, "min-common", arg, 1, ALIGN_IDS_MAX));
		overrides_add(&l->policy, "min_common=%s", arg);
		return 0;
	case 's':
		args_seed(state, arg);
		overrides_add(&l->set, "seed=%s", arg);
		return 0;
	case 'o':
		l->out_given = arg;
		return 0;
	case 'q':
		l->quiet = true;
		return 0;
	case 'v':
		a->launch.verbose = true;
		return 0;
	case ARGP_KEY_ARG:
		if (l->parties == PARTIES_MAX)
			argp_error(state, "more than %d files", PARTIES_MAX);
		l->id_files = alloc_again(l->id_files, l->parties + 1, sizeof(*l->id_files));
		l->id_files[l->parties++] = arg;
		return 0;
	case ARGP_KEY_END:
		args_need(state, l->parties >= 2, "two files of ids are needed at least");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static enum err align_command_print_counts(const struct launch *l, const char *out)
{
	char *path = file_join(out, "party-00/ids.txt");
	struct ids ids;
	enum err e = ids_read(path, &ids);
	size_t common = ids.n;

	if (e == ERR_OK)
		ids_release(&ids);
	free(path);
	TRY(e);
	for (unsigned i = 0; i < l->parties; i++) {
		char *within = file_join(l->id_files[i], "ids.txt");

		e = ids_read(file_exists(within) ? within : l->id_files[i], &ids);
		free(within);
		TRY(e);
		printf("%s: %zu of %zu ids are in all files\n", l->id_files[i], common, ids.n);
		ids_release(&ids);
	}
	printf("the %zu common ids, in the same order for each: %s/party-*/ids.txt\n", common, out);
	return ERR_OK;
}

static enum err align_command_run(void *arguments)
{
	struct aligning *a = arguments;
	char text[64];
	const char *out = a->launch.out_given;

	if (!out) { /* chosen here, because align_command_print_counts() reads the directory */
		snprintf(text, sizeof(text), "out/align-%d", (int)getpid());
		a->launch.out_given = out = text;
	}
	TRY(launch_together(&a->launch));
	return a->launch.quiet ? ERR_OK : align_command_print_counts(&a->launch, out);
}

int align_main(int argc, char **argv)
{
	static const struct argp argp = {
		.options = options,
		.parser = align_command_parse,
		.args_doc = "IDS...",
		.doc = "Finds the common ids of several files (one id per line; or directories "
		       "with ids.txt) by a job of kind \"align\": a coordinator and a party for "
		       "each file, as threads of this process.\vOrganisations use daemons for a "
		       "job of kind \"align\". OUT/party-00/run.json lists the disclosures of "
		       "the job.",
	};
	struct aligning *a = alloc(1, sizeof(*a));
	int status;

	a->launch.split.seed = 1;
	status = (int)args_run("align", &argp, argc, argv, a, align_command_run);
	free(a->launch.id_files);
	free(a);
	return status;
}
