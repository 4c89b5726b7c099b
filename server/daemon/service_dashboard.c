/* HTTP routes of a coordinator that serves, besides common/http/dashboard.h:
 *
 * - /api/queue: its last jobs, newest first, read from jobs.db over a separate connection
 * - /api/me: the user's name and role
 * - /api/ask: POST, with a request as for the control socket
 *
 * All routes run on the HTTP library's threads. The loop owns the queue: a thread passes its
 * request to the loop over struct desk, and waits. The loop never blocks for long. */
#include "common/base/alloc.h"
#include "common/base/file.h"
#include "server/daemon/service.h"

#include <pthread.h>
#include <stdlib.h>

enum { QUEUE_MOST = 100 };

/* -- the desk ------------------------------------------------------------------------------- */

struct question {
	struct question *next;
	enum role role;
	const char *who;
	const struct json *request;
	struct json *answer;
	bool done, may;
};

struct desk {
	uv_async_t async;
	pthread_mutex_t lock;
	pthread_cond_t answered;
	struct question *first;
	bool open;
};

static void service_dashboard_on_asked(uv_async_t *async)
{
	struct service *s = async->data;
	struct desk *d = s->desk;
	struct question *q;

	pthread_mutex_lock(&d->lock);
	while ((q = d->first) != NULL) {
		d->first = q->next;
		q->may = service_answer_as(s, q->role, q->who, q->request, q->answer);
		q->done = true;
	}
	pthread_cond_broadcast(&d->answered);
	pthread_mutex_unlock(&d->lock);
}

/* Passes a question to the loop. Returns false if the process ends. */
static bool service_dashboard_put_question(struct desk *d, struct question *q)
{
	pthread_mutex_lock(&d->lock);
	if (d->open) {
		q->next = d->first;
		d->first = q;
		uv_async_send(&d->async);
	}
	while (d->open && !q->done)
		pthread_cond_wait(&d->answered, &d->lock);
	pthread_mutex_unlock(&d->lock);
	return q->done;
}

/* ---- routes ---- */

static void answer_queue(void *service, const struct http_request *r, struct http_answer *a)
{
	const struct service *s = service;
	char *path = file_join(s->config->common.output, "jobs.db");
	struct store_rows rows = { 0 };
	struct store *store = NULL;
	struct json *o, *list;
	enum err e = store_look(&store, path);

	(void)r;
	if (e == ERR_OK)
		e = store_last_jobs(store, QUEUE_MOST, &rows);
	if (e == ERR_OK) {
		o = json_object();
		list = json_put_array(o, "queue");
		for (size_t i = rows.n; i-- > 0;)
			json_free(service_put_job(json_append_object(list), &rows.job[i]));
		store_rows_release(&rows);
		http_json(a, o);
	} else {
		http_refuse(a, 500, "%s", err_detail());
	}
	store_close(store);
	free(path);
}

static void answer_me(void *service, const struct http_request *r, struct http_answer *a)
{
	struct json *o = json_object();

	(void)service;
	json_put_string(o, "name", r->who);
	json_put_string(o, "role", role_name[r->role]);
	http_json(a, o);
}

static void answer_ask(void *service, const struct http_request *r, struct http_answer *a)
{
	struct service *s = service;
	struct question q = { .role = r->role, .who = r->who };
	struct json *request = NULL;

	if (json_parse(r->body, "the request", &request) != ERR_OK) {
		http_refuse(a, 400, "%s", err_detail());
	} else if (json_type(request) != JSON_OBJECT) {
		http_refuse(a, 400, "the request is no object");
	} else {
		q.request = request;
		q.answer = json_object();
		if (service_dashboard_put_question(s->desk, &q)) {
			const struct json *status = json_get(q.answer, "status");
			enum err e = (enum err)json_number(status);

			a->status = e == ERR_OK ? 200 : !q.may ? 403 : e == ERR_INPUT ? 400 : 503;
			http_json(a, q.answer);
		} else {
			json_free(q.answer);
			http_refuse(a, 503, "%s is stopping", s->config->common.name);
		}
	}
	json_free(request);
}

static enum role service_dashboard_role_of(void *service, const char *who)
{
	const struct service *s = service;

	return roles_named(config_map_get(&s->config->api.roles, who));
}

/* -- start and end -------------------------------------------------------------------------- */

static const struct http_route routes[] = {
	{ .path = "/api/queue", .answer = answer_queue },
	{ .path = "/api/me", .answer = answer_me },
	{ .path = "/api/ask", .answer = answer_ask, .post = true, .body_max = CONTROL_REQUEST_MAX },
	{ 0 },
};

void service_show(struct service *s)
{
	ALLOC(s->desk, 1);
	s->desk->open = true;
	pthread_mutex_init(&s->desk->lock, NULL);
	pthread_cond_init(&s->desk->answered, NULL);
	uv_async_init(&s->c.loop, &s->desk->async, service_dashboard_on_asked);
	s->desk->async.data = s;
	s->queue.shows = (struct dashboard_more){ .route = routes,
						  .role_of = service_dashboard_role_of,
						  .arg = s };
}

void service_hide(struct service *s)
{
	struct desk *d = s->desk;

	if (!d)
		return;
	pthread_mutex_lock(&d->lock);
	d->open = false;
	d->first = NULL;
	pthread_cond_broadcast(&d->answered);
	pthread_mutex_unlock(&d->lock);
	uv_close((uv_handle_t *)&d->async, NULL);
}

void service_show_free(struct service *s)
{
	if (!s->desk)
		return;
	pthread_cond_destroy(&s->desk->answered);
	pthread_mutex_destroy(&s->desk->lock);
	free(s->desk);
	s->desk = NULL;
}
