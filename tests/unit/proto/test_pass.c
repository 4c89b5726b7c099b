/* A receiver without room for a whole vector gets its real numbers in pieces. */
#include "joined.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct passed {
	double *x;
	size_t count, most; /* numbers passed so far; most numbers in one call */
	size_t until;       /* keep() fails after this count of numbers */
};

static enum err keep(void *arg, const double *x, size_t count)
{
	struct passed *p = arg;

	memcpy(p->x + p->count, x, count * sizeof(*x));
	p->count += count;
	p->most = count > p->most ? count : p->most;
	return p->count >= p->until ? err_set(ERR_JOB, "no more") : ERR_OK;
}

/* channel_pass_reals() passes the numbers that channel_recv_reals() returns, in both widths, each
 * exactly once. */
static void test_reals_that_pass(void **state)
{
	static const enum msg_type types[] = { MSG_MATRIX, MSG_BLOCK };
	enum { COUNT = 2 * (CHANNEL_CHUNK / 4) + 5 };
	double *x = alloc(COUNT, sizeof(*x)), *all = alloc(COUNT, sizeof(*x));
	struct passed p = { .x = alloc(COUNT, sizeof(*x)), .until = SIZE_MAX };

	(void)state;
	for (size_t i = 0; i < COUNT; i++)
		x[i] = sin((double)i);
	for (size_t t = 0; t < 2; t++) {
		assert_ok(channel_send_reals(hub[A], types[t], 9, x, COUNT));
		assert_ok(channel_recv_reals(party[A], types[t], 9, all, COUNT));
		assert_ok(channel_send_reals(hub[A], types[t], 9, x, COUNT));
		p.count = 0;
		assert_ok(channel_pass_reals(party[A], types[t], 9, COUNT, keep, &p));
		assert_int_equal(p.count, COUNT);
		assert_memory_equal(p.x, all, COUNT * sizeof(*all));
		assert_true(p.most < CHANNEL_CHUNK / 8);
	}
	free(p.x);
	free(all);
	free(x);
}

/* channel_pass_reals() stops at a wrong chunk without passing the chunk's numbers. It returns an
 * error of keep() unchanged. */
static void test_reals_that_pass_no_more(void **state)
{
	enum { COUNT = CHANNEL_CHUNK / 8 + 7 };
	double *x = alloc(COUNT, sizeof(*x));
	struct passed p = { .x = alloc(COUNT, sizeof(*x)), .until = SIZE_MAX };

	x[COUNT - 2] = NAN;
	assert_ok(channel_send_reals(hub[A], MSG_MATRIX, 9, x, COUNT));
	refused(party[A], channel_pass_reals(party[A], MSG_MATRIX, 9, COUNT, keep, &p),
		"hub sent MATRIX with entry 32773 that is no finite number");
	assert_int_equal(p.count, CHANNEL_CHUNK / 8);
	again(state);
	p.count = 0;
	assert_ok(channel_send_reals(hub[A], MSG_MATRIX, 9, x, 4));
	refused(party[A], channel_pass_reals(party[A], MSG_MATRIX, 9, 5, keep, &p),
		"count 4, offset 0 with 4 numbers; expected 9, 5, 0 with at most 5");
	assert_int_equal(p.count, 0);
	again(state);
	p.until = 1;
	assert_ok(channel_send_reals(hub[A], MSG_MATRIX, 9, x, 4));
	assert_err(channel_pass_reals(party[A], MSG_MATRIX, 9, 4, keep, &p), ERR_JOB, "no more");
	assert_int_equal(p.count, 4);
	free(p.x);
	free(x);
}

int tests_run(void)
{
	static const struct CMUnitTest tests[] = {
		IN(set_up, test_reals_that_pass),
		IN(set_up, test_reals_that_pass_no_more),
	};
	int failed;

	ALLOC(m, 1);
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	free(m);
	return failed;
}
