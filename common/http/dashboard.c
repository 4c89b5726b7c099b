#include "common/http/dashboard.h"
#include "common/base/alloc.h"
#include "common/base/clock.h"
#include "common/job/live.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define QUIET_S 15.0 /* a watcher gets an event at least this often, in seconds */

enum { ROUTES_MAX = 48 };

struct dashboard {
	struct http *http, *behind; /* each may be NULL */
	const struct daemon_common *common;
	struct dashboard_more more;
	struct http_route route[ROUTES_MAX];
	uint64_t told; /* live_version() at the last announcement */
	double told_s;
};

static void healthz(void *dashboard, const struct http_request *r, struct http_answer *a)
{
	struct live *l = live_copy();
	char why[256];

	(void)dashboard;
	(void)r;
	if (live_is_well(l, why)) {
		a->type = "text/plain; charset=utf-8";
		buf_printf(&a->body, "ok\n");
	} else {
		http_refuse(a, 503, "%s", why);
	}
	free(l);
}

static void metrics(void *dashboard, const struct http_request *r, struct http_answer *a)
{
	struct dashboard *w = dashboard;
	struct live *l = live_copy();

	(void)r;
	a->type = "text/plain; version=0.0.4; charset=utf-8";
	live_metrics(l, &a->body);
	if (w->more.metrics)
		w->more.metrics(w->more.arg, &a->body);
	free(l);
}

static struct json *make_status(struct dashboard *w)
{
	struct live *l = live_copy();
	struct json *o = live_json(l);

	if (w->more.status)
		w->more.status(w->more.arg, o);
	free(l);
	return o;
}

static void status(void *dashboard, const struct http_request *r, struct http_answer *a)
{
	(void)r;
	http_json(a, make_status(dashboard));
}

static void event(void *dashboard, struct buf *line)
{
	struct json *o = make_status(dashboard);

	json_write(o, line);
	json_free(o);
}

static void jobs(void *dashboard, const struct http_request *r, struct http_answer *a)
{
	dashboard_jobs(((struct dashboard *)dashboard)->common->output, r, a);
}

static void job(void *dashboard, const struct http_request *r, struct http_answer *a)
{
	dashboard_job(((struct dashboard *)dashboard)->common->output, r, a);
}

static void results(void *dashboard, const struct http_request *r, struct http_answer *a)
{
	dashboard_results(((struct dashboard *)dashboard)->common->output, r, a);
}

static void file(void *dashboard, const struct http_request *r, struct http_answer *a)
{
	(void)dashboard;
	for (const struct dashboard_file *f = dashboard_files; f->path; f++)
		if (!strcmp(f->path, r->path)) {
			struct bytes text = f->text();

			a->type = f->type;
			buf_add(&a->body, text.p, text.n);
		}
}

enum err dashboard_open(struct dashboard **out, const struct daemon_common *c, bool behind)
{
	struct http *http;

	*out = NULL;
	TRY(http_listen(&http, c));
	if (!http && !behind)
		return ERR_OK;
	ALLOC(*out, 1);
	(*out)->http = http;
	(*out)->common = c;
	if (behind)
		http_behind(&(*out)->behind, c);
	return ERR_OK;
}

void dashboard_add(struct dashboard *w, int fd, const char *who)
{
	http_add(w->behind, fd, who);
}

static enum role dashboard_role_of(void *dashboard, const char *who)
{
	const struct dashboard *w = dashboard;

	return w->more.role_of(w->more.arg, who);
}

enum err dashboard_start(struct dashboard *w, const struct dashboard_more *more)
{
	static const struct http_route own[] = {
		{ .path = "/healthz", .answer = healthz },
		{ .path = "/metrics", .answer = metrics },
		{ .path = "/api/status", .answer = status },
		{ .path = "/api/jobs", .answer = jobs },
		{ .path = "/api/jobs/", .answer = job },
		{ .path = "/api/results/", .answer = results },
		{ .path = "/events" },
	};
	struct http_site site = {
		.event = event, .arg = w, .token = more->token, .role_of = dashboard_role_of
	};
	size_t n = 0;

	if (!w)
		return ERR_OK;
	w->more = *more;
	for (const struct http_route *r = more->route; r && r->path; r++) {
		assert(n < ROUTES_MAX / 2);
		w->route[n] = *r;
		w->route[n++].arg = more->arg;
	}
	for (size_t i = 0; i < sizeof(own) / sizeof(*own); i++)
		w->route[n++] = own[i];
	for (const struct dashboard_file *f = dashboard_files; f->path; f++)
		w->route[n++] = (struct http_route){ .path = f->path, .answer = file };
	w->route[n].path = NULL;
	site.route = w->route;
	TRY(http_start(w->http, &site));
	return http_start(w->behind, &site);
}

void dashboard_look(struct dashboard *w)
{
	uint64_t version;
	double now_s = clock_now_s();

	if (!w)
		return;
	http_look(w->http, HTTP_REQUEST_S);
	http_look(w->behind, HTTP_REQUEST_S);
	version = live_version();
	if (version == w->told && now_s - w->told_s < QUIET_S)
		return;
	w->told = version;
	w->told_s = now_s;
	http_announce(w->http);
	http_announce(w->behind);
}

void dashboard_close(struct dashboard *w)
{
	if (!w)
		return;
	http_stop(w->http);
	http_stop(w->behind);
	free(w);
}
