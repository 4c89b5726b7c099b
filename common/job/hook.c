#include "common/job/hook.h"
#include "common/base/alloc.h"
#include "common/base/clock.h"
#include "common/base/helper.h"
#include "common/base/json.h"
#include "common/base/log.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *const names[] = { [HOOK_JOB_FAILED] = "job-failed",
				     [HOOK_CONSENT_AWAITED] = "consent-awaited",
				     [HOOK_CERTIFICATE] = "certificate",
				     [HOOK_PARTY_LOST] = "away" };

/* A command to the helper, sent as one datagram. */
struct helper_command {
	enum hook_event event;
	char job[33];
	char text[6 * ERR_DETAIL_MAX]; /* JSON; it may need six bytes for one byte of the message */
};
struct outcome {
	enum hook_event event;
	int status; /* status as waitpid() returns it; -1: the program could not be started */
	int error;
};

static int to_helper = -1;
static char *program, *name; /* copies that outlive the configuration */
static const char *role;

/* ---- the helper ---- */

/* Returns a pipe with the text, for the program's standard input. The text fits into the pipe's
 * buffer, so writing does not wait for a reader. */
static int text_to_read(const char *text)
{
	int end[2];

	if (pipe2(end, O_CLOEXEC) != 0)
		return -1;
	(void)!write(end[1], text, strlen(text));
	close(end[1]);
	return end[0];
}

/* Polls until the program ends, and kills its process group after HOOK_LIMIT_S. The helper may
 * block, since it runs one program at a time. */
static int await_program(pid_t pid)
{
	double end_s = clock_now_s() + HOOK_LIMIT_S;
	int status = -1;

	while (waitpid(pid, &status, WNOHANG) == 0) {
		if (clock_now_s() > end_s) {
			kill(-pid, SIGKILL);
			waitpid(pid, &status, 0);
			break;
		}
		nanosleep(&(struct timespec){ .tv_nsec = 20000000 }, NULL);
	}
	return status;
}

static struct outcome carry_out(const struct helper_command *o)
{
	const char *const argv[] = { program, names[o->event], name, *o->job ? o->job : NULL,
				     NULL };
	struct outcome r = { .event = o->event, .status = -1 };
	int in = text_to_read(o->text);
	pid_t pid = in >= 0 ? fork() : -1;

	if (pid == 0)
		helper_become(argv, in, STDERR_FILENO, STDERR_FILENO);
	r.error = errno;
	if (pid > 0)
		r.status = await_program(pid);
	if (in >= 0)
		close(in);
	return r;
}

/* The helper's main loop. Ends when the daemon has closed the socket and the programs of all events
 * have run: the last event may have the reason why the daemon ended. */
static void help(int sock, const void *arg)
{
	struct helper_command o;
	struct outcome r;
	ssize_t n;

	(void)arg;
	while ((n = recv(sock, &o, sizeof(o), 0)) != 0) {
		if (n != (ssize_t)sizeof(o))
			continue; /* a signal interrupted recv() */
		r = carry_out(&o);
		(void)!send(sock, &r, sizeof(r), MSG_DONTWAIT | MSG_NOSIGNAL);
	}
}

/* ---- the daemon ---- */

enum err hook_check(const struct daemon_common *c)
{
	struct stat st = { 0 };
	enum err e = ERR_OK;

	if (!c->on_event)
		return ERR_OK;
	if (stat(c->on_event, &st) != 0 || (!S_ISREG(st.st_mode) && (errno = EACCES)) ||
	    faccessat(AT_FDCWD, c->on_event, X_OK, AT_EACCESS) != 0)
		e = err_set(ERR_INPUT,
			    "on_event: %s cannot be run: %s; expected a program that this user "
			    "may run",
			    c->on_event, strerror(errno));
	return e;
}

enum err hook_begin(const struct daemon_common *c)
{
	if (!c->on_event)
		return ERR_OK;
	TRY(hook_check(c));
	program = alloc_copy(c->on_event);
	name = alloc_copy(c->name);
	role = c->role;
	return helper_start("on_event", "coterie-hook", help, NULL, &to_helper);
}

void hook_raise(enum hook_event event, const char *job, const char *fmt, ...)
{
	char sentence[ERR_DETAIL_MAX], date[32];
	struct helper_command o = { .event = event };
	struct json *line;
	struct buf text = { 0 };
	va_list ap;

	if (to_helper < 0)
		return;
	va_start(ap, fmt);
	vsnprintf(sentence, sizeof(sentence), fmt, ap);
	va_end(ap);
	snprintf(o.job, sizeof(o.job), "%s", job);
	clock_utc(date, sizeof(date));
	line = json_object();
	json_put_string(line, "event", names[event]);
	json_put_string(line, "time", date);
	json_put_string(line, "name", name);
	json_put_string(line, "role", role);
	if (*o.job)
		json_put_string(line, "job", o.job);
	json_put_string(line, "text", sentence);
	json_write(line, &text);
	json_free(line);
	snprintf(o.text, sizeof(o.text), "%.*s\n", (int)text.n, (const char *)text.p);
	buf_release(&text);
	if (send(to_helper, &o, sizeof(o), MSG_DONTWAIT | MSG_NOSIGNAL) < 0)
		log_warn("on_event: the program was not run for %s: %s", names[event],
			 errno == EAGAIN ? "too many events wait for the program"
					 : strerror(errno));
	else
		log_debug("on_event: %s", names[event]);
}

void hook_certificate(int days, const char *why)
{
	if (days <= HOOK_CERTIFICATE_DAYS)
		hook_raise(HOOK_CERTIFICATE, "", "%s", why);
}

void hook_party_lost(const char *why)
{
	hook_raise(HOOK_PARTY_LOST, "", "%s", why);
}

static void hook_log_outcome(const void *outcome, size_t n)
{
	const struct outcome *r = outcome;
	const char *what = names[r->event];

	(void)n;

	if (r->status == -1)
		log_warn("on_event: the program could not run for %s: %s", what,
			 strerror(r->error));
	else if (WIFSIGNALED(r->status))
		log_warn("on_event: %s for %s was ended by signal %d%s", program, what,
			 WTERMSIG(r->status),
			 WTERMSIG(r->status) == SIGKILL ? ", perhaps as it took too long" : "");
	else if (WEXITSTATUS(r->status))
		log_warn("on_event: %s for %s ended with %d%s", program, what,
			 WEXITSTATUS(r->status),
			 WEXITSTATUS(r->status) == 127 ? " (not found, or no program)" : "");
	else
		log_info("on_event: %s ran for %s", program, what);
}

void hook_look(void)
{
	struct outcome r;

	while (to_helper >= 0 && recv(to_helper, &r, sizeof(r), MSG_DONTWAIT) == (ssize_t)sizeof(r))
		hook_log_outcome(&r, sizeof(r));
}

void hook_end(void)
{
	if (to_helper < 0)
		return;
	helper_end(&to_helper, HOOK_LIMIT_S + 5, hook_log_outcome);
	free(program);
	free(name);
}
