#include "common/job/live.h"
#include "common/base/alloc.h"
#include "common/base/clock.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct live now = { .alive_within_s = 1 };

static void live_lock(void)
{
	pthread_mutex_lock(&lock);
	now.version++;
}

static void live_unlock(void)
{
	pthread_mutex_unlock(&lock);
}

#define SET(field, text) snprintf((field), sizeof(field), "%s", (text))

/* ---- the daemon ---- */

void live_begin(const char *role, const char *name, const char *output)
{
	live_lock();
	SET(now.role, role);
	SET(now.name, name);
	SET(now.output, output);
	clock_utc(now.started_utc, sizeof(now.started_utc));
	now.started = time(NULL);
	now.alive_s = clock_now_s();
	live_unlock();
}

void live_alive(unsigned within_s)
{
	pthread_mutex_lock(&lock); /* not live_lock(), which counts as a change */
	now.alive_s = clock_now_s();
	now.alive_within_s = within_s;
	live_unlock();
}

void live_phase(const char *phase)
{
	live_lock();
	SET(now.phase, phase);
	live_unlock();
}

void live_queue(size_t queued)
{
	live_lock();
	now.queued = queued;
	live_unlock();
}

void live_queue_written(void)
{
	live_lock();
	now.queue_written++;
	live_unlock();
}

void live_certificate(time_t until)
{
	live_lock();
	now.certificate_until = until;
	live_unlock();
}

void live_awaits_approval(bool awaited)
{
	live_lock();
	now.person = awaited;
	live_unlock();
}

/* ---- jobs ---- */

static struct live_job *find_job(const char *id)
{
	for (size_t i = 0; *id && i < now.jobs; i++)
		if (!strcmp(now.job[i].id, id))
			return &now.job[i];
	return NULL;
}

/* Returns a place for a new job: a free one, or that of the oldest job that has ended. NULL if all
 * places have running jobs. */
static struct live_job *place_job(void)
{
	struct live_job *oldest = NULL;

	if (now.jobs < LIVE_JOBS_MAX)
		return &now.job[now.jobs++];
	for (struct live_job *j = now.job; j < now.job + now.jobs; j++)
		if (j->ended && (!oldest || j->started_s < oldest->started_s))
			oldest = j;
	return oldest;
}

/* Returns the entry of a kind; the last entry of a full table serves all further kinds. */
static struct live_kind *live_kind_of(const char *name)
{
	for (size_t i = 0; i < now.kinds; i++)
		if (!strcmp(now.kind[i].name, name))
			return &now.kind[i];
	if (now.kinds == LIVE_KINDS_MAX)
		return &now.kind[LIVE_KINDS_MAX - 1];
	SET(now.kind[now.kinds].name, name);
	return &now.kind[now.kinds++];
}

static struct live_series *series_of(const char *kind, const char *phase)
{
	for (size_t i = 0; i < now.series; i++)
		if (!strcmp(now.one[i].kind, kind) && !strcmp(now.one[i].phase, phase))
			return &now.one[i];
	if (now.series == LIVE_SERIES_MAX)
		return &now.one[LIVE_SERIES_MAX - 1];
	SET(now.one[now.series].kind, kind);
	SET(now.one[now.series].phase, now.series == LIVE_SERIES_MAX - 1 ? "other" : phase);
	return &now.one[now.series++];
}

/* Adds to the counters the progress of a phase since its last snapshot. */
static void count_phase(const char *kind, const struct live_phase *had,
			const struct live_phase *has)
{
	struct live_series *s = series_of(kind, has->name);

	s->compute_s += has->compute_s - had->compute_s;
	s->times.wait_s += has->times.wait_s - had->times.wait_s;
	s->times.wire_s += has->times.wire_s - had->times.wire_s;
	s->round_trips += has->times.round_trips - had->times.round_trips;
	s->rounds += has->rounds - had->rounds;
}

/* Copies the phases of a record. Within an attempt, phases are only added, and only the last known
 * phase may have changed. */
static void take_phases(struct live_job *j, const struct record *r)
{
	for (size_t p = j->phases ? j->phases - 1 : 0; p < r->phases; p++) {
		const struct record_phase *from = &r->phase[p];
		struct live_phase had = { 0 }, has = { .start_s = from->start_s,
						       .compute_s = from->compute_s,
						       .times = from->times,
						       .rounds = from->rounds,
						       .iterations = from->iterations };

		if (p < j->phases)
			had = j->phase[p];
		SET(has.name, from->name);
		count_phase(j->kind, &had, &has);
		j->phase[p] = has;
	}
	j->phases = r->phases;
}

void live_job_begins(const struct record *r)
{
	struct live_job *j;

	live_lock();
	j = find_job(r->job_id);
	if (!j)
		j = place_job();
	if (j) {
		*j = (struct live_job){ .attempt = r->attempt, .started_s = r->started_s };
		SET(j->id, r->job_id);
		SET(j->kind, r->has_job ? r->job.kind->name : "");
		SET(j->submitter, r->submitter);
		SET(j->started_utc, r->started_utc);
	}
	live_unlock();
}

void live_job_continues(const struct record *r)
{
	struct live_job *j;

	live_lock();
	j = find_job(r->job_id);
	if (j && !j->ended)
		take_phases(j, r);
	live_unlock();
}

