/* coterie prune: deletes old results and state; a dry run by default. */
#include "cli/args/args.h"
#include "cli/args/table.h"
#include "common/base/clock.h"
#include "common/base/file.h"
#include "common/base/machine.h"
#include "common/job/prune.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { OPT_STATE = 256, OPT_DAYS, OPT_GIB, OPT_YES };
enum { DAYS_MAX = 36500 };
#define GIB     1073741824.0
#define GIB_MAX 1e6

struct arguments {
	const char *output, *state;
	unsigned days;
	double gib;
	bool yes;
};

static const struct argp_option options[] = {
	{ "days", OPT_DAYS, "N", 0, "remove results that are older", 0 },
	{ "gib", OPT_GIB, "X", 0, "remove the oldest results until the rest takes at most X GiB",
	  0 },
	{ "state", OPT_STATE, "DIR", 0,
	  "state directory of a party; default OUT/state if it exists", 0 },
	{ "yes", OPT_YES, NULL, 0, "remove; by default only list", 0 },
	{ 0 }
};

static error_t prune_parse(int key, char *arg, struct argp_state *state)
{
	struct arguments *a = state->input;
	const struct args_field fields[] = {
		{ OPT_DAYS, ARGS_TO(a->days), 1, DAYS_MAX },
		{ OPT_GIB, ARGS_TO(a->gib), 1e-6, GIB_MAX },
		{ OPT_STATE, ARGS_TO(a->state) },
		{ OPT_YES, ARGS_TO(a->yes) },
		{ ARGP_KEY_ARG, ARGS_TO(a->output) },
		{ 0 },
	};

	if (key == ARGP_KEY_END) {
		args_need(state, a->output, "the output directory of a daemon is missing");
		args_need(state, a->days || a->gib > 0, "--days, --gib or both are needed");
	}
	return args_take(options, fields, key, arg, state);
}

static void prune_show(const struct prune *p)
{
	static const char *const heads[] = { "what", "from", ">size" };
	struct table *t = table_new(heads, 3);
	char date[32];

	for (size_t i = 0; i < p->n; i++) {
		if (!p->item[i].goes)
			continue;
		clock_utc_of(p->item[i].when, date, sizeof(date));
		table_cell(t, "%s", p->item[i].path);
		table_cell(t, "%.10s", date);
		table_cell(t, "%s", size_text(p->item[i].bytes).s);
	}
	table_print(t, stdout, table_width());
	table_free(t);
}

static enum err prune_run(void *arguments)
{
	const struct arguments *a = arguments;
	char *usual = file_join(a->output, "state");
	const char *state = a->state ? a->state : file_exists(usual) ? usual : NULL;
	double going = 0, staying = 0;
	struct prune p = { 0 };
	enum err e = prune_find(&p, a->output, state);
	size_t n = 0;

	if (e == ERR_OK)
		n = prune_choose(&p, time(NULL), a->days, a->gib * GIB);
	for (size_t i = 0; i < p.n; i++)
		*(p.item[i].goes ? &going : &staying) += p.item[i].bytes;
	if (n)
		prune_show(&p);
	if (e == ERR_OK && n && a->yes)
		e = prune_remove(&p);
	if (e == ERR_OK && !n)
		printf("nothing to remove; %zu items take %s\n", p.n, size_text(staying).s);
	else if (e == ERR_OK)
		printf("%s: %zu of %zu, %s; %s stays\n",
		       a->yes ? "removed" : "would be removed, with --yes", n, p.n,
		       size_text(going).s, size_text(staying).s);
	prune_release(&p);
	free(usual);
	return e;
}

int prune_main(int argc, char **argv)
{
	static const struct argp argp = {
		.options = options,
		.parser = prune_parse,
		.args_doc = "OUT",
		.doc = "Removes results of earlier jobs from a daemon's output directory: job-* "
		       "with their results, and a party's models and answered offers. Without "
		       "--yes it only lists what it would remove.\vIt never removes the current or "
		       "last job, the log, the ledger, the list of served attempts, and the noise "
		       "key.",
	};
	return (int)args_run("prune", &argp, argc, argv, &(struct arguments){ 0 }, prune_run);
}
