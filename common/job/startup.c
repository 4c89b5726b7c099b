#include "common/job/startup.h"
#include "common/base/alloc.h"
#include "common/base/file.h"
#include "common/base/log.h"
#include "common/base/nearest.h"
#include "common/base/machine.h"
#include "common/base/service.h"
#include "common/job/confine.h"
#include "common/job/hook.h"
#include "common/job/live.h"
#include "common/job/record.h"
#include "common/job/results.h"
#include "common/linalg/la.h"

#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/stat.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

/* least number of threads: one for the loop, one for the job, and four of libuv for name
 * resolution */
enum { THREADS = 6 };

static bool log_begun;

void overrides_add(struct overrides *o, const char *fmt, ...)
{
	char *line;
	va_list ap;

	va_start(ap, fmt);
	line = alloc_format(fmt, ap);
	va_end(ap);
	o->item = alloc_again(o->item, o->count + 2, sizeof(*o->item));
	o->item[o->count++] = line;
	o->item[o->count] = NULL;
}

void overrides_add_path(struct overrides *o, const char *key, const char *path)
{
	char *here = getcwd(NULL, 0), *whole = file_join(here ? here : ".", path);

	overrides_add(o, "%s=%s", key, whole);
	free(whole);
	free(here);
}

void overrides_release(struct overrides *o)
{
	for (size_t i = 0; i < o->count; i++)
		free(o->item[i]);
	free(o->item);
	*o = (struct overrides){ 0 };
}

error_t daemon_option(int key, char *arg, struct argp_state *state)
{
	struct daemon_arguments *a = state->input;

	switch (key) {
	case 'c':
		a->config = arg;
		return 0;
	case 'j':
		a->job = arg;
		return 0;
	case OPT_OUT:
		overrides_add_path(&a->config_set, "output", arg);
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
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* Reports why the process ends with e: on stderr, and in the log if it is open. */
static void daemon_failed(enum err e)
{
	if (log_begun)
		log_error("%s (exit %d: %s)", err_detail(), e, err_text(e));
	else
		fprintf(stderr, "%s: %s\n", program_invocation_short_name, err_detail());
}

int daemon_main(int argc, char **argv, const struct argp *argp, void (*describe)(struct buf *text),
		enum err (*run)(const struct daemon_arguments *a))
{
	struct daemon_arguments a = { .argv = argv };
	struct buf text = { 0 };
	enum err e;

	file_hold_standard();
	la_begin(argv);
	signal(SIGHUP, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN); /* exceeding RLIMIT_FSIZE is then an error like a full disk */
	argp_err_exit_status = ERR_INPUT;
	nearest_option(argp, argc, argv);
	if (argp_parse(argp, argc, argv, 0, NULL, &a) != 0) {
		fprintf(stderr, "out of memory\n");
		return ERR_INTERNAL;
	}
	if (a.describe) {
		describe(&text);
		fwrite(text.p, 1, text.n, stdout);
		buf_release(&text);
		return ERR_OK;
	}
	e = run(&a);
	if (e != ERR_OK)
		daemon_failed(e);
	hook_end();
	log_close();
	overrides_release(&a.config_set);
	overrides_release(&a.job_set);
	return e;
}

static void out_of_memory(void)
{
	record_abandon(ERR_INTERNAL);
}

static void *startup_wait_for(void *turn)
{
	pthread_mutex_lock(turn);
	pthread_mutex_unlock(turn);
	return NULL;
}

/* libuv aborts if it cannot start the threads that look up names. Too few threads for computations
 * only make these slower. */
static enum err check_threads(void)
{
	pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;
	pthread_t thread[THREADS];
	int n = 0, bad = 0;

	pthread_mutex_lock(&turn);
	while (n < THREADS && !bad) {
		bad = pthread_create(&thread[n], NULL, startup_wait_for, &turn);
		n += !bad;
	}
	pthread_mutex_unlock(&turn);
	for (int i = 0; i < n; i++)
		pthread_join(thread[i], NULL);
	return bad ? err_set(ERR_INTERNAL,
			     "this process needs %d threads, and the system gives it %d: %s "
			     "(ulimit -u, ulimit -v, TasksMax=, LimitAS=)",
			     THREADS, n, strerror(bad))
		   : ERR_OK;
}

enum err daemon_begin(const struct daemon_common *c, size_t files)
{
	struct rlimit none = { 0, 0 }, limit = { 0, 0 };
	char *path;
	enum err e;

	if (c->http.listen)
		files += HTTP_FILES;
	umask(077); /* only this user may access new files, for any umask at start */
	if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < files) {
		limit.rlim_cur = files;
		if (limit.rlim_max < files || setrlimit(RLIMIT_NOFILE, &limit) != 0)
			return err_set(ERR_INTERNAL,
				       "this process needs %zu open files, its limit (ulimit -n, "
				       "LimitNOFILE=) is %ju",
				       files, (uintmax_t)limit.rlim_max);
	}
	setrlimit(RLIMIT_CORE, &none);
	if (c->sandbox)
		prctl(PR_SET_DUMPABLE, 0);
	confine_no_uring(c);
	log_init(c->name, c->log_level);
	log_never_wait();
	log_begun = true;
	live_begin(c->role, c->name, c->output);
	service_begin();
	alloc_at_end(out_of_memory);
	machine_cores(); /* reads limits that the sandbox hides */
	TRY(check_threads());
	TRY(la_reserve(c->threads ? c->threads : machine_cores()));
	e = file_make_dirs(c->output);
	if (e)
		/* an error of the input, since a restart would not help */
		e = err_set(ERR_INPUT, "%s", err_detail());
	else
		e = results_lock(c->output);
	if (!e) {
		results_sweep(c->output);
		path = file_join(c->output, "log.jsonl");
		e = log_open(path);
		free(path);
	}
	return e;
}

void daemon_leave(enum err e)
{
	file_cancel();
	daemon_failed(e);
	if (e != ERR_OK)
		record_abandon(e);
	hook_end();
	log_close();
	_exit(e);
}
