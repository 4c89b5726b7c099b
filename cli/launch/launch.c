/* coterie launch: a coordinator and parties as processes of their own. */
#include "cli/launch/launch.h"
#include "cli/launch/hosts.h"
#include "common/base/alloc.h"
#include "common/base/clock.h"
#include "common/base/file.h"
#include "common/job/daemon.h"
#include "common/job/record.h"
#include "common/kind/tree.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
	READY_S = 30, /* until the coordinator listens */
	PATIENCE_S =
	    20, /* that it has to end by itself after a party failed, beyond what it may wait */
	STOP_S = 10, /* to end the job on all sides */
	LAST_S = 5,  /* that parties have after the coordinator's end, */
	RESULTS_S =
	    600, /* and if all went well, to write what others do not wait for (profile.csv) */
	TICK_MS = 20
};

struct process {
	pid_t pid;  /* 0: has ended, or was never started */
	int status; /* as a shell has it: 128 and the signal's number */
	char name[LAUNCH_NAME];
};

struct federation {
	struct launch launch;
	struct hosts hosts;
	char *bin;                               /* directory of the programs */
	struct process process[1 + PARTIES_MAX]; /* the coordinator, then the parties */
	unsigned started;
	struct process *failed; /* the party that failed first, or NULL */
	unsigned awaits_s;      /* the coordinator, for a party that is gone without a word */
};

/* ---- processes ---- */

/* A NULL stderr_path: the child keeps ours. It dies when this process does, whatever ends that:
 * PR_SET_PDEATHSIG. */
static enum err start(struct federation *f, char *const argv[], const char *stderr_path)
{
	struct process *p = &f->process[f->started];
	pid_t own = getpid();
	sigset_t none;
	int null, err;

	p->pid = fork();
	if (p->pid < 0)
		return err_set(ERR_INTERNAL, "no process for %s: %s", p->name, strerror(errno));
	if (p->pid == 0) {
		sigemptyset(&none);
		sigprocmask(SIG_SETMASK, &none, NULL);
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (getppid() != own)
			_exit(ERR_CANCELLED);
		null = open("/dev/null", O_RDWR | O_CLOEXEC);
		dup2(null, STDIN_FILENO);
		dup2(null, STDOUT_FILENO);
		if (stderr_path) {
			err = open(stderr_path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
			dup2(err, STDERR_FILENO); /* if it could not be opened, ours stays */
		}
		setenv("OPENBLAS_NUM_THREADS", "1", 0); /* threads are the configuration's */
		execvp(argv[0], argv);
		dprintf(STDERR_FILENO, "launch: %s: %s\n", argv[0], strerror(errno));
		_exit(ERR_INPUT);
	}
	f->started++;
	return ERR_OK;
}

/* Waits for an end or a signal, a tick at the most, and takes note of who ended. Returns the signal
 * by which somebody stops this run, else 0. */
static int tick(struct federation *f)
{
	static const struct timespec wait = { 0, TICK_MS * 1000000L };
	sigset_t set;
	int sig, status;

	launch_signals(&set, SIGCHLD);
	sig = sigtimedwait(&set, NULL, &wait);
	for (pid_t pid; (pid = waitpid(-1, &status, WNOHANG)) > 0;)
		for (unsigned i = 0; i < f->started; i++) {
			struct process *p = &f->process[i];

			if (p->pid != pid)
				continue;
			p->pid = 0;
			p->status =
			    WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
			if (i && p->status && !f->failed)
				f->failed = p;
		}
	return sig > 0 && sig != SIGCHLD ? sig : 0;
}

static void kill_all(struct federation *f)
{
	for (unsigned i = 0; i < f->started; i++)
		if (f->process[i].pid)
			kill(f->process[i].pid, SIGKILL);
	for (unsigned i = 0; i < f->started; i++)
		if (f->process[i].pid)
			waitpid(f->process[i].pid, NULL, 0);
}

/* ---- the coordinator and the parties ---- */

static void add_path(struct overrides *argv, char *path)
{
	overrides_add(argv, "%s", path);
	free(path);
}

/* Starts the coordinator, which leaves its address in the file `where`; then the parties, to which
 * `where` is that address. The overrides are for the coordinator: it tells the parties the job. */
static enum err start_next(struct federation *f, const char *where)
{
	const struct launch *l = &f->launch;
	bool leads = f->started == 0;
	char *name = f->process[f->started].name, *log;
	struct overrides argv = { 0 };
	enum err e;