void live_job_dropped(const struct record *r)
{
	struct live_job *j;

	live_lock();
	j = find_job(r->job_id);
	if (j)
		*j = now.job[--now.jobs];
	live_unlock();
}

void live_job_ended(const struct record *r)
{
	struct live_job *j;

	live_lock();
	j = find_job(r->job_id);
	if (!j) { /* the job failed before its parameters were read */
		j = place_job();
		if (j) {
			*j = (struct live_job){ .attempt = r->attempt, .started_s = r->started_s };
			SET(j->id, r->job_id);
			SET(j->started_utc, r->started_utc);
		}
	}
	if (j && !j->ended) {
		take_phases(j, r);
		j->ended = true;
		j->elapsed_s = r->elapsed_s;
		j->status = r->status;
		SET(j->error, r->error);
		j->rows = r->rows;
		j->clusters = r->clusters;
		live_kind_of(j->kind)->ended[r->status]++;
	}
	live_unlock();
}

/* ---- peers ---- */

static struct live_peer *find_peer(const char *name)
{
	for (struct live_peer *p = now.peer; p < now.peer + now.peers; p++)
		if (!strcmp(p->name, name) || !strcmp(p->called, name))
			return p;
	return NULL;
}

static struct live_peer *live_peer_of(const char *name)
{
	struct live_peer *p = find_peer(name);

	if (p || now.peers == LIVE_PEERS_MAX)
		return p;
	p = &now.peer[now.peers++];
	*p = (struct live_peer){ .since_s = clock_now_s(), .rtt_s = -1 };
	SET(p->name, name);
	return p;
}

void live_peer(const char *name, bool there)
{
	struct live_peer *p;

	live_lock();
	p = live_peer_of(name);
	if (p && p->there != there) {
		p->there = there;
		p->since_s = clock_now_s();
		p->gone += !there;
	}
	live_unlock();
}

void live_peer_hello(const char *name, const char *called, const char *address,
		     const char *software)
{
	struct live_peer *p;

	live_lock();
	p = live_peer_of(name);
	if (p) {
		SET(p->called, called);
		SET(p->address, address);
		SET(p->software, software);
	}
	live_unlock();
}

/* Adds the bytes since the last call to the counters. live_link_ends() has set the bytes of an
 * earlier link to 0. */
static void count_link(const struct live_peer *p, uint64_t sent, uint64_t received)
{
	struct live_job *j = find_job(p->job);
	struct live_kind *k = live_kind_of(j ? j->kind : "");

	k->sent += sent > p->sent ? sent - p->sent : 0;
	k->received += received > p->received ? received - p->received : 0;
}

static void live_take_link(struct live_peer *p, const struct link_state *link)
{
	uint64_t sent = 0, received = 0;

	for (size_t i = 0; i < link->types; i++) {
		sent += link->type[i].bytes_sent;
		received += link->type[i].bytes_received;
	}
	SET(p->job, link->job);
	count_link(p, sent, received);
	p->rtt_s = link->rtt_s;
	p->reconnects = link->reconnects;
	p->sent = sent;
	p->received = received;
	p->resent = link->resent;
}

void live_link(const struct link_state *link)
{
	struct live_peer *p;

	if (!*link->job)
		return;
	live_lock();
	p = find_peer(link->peer);
	if (p)
		live_take_link(p, link);
	live_unlock();
}

void live_link_ends(const struct link_state *link)
{
	struct live_peer *p;

	live_link(link);
	live_lock();
	p = find_peer(link->peer);
	if (p) {
		*p->job = *p->asks = 0;
		p->sent = p->received = p->resent = 0;
		p->reconnects = 0;
	}
	live_unlock();
}

void live_awaits(const char *called, const char *job, bool awaited)
{
	struct live_peer *p;

	live_lock();
	p = find_peer(called);
	if (p && awaited != (*p->asks != 0)) {
		SET(p->asks, awaited ? job : "");
		now.queue_written++; /* the job's state in the queue has changed */
	}
	live_unlock();
}

/* ---- readers ---- */

struct live *live_copy(void)
{
	struct live *l = alloc_bytes(sizeof(*l));

	pthread_mutex_lock(&lock);
	memcpy(l, &now, sizeof(*l));
	pthread_mutex_unlock(&lock);
	return l;
}

uint64_t live_version(void)
{
	uint64_t version;

	pthread_mutex_lock(&lock);
	version = now.version;
	pthread_mutex_unlock(&lock);
	return version;
}

const char *live_peer_name(const struct live_peer *p)
{
	return *p->called ? p->called : p->name;
}

bool live_job_waits(const struct live_job *j)
{
	return !j->ended && !j->phases;
}

size_t live_awaited(const struct live *l, const char *job, struct json *list)
{
	size_t n = 0;

	for (const struct live_peer *p = l->peer; *job && p < l->peer + l->peers; p++) {
		if (strcmp(p->asks, job) != 0)
			continue;
		n++;
		if (list)
			json_append_string(list, live_peer_name(p));
	}
	return n;
}

bool live_is_well(const struct live *l, char why[static 256])
{
	enum { PATIENCE = 10, LEAST_S = 10 };
	double silent_s = clock_now_s() - l->alive_s;
	double limit_s = PATIENCE * l->alive_within_s;

	if (silent_s <= (limit_s > LEAST_S ? limit_s : LEAST_S))
		return true;
	snprintf(why, 256, "the loop of %s has not come round for %.0f s", l->name, silent_s);
	return false;
}
