#include "common/base/alloc.h"
#include "common/base/clock.h"
#include "common/base/file.h"
#include "common/base/log.h"
#include "common/job/hook.h"
#include "common/job/live.h"
#include "server/daemon/service.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BACK_S 10.0 /* seconds for which a party counts as returning after its job's end */

enum { AGAIN_MAX = 1000 };

/* -- writing to jobs.db --------------------------------------------------------------------- */

static void note_trouble(struct service *s, enum err e)
{
	if (e != ERR_OK && !*s->trouble)
		log_error("%s: running jobs continue, others wait until this is fixed",
			  err_detail());
	if (e != ERR_OK)
		snprintf(s->trouble, sizeof(s->trouble), "%s", err_detail());
	else if (*s->trouble)
		log_info("jobs.db and the output directory can be written again");
	if (e == ERR_OK)
		s->trouble[0] = '\0';
}

bool entry_save(struct service *s, struct entry *e)
{
	enum err result = store_change(s->store, &e->job);

	e->unwritten = result != ERR_OK;
	if (result != ERR_OK)
		note_trouble(s, result);
	else
		live_queue_written();
	return result == ERR_OK;
}

char *entry_path(const struct service *s, const struct entry *e, const char *name)
{
	char *dir = file_join(s->config->common.output, e->job.directory);
	char *path = file_join(dir, name);

	free(dir);
	return path;
}

static void remove_entry(struct service *s, struct entry *e)
{
	for (struct entry **at = &s->first; *at; at = &(*at)->next)
		if (*at == e) {
			*at = e->next;
			break;
		}
	s->entries--;
	store_job_release(&e->job);
	free(e);
}

/* Appends to index.jsonl, which maps directories to jobs even without jobs.db. */
static void add_to_index(const struct service *s, const struct store_job *j)
{
	char *path = file_join(s->config->common.output, "index.jsonl"), when[32];
	struct json *line = json_object();
	struct buf text = { 0 };
	int fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, FILE_PUBLIC);

	json_put_number(line, "id", (double)j->id);
	json_put_string(line, "state", store_state_name[j->state]);
	json_put_string(line, "directory", j->directory);
	json_put_string(line, "job_id", j->job_id);
	json_put_string(line, "submitter", j->submitter);
	clock_utc_of(j->ended, when, sizeof(when));
	json_put_string(line, "ended", when);
	json_put_string(line, "cause", j->cause);
	json_write(line, &text);
	buf_add(&text, "\n", 1);
	if (fd < 0 || write(fd, text.p, text.n) != (ssize_t)text.n)
		log_warn("%s cannot be written", path);
	if (fd >= 0)
		close(fd);
	buf_release(&text);
	json_free(line);
	free(path);
}

/* Stores the end of a job in jobs.db. If this succeeds, removes the job's file job.state. */
static void service_queue_settle_entry(struct service *s, struct entry *e)
{
	char *state;

	if (!entry_save(s, e))
		return;
	if (*e->job.directory) {
		state = entry_path(s, e, "job.state");
		attempt_forget(state);
		free(state);
	}
	add_to_index(s, &e->job);
	remove_entry(s, e);
}

void entry_end(struct service *s, struct entry *e, enum err status, const char *cause)
{
	struct store_job *j = &e->job;

	j->state = status == ERR_OK          ? STORE_DONE
		   : status == ERR_CANCELLED ? STORE_CANCELLED
					     : STORE_FAILED;
	j->status = status;
	j->ended = time(NULL);
	snprintf(j->cause, sizeof(j->cause), "%s", cause);
	log_info("job %" PRId64 " of %s: %s%s%s", j->id, j->submitter, store_state_name[j->state],
		 *cause ? ": " : "", cause);
	service_queue_settle_entry(s, e);
}

