/* log.h -- events for users and programs, and a progress line.
 *
 * An event is one line: time, level, subject (the daemon's name), text, optional key=value pairs.
 * On a terminal it is plain text on stderr, elsewhere a JSON object; an open log file also gets the
 * JSON. In systemd's journal a line begins with its priority, "<4>". Text from outside is made
 * harmless (control characters, broken UTF-8). Thread-safe. No level ever logs a key, a mask or a
 * private value.
 */
#ifndef COMMON_BASE_LOG_H
#define COMMON_BASE_LOG_H

#include "common/base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum log_level {
	LOG_ERROR, /* the user must act */
	LOG_WARN,  /* a fault from which the process recovered */
	LOG_INFO,  /* events of jobs and connections */
	LOG_DEBUG, /* each message to or from a peer, by name and size */
};
extern const char *const log_level_names[];

struct log_pair {
	const char *key;
	const char *text; /* NULL: number is the value */
	double number;
};
#define LOG_TEXT(k, v)   ((struct log_pair){ .key = (k), .text = (v) })
#define LOG_NUMBER(k, v) ((struct log_pair){ .key = (k), .number = (double)(v) })

/* Call before other threads start; copies subject. */
void log_init(const char *subject, enum log_level level);
void log_set_level(enum log_level level);
/* Adds "job", the first 32 bytes of this id, to all later JSON lines; "" ends that. */
void log_set_job(const char *job);
/* Overrides log_set_job() for the lines of this thread; "" ends the override. Processes that run
 * several jobs use it. */
void log_set_job_here(const char *job);
/* Also appends this job's lines to a file, until the file is closed. At most LOG_JOBS_MAX files may
 * be open at a time. ERR_INPUT. */
enum { LOG_JOBS_MAX = 16 };
enum err log_job_open(const char *job, const char *path) MUST_CHECK;
void log_job_close(const char *job);
/* Makes logging non-blocking for daemons, after log_init(): a slow reader of stderr does not block
 * the daemon. At most STREAM_KEPT_MAX bytes of unread lines are kept. Further lines are dropped,
 * and a line reports how many. Call log_flush() periodically. */
void log_never_wait(void);
void log_flush(void);
void log_set_stream(int fd, bool terminal); /* replaces stderr, for tests; the caller keeps fd */
/* Appends all lines, as JSON, to this file from now on; creates it with mode 0666 less umask.
 * ERR_INPUT. */
enum err log_open(const char *path) MUST_CHECK;
void log_close(void); /* waits up to one second until the last lines are read */
/* Logs an error from two ASCII texts, without the time. Async-signal-safe. */
void log_dying(const char *text, const char *more);

#define log_error(...) log_event(LOG_ERROR, NULL, 0, __VA_ARGS__)
#define log_warn(...)  log_event(LOG_WARN, NULL, 0, __VA_ARGS__)
#define log_info(...)  log_event(LOG_INFO, NULL, 0, __VA_ARGS__)
#define log_debug(...) log_event(LOG_DEBUG, NULL, 0, __VA_ARGS__)
void log_event(enum log_level level, const struct log_pair *pairs, size_t count, const char *fmt,
	       ...) PRINTF(4, 5);
/* Reports the start of a phase of the job, to the log and to systemd. */
void log_next(const char *phase);
/* A warning that any peer can trigger at will. Each warning is a static variable of the caller. It
 * writes at most one line a minute, with the number of occurrences. log_flush() and log_close()
 * report the last occurrences. */
struct log_seldom {
	struct log_seldom *next;
	bool listed;
	double said_s;
	size_t more; /* occurrences since the last line, written at said_s */
	char last[320];
};
void log_seldom(struct log_seldom *kind, const char *fmt, ...) PRINTF(2, 3);

/* Shows progress when the phase changes, and otherwise at most 10 times a second on a terminal and
 * once a second elsewhere. On a terminal it redraws one line, elsewhere it writes a JSON line at
 * level info. */
struct log_progress {
	const char *phase;
	unsigned iteration; /* 0: not shown */
	uint64_t moved;     /* nodes that changed cluster in the last iteration */
	uint64_t bytes;     /* sent and received so far */
	double elapsed_s;
};
void log_progress(const struct log_progress *p);
void log_progress_end(void); /* clears the line */

#endif
