#include "common/base/alloc.h"
#include "common/base/clock.h"
#include "common/base/file.h"
#include "common/base/log.h"
#include "common/job/live.h"
#include "server/daemon/service.h"
#include "server/service/submit.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	LIST_MAX = 1000,
	LIST_USUAL = 50,
	LOG_MAX = 64 << 10,
	WHERE_MAX = 200,
	QUEUED_MAX = 1000 /* limit of jobs that are not over */
};

struct asked {
	struct service *s;
	const struct json *request;
	struct json *answer;
	enum role role;
	char who[ROLES_NAME_MAX + 1];
	bool denied; /* the user's role is insufficient */
};

static int64_t service_answer_number_in(const struct asked *a, const char *key, int64_t otherwise)
{
	double x = json_number_of(a->request, key, (double)otherwise);

	return x >= 0 && x <= 9e15 ? (int64_t)x : otherwise;
}

/* -- jobs ----------------------------------------------------------------------------------- */

static void service_answer_put_time(struct json *o, const char *key, time_t t)
{
	char text[32];

	if (!t)
		return;
	clock_utc_of(t, text, sizeof(text));
	json_put_string(o, key, text);
}

struct json *service_put_job(struct json *o, const struct store_job *j)
{
	struct live *now = j->state == STORE_RUNNING ? live_copy() : NULL;
	struct json *root = NULL, *list;
	bool awaited = now && live_awaited(now, j->job_id, NULL);
	bool parsed = json_parse((struct bytes){ (const uint8_t *)j->text, strlen(j->text) },
				 "jobs.db", &root) == ERR_OK;

	json_put_number(o, "id", (double)j->id);
	json_put_string(o, "state", awaited ? "awaiting approval" : store_state_name[j->state]);
	if (awaited)
		live_awaited(now, j->job_id, json_put_array(o, "waiting_for"));
	free(now);
	json_put_string(o, "kind", parsed ? json_text(root, "kind") : "");
	json_put_string(o, "submitter", j->submitter);
	list = json_put_array(o, "parties");
	for (size_t l = 0; l < j->parties; l++)
		json_append_string(list, j->party[l]);
	service_answer_put_time(o, "submitted", j->submitted);
	service_answer_put_time(o, "began", j->began);
	service_answer_put_time(o, "ended", j->ended);
	json_put_number(o, "attempts", j->attempts);
	json_put_string(o, "cause", j->cause);
	if (*j->job_id)
		json_put_string(o, "job_id", j->job_id);
	return root;
}

static void put_waiting(const struct service *s, const struct entry *e, struct json *o)
{
	struct json *list = json_put_array(o, "waiting_for");

	for (size_t l = 0; l < e->job.parties; l++)
		if (!queue_is_there(s, e->slot[l]))
			json_append_string(list, e->slot[l]->name);
}

/* Copies the warnings from the run.json of a finished job; copies none if the file no longer
 * exists. */
static void service_answer_put_warnings(const char *dir, struct json *o)
{
	char *path = file_join(dir, "run.json");
	struct json *run = NULL, *list = NULL;

	if (json_read(path, JSON_TEXT_MAX, &run) == ERR_OK && json_type(run) == JSON_OBJECT)
		list = json_take(run, "warnings");
	if (list)
		json_put(o, "warnings", list);
	json_free(run);
	free(path);
}

static void put_job(const struct service *s, const struct store_job *j, const struct entry *e,
		    struct json *o, bool whole)
{
	struct json *root = service_put_job(o, j);
	char *dir;

	if (store_is_over(j->state))
		json_put_number(o, "status", (double)j->status);
	if (*j->directory) {
		dir = file_join(s->config->common.output, j->directory);
		json_put_string(o, "directory", dir);
		json_put_bool(o, "kept", file_exists(dir));
		if (whole && store_is_over(j->state))
			service_answer_put_warnings(dir, o);
		free(dir);
	}
	if (e && j->state == STORE_WAITING)
		put_waiting(s, e, o);
	if (e && e->running && e->running->phase == JOINING)
		put_waiting(s, e, o);
	if (whole && root)
		json_put(o, "job", root);
	else
		json_free(root);
}

static enum err answer_list(struct asked *a)
{
	int64_t most = service_answer_number_in(a, "most", LIST_USUAL);
	struct json *list = json_put_array(a->answer, "jobs");
	struct store_rows rows;

	TRY(store_last_jobs(a->s->store, (size_t)(most < 1 || most > LIST_MAX ? LIST_MAX : most),
			    &rows));
	for (size_t i = 0; i < rows.n; i++) {
		const struct entry *e = queue_find(a->s, rows.job[i].id);

		put_job(a->s, e ? &e->job : &rows.job[i], e, json_append_object(list), false);
	}
	store_rows_release(&rows);
	return ERR_OK;
}

/* Finds the requested job. Sets *e if the job is in the queue; otherwise reads it from jobs.db into
 * *j, which the caller releases. */
static enum err service_answer_find_job(struct asked *a, struct entry **e, struct store_job *j)
{
	int64_t id = service_answer_number_in(a, "id", 0);
	bool found;

