/* The coordinator: connects parties for jobs and adds up masked values; it sees only sums. */
#include "common/job/confine.h"
#include "common/job/daemon.h"
#include "common/job/hook.h"
#include "common/job/share.h"
#include "common/job/startup.h"
#include "crypto/secret.h"
#include "server/daemon/coordinator.h"
#include "server/daemon/service.h"
#include "proto/version.h"

#include <poll.h>
#include <stdio.h>
#include <unistd.h>

enum { READ_MS = 1000 };

enum { OPT_READY = OPT_OWN, OPT_SET, OPT_SEED, OPT_SERVE };

static const struct argp_option options[] = {
	{ "config", 'c', "FILE", 0, "configuration of this daemon (JSON)", 0 },
	{ "job", 'j', "FILE", 0, "job to run (JSON)", 0 },
	{ "serve", OPT_SERVE, NULL, 0, "run jobs that coterie job submits, until stopped", 0 },
	{ "set", OPT_SET, "PATH=VALUE", 0, "override a parameter of the job; may be repeated", 0 },
	{ "seed", OPT_SEED, "S", 0, "same as --set seed=S", 0 },
	{ "out", OPT_OUT, "DIR", 0,
	  "directory of results, instead of the configuration's "
	  "output",
	  0 },
	{ "ready-file", OPT_READY, "FILE", 0,
	  "file for the address; the coordinator writes it when it listens", 0 },
	{ "log-level", OPT_LEVEL, "LEVEL", 0, "error, warn, info or debug", 0 },
	{ "check-config", OPT_CHECK, NULL, 0, "check configuration and job, and exit", 0 },
	{ "describe", OPT_DESCRIBE, NULL, 0, "print all keys of configuration and job, and exit",
	  0 },
	{ 0 },
};

static error_t coordinator_main_parse(int key, char *arg, struct argp_state *state)
{
	struct daemon_arguments *a = state->input;

	switch (key) {
	case OPT_SERVE:
		a->serve = true;
		return 0;
	case OPT_SET:
		overrides_add(&a->job_set, "%s", arg);
		return 0;
	case OPT_SEED:
		overrides_add(&a->job_set, "seed=%s", arg);
		return 0;
	case OPT_READY:
		overrides_add_path(&a->config_set, "ready_file", arg);
		return 0;
	case ARGP_KEY_END:
		if (!a->describe && (!a->config || (!a->job && !a->serve)))
			argp_error(state, "--config and --job, or --serve, are needed");
		if (a->serve && (a->job || a->job_set.count))
			argp_error(
			    state,
			    "--serve takes jobs over its control socket: coterie job submit");
		return 0;
	default:
		return daemon_option(key, arg, state);
	}
}

static const char doc[] =
    "Runs one job with the parties of its configuration and exits. With --serve it runs jobs "
    "that users submit, until it is stopped. Exit status: 0 done, 1 the job failed, 2 a peer "
    "failed or was not authenticated, 3 a deadline passed, 4 bad arguments, configuration or "
    "input, 5 internal error, 6 cancelled.\vWrites results to the output directory: run.json "
    "and log.jsonl. Some kinds of jobs add labels.csv and labels.npy, embeddings.npy, or "
    "model.fedgcn.\n\n"
    "Example:\n"
    "  coordinator --config coordinator.json --job job.json\n"
    "  coordinator --config coordinator.json --serve";

static const struct argp argp = { .options = options,
				  .parser = coordinator_main_parse,
				  .doc = doc };

static enum err read_both(const struct daemon_arguments *a, struct coordinator_config *config,
			  struct job *job)
{
	enum err e;

	TRY(coordinator_config_read(config, a->config, a->config_set.item));
	e = a->job ? job_read(job, a->job, a->job_set.item) : ERR_OK;
	if (e == ERR_OK && a->job && config->parties.count < 2 && !job->allow_single)
		e = err_set(ERR_INPUT,
			    "%s: parties has %zu, expected at least 2, or allow_single in the job",
			    a->config, config->parties.count);
	if (e != ERR_OK)
		coordinator_config_release(config);
	return e;
}

/* Writes a line if standard output takes it within READ_MS. The process must end even if nothing
 * reads its output. */
static void coordinator_main_print_line(const char *what, const char *output, const char *more,
					const char *last)
{
	struct pollfd to = { .fd = STDOUT_FILENO, .events = POLLOUT };

	if (poll(&to, 1, READ_MS) == 1)
		dprintf(STDOUT_FILENO, "%s: results in %s; %s%s\n", what, output, more, last);
}

static enum err serve_or_run(const struct daemon_arguments *a,
			     const struct coordinator_config *config, const struct job *job)
{
	bool before = false;

	if (a->serve)
		return service_run(config);
	TRY(coordinator_run(config, job, &before));
	if (before)
		coordinator_main_print_line("done before this start", config->common.output,
					    "the same command now begins a new job", "");
	else
		coordinator_main_print_line("done", config->common.output, "coterie show ",
					    config->common.output);
	return ERR_OK;
}

static enum err coordinator_main_run(const struct daemon_arguments *a)
{
	size_t files = COORDINATOR_FILES + (a->serve ? SERVICE_FILES : 0);
	struct coordinator_config config;
	struct job job = { 0 };
	enum err e;

	TRY(read_both(a, &config, &job));
	if (!a->check)
		TRY(confine_code(&config.common, a->config, a->job, a->argv));
	e = a->check ? hook_check(&config.common) : hook_begin(&config.common);
	if (e == ERR_OK)
		e = share_begin(&config.common);
	secret_begin();
	if (e == ERR_OK)
		e = coordinator_check(&config);
	if (e == ERR_OK && a->check) {
		if (a->job)
			printf("%s and %s are valid\n", a->config, a->job);
		else
			printf("%s is valid\n", a->config);
		coordinator_config_release(&config);
		return ERR_OK;
	}
	if (e == ERR_OK)
		e = daemon_begin(&config.common, files + 2 * config.parties.count);
	secret_report();
	if (e == ERR_OK)
		e = serve_or_run(a, &config, &job);
	coordinator_config_release(&config);
	return e;
}

static void coordinator_main_describe(struct buf *text)
{
	buf_printf(text, "coordinator.json\n");
	coordinator_config_describe(text);
	buf_printf(text, "\njob.json\n");
	job_describe(text, false);
}

int main(int argc, char **argv)
{
	version_set(COTERIE_BUILD);
	argp_program_version = version_line("coordinator (coterie)");
	return daemon_main(argc, argv, &argp, coordinator_main_describe, coordinator_main_run);
}