	if (leads)
		snprintf(name, LAUNCH_NAME, "coordinator");
	else
		launch_party_name(f->started - 1, name);
	hosts_prefix(&f->hosts, f->started, &argv);
	add_path(&argv, file_join(f->bin, leads ? "coordinator" : "party"));
	overrides_add(&argv, "--config");
	add_path(&argv, launch_file(l->work, name, ".json"));
	overrides_add(&argv, "--out");
	add_path(&argv, file_join(l->out, name));
	if (!leads)
		overrides_add(&argv, "--once");
	overrides_add(&argv, leads ? "--ready-file" : "--coordinator");
	overrides_add(&argv, "%s", where);
	if (leads) {
		overrides_add(&argv, "--job");
		overrides_add(&argv, "%s", l->job_path);
	}
	for (size_t i = 0; leads && i < l->set.count; i++) {
		overrides_add(&argv, "--set");
		overrides_add(&argv, "%s", l->set.item[i]);
	}
	log = launch_file(l->work, name, ".stderr");
	e = start(f, argv.item, leads && !l->quiet ? NULL : log);
	overrides_release(&argv);
	free(log);
	return e;
}

/* As its configuration says. */
static enum err find_limits(struct federation *f)
{
	char *path = launch_file(f->launch.work, "coordinator", ".json");
	struct coordinator_config config;
	enum err e = coordinator_config_read(&config, path, NULL);

	if (e == ERR_OK) {
		unsigned away_s = config.common.reconnect_s + config.common.rejoin_s;

		f->awaits_s = away_s > config.join_timeout_s ? away_s : config.join_timeout_s;
	}
	coordinator_config_release(&config);
	free(path);
	return e;
}

/* A party that fails before the job begins says why itself, and would leave the coordinator
 * waiting. One that was killed, or whose memory ran out, says nothing: the coordinator ends when it
 * has waited in vain, and its record says for whom. */
static double patience(const struct federation *f)
{
	bool silent = f->failed->status > 128 || f->failed->status == ERR_INTERNAL;

	return PATIENCE_S + (silent ? f->awaits_s : 0);
}

/* The coordinator's end is the run's. It is stopped if it does not come to one after a party
 * failed. */
static int watch(struct federation *f, int sig)
{
	struct process *coordinator = &f->process[0];
	double until_s = 0;
	bool stopped = false;

	while (coordinator->pid) {
		if (sig && !stopped) {
			kill(coordinator->pid, SIGTERM);
			until_s = clock_now_s() + STOP_S;
			stopped = true;
		}
		if (!stopped && f->failed && until_s == 0)
			until_s = clock_now_s() + patience(f);
		if (until_s > 0 && clock_now_s() > until_s) {
			if (stopped)
				return ERR_CANCELLED;
			kill(coordinator->pid, SIGTERM);
			while (coordinator->pid)
				(void)tick(f);
			return f->failed->status;
		}
		sig = tick(f);
	}
	return coordinator->status;
}

/* ---- what it came to ---- */

/* The last lines that a daemon wrote to stderr, unless they only repeat what another says. */
static void print_tail(const struct launch *l, const char *daemon, const char *name, int most)
{
	char *path = launch_file(l->work, daemon, ".stderr");
	struct buf text = { 0 };
	const char *at, *end;
	int lines = 0;
	enum err e = file_read(path, 1 << 20, &text);

	free(path);
	if (e != ERR_OK || !text.n)
		return;
	end = (const char *)text.p + text.n;
	for (at = end - 1; at > (const char *)text.p; at--)
		if (at[-1] == '\n' && ++lines == most)
			break;
	if (most == 1 && memmem(at, (size_t)(end - at), " says: ", 7))
		at = end;
	while (at < end) {
		const char *next = memchr(at, '\n', (size_t)(end - at));
		size_t n = next ? (size_t)(next - at) : (size_t)(end - at);

		fprintf(stderr, "%s%s%.*s\n", name, *name ? ": " : "", (int)n, at);
		at += n + 1;
	}
	buf_release(&text);
}

/* ---- the whole ---- */

static int run_processes(struct federation *f)
{
	struct process *coordinator = &f->process[0];
	char *ready = file_join(f->launch.work, "ready");
	struct buf address = { 0 };
	int sig = 0, status;
	double until_s;
	sigset_t set;
	enum err e;

	launch_say(&f->launch, "starting a coordinator and %u parties", f->launch.parties);
	launch_signals(&set, SIGCHLD);
	sigprocmask(SIG_BLOCK, &set, NULL);
	e = start_next(f, ready);
	until_s = clock_now_s() + READY_S;
	while (e == ERR_OK && !sig && coordinator->pid && !address.n && clock_now_s() < until_s) {
		sig = tick(f);
		if (file_exists(ready) && file_read(ready, 512, &address) != ERR_OK)
			break;
	}
	while (address.n && address.p[address.n - 1] == '\n')
		address.p[--address.n] = 0;
	if (e == ERR_OK && !address.n && coordinator->pid)
		kill(coordinator->pid, SIGTERM);
	for (unsigned i = 0; e == ERR_OK && address.n && !sig && i < f->launch.parties; i++)
		e = start_next(f, (const char *)address.p);
	if (e != ERR_OK) {
		fprintf(stderr, "launch: %s\n", err_detail());
		status = (int)e;
		goto out;
	}
	status = watch(f, sig);
	until_s = clock_now_s() + (status == ERR_OK ? RESULTS_S : LAST_S);
	/* Their results, or why it was they who ended the run. */
	for (unsigned i = 1; status != ERR_CANCELLED && i < f->started; i++)
		while (f->process[i].pid && clock_now_s() < until_s)
			if (tick(f))
				until_s = 0; /* stopped */
out:
	kill_all(f);
	buf_release(&address);
	free(ready);
	return status;
}

/* A killed process says nothing, and leaves a record that its job runs. */
static void tell_killed(const struct launch *l, const struct process *p)
{
	char *dir = file_join(l->out, p->name);

	fprintf(stderr,
		"launch: %s was killed by signal %d (%s), and nobody starts it again here\n",
		p->name, p->status - 128, strsignal(p->status - 128));
	record_bury(dir);
	free(dir);
}

static int launch(struct federation *f)
{
	struct launch *l = &f->launch;
	int status = launch_prepare(l);

	if (status == ERR_OK)
		status = find_limits(f);
	if (status == ERR_OK)
		status = run_processes(f);
	else
		fprintf(stderr, "launch: %s\n", err_detail());
	if (status == 0) {
		launch_show(l);
	} else if (f->started) {
		if (l->quiet)
			print_tail(l, "coordinator", "", 3);
		/* Others hear no more than that a party has ended; why is in its own log. */
		for (unsigned i = 1; i < f->started; i++)
			print_tail(l, f->process[i].name, f->process[i].name,
				   &f->process[i] == f->failed ? 3 : 1);
		if (f->failed && f->failed->status > 128)
			tell_killed(l, f->failed);
		fprintf(stderr,
			"launch: the run ended with status %d; log.jsonl of each process is below "
			"%s\n",
			status, l->out);
	}
	return status;
}

static const struct argp_child children[] = { { &launch_argp, 0, NULL, 0 }, { 0 } };

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct federation *f = state->input;