	*j = (struct store_job){ 0 };
	*e = queue_find(a->s, id);
	if (*e)
		return ERR_OK;
	TRY(store_get(a->s->store, id, j, &found));
	return found ? ERR_OK
		     : err_set(ERR_INPUT,
			       "there is no job %" PRId64 ": coterie job list shows those that "
			       "are here",
			       id);
}

static enum err answer_show(struct asked *a)
{
	struct store_job j;
	struct entry *e;

	TRY(service_answer_find_job(a, &e, &j));
	put_job(a->s, e ? &e->job : &j, e, json_put_object(a->answer, "job"), true);
	store_job_release(&j);
	return ERR_OK;
}

static enum err answer_cancel(struct asked *a)
{
	struct store_job j;
	struct entry *e;
	enum err result;

	TRY(service_answer_find_job(a, &e, &j));
	if (!e || store_is_over(e->job.state)) {
		const struct store_job *over = e ? &e->job : &j;

		result = err_set(ERR_INPUT, "job %" PRId64 " is over: it is %s", over->id,
				 store_state_name[over->state]);
	} else if (a->role < ROLE_OPERATOR && strcmp(e->job.submitter, a->who) != 0) {
		result = err_set(
		    ERR_INPUT,
		    "job %" PRId64
		    " was submitted by %s: cancelling it needs the role operator, and %s is a %s",
		    e->job.id, e->job.submitter, a->who, role_name[a->role]);
	} else {
		log_info("%s cancels job %" PRId64, a->who, e->job.id);
		result = queue_cancel(a->s, e, a->who);
	}
	store_job_release(&j);
	return result;
}

/* -- submission ----------------------------------------------------------------------------- */

/* Checks that each party has connected before. Otherwise a job with a misspelt name would wait for
 * ever. */
static enum err service_answer_check_parties(const struct asked *a, const struct store_job *j,
					     const char *where)
{
	for (size_t l = 0; l < j->parties; l++) {
		bool there = false;
		struct store_party p;

		for (size_t i = 0; i < a->s->c.L; i++)
			if (!strcmp(a->s->c.slot[i].name, j->party[l]))
				there = a->s->c.slot[i].joined || a->s->c.slot[i].job;
		if (there)
			continue;
		TRY(store_get_party(a->s->store, j->party[l], &p));
		if (!p.contact)
			return err_set(ERR_INPUT,
				       "%s: job.parties: %s has never connected to %s: start it, "
				       "or leave it out of the job's parties",
				       where, j->party[l], a->s->config->common.name);
	}
	return ERR_OK;
}

static enum err service_answer_take_job(struct asked *a, struct store_job *j, const char *where,
					int64_t *id)
{
	if (a->s->c.stopping)
		return err_set(ERR_JOB, "%s is stopping", a->s->config->common.name);
	if (a->s->entries >= QUEUED_MAX)
		return err_set(ERR_JOB, "%zu jobs wait already, expected at most %d", a->s->entries,
			       QUEUED_MAX);
	TRY(service_answer_check_parties(a, j, where));
	return queue_add(a->s, j, id);
}

static enum err answer_submit(struct asked *a)
{
	const char *text = json_text(a->request, "job"), *where = json_text(a->request, "where");
	struct store_job j = { .state = STORE_QUEUED, .submitted = time(NULL) };
	char called[WHERE_MAX];
	int64_t id;
	enum err e;

	snprintf(called, sizeof(called), "%s", *where ? where : "job");
	snprintf(j.submitter, sizeof(j.submitter), "%s", a->who);
	TRY(submit_read(&j, a->s->config, (struct bytes){ (const uint8_t *)text, strlen(text) },
			called));
	e = service_answer_take_job(a, &j, called, &id);
	if (e != ERR_OK) {
		store_job_release(&j);
		return e;
	}
	json_put_number(a->answer, "id", (double)id);
	return ERR_OK;
}

/* -- a job's log ---------------------------------------------------------------------------- */

static enum err read_log(struct asked *a, const struct store_job *j)
{
	char *dir = file_join(a->s->config->common.output, j->directory);
	char *path = file_join(dir, "log.jsonl");
	int fd = *j->directory ? open(path, O_RDONLY | O_CLOEXEC) : -1;
	int64_t offset = service_answer_number_in(a, "offset", 0);
	char *text = alloc(LOG_MAX + 1, 1);
	struct json *lines;
	ssize_t n = fd >= 0 ? pread(fd, text, LOG_MAX, (off_t)offset) : 0;

	if (fd >= 0)
		close(fd);
	while (n > 0 && text[n - 1] != '\n')
		n--;
	text[n > 0 ? n : 0] = '\0';
	lines = json_put_array(a->answer, "lines");
	for (char *at = text, *rest; (rest = strchr(at, '\n')); at = rest + 1) {
		*rest = '\0';
		json_append_string(lines, at);
	}
	json_put_number(a->answer, "offset", (double)(offset + (n > 0 ? n : 0)));
	json_put_string(a->answer, "state", store_state_name[j->state]);
	json_put_bool(a->answer, "over", store_is_over(j->state));
	json_put_number(a->answer, "job_status", (double)j->status);
	free(text);
	free(path);
	free(dir);
	return ERR_OK;
}