void queue_write(struct service *s)
{
	if (store_there(s->store) != ERR_OK)
		note_trouble(s, ERR_JOB);
	for (struct entry *e = s->first, *next; e; e = next) {
		next = e->next;
		if (!e->unwritten)
			continue;
		if (entry_save(s, e))
			note_trouble(s, ERR_OK);
		if (!e->unwritten && store_is_over(e->job.state))
			service_queue_settle_entry(s, e);
	}
}

/* -- begin ---------------------------------------------------------------------------------- */

static void link_latest(const struct service *s, const char *directory)
{
	char *link = file_join(s->config->common.output, "latest");
	char *fresh = file_join(s->config->common.output, "latest.new");

	unlink(fresh);
	if (symlink(directory, fresh) != 0 || rename(fresh, link) != 0)
		log_warn("cannot create the link %s", link);
	free(fresh);
	free(link);
}

/* Chooses a name that no directory has, even if jobs.db was replaced and its ids begin at 1 again.
 * Makes the directory. */
static enum err choose_directory(const struct service *s, struct entry *e)
{
	char *path;
	bool there = true;

	for (unsigned i = 1; there && i < AGAIN_MAX; i++) {
		int n = snprintf(e->job.directory, sizeof(e->job.directory), "job-%06" PRId64,
				 e->job.id);

		if (i > 1)
			snprintf(e->job.directory + n, sizeof(e->job.directory) - (size_t)n, "-%u",
				 i);
		path = file_join(s->config->common.output, e->job.directory);
		there = file_exists(path);
		free(path);
	}
	if (there)
		return err_set(ERR_JOB, "%s: there are too many of it", e->job.directory);
	path = file_join(s->config->common.output, e->job.directory);
	if (file_make_dirs(path) != ERR_OK) {
		free(path);
		return ERR_JOB;
	}
	free(path);
	return ERR_OK;
}

/* Makes the job with the slots of its parties. Does not write to jobs.db. */
struct running *entry_running(struct service *s, const struct entry *e, const struct job *job)
{
	char *output = file_join(s->config->common.output, e->job.directory);
	struct running *r =
	    running_new(&s->c, job, e->slot, e->job.parties, e->job.submitter, output);

	free(output);
	r->id = e->job.id;
	return r;
}

void entry_open_log(struct service *s, struct entry *e)
{
	char *path = entry_path(s, e, "log.jsonl");

	if (log_job_open(e->job.job_id, path) != ERR_OK)
		log_warn("%s", err_detail());
	free(path);
	link_latest(s, e->job.directory);
}

void entry_mark(struct service *s, struct entry *e, struct running *r)
{
	hex_write(r->run.job_id, JOB_ID_LEN, e->job.job_id);
	snprintf(r->number, sizeof(r->number), "%s", e->job.job_id);
	e->job.state = STORE_RUNNING;
	e->job.began = time(NULL);
	e->job.attempts++;
	e->job.cause[0] = '\0';
	e->running = r;
	s->runs++;
}

static void unmark(struct service *s, struct entry *e, enum store_state state)
{
	running_drop(e->running);
	e->running = NULL;
	s->runs--;
	e->job.state = state;
	e->job.began = 0;
	e->job.attempts--;
	e->job.job_id[0] = '\0';
	if (e->unwritten) /* jobs.db could not store the begin, so it still has `state` */
		e->unwritten = false;
	else
		entry_save(s, e);
}

enum err entry_read(struct job *job, const struct entry *e)
{
	struct bytes text = { (const uint8_t *)e->job.text, strlen(e->job.text) };

	return job_parse(job, text, "jobs.db", NULL);
}

