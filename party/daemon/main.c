/* A party: holds its own data, computes on them, and sends only cluster labels and terms of secure
 * sums. */
#include "common/base/file.h"
#include "common/base/log.h"
#include "common/job/confine.h"
#include "common/job/daemon.h"
#include "common/job/hook.h"
#include "common/job/startup.h"
#include "common/linalg/la.h"
#include "crypto/secret.h"
#include "party/daemon/daemon.h"
#include "party/daemon/kinds.h"
#include "party/ranks/mpirun.h"
#include "proto/version.h"

#include <argp.h>
#include <signal.h>
#include <stdio.h>

enum { OPT_CHECK = 256, OPT_ONCE, OPT_OUT, OPT_COORDINATOR, OPT_LEVEL, OPT_DESCRIBE };

static const struct argp_option options[] = {
	{ "config", 'c', "FILE", 0, "this daemon's configuration (JSON)", 0 },
	{ "job", 'j', "FILE", 0, "the job this party has agreed to; any other is declined", 0 },
	{ "once", OPT_ONCE, NULL, 0, "end after one job, with its exit status", 0 },
	{ "out", OPT_OUT, "DIR", 0, "where results go, instead of the configuration's output", 0 },
	{ "coordinator", OPT_COORDINATOR, "HOST:PORT", 0,
	  "whom to dial, instead of the configuration's", 0 },
	{ "log-level", OPT_LEVEL, "LEVEL", 0, "error, warn, info or debug", 0 },
	{ "check-config", OPT_CHECK, NULL, 0, "check the configuration (and job), and exit", 0 },
	{ "describe", OPT_DESCRIBE, NULL, 0, "print every key of the configuration, and exit", 0 },
	{ 0 },
};

enum { RETRY_ONCE_S = 60 };

struct arguments {
	char **argv;
	const char *config, *job;
	struct overrides config_set;
	bool once, check, describe;
};

static error_t party_main_parse(int key, char *arg, struct argp_state *state)
{
	struct arguments *a = state->input;

	switch (key) {
	case 'c':
		a->config = arg;
		return 0;
	case 'j':
		a->job = arg;
		return 0;
	case OPT_ONCE:
		a->once = true;
		return 0;
	case OPT_OUT:
		overrides_add_path(&a->config_set, "output", arg);
		return 0;
	case OPT_COORDINATOR:
		overrides_add(&a->config_set, "coordinator=%s", arg);
		return 0;
	case OPT_LEVEL:
		overrides_add(&a->config_set, "log_level=%s", arg);
		return 0;
	case OPT_CHECK:
		a->check = true;
		return 0;
	case OPT_DESCRIBE:
		a->describe = true;
		return 0;
	case ARGP_KEY_ARG:
		argp_error(state, "unexpected argument: %s", arg);
		return 0;
	case ARGP_KEY_END:
		if (!a->describe && !a->config)
			argp_error(state, "--config is needed");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const char doc[] =
    "Dials the coordinator of its configuration and serves the jobs that its policy "
    "allows, until stopped. Exit status with --once: 0 done, 1 the job failed, 2 a peer "
    "failed or was not authenticated, 3 a deadline passed, 4 bad arguments, "
    "configuration or input, 5 internal error, 6 cancelled.\v"
    "Results are written to the output directory, with --once directly, otherwise to a "
    "directory per job: run.json, and labels.csv and labels.npy, or embeddings.npy and "
    "ids.csv; profile.csv, profile-joint.csv, of kmeans centres.csv, of "
    "kmeans and fedsc model.rows; and log.jsonl.";

static const struct argp argp = { .options = options, .parser = party_main_parse, .doc = doc };

static enum err party_main_run(const struct arguments *a)
{
	struct daemon_options o = { .once = a->once };
	struct party_config config;
	struct job agreed;
	enum err e;

	TRY(party_config_read(&config, a->config, a->config_set.item));
	if (!a->check)
		TRY(confine_code(&config.common, a->config, a->job, a->argv));
	if (a->once && config.retry_s == 0)
		config.retry_s = RETRY_ONCE_S;
	e = a->job ? job_read(&agreed, a->job, NULL) : ERR_OK;
	if (a->job)
		o.agreed = &agreed;
	if (e == ERR_OK)
		e = a->check ? hook_check(&config.common) : hook_begin(&config.common);
	if (e == ERR_OK)
		e = a->check ? mpirun_check(&config) : mpirun_begin(&config);
	secret_begin();
	if (e == ERR_OK)
		e = daemon_check(&config);
	if (e == ERR_OK && a->check) {
		printf("%s is right\n", a->config);
	} else if (e == ERR_OK) {
		e = daemon_begin(&config.common, PARTY_FILES);
		secret_report();
		if (e == ERR_OK)
			e = daemon_run(&config, &o);
	}
	party_config_release(&config);
	return e;
}

int main(int argc, char **argv)
{
	struct arguments a = { .argv = argv };
	struct buf text = { 0 };
	enum err e;

	file_hold_standard();
	version_set(COTERIE_BUILD);
	argp_program_version = version_line("party (coterie)");
	la_begin(argv);
	party_kinds_check();
	signal(SIGHUP, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN); /* exceeding RLIMIT_FSIZE is then an error like a full disk */
	argp_err_exit_status = ERR_INPUT;
	if (argp_parse(&argp, argc, argv, 0, NULL, &a) != 0) {
		fprintf(stderr, "out of memory\n");
		return ERR_INTERNAL;
	}
	if (a.describe) {
		buf_printf(&text, "party.json\n");
		party_config_describe(&text);
		fwrite(text.p, 1, text.n, stdout);
		buf_release(&text);
		return ERR_OK;
	}
	e = party_main_run(&a);
	if (e != ERR_OK)
		daemon_failed(e);
	mpirun_end();
	hook_end();
	log_close();
	overrides_release(&a.config_set);
	return e;
}
