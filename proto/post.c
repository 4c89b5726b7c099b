#include "proto/channel_own.h"

#include "common/base/alloc.h"
#include "common/base/clock.h"
#include "common/base/progress.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#define UNLIMITED_S 1e8 /* three years: a date that the clock still represents well */

void post_set_step_timeout(struct post *p, double step_timeout_s)
{
	p->step_timeout_s = step_timeout_s > 0 ? step_timeout_s : UNLIMITED_S;
}

void post_set_job_timeout(struct post *p, double job_timeout_s)
{
	p->job_timeout_s = job_timeout_s;
	p->job_until_s = job_timeout_s > 0 ? clock_now_s() + job_timeout_s : HUGE_VAL;
}

struct post *post_new(double step_timeout_s)
{
	struct post *p;
	pthread_condattr_t attr;

	ALLOC(p, 1);
	post_set_step_timeout(p, step_timeout_s);
	post_set_job_timeout(p, 0);
	pthread_mutex_init(&p->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&p->changed, &attr);
	pthread_condattr_destroy(&attr);
	return p;
}

void post_free(struct post *p)
{
	if (!p)
		return;
	assert(!p->channels);
	pthread_cond_destroy(&p->changed);
	pthread_mutex_destroy(&p->lock);
	free(p->cancelled.why);
	free(p);
}

void reason_set(struct reason *r, const struct reason *to, const char *why)
{
	assert(to->code != ERR_OK);
	if (r->code != ERR_OK)
		return;
	*r = *to;
	r->why = alloc_copy(why);
}

/* Call with the lock held. */
static void cancel(struct post *p, const struct reason *reason, const char *why)
{
	reason_set(&p->cancelled, reason, why);
	progress_stop(&p->progress); /* after the reason: a stopped thread reads it */
	pthread_cond_broadcast(&p->changed);
}

void post_cancel(struct post *p, enum err code, const char *why)
{
	pthread_mutex_lock(&p->lock);
	cancel(p, &(struct reason){ .code = code }, why);
	pthread_mutex_unlock(&p->lock);
}

bool post_cancel_unless_last(struct post *p, enum err code, const char *why)
{
	bool last;

	pthread_mutex_lock(&p->lock);
	last = p->last;
	if (!last)
		cancel(p, &(struct reason){ .code = code }, why);
	pthread_mutex_unlock(&p->lock);
	return !last;
}

void post_interrupt(struct post *p, enum err code, const char *why)
{
	pthread_mutex_lock(&p->lock);
	cancel(p, &(struct reason){ .code = code, .again = true }, why);
	pthread_mutex_unlock(&p->lock);
}

void post_enter(struct post *p)
{
	progress_enter(p ? &p->progress : NULL);
}

uint64_t post_progress(struct post *p)
{
	uint64_t n;

	pthread_mutex_lock(&p->lock);
	n = progress_count(&p->progress) + p->moved + p->heard;
	pthread_mutex_unlock(&p->lock);
	return n;
}

enum err post_error(struct post *p)
{
	const struct reason *reason;
	enum err e = ERR_OK;

	pthread_mutex_lock(&p->lock);
	reason = post_stopped(p);
	if (reason)
		e = err_set(reason->code, "%s", reason->why);
	pthread_mutex_unlock(&p->lock);
	return e;
}

void post_alone(struct post *p)
{
	pthread_mutex_lock(&p->lock);
	p->alone = true;
	if (p->cancelled.code == ERR_OK)
		progress_go_on(&p->progress);
	pthread_mutex_unlock(&p->lock);
}

bool post_again(struct post *p)
{
	bool again;

	pthread_mutex_lock(&p->lock);
	again =
	    p->cancelled.code != ERR_OK ? p->cancelled.again : p->broken && p->broken->failed.again;
	again = again && !p->final && !p->settled;
	pthread_mutex_unlock(&p->lock);
	return again;
}

/* Sets *flag, unless the job has ended before. */
static enum err set_unless_stopped(struct post *p, bool *flag)
{
	const struct reason *stop;
	enum err e = ERR_OK;

	pthread_mutex_lock(&p->lock);
	stop = post_stopped(p);
	if (stop)
		e = err_set(stop->code, "%s", stop->why);
	else
		*flag = true;
	pthread_mutex_unlock(&p->lock);
	return e;
}

enum err post_settle(struct post *p)
{
	return set_unless_stopped(p, &p->settled);
}

enum err post_last(struct post *p)
{
	return set_unless_stopped(p, &p->last);
}

bool post_settled(struct post *p)
{
	bool settled;

	pthread_mutex_lock(&p->lock);
	settled = p->settled;
	pthread_mutex_unlock(&p->lock);
	return settled;
}

bool post_overdue(struct post *p, struct err_saved *why)
{
	bool waiting;

	pthread_mutex_lock(&p->lock);
	waiting = p->waiting || p->settled;
	pthread_mutex_unlock(&p->lock);
	*why = err_save(post_error(p));
	return why->code != ERR_OK && !waiting;
}

bool post_done(struct post *p)
{
	bool done;

	pthread_mutex_lock(&p->lock);
	done = p->cancelled.code == ERR_OK && p->broken && p->broken->failed.done;
	pthread_mutex_unlock(&p->lock);
	return done;
}

void post_times(struct post *p, struct link_times *since_last)
{
	pthread_mutex_lock(&p->lock);
	*since_last = p->times;
	p->times = (struct link_times){ 0 };
	pthread_mutex_unlock(&p->lock);
}

void post_wait(struct post *p, double until_s)
{
	double whole = floor(until_s);
	struct timespec t = { .tv_sec = (time_t)whole, .tv_nsec = (long)((until_s - whole) * 1e9) };

	p->waiting = true;
	pthread_cond_timedwait(&p->changed, &p->lock, &t);
	p->waiting = false;
}

const struct reason *post_stopped(const struct post *p)
{
	if (p->cancelled.code != ERR_OK && !p->settled)
		return &p->cancelled;
	return p->broken ? &p->broken->failed : NULL;
}

/* Accounts for the time in which the job thread was blocked, from from_s until message `it` of ch
 * arrived. The wire took the time between its first and last byte, and one round trip per exchange.
 * During the rest the peer was computing. */
void post_account(struct post *p, const struct channel *ch, double from_s, const struct item *it)
{
	double first = fmin(fmax(it->first_byte_s, from_s), it->whole_s);
	double blocked = fmax(it->whole_s - from_s, 0),
	       transfer = fmin(it->whole_s - first, blocked);
	double before = blocked - transfer, trip;

	if (p->exchange) {
		p->exchange = false;
		p->times.round_trips++;
		p->round_trip_left_s = fmax(ch->link.rtt_s, 0);
	}
	trip = fmin(p->round_trip_left_s, before);
	p->round_trip_left_s -= trip;
	p->times.wire_s += transfer + trip;
	p->times.wait_s += before - trip;
}