	if (key != ARGP_KEY_INIT)
		return args_none(key, arg, state);
	state->child_inputs[0] = &f->launch;
	return 0;
}

int launch_main(int argc, char **argv)
{
	static const struct argp argp = {
		.parser = parse,
		.doc = "One federated run on this machine: splits the data, makes keys and "
		       "configurations, and runs a coordinator and L parties as processes of their "
		       "own, talking over TLS on loopback.\v"
		       "Results are in OUT/coordinator and OUT/party-NN.\n\n"
		       "The exit status is the coordinator's; if a party fails so that the "
		       "coordinator cannot begin, it is that party's; 4 for wrong arguments. "
		       "Whatever was started is ended, also if this process is killed.\n\n"
		       "COTERIE_BIN: where the programs coordinator and party are; default: beside "
		       "this one.",
		.children = children,
	};
	struct federation *f = alloc(1, sizeof(*f));
	enum err e;
	int status;

	f->launch.split.seed = 1;
	args_begin("launch", &argp, argc, argv, f);
	f->bin = hosts_programs();
	e = launch_check(&f->launch);
	if (e == ERR_OK)
		e = hosts_open(&f->hosts, &f->launch);
	if (e != ERR_OK)
		fprintf(stderr, "launch: %s\n", err_detail());
	status = e == ERR_OK ? launch(f) : (int)e;
	launch_end(&f->launch);
	hosts_close(&f->hosts);
	free(f->bin);
	free(f);
	return status;
}
