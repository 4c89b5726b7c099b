/* coterie launch: runs a coordinator and parties as separate processes. */
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
	READY_S = 30, /* seconds until the coordinator must listen */
	/* Seconds in which the coordinator must end after a party failed, in addition to its own
	 * timeouts. */
	PATIENCE_S = 20,
	STOP_S = 10, /* seconds in which all processes must end after the first signal */
	LAST_S = 5,  /* seconds that parties have after the coordinator failed */
	/* Seconds that parties have after success, to write files for which no other process waits
	 * (profile.csv). */
	RESULTS_S = 600,
	TICK_MS = 20
};

struct process {
	pid_t pid;  /* 0: the process has ended or was never started */
	int status; /* exit status as a shell reports it: 128 + signal number */
	char name[LAUNCH_NAME];
};

struct federation {
	struct launch launch;
	struct hosts hosts;
	char *bin;
	struct process process[1 + PARTIES_MAX];
	unsigned started;
	struct process *failed;
	/* Seconds after which the coordinator stops waiting for a vanished party. */
	unsigned awaits_s;
};

/* Starts a process. stderr_path NULL: the child inherits stderr. PR_SET_PDEATHSIG kills it when
 * this process ends for any reason. */
static enum err launch_start_process(struct federation *f, char *const argv[],
				     const char *stderr_path)
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
			dup2(err, STDERR_FILENO); /* if this fails, stderr stays inherited */
		}
		/* The configuration sets the number of threads. */
		setenv("OPENBLAS_NUM_THREADS", "1", 0);
		execvp(argv[0], argv);
		dprintf(STDERR_FILENO, "launch: %s: %s\n", argv[0], strerror(errno));
		_exit(ERR_INPUT);
	}
	f->started++;
	return ERR_OK;
}

/* Waits up to TICK_MS for a child's end or a signal, and records ended children. Returns the
 * signal that stops this run, or 0. */
static int launch_wait_tick(struct federation *f)
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

static void add_path(struct overrides *argv, char *path)
{
	overrides_add(argv, "%s", path);
	free(path);
}

/* Starts the coordinator, which writes its address to the file `where`. Later calls start the
 * parties; `where` is then that address. Only the coordinator gets the overrides, because it offers
 * the job to the parties. */
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
	e = launch_start_process(f, argv.item, leads && !l->quiet ? NULL : log);
	overrides_release(&argv);
	free(log);
	return e;
}

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

/* Returns how long to wait for the coordinator. A party that fails before the job reports the
 * reason itself, but the coordinator still waits for this party, so the wait here is short. A party
 * that was killed or ran out of memory reports nothing. Then the wait is longer: the coordinator
 * ends after its timeout, and its record names the party. */
static double patience(const struct federation *f)
{
	bool silent = f->failed->status > 128 || f->failed->status == ERR_INTERNAL;

	return PATIENCE_S + (silent ? f->awaits_s : 0);
}

/* Reports a killed party at once, since the run may go on for `awaits_s`. */
static void report_missing(const struct federation *f)
{
	int signal = f->failed->status - 128;

	if (signal > 0)
		fprintf(stderr,
			"launch: %s was killed by signal %d (%s); the coordinator waits for it for "
			"up to %u s\n",
			f->failed->name, signal, strsignal(signal), f->awaits_s);
}

/* Waits for the coordinator and returns its status. Stops it if it does not end after a party
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
		if (!stopped && f->failed && until_s == 0) {
			report_missing(f);
			until_s = clock_now_s() + patience(f);
		}
		if (until_s > 0 && clock_now_s() > until_s) {
			if (stopped)
				return ERR_CANCELLED;
			kill(coordinator->pid, SIGTERM);
			while (coordinator->pid)
				(void)launch_wait_tick(f);
			return f->failed->status;
		}
		sig = launch_wait_tick(f);
	}
	return coordinator->status;
}

/* Prints a line of a daemon's stderr if it is an error, or is not a log event (for example a
 * crash). Of an error, prints only the text. Returns true if a policy is the reason. */
static bool print_daemon_line(const char *name, struct bytes line)
{
	struct json *event = NULL;
	bool policy = false;

	if (json_parse(line, name, &event) != ERR_OK) {
		fprintf(stderr, "launch: %s: %.*s\n", name, (int)line.n, (const char *)line.p);
	} else if (!strcmp(json_text(event, "level"), "error")) {
		fprintf(stderr, "launch: %s: %s\n", name, json_text(event, "text"));
		policy = strstr(json_text(event, "text"), "policy.");
	}
	json_free(event);
	return policy;
}

