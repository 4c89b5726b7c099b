/* window.h -- what both daemons show by common/http/http.h:
 *
 *     /healthz           200 "ok", or 503 and what is wrong
 *     /metrics           for Prometheus
 *     /api/status        the snapshot (common/job/live.h), and what the daemon adds
 *     /api/jobs          of the jobs that left a run.json, the newest first; ?from=N, 50 at a time
 *     /api/jobs/ID-N     the run.json of attempt N
 *     /events            the status again whenever it changes
 *     /                  the page, and what it is made of: common/http/page
 */
#ifndef COMMON_HTTP_WINDOW_H
#define COMMON_HTTP_WINDOW_H

#include "common/http/http.h"

/* What one of the daemons has besides; each may be NULL. All are called on the library's thread. */
struct window_more {
	const struct http_route *route; /* they come first; end with path NULL */
	void (*status)(void *arg, struct json *status);
	void (*metrics)(void *arg, struct buf *text);
	void *arg;
	const char *token; /* as of struct http_site */
	enum role (*role_of)(void *arg, const char *who); /* the same */
};

struct window;
/* Listens, where c says so, before the process confines itself; behind: has one more, as of http_behind(). With neither *w is NULL, with which the others do nothing. Errors as of http_listen(). */
enum err window_open(struct window **w, const struct daemon_common *c, bool behind) MUST_CHECK;
void window_add(struct window *w, int fd, const char *who); /* as http_add() */
enum err window_start(struct window *w, const struct window_more *more) MUST_CHECK; /* more is copied */
/* To be called twice a second by the loop thread: tells those who watch what is new. */
void window_look(struct window *w);
void window_close(struct window *w);

/* ---- for window*.c only ---- */

void window_jobs(const char *output, const struct http_request *r, struct http_answer *a);
void window_job(const char *output, const struct http_request *r, struct http_answer *a);
struct window_file {
	const char *path, *type;
	struct bytes (*text)(void); /* borrowed */
};
extern const struct window_file window_files[]; /* end with path NULL */

#endif
