/* dashboard.h -- the status API and dashboard of both daemons, over common/http/http.h:
 *
 *     /healthz           200 "ok", or 503 and the reason
 *     /metrics           for Prometheus
 *     /api/status        the snapshot (common/job/live.h), and additions of the daemon
 *     /api/jobs          jobs with a run.json, newest first; ?from=N, 50 at a time
 *     /api/jobs/ID-N     the run.json of attempt N
 *     /api/results/ID    the files of the newest attempt at job ID
 *             .../NAME   4 MiB of one of these files; ?from=N: from byte N on
 *     /events            the status again whenever it changes
 *     /                  the dashboard and its files: common/http/page
 */
#ifndef COMMON_HTTP_DASHBOARD_H
#define COMMON_HTTP_DASHBOARD_H

#include "common/http/http.h"

/* Additions of one daemon; each may be NULL. All are called on the server's thread (http.h). */
struct dashboard_more {
	const struct http_route *route; /* precede the common ones; end with path NULL */
	void (*status)(void *arg, struct json *status);
	void (*metrics)(void *arg, struct buf *text);
	void *arg;
	const char *token; /* as in struct http_site */
	enum role (*role_of)(void *arg, const char *who);
};

struct dashboard;
/* Listens if c configures an address. Call it before the sandbox. behind: also makes a server by
 * http_behind(). If there is no address and no such server, *w is NULL, and the other functions,
 * except dashboard_add(), do nothing. Errors as http_listen(). */
enum err dashboard_open(struct dashboard **w, const struct daemon_common *c,
			bool behind) MUST_CHECK;
void dashboard_add(struct dashboard *w, int fd, const char *who); /* as http_add() */
/* Starts to serve. Copies `more`. Errors as http_start(). */
enum err dashboard_start(struct dashboard *w, const struct dashboard_more *more) MUST_CHECK;
/* Announces changes to watchers (/events), and the unchanged status every 15 s; ends requests that
 * take too long. The daemon calls it twice a second. */
void dashboard_look(struct dashboard *w);
void dashboard_close(struct dashboard *w);

/* Answers /api/results/ for readers, operators, and the submitter of the job. output: the output
 * directory of the configuration. */
void dashboard_results(const char *output, const struct http_request *r, struct http_answer *a);

/* ---- for dashboard*.c only ---- */

void dashboard_jobs(const char *output, const struct http_request *r, struct http_answer *a);
void dashboard_job(const char *output, const struct http_request *r, struct http_answer *a);
/* Returns the path of the attempt's run.json, or of the newest attempt's if attempt is negative.
 * NULL if there is none. The caller owns the path. */
char *dashboard_job_path(const char *output, const char *id, int attempt);
struct dashboard_file {
	const char *path, *type;
	struct bytes (*text)(void); /* borrowed */
};
extern const struct dashboard_file dashboard_files[]; /* end with path NULL */

#endif
