/* coterie run: a federation in one process. Coordinator and parties run the daemons' job
 * threads, with offer, keys, masks and ledgers; their channels are joined in memory. */
#include "cli/launch/launch.h"
#include "common/base/alloc.h"
#include "common/base/file.h"
#include "common/base/log.h"
#include "common/job/daemon.h"
#include "common/job/roles.h"
#include "common/kind/tree.h"
#include "crypto/numbering.h"
#include "crypto/secret.h"
#include "party/daemon/data.h"
#include "party/daemon/job.h"
#include "party/daemon/served.h"
#include "server/daemon/job.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct party {
	struct party_config config;
	struct identity *identity;
	struct numbering numbering;
	struct party_data data;
	struct mailbox *mailbox;
	struct channel *channel;
	struct record record;
	struct work work;
	struct served *served;
	struct declines declines;
	struct job_means means;
	pthread_t thread;
	enum err result;
	char why[ERR_DETAIL_MAX];
};

struct together {
	struct launch launch;
	struct coordinator_config config;
	struct mailbox *mailbox;
	struct channel *channel[PARTIES_MAX];
	const char *name[PARTIES_MAX];
	struct record record;
	struct numbering numbering;
	struct run run;
	struct party *party;
	unsigned count;
};

/* Finds the configuration of a daemon, and adds overrides that direct its results to this run. The
 * caller owns *path. */
static void find_config(const struct launch *l, const char *name, char **path,
			struct overrides *set)
{
	char *out = file_join(l->out, name);

	*path = launch_file(l->work, name, ".json");
	overrides_add(set, "output=%s", out);
	free(out);
}

static enum err open_coordinator(struct together *t)
{
	struct overrides set = { 0 };
	char *path;
	enum err e;

	find_config(&t->launch, "coordinator", &path, &set);
	e = coordinator_config_read(&t->config, path, set.item);
	/* Channels in memory carry no heartbeats: a peer may compute for any time. */
	t->config.common.step_timeout_s = 0;
	if (e == ERR_OK)
		e = numbering_read(&t->numbering, t->config.common.numbering_key);
	if (e == ERR_OK)
		e = file_make_dirs(t->config.common.output);
	overrides_release(&set);
	free(path);
	return e;
}

static enum err open_party(struct together *t, unsigned number)
{
	struct party *p = &t->party[number];
	const struct daemon_common *c = &p->config.common;
	/* Names are sorted as in a job: party-100 comes before party-11. */
	const char *name = t->config.parties.item[number];
	struct overrides set = { 0 };
	char *path;
	enum err e;

	find_config(&t->launch, name, &path, &set);
	e = party_config_read(&p->config, path, set.item);
	p->config.common.step_timeout_s = 0;
	if (e == ERR_OK) {
		t->count++;
		e = identity_load(&p->identity, c->identity.certificate, c->identity.key,
				  c->identity.passphrase);
	}
	if (e == ERR_OK)
		e = numbering_read(&p->numbering, c->numbering_key);
	if (e == ERR_OK)
		e = party_data_bring(&p->data, &p->config);
	if (e == ERR_OK)
		e = file_make_dirs(c->output);
	overrides_release(&set);
	free(path);
	return e ? err_prefix(e, "%s", name) : ERR_OK;
}

static void *run_command_take_part(void *arg)
{
	struct party *p = arg;

	p->result = job_take_part(&p->work, &p->means);
	if (p->result != ERR_OK)
		snprintf(p->why, sizeof(p->why), "%s", err_detail());
	return NULL;
}

static void join_channels(struct together *t)
{
	const struct daemon_common *c = &t->config.common;

	t->mailbox = mailbox_new(c->step_timeout_s);
	record_init(&t->record, "coordinator", c->name);
	for (unsigned l = 0; l < t->launch.parties; l++) {
		struct party *p = &t->party[l];
		const struct daemon_common *own = &p->config.common;

		t->name[l] = own->name;
		t->channel[l] = channel_new(t->mailbox, COORD, own->name);
		p->mailbox = mailbox_new(own->step_timeout_s);
		p->channel = channel_new(p->mailbox, PARTY, c->name);
		channel_pair(t->channel[l], p->channel);
		record_init(&p->record, "party", own->name);
		p->work = (struct work){ .channel = p->channel,
					 .mailbox = p->mailbox,
					 .record = &p->record,
					 .numbering = &p->numbering,
					 .threads = own->threads };
		p->served = served_new(p->config.state);
		p->means = (struct job_means){ .config = &p->config,
					       .identity = p->identity,
					       .data = &p->data,
					       .served = p->served,
					       .declines = &p->declines };
	}
	roles_name_of(getuid(), t->record.submitter);
	t->run = (struct run){ .job = t->launch.job,
			       .submitter = t->record.submitter,
			       .attempt = 1,
			       .L = t->launch.parties,
			       .name = t->name,
			       .channel = t->channel,
			       .mailbox = t->mailbox,
			       .record = &t->record,
			       .numbering = &t->numbering,
			       .threads = c->threads };
}

