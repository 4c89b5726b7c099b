/* A party holds its own data and computes on them. It sends numbers computed from data only as
 * terms of secure sums; docs/ARCHITECTURE.md names the exceptions. */
#include "common/job/confine.h"
#include "common/job/daemon.h"
#include "common/job/hook.h"
#include "common/job/share.h"
#include "common/job/startup.h"
#include "crypto/secret.h"
#include "party/daemon/daemon.h"
#include "proto/front.h"
#include "party/ranks/mpirun.h"
#include "proto/version.h"

#include <stdio.h>

enum { OPT_ONCE = OPT_OWN, OPT_COORDINATOR };

static const struct argp_option options[] = {
	{ "config", 'c', "FILE", 0, "configuration of this daemon (JSON)", 0 },
	{ "job", 'j', "FILE", 0, "job to accept; the party declines others", 0 },
	{ "once", OPT_ONCE, NULL, 0, "exit after one job, with its status", 0 },
	{ "out", OPT_OUT, "DIR", 0,
	  "directory of results, instead of the configuration's "
	  "output",
	  0 },
	{ "coordinator", OPT_COORDINATOR, "HOST:PORT", 0,
	  "address of the coordinator, instead of the configuration's", 0 },
	{ "log-level", OPT_LEVEL, "LEVEL", 0, "error, warn, info or debug", 0 },
	{ "check-config", OPT_CHECK, NULL, 0, "check the configuration (and job), and exit", 0 },
	{ "describe", OPT_DESCRIBE, NULL, 0, "print all keys of the configuration, and exit", 0 },
	{ 0 },
};

enum { RETRY_ONCE_S = 60 };

static error_t party_main_parse(int key, char *arg, struct argp_state *state)
{
	struct daemon_arguments *a = state->input;

	switch (key) {
	case OPT_ONCE:
		a->once = true;
		return 0;
	case OPT_COORDINATOR:
		overrides_add(&a->config_set, "coordinator=%s", arg);
		return 0;
	case ARGP_KEY_END:
		if (!a->describe && !a->config)
			argp_error(state, "--config is needed");
		return 0;
	default:
		return daemon_option(key, arg, state);
	}
}

static const char doc[] =
    "Dials the coordinator of its configuration and serves the jobs that its policy allows, "
    "until stopped. Exit status with --once: 0 done, 1 the job failed, 2 a peer failed or was "
    "not authenticated, 3 a deadline passed, 4 bad arguments, configuration or input, 5 "
    "internal error, 6 cancelled.\vWrites results to the output directory. Without --once, each "
    "job has a subdirectory. Files: run.json, log.jsonl, profile.csv and profile-joint.csv; "
    "labels.csv and labels.npy, or embeddings.npy and ids.csv; for kmeans and fedsc also "
    "centres.csv and model.rows.\n\n"
    "Example:\n"
    "  party --config party.json --check-config\n"
    "  party --config party.json --once";

static const struct argp argp = { .options = options, .parser = party_main_parse, .doc = doc };

static enum err party_main_run(const struct daemon_arguments *a)
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
	if (e == ERR_OK)
		e = share_begin(&config.common);
	secret_begin();
	if (e == ERR_OK)
		e = daemon_check(&config);
	if (e == ERR_OK && a->check) {
		printf("%s is valid\n", a->config);
	} else if (e == ERR_OK) {
		e = daemon_begin(&config.common,
				 PARTY_FILES + (config.api.listen ? FRONT_FILES : 0));
		secret_report();
		if (e == ERR_OK)
			e = daemon_run(&config, &o);
	}
	party_config_release(&config);
	return e;
}

static void party_main_describe(struct buf *text)
{
	buf_printf(text, "party.json\n");
	party_config_describe(text);
}

int main(int argc, char **argv)
{
	int status;

	version_set(COTERIE_BUILD);
	argp_program_version = version_line("party (coterie)");
	status = daemon_main(argc, argv, &argp, party_main_describe, party_main_run);
	mpirun_end();
	return status;
}
