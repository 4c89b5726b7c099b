/* A party asks its operator for consent, if its policy requires it, once for each job. */
#include "tests/unit/party/consent/desk.h"
#include "common/base/clock.h"
#include "common/job/offer.h"

#include <pthread.h>
#include <unistd.h>

struct person {
	double after_s;
	bool yes;
	const char *why;
};

static void *answer(void *arg)
{
	struct person *p = arg;
	struct buf text = { 0 };
	char id[OFFER_ID_TEXT];
	double until = clock_now_s() + 20;

	while (offer_read(d->config.state, "a1", id, &text) != ERR_OK && clock_now_s() < until)
		usleep(10000);
	buf_release(&text);
	usleep((useconds_t)(1e6 * p->after_s));
	assert_ok(offer_answer_write(d->config.state, id, p->yes, p->why, 1));
	return NULL;
}

static enum err ask(struct person *p)
{
	pthread_t thread;
	enum err e;

	if (p)
		pthread_create(&thread, NULL, answer, p);
	e = policy_confirm(&d->config, &d->work, &d->work.leaving->job, &d->work.leaving->spent);
	if (p)
		pthread_join(thread, NULL);
	return e;
}

TEST(test_nobody_is_asked)
{
	open_desk("", KCAGC);
	begin_job();
	assert_ok(ask(NULL));
	assert_int_equal(look().rows, 0);
	close_desk();
}

TEST(test_agreed)
{
	struct person p = { 0.2, true, "" };
	struct msg m;

	open_desk("\"confirm\":true", KCAGC);
	begin_job();
	assert_ok(ask(&p));
	assert_ok(channel_recv(d->hub, MSG_ASKING, &m));
	assert_int_equal(m.asking.within_s, 3600);
	assert_int_equal(look().rows, 1);
	d->work.attempt = 2; /* the party does not ask again */
	assert_ok(ask(NULL));
	d->work.params_hash[3] = 1; /* asks again for another job with the same id */
	d->config.confirm_s = 1;
	assert_err(ask(NULL), ERR_DEADLINE, "nobody at p0 answered within confirm_s, 1 s");
	close_desk();
}

TEST(test_refused)
{
	struct person p = { 0, false, "not before Friday" };

	open_desk("\"confirm\":true", KCAGC);
	begin_job();
	assert_err(ask(&p), ERR_PEER, "a user at p0 refused the job: not before Friday");
	d->work.attempt = 2;
	assert_err(ask(NULL), ERR_PEER, "not before Friday");
	close_desk();
}

TEST(test_stopped_meanwhile)
{
	struct json *waiting;

	open_desk("\"confirm\":true", KCAGC);
	begin_job();
	mailbox_cancel(d->work.mailbox, ERR_CANCELLED, "p0 was stopped");
	assert_err(ask(NULL), ERR_CANCELLED, "p0 was stopped");
	assert_ok(offer_list(d->config.state, &waiting));
	assert_int_equal(json_count(waiting), 0);
	json_free(waiting);
	close_desk();
}
