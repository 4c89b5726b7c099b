#include "server/daemon/service.h"
#include "common/base/alloc.h"
#include "common/base/clock.h"
#include "common/base/file.h"
#include "common/base/log.h"
#include "common/base/service.h"
#include "common/job/prune.h"
#include "common/job/startup.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TICK_MS = 1000 };

/* -- old results ---------------------------------------------------------------------------- */

struct pruning {
	const struct coordinator_config *config;
	char (*kept)[STORE_DIR_MAX]; /* directories of jobs that are not over */
	size_t n;
};

static bool keeps(void *arg, const char *name)
{
	const struct pruning *p = arg;

	for (size_t k = 0; k < p->n; k++)
		if (!strcmp(name, p->kept[k]))
			return true;
	return false;
}

static void service_prune(uv_work_t *work)
{
	struct pruning *p = work->data;

	prune_old(&p->config->common, NULL, keeps, p);
}

static void service_on_pruned(uv_work_t *work, int status)
{
	struct pruning *p = work->data;
	struct coordinator *c = work->loop->data;

	(void)status;
	((struct service *)c->queue->arg)->prunes = false;
	free(p->kept);
	free(p);
}

static void service_prune_now(struct service *s)
{
	struct pruning *p;

	if (s->prunes || prune_never(&s->config->common) ||
	    (s->pruned_s > 0 && clock_now_s() - s->pruned_s < PRUNE_EVERY_S))
		return;
	s->pruned_s = clock_now_s();
	p = alloc(1, sizeof(*p));
	p->config = s->config;
	p->kept = alloc(s->entries + 1, sizeof(*p->kept));
	for (const struct entry *e = s->first; e; e = e->next)
		if (*e->job.directory)
			memcpy(p->kept[p->n++], e->job.directory, STORE_DIR_MAX);
	s->pruning.data = p;
	s->prunes = uv_queue_work(&s->c.loop, &s->pruning, service_prune, service_on_pruned) == 0;
}

/* -- every second --------------------------------------------------------------------------- */

static void log_service_status(const struct service *s)
{
	size_t there = 0;

	for (size_t l = 0; l < s->c.L; l++)
		there += s->c.slot[l].joined;
	service_status("%zu of %zu parties, %zu jobs run, %zu wait, on %s", there, s->c.L, s->runs,
		       s->entries - s->runs, s->c.bound);
}

static void service_on_tick(uv_timer_t *timer)
{
	struct service *s = timer->data;

	queue_write(s);
	if (s->c.stopping)
		return;
	queue_look(s);
	service_prune_now(s);
	log_service_status(s);
}

/* -- the end -------------------------------------------------------------------------------- */

static void service_end(struct service *s, enum err e, const char *why)
{
	struct err_saved kept = { .code = e };

	snprintf(kept.why, sizeof(kept.why), "%s", why);
	s->c.stopping = true;
	for (struct running *r = s->c.jobs; r; r = r->next)
		running_leave(r, kept.why);
	control_close(s->control);
	s->control = NULL;
	service_hide(s);
	uv_close((uv_handle_t *)&s->tick, NULL);
	coordinator_close(&s->c, e, kept.why, 0);
}

void service_stopped(struct service *s)
{
	for (const struct running *r = s->c.jobs; r; r = r->next)
		if (r->phase != CLOSING)
			return;
	if (!s->c.closing)
		service_end(s, ERR_OK, "the coordinator is stopping");
}

static void service_on_signal(void *coordinator, const char *why)
{
	struct coordinator *c = coordinator;
	struct service *s = c->queue->arg;

	if (!c->stopping)
		log_info("%s: %zu jobs run, %zu wait for the next start", why, s->runs,
			 s->entries - s->runs);
	c->stopping = true;
	for (struct running *r = c->jobs; r; r = r->next)
		running_leave(r, why);
	service_stopped(s);
}

/* -- start ---------------------------------------------------------------------------------- */

static enum err read_roles(struct service *s)
{
	const struct control_settings *c = &s->config->common.control;

	TRY(roles_add(&s->roles, ROLE_VIEWER, &c->viewers, "coordinator.control.viewers"));
	TRY(roles_add(&s->roles, ROLE_SUBMITTER, &c->submitters, "coordinator.control.submitters"));
	return roles_add(&s->roles, ROLE_OPERATOR, &c->operators, "coordinator.control.operators");
}

static enum err open_control(struct service *s)
{
	char *path = daemon_control_path(&s->config->common);
	enum err e = control_open(&s->control, path);

	if (e == ERR_OK) /* control requests get answers once the loop runs */
		e = control_start(s->control, &s->c.loop, service_answer, s);
	free(path);
	return e;
}

static enum err service_open_store(struct service *s)
{
	char *path = file_join(s->config->common.output, "jobs.db");
	enum err e = store_open(&s->store, path);

	free(path);
	return e;
}

static enum err service_start(struct service *s)
{
	struct store_party p;

	TRY(read_roles(s));
	TRY(open_control(s));
	TRY(coordinator_listen(&s->c));
	TRY(service_open_store(s));
	service_show(s);
	for (size_t l = 0; l < s->c.L; l++) {
		TRY(store_get_party(s->store, s->c.slot[l].name, &p));
		s->written[l] = p.contact;
		snprintf(s->c.slot[l].software, sizeof(s->c.slot[l].software), "%s", p.software);
	}
	TRY(coordinator_watch(&s->c, service_on_signal));
	TRY(queue_load(s));
	uv_timer_start(&s->tick, service_on_tick, TICK_MS, TICK_MS);
	TRY(coordinator_log_ready(&s->c));
	queue_look(s);
	return ERR_OK;
}

enum err service_run(const struct coordinator_config *config)
{
	struct service *s = alloc(1, sizeof(*s));
	enum err e;

	s->config = s->c.config = config;
	queue_hooks(s);
	e = coordinator_init(&s->c);
	if (e != ERR_OK) {
		free(s);
		return e;
	}
	s->c.loop.data = &s->c;
	uv_timer_init(&s->c.loop, &s->tick);
	s->tick.data = s;
	e = service_start(s);
	if (e != ERR_OK)
		service_end(s, e, err_detail());
	uv_run(&s->c.loop, UV_RUN_DEFAULT);
	e = coordinator_end(&s->c);
	service_show_free(s);
	store_close(s->store);
	queue_free(s);
	free(s);
	return e;
}
