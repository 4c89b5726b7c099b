#include "proto/channel_own.h"

#include "common/base/alloc.h"
#include "common/base/clock.h"
#include "common/base/progress.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

/* three years; a double resolves a time after them to less than a microsecond */
#define UNLIMITED_S 1e8

void mailbox_set_step_timeout(struct mailbox *p, double step_timeout_s)
{
	p->step_timeout_s = step_timeout_s > 0 ? step_timeout_s : UNLIMITED_S;
}

void mailbox_set_job_timeout(struct mailbox *p, double job_timeout_s)
{
	p->job_timeout_s = job_timeout_s;
	p->job_until_s = job_timeout_s > 0 ? clock_now_s() + job_timeout_s : HUGE_VAL;
}

struct mailbox *mailbox_new(double step_timeout_s)
{
	struct mailbox *p;
	pthread_condattr_t attr;

	ALLOC(p, 1);
	mailbox_set_step_timeout(p, step_timeout_s);
	mailbox_set_job_timeout(p, 0);
	pthread_mutex_init(&p->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&p->changed, &attr);
	pthread_condattr_destroy(&attr);
	return p;
}

void mailbox_free(struct mailbox *p)
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
static void cancel(struct mailbox *p, const struct reason *reason, const char *why)
{
	reason_set(&p->cancelled, reason, why);
	/* This follows reason_set(), because a stopped thread reads the reason. */
	progress_stop(&p->progress);
	pthread_cond_broadcast(&p->changed);
}

void mailbox_cancel(struct mailbox *p, enum err code, const char *why)
{
	pthread_mutex_lock(&p->lock);
	cancel(p, &(struct reason){ .code = code }, why);
	pthread_mutex_unlock(&p->lock);
}

bool mailbox_cancel_unless_last(struct mailbox *p, enum err code, const char *why)
{
	bool last;

	pthread_mutex_lock(&p->lock);
	last = p->last;
	if (!last)
		cancel(p, &(struct reason){ .code = code }, why);
	pthread_mutex_unlock(&p->lock);
	return !last;
}

void mailbox_interrupt(struct mailbox *p, enum err code, const char *why)
{
	pthread_mutex_lock(&p->lock);
	cancel(p, &(struct reason){ .code = code, .again = true }, why);
	pthread_mutex_unlock(&p->lock);
}

void mailbox_enter(struct mailbox *p)
{
	progress_enter(p ? &p->progress : NULL);
}

uint64_t mailbox_progress(struct mailbox *p)
{
	uint64_t n;

	pthread_mutex_lock(&p->lock);
	n = progress_count(&p->progress) + p->moved + p->progressed;
	pthread_mutex_unlock(&p->lock);
	return n;
}

enum err mailbox_error(struct mailbox *p)
{
	const struct reason *reason;
	enum err e = ERR_OK;

	pthread_mutex_lock(&p->lock);
	reason = mailbox_stopped(p);
	if (reason)
		e = err_set(reason->code, "%s", reason->why);
	pthread_mutex_unlock(&p->lock);
	return e;
}

void mailbox_alone(struct mailbox *p)
{
	pthread_mutex_lock(&p->lock);
	p->alone = true;
	if (p->cancelled.code == ERR_OK)
		progress_go_on(&p->progress);
	pthread_mutex_unlock(&p->lock);
}

bool mailbox_again(struct mailbox *p)
{
	bool again;

	pthread_mutex_lock(&p->lock);
	again =
	    p->cancelled.code != ERR_OK ? p->cancelled.again : p->broken && p->broken->failed.again;
	again = again && !p->final && !p->settled;
	pthread_mutex_unlock(&p->lock);
	return again;
}

/* Sets *flag, unless the job has already ended. */
static enum err set_unless_stopped(struct mailbox *p, bool *flag)
{
	const struct reason *stop;
	enum err e = ERR_OK;

	pthread_mutex_lock(&p->lock);
	stop = mailbox_stopped(p);
	if (stop)
		e = err_set(stop->code, "%s", stop->why);
	else
		*flag = true;
	pthread_mutex_unlock(&p->lock);
	return e;
}

enum err mailbox_settle(struct mailbox *p)
{
	return set_unless_stopped(p, &p->settled);
}

enum err mailbox_last(struct mailbox *p)
{
	return set_unless_stopped(p, &p->last);
}

bool mailbox_settled(struct mailbox *p)
{
	bool settled;

	pthread_mutex_lock(&p->lock);
	settled = p->settled;
	pthread_mutex_unlock(&p->lock);
	return settled;
}

bool mailbox_overdue(struct mailbox *p, struct err_saved *why)
{
	bool waiting;

	pthread_mutex_lock(&p->lock);
	waiting = p->waiting || p->settled;
	pthread_mutex_unlock(&p->lock);
	*why = err_save(mailbox_error(p));
	return why->code != ERR_OK && !waiting;
}

bool mailbox_done(struct mailbox *p)
{
	bool done;

	pthread_mutex_lock(&p->lock);
	done = p->cancelled.code == ERR_OK && p->broken && p->broken->failed.done;
	pthread_mutex_unlock(&p->lock);
	return done;
}

void mailbox_times(struct mailbox *p, struct link_times *since_last)
{
	pthread_mutex_lock(&p->lock);
	*since_last = p->times;
	p->times = (struct link_times){ 0 };
	pthread_mutex_unlock(&p->lock);
}

void mailbox_wait(struct mailbox *p, double until_s)
{
	double whole = floor(until_s);
	struct timespec t = { .tv_sec = (time_t)whole, .tv_nsec = (long)((until_s - whole) * 1e9) };

	p->waiting = true;
	pthread_cond_timedwait(&p->changed, &p->lock, &t);
	p->waiting = false;
}

const struct reason *mailbox_stopped(const struct mailbox *p)
{
	if (p->cancelled.code != ERR_OK && !p->settled)
		return &p->cancelled;
	return p->broken ? &p->broken->failed : NULL;
}

/* Accounts for the time in which the job thread was blocked, from from_s until message `it` of ch
 * arrived. The network took the time between the first and last byte of the message, and one round
 * trip per exchange. During the rest of the time the peer was computing. */
void mailbox_account(struct mailbox *p, const struct channel *ch, double from_s,
		     const struct item *it)
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