/* Begins the job. Returns false if its files or jobs.db cannot be written; the job then waits. */
static bool service_queue_begin_entry(struct service *s, struct entry *e)
{
	enum store_state before = e->job.state;
	struct running *r;
	struct job job;
	enum err result = entry_read(&job, e);

	if (result != ERR_OK) { /* another version of this program accepted the job */
		hook_raise(HOOK_JOB_FAILED, "", "job failed: %s", err_detail());
		entry_end(s, e, result, err_detail());
		return true;
	}
	if (!*e->job.directory)
		result = choose_directory(s, e);
	if (result != ERR_OK) {
		note_trouble(s, result);
		e->job.directory[0] = '\0';
		return false;
	}
	r = entry_running(s, e, &job);
	result = running_draw(r);
	entry_mark(s, e, r);
	if (result == ERR_OK && entry_save(s, e))
		result = running_begin_results(r);
	log_set_job_here("");
	if (result != ERR_OK || e->unwritten) {
		note_trouble(s, result);
		unmark(s, e, before);
		return false;
	}
	note_trouble(s, ERR_OK);
	entry_open_log(s, e);
	log_info("job %" PRId64 " of %s begins, in %s", e->job.id, e->job.submitter,
		 e->job.directory);
	running_start(r);
	return true;
}

/* -- the next job --------------------------------------------------------------------------- */

static size_t service_queue_number_of(const struct service *s, const struct slot *slot)
{
	return (size_t)(slot - s->c.slot);
}

bool queue_is_there(const struct service *s, const struct slot *slot)
{
	return slot->joined || slot->job ||
	       clock_now_s() < s->expected_s[service_queue_number_of(s, slot)];
}

static void set_waiting(struct service *s, struct entry *e, enum store_state state)
{
	if (e->job.state == state)
		return;
	e->job.state = state;
	entry_save(s, e);
	if (state == STORE_WAITING)
		log_info("job %" PRId64 " waits for parties that are not connected", e->job.id);
}

/* Returns whether another job may run. Counts running jobs, and finished ones whose thread still
 * runs, since each has an open log. */
bool queue_has_room(const struct service *s)
{
	size_t held = 0;

	for (const struct running *r = s->c.jobs; r; r = r->next)
		held++;
	return s->runs < s->config->max_running && held < RECORD_RUNNING_MAX;
}

void queue_look(struct service *s)
{
	bool reserved[PARTIES_MAX] = { false };

	for (struct entry *e = s->first, *next; e; e = next) {
		bool there = true, free_now = true;

		next = e->next;
		if (e->running || store_is_over(e->job.state))
			continue;
		for (size_t l = 0; l < e->job.parties; l++) {
			const struct slot *slot = e->slot[l];

			there = there && queue_is_there(s, slot);
			free_now = free_now && slot->joined && !slot->job &&
				   !reserved[service_queue_number_of(s, slot)];
		}
		set_waiting(s, e, there ? STORE_QUEUED : STORE_WAITING);
		if (!there)
			continue;
		if (free_now && queue_has_room(s) && !s->c.stopping && !e->unwritten &&
		    service_queue_begin_entry(s, e))
			continue;
		for (size_t l = 0; l < e->job.parties; l++)
			reserved[service_queue_number_of(s, e->slot[l])] = true;
	}
	live_queue(s->entries - s->runs);
}

/* -- in and out ----------------------------------------------------------------------------- */

struct entry *queue_find(struct service *s, int64_t id)
{
	struct entry *e = s->first;

	while (e && e->job.id != id)
		e = e->next;
	return e;
}

enum err queue_append(struct service *s, const struct store_job *j, struct entry **entry)
{
	struct entry *e = alloc(1, sizeof(*e)), **at = &s->first;

	e->job = *j;
	while (*at)
		at = &(*at)->next;
	*at = e;
	s->entries++;
	*entry = e;
	for (size_t l = 0; l < j->parties; l++) {
		for (size_t i = 0; i < s->c.L; i++)
			if (!strcmp(s->c.slot[i].name, j->party[l]))
				e->slot[l] = &s->c.slot[i];
		if (!e->slot[l])
			return err_set(ERR_INPUT, "%s is not among the parties of %s any more",
				       j->party[l], s->config->common.name);
	}
	return ERR_OK;
}

enum err queue_add(struct service *s, struct store_job *j, int64_t *id)
{
	struct entry *e;
	enum err result = store_add(s->store, j);