/* Prints the last `most` lines of a daemon's stderr. If `most` is 1, omits a line that only repeats
 * another daemon's message. Returns true if a policy is the reason. */
static bool print_tail(const struct launch *l, const char *name, int most)
{
	char *path = launch_file(l->work, name, ".stderr");
	struct buf text = { 0 };
	const char *at, *end;
	bool policy = false;
	int lines = 0;
	enum err e = file_read(path, 1 << 20, &text);

	free(path);
	if (e != ERR_OK || !text.n)
		return false;
	end = (const char *)text.p + text.n;
	for (at = end - 1; at > (const char *)text.p; at--)
		if (at[-1] == '\n' && ++lines == most)
			break;
	if (most == 1 && memmem(at, (size_t)(end - at), " says: ", 7))
		at = end;
	while (at < end) {
		const char *next = memchr(at, '\n', (size_t)(end - at));
		size_t n = next ? (size_t)(next - at) : (size_t)(end - at);

		policy |= print_daemon_line(name, (struct bytes){ (const uint8_t *)at, n });
		at += n + 1;
	}
	buf_release(&text);
	return policy;
}

static int run_processes(struct federation *f)
{
	struct process *coordinator = &f->process[0];
	char *ready = file_join(f->launch.work, "ready");
	struct buf address = { 0 };
	int sig = 0, status;
	double until_s;
	sigset_t set;
	enum err e;

	launch_print(&f->launch, "starting a coordinator and %u parties", f->launch.parties);
	launch_signals(&set, SIGCHLD);
	sigprocmask(SIG_BLOCK, &set, NULL);
	e = start_next(f, ready);
	until_s = clock_now_s() + READY_S;
	while (e == ERR_OK && !sig && coordinator->pid && !address.n && clock_now_s() < until_s) {
		sig = launch_wait_tick(f);
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
	/* Wait for the parties' results, or for the error of the party that failed. */
	for (unsigned i = 1; status != ERR_CANCELLED && i < f->started; i++)
		while (f->process[i].pid && clock_now_s() < until_s)
			if (launch_wait_tick(f))
				until_s = 0;
out:
	kill_all(f);
	buf_release(&address);
	free(ready);
	return status;
}

/* Reports that a process was killed. The process itself reports nothing, and its record still
 * states that the job runs. */
static void report_killed(const struct launch *l, const struct process *p)
{
	char *dir = file_join(l->out, p->name);

	fprintf(stderr, "launch: %s was killed by signal %d (%s), and is not restarted\n", p->name,
		p->status - 128, strsignal(p->status - 128));
	record_bury(dir);
	free(dir);
}

static int launch(struct federation *f)
{
	struct launch *l = &f->launch;
	int status = launch_prepare(l);
	bool policy = false;

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
			print_tail(l, "coordinator", 3);
		/* Other processes only report that a party has ended. The ended party's own log has
		 * the reason. */
		for (unsigned i = 1; i < f->started; i++)
			policy |=
			    print_tail(l, f->process[i].name, &f->process[i] == f->failed ? 3 : 1);
		launch_print_policy(policy);
		if (f->failed && f->failed->status > 128)
			report_killed(l, f->failed);
		fprintf(stderr,
			"launch: the run ended with status %d; log.jsonl of each process is below "
			"%s\n",
			status, l->out);
	}
	return status;
}

static const struct argp_child children[] = { { &launch_argp, 0, NULL, 0 }, { 0 } };

static error_t launch_parse(int key, char *arg, struct argp_state *state)
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
		.parser = launch_parse,
		.doc = "Runs one federated job on this machine: splits the data, makes keys and "
		       "configurations, and runs a coordinator and L parties as processes that "
		       "communicate over TLS on loopback.\vResults are in OUT/coordinator and "
		       "OUT/party-NN.\n\n"
		       "If a party fails before the job begins, the exit status is that of the "
		       "party; for wrong arguments it is 4; otherwise it is that of the "
		       "coordinator. All started processes end with this one, even if it is "
		       "killed.\n\n"
		       "COTERIE_BIN is the directory of the programs coordinator and party; by "
		       "default the directory of this program.",
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
