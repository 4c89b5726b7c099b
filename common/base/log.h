/* log.h -- what happened, for people and for programs; and the one line that moves.
 *
 * An event is one line: time, level, subject (this daemon's name), text, and optional key=value
 * pairs. On a terminal it is a line for people on stderr, elsewhere a JSON object per line; a log
 * file, once opened, gets the JSON too. In systemd's journal the line begins with its priority, "<4>". Text from outside is made harmless (control characters,
 * broken UTF-8). Safe from any thread. Never a key, mask or private value, at no level.
 */
#ifndef COMMON_BASE_LOG_H
#define COMMON_BASE_LOG_H

#include "common/base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum log_level {
	LOG_ERROR, /* a human must act */
	LOG_WARN,  /* we recovered */
	LOG_INFO,  /* the life of jobs and connections */
	LOG_DEBUG, /* each message by name and size */
};
extern const char *const log_level_names[]; /* "error", "warn", "info", "debug", NULL */

struct log_pair {
	const char *key;
	const char *text; /* NULL: number counts */
	double number;
};
#define LOG_TEXT(k, v)   ((struct log_pair){ .key = (k), .text = (v) })
#define LOG_NUMBER(k, v) ((struct log_pair){ .key = (k), .number = (double)(v) })

void log_init(const char *subject,
	      enum log_level level); /* before other threads start; copies subject */
void log_set_level(enum log_level level);
/* Every line of JSON from here on has "job": this number, whose first 32 bytes are kept; "": none has. */
void log_set_job(const char *job);
/* The same for the lines of this thread, whatever log_set_job() says; "": that counts again. For processes
 * in which several jobs run. */
void log_set_job_here(const char *job);
/* Lines with this job's number are also appended to a file of its own, until it is closed. At most LOG_JOBS_MAX
 * at a time. ERR_INPUT. */
enum { LOG_JOBS_MAX = 16 };
enum err log_job_open(const char *job, const char *path) MUST_CHECK;
void log_job_close(const char *job);
/* For daemons, after log_init(): whoever reads stderr slowly, or not at all, stops nobody. What
 * is not read in time is kept up to a bound, and beyond that dropped; a line says how many.
 * log_flush() is then called now and then. */
void log_never_wait(void);
void log_flush(void);
void log_set_stream(int fd, bool terminal); /* instead of stderr, for tests; fd stays the caller's */
/* Appends to this file from now on (made if absent, mode 0666 less umask). ERR_INPUT. */
enum err log_open(const char *path) MUST_CHECK;
void log_close(void); /* the last lines have a second to be read */
/* An error, of two texts in plain ASCII, from a signal's handler: async-signal-safe, and without the time. */
void log_dying(const char *text, const char *more);

#define log_error(...) log_event(LOG_ERROR, NULL, 0, __VA_ARGS__)
#define log_warn(...)  log_event(LOG_WARN, NULL, 0, __VA_ARGS__)
#define log_info(...)  log_event(LOG_INFO, NULL, 0, __VA_ARGS__)
#define log_debug(...) log_event(LOG_DEBUG, NULL, 0, __VA_ARGS__)
void log_event(enum log_level level, const struct log_pair *pairs, size_t count, const char *fmt,
	       ...) PRINTF(4, 5);
/* A phase of the job begins: to the log, and to systemd. */
void log_next(const char *phase);
/* A warning that anybody who reaches a port can cause, as often as he likes. Of each kind, a
 * static variable of the caller's, there is one line a minute, with their number; log_flush()
 * says the last of them. */
struct log_seldom {
	struct log_seldom *next;
	bool listed;
	double said_s;
	size_t more; /* since */
	char last[320];
};
void log_seldom(struct log_seldom *kind, const char *fmt, ...) PRINTF(2, 3);

/* The line that moves: redrawn at most 10 times a second on a terminal; elsewhere a JSON line when
 * the phase changes and at most once a second otherwise (level info). */
struct log_progress {
	const char *phase;
	unsigned iteration; /* 0: not shown */
	uint64_t moved;     /* nodes that changed cluster in the last iteration */
	uint64_t bytes;     /* sent and received so far */
	double elapsed_s;
};
void log_progress(const struct log_progress *p);
void log_progress_end(void); /* takes the line off the terminal */

#endif