static enum err answer_log(struct asked *a)
{
	struct store_job j;
	struct entry *e;
	enum err result;

	TRY(service_answer_find_job(a, &e, &j));
	result = read_log(a, e ? &e->job : &j);
	store_job_release(&j);
	return result;
}

/* -- the daemon ----------------------------------------------------------------------------- */

static enum err put_queue(const struct asked *a, struct json *o)
{
	size_t count[STORE_CANCELLED + 1], waiting = 0;
	enum err e = store_count(a->s->store, count);

	for (const struct entry *one = a->s->first; one; one = one->next)
		waiting += one->job.state == STORE_WAITING;
	json_put_number(o, "running", (double)a->s->runs);
	json_put_number(o, "waiting_for_parties", (double)waiting);
	json_put_number(o, "queued", (double)(a->s->entries - a->s->runs - waiting));
	for (size_t i = STORE_DONE; i <= STORE_CANCELLED && e == ERR_OK; i++)
		json_put_number(o, store_state_name[i], (double)count[i]);
	json_put_string(o, "trouble", a->s->trouble);
	/* Without older trouble, the error of reading jobs.db replaces "". */
	if (e != ERR_OK && !*a->s->trouble)
		json_put_string(o, "trouble", err_detail());
	return ERR_OK;
}

/* Lists each party, with its last refusal and its last contact. The last contact may precede this
 * process. */
static void put_parties(const struct asked *a, struct json *list)
{
	for (size_t l = 0; l < a->s->c.L; l++) {
		const struct slot *slot = &a->s->c.slot[l];
		struct json *o = json_append_object(list);
		struct store_party p;

		json_put_string(o, "name", slot->name);
		json_put_bool(o, "connected", slot->joined);
		if (slot->job)
			json_put_number(o, "job", (double)slot->job->id);
		json_put_string(o, "refused", slot->refused);
		if (store_get_party(a->s->store, slot->name, &p) != ERR_OK)
			p = (struct store_party){ 0 };
		service_answer_put_time(o, "last_joined", p.contact);
		json_put_string(o, "software", *slot->software ? slot->software : p.software);
	}
}

static enum err service_answer_status(struct asked *a)
{
	struct live *now = live_copy();
	struct json *o = json_put(a->answer, "daemon", live_json(now)), *list;

	free(now);
	put_parties(a, json_put_array(o, "parties"));
	list = json_put_array(o, "running");
	for (const struct entry *e = a->s->first; e; e = e->next)
		if (e->running)
			put_job(a->s, &e->job, e, json_append_object(list), false);
	return put_queue(a, json_put_object(o, "queue"));
}

/* -- permissions ---------------------------------------------------------------------------- */

static const struct {
	const char *what;
	enum role role;
	enum err (*answer)(struct asked *a);
} requests[] = {
	{ "list", ROLE_VIEWER, answer_list },
	{ "show", ROLE_VIEWER, answer_show },
	{ "log", ROLE_VIEWER, answer_log },
	{ "status", ROLE_VIEWER, service_answer_status },
	{ "submit", ROLE_SUBMITTER, answer_submit },
	{ "cancel", ROLE_SUBMITTER, answer_cancel },
};

static enum err service_answer_one(struct asked *a)
{
	const char *what = json_text(a->request, "do");

	for (size_t i = 0; i < sizeof(requests) / sizeof(*requests); i++) {
		if (strcmp(what, requests[i].what) != 0)
			continue;
		if (a->role >= requests[i].role)
			return requests[i].answer(a);
		a->denied = true;
		log_warn("%s, with the role %s, requested %s", a->who, role_name[a->role], what);
		return err_set(ERR_INPUT, "%s needs the role %s at %s, and %s has %s%s", what,
			       role_name[requests[i].role], a->s->config->common.name, a->who,
			       a->role ? "the role " : "no role",
			       a->role ? role_name[a->role] : "");
	}
	return err_set(ERR_INPUT, "unknown request %.40s", what);
}

bool service_answer_as(struct service *s, enum role role, const char *who,
		       const struct json *request, struct json *answer)
{
	struct asked a = { .s = s, .request = request, .answer = answer, .role = role };
	enum err e;

	snprintf(a.who, sizeof(a.who), "%s", who);
	e = service_answer_one(&a);
	json_put_number(answer, "status", e);
	if (e != ERR_OK)
		json_put_string(answer, "error", err_detail());
	return !a.denied;
}

void service_answer(void *service, const struct control_peer *peer, const struct json *request,
		    struct json *answer)
{
	struct service *s = service;
	char who[ROLES_NAME_MAX + 1];

	roles_name_of(peer->uid, who);
	(void)service_answer_as(s, roles_of(&s->roles, peer->uid, peer->group, peer->groups), who,
				request, answer);
}