	note_trouble(s, result);
	TRY(result);
	*id = j->id;
	live_queue_written();
	log_info("job %" PRId64 " was submitted by %s", j->id, j->submitter);
	TRY(queue_append(s, j, &e)); /* submit_read() has checked its parties */
	queue_look(s);
	return ERR_OK;
}

enum err queue_cancel(struct service *s, struct entry *e, const char *who)
{
	char why[128];
	int64_t id;

	snprintf(why, sizeof(why), "cancelled by %s", who);
	if (e->running && running_is_done(e->running))
		return err_set(ERR_INPUT, "job %" PRId64 " is done, in a moment", e->job.id);
	if (e->running) {
		running_cancel(e->running, why);
		return ERR_OK;
	}
	id = e->job.id;
	entry_end(s, e, ERR_CANCELLED, why);
	queue_look(s);
	return !queue_find(s, id)
		   ? ERR_OK
		   : err_set(ERR_JOB,
			     "job %" PRId64 " is cancelled, but is lost track of if the "
			     "coordinator ends now: %.800s",
			     id, s->trouble);
}

/* -- callbacks of the coordinator ----------------------------------------------------------- */

static void on_came(void *service, struct slot *slot)
{
	struct service *s = service;
	struct store_party p = { .contact = time(NULL) };
	time_t *written = &s->written[service_queue_number_of(s, slot)];

	snprintf(p.software, sizeof(p.software), "%s", slot->software);
	if (p.contact - *written >= 60 && store_saw_party(s->store, slot->name, &p) == ERR_OK)
		*written = p.contact;
	s->expected_s[service_queue_number_of(s, slot)] = 0;
	queue_look(s);
}

static void on_went(void *service, struct slot *slot)
{
	(void)slot;
	queue_look(service);
}

static void service_queue_on_closed(void *service, struct running *r)
{
	struct service *s = service;
	struct entry *e = queue_find(s, r->id);
	const char *cause = r->result == ERR_OK                       ? ""
			    : r->result == ERR_CANCELLED && *r->asked ? r->asked
								      : r->why;

	s->runs--;
	e->running = NULL;
	for (size_t l = 0; l < r->L; l++)
		s->expected_s[service_queue_number_of(s, r->slot[l])] = clock_now_s() + BACK_S;
	if (e->job.attempts < r->run.attempt)
		e->job.attempts = r->run.attempt;
	if (r->left)
		entry_save(s, e);
	else
		entry_end(s, e, running_is_done(r) ? ERR_OK : r->result, cause);
	if (s->c.stopping)
		service_stopped(s);
	else
		queue_look(s);
}

static void on_over(void *service, struct running *r)
{
	(void)service;
	log_job_close(r->number);
	r->left = true; /* service_queue_settle_entry() removes job.state once jobs.db is written */
	running_free(r);
}

static bool was_done(void *service, const struct msg_resume *m, char why[ERR_DETAIL_MAX])
{
	struct service *s = service;
	struct store_job j = { 0 };
	char id[2 * JOB_ID_LEN + 1];
	bool found, done = false;

	hex_write(m->job_id, JOB_ID_LEN, id);
	if (store_get_by_job_id(s->store, id, &j, &found) == ERR_OK && found &&
	    store_is_over(j.state)) {
		done = j.state == STORE_DONE;
		snprintf(why, ERR_DETAIL_MAX, "the job is %s%s%.600s", store_state_name[j.state],
			 *j.cause ? ": " : "", j.cause);
	}
	store_job_release(&j);
	return done;
}

void queue_hooks(struct service *s)
{
	s->queue = (struct coordinator_queue){ .came = on_came,
					       .went = on_went,
					       .closed = service_queue_on_closed,
					       .over = on_over,
					       .was_done = was_done,
					       .arg = s };
	s->c.queue = &s->queue;
}

void queue_free(struct service *s)
{
	while (s->first)
		remove_entry(s, s->first);
}