/* Waits for signals. The first signal that stops the run cancels the job; the second one ends the
 * process. */
static void *run_command_on_stop(void *arg)
{
	struct together *t = arg;
	sigset_t set;
	int sig;

	launch_signals(&set, SIGUSR1); /* SIGUSR1 means that the job is over */
	sigwait(&set, &sig);
	if (sig == SIGUSR1)
		return NULL;
	mailbox_cancel(t->mailbox, ERR_CANCELLED, "stopped by a signal");
	sigwait(&set, &sig);
	if (sig != SIGUSR1)
		_exit(ERR_CANCELLED);
	return NULL;
}

static enum err run_threads(struct together *t)
{
	pthread_t stopper;
	sigset_t set;
	enum err e;

	launch_signals(&set, SIGUSR1);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	if (pthread_create(&stopper, NULL, run_command_on_stop, t))
		return err_set(ERR_INTERNAL, "no thread could be started");
	for (unsigned l = 0; l < t->launch.parties; l++)
		if (pthread_create(&t->party[l].thread, NULL, run_command_take_part,
				   &t->party[l])) {
			fprintf(stderr, "coterie run: no thread for %s could be started\n",
				t->name[l]);
			_exit(ERR_INTERNAL);
		}
	e = job_serve(&t->run, t->config.common.output);
	for (unsigned l = 0; l < t->launch.parties; l++)
		pthread_join(t->party[l].thread, NULL);
	pthread_kill(stopper, SIGUSR1);
	pthread_join(stopper, NULL);
	return e;
}

static void close_all(struct together *t)
{
	for (unsigned l = 0; l < t->count; l++) {
		struct party *p = &t->party[l];

		if (p->mailbox) {
			channel_free(p->channel);
			channel_free(t->channel[l]);
			mailbox_free(p->mailbox);
			record_release(&p->record);
		}
		party_data_release(&p->data);
		identity_free(p->identity);
		served_free(p->served);
		party_config_release(&p->config);
	}
	if (t->mailbox) {
		mailbox_free(t->mailbox);
		record_release(&t->record);
	}
	coordinator_config_release(&t->config);
	free(t->party);
}

static enum err run_command_run(void *arguments)
{
	struct together *t = arguments;
	struct launch *launch = &t->launch;
	bool policy = false;
	enum err e;

	if (t->launch.verbose)
		log_init("run", LOG_INFO);
	secret_begin();
	e = launch_check(launch);
	if (e == ERR_OK)
		e = launch_prepare(launch);
	if (e == ERR_OK)
		e = open_coordinator(t);
	t->party = alloc(launch->parties, sizeof(*t->party));
	for (unsigned l = 0; e == ERR_OK && l < launch->parties; l++)
		e = open_party(t, l);
	if (e != ERR_OK)
		goto out;
	launch_print(launch, "running a coordinator and %u parties as threads", launch->parties);
	join_channels(t);
	e = random_secret(t->run.job_id, JOB_ID_LEN);
	if (e == ERR_OK)
		e = run_threads(t);
	for (unsigned l = 0; e != ERR_OK && l < launch->parties; l++)
		if (t->party[l].result != ERR_OK) {
			launch_print(launch, "%s: %s", t->name[l], t->party[l].why);
			policy |= strstr(t->party[l].why, "policy.") != NULL;
		}
	launch_print_policy(policy && !launch->quiet);
out:
	close_all(t);
	if (e == ERR_OK && !launch->id_files)
		launch_show(launch);
	launch_end(launch);
	return e;
}

enum err launch_together(const struct launch *l)
{
	struct together *t = alloc(1, sizeof(*t));
	enum err e;

	t->launch = *l;
	e = run_command_run(t);
	free(t);
	return e;
}

static error_t run_command_parse(int key, char *arg, struct argp_state *state)
{
	struct together *t = state->input;

	if (key != ARGP_KEY_INIT)
		return args_none(key, arg, state);
	state->child_inputs[0] = &t->launch;
	return 0;
}

int run_main(int argc, char **argv)
{
	static const struct argp_child children[] = { { &launch_argp, 0, NULL, 0 }, { 0 } };
	static const struct argp argp = {
		.parser = run_command_parse,
		.doc = "Runs one federated job in this process: splits the data, makes keys, "
		       "and runs coordinator and parties as threads, with messages in memory. "
		       "Use it for a first try, or with a debugger.\vThe threads run the code "
		       "of the daemons, with offer, keys, masks and ledgers. With the same "
		       "seed, `coterie launch` gives the same labels, at the same places. There "
		       "is no TLS, no sandbox and no second attempt. The seconds on the wire "
		       "mean nothing.",
		.children = children,
	};
	struct together *t = alloc(1, sizeof(*t));
	int status;

	t->launch.split.seed = 1;
	status = (int)args_run("run", &argp, argc, argv, t, run_command_run);
	free(t);
	return status;
}
