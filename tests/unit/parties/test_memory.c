/* Tests parties_in_memory(): sums of doubles, of terms rounded to a step, and in fixed point;
 * labels, numbers and rows that parties send unmasked; labels sent to parties; and errors that name
 * the party. */
#include "tests/test.h"
#include "common/parties/parties.h"

#include <stdbool.h>
#include <string.h>

enum { L = 3, N = 2 };

struct one {
	double x;
	size_t rows;
	uint32_t label[4];
};

struct ask {
	double times;
	bool fails; /* answer() returns an error for party 1 */
};

static enum err answer(void *party, size_t l, const void *question, double *x)
{
	const struct ask *q = question;
	const struct one *p = party;

	if (q->fails && l == 1)
		return err_set(ERR_JOB, "no answer");
	for (size_t i = 0; i < N; i++)
		x[i] = q->times * p->x * (double)(i + 1);
	return ERR_OK;
}

static enum err labels(void *party, const void *question, uint32_t *label)
{
	(void)question;
	label[0] = (uint32_t)((struct one *)party)->rows;
	label[1] = 9;
	return ERR_OK;
}

static enum err upload(void *party, const void *question, double *x)
{
	return answer(party, 0, question, x);
}

static enum err rows(void *party, const void *question, struct mat *C)
{
	const struct one *p = party;

	(void)question;
	mat_init(C, p->rows, 1);
	for (size_t i = 0; i < p->rows; i++)
		C->a[i] = p->x;
	return ERR_OK;
}

static enum err take(void *party, const uint32_t *label, size_t n, size_t *taken)
{
	struct one *p = party;

	assert_true(n >= p->rows);
	memcpy(p->label, label, p->rows * sizeof(*label));
	*taken = p->rows;
	return ERR_OK;
}

static const struct memory_kind kind = { sizeof(struct one), answer, labels, upload, rows, take };

static struct one party[L] = { { .x = 0.1, .rows = 2 },
			       { .x = 0.2, .rows = 3 },
			       { .x = 0.3, .rows = 4 } };

static struct parties of(struct memory *m)
{
	struct parties p;

	m->kind = &kind;
	m->party = party;
	m->count = L;
	parties_in_memory(&p, m);
	assert_true(p.count == L);
	return p;
}

TEST(sums)
{
	struct memory plain = { 0 }, steps = { .step = 0.25 }, fixed = { .fraction_bits = 2 };
	struct memory fine = { .fraction_bits = 40 };
	struct ask once = { .times = 1 }, large = { .times = 0x1p40 };
	struct parties p = of(&plain), q = of(&steps), r = of(&fixed), s = of(&fine);
	double x[N];

	assert_ok(parties_sum(&p, &once, x, N));
	assert_true(x[0] == 0.1 + 0.2 + 0.3 && x[1] == 0.2 + 0.4 + 0.6);
	assert_ok(parties_sum_bound(&p, &once, 1, x, N));
	assert_true(x[0] == 0.1 + 0.2 + 0.3);
	assert_ok(parties_sum(&q, &once, x, N)); /* terms are multiples of 0.25 */
	assert_true(x[0] == 0.0 + 0.25 + 0.25 && x[1] == 0.25 + 0.5 + 0.5);
	assert_ok(parties_sum_opened_parts(&r, &once, x, N));
	assert_true(x[0] == 0.0 + 0.25 + 0.25 && x[1] == 0.25 + 0.5 + 0.5);
	assert_err(parties_sum(&s, &large, x, N), ERR_JOB, "party 0: ");
	assert_non_null(strstr(err_detail(), "beyond 2.79"));
}

TEST(in_clear)
{
	static const uint32_t named[9] = { 1, 2, 3, 4, 5, 6, 7, 8, 9 };
	struct memory memory = { 0 };
	struct parties p = of(&memory);
	struct ask twice = { .times = 2 };
	uint32_t label[L * N];
	double x[L * N];
	struct mat C;

	assert_ok(parties_collect_labels(&p, NULL, 9, label, N));
	assert_true(label[0] == 2 && label[1] == 9 && label[2] == 3 && label[4] == 4);
	assert_ok(parties_collect_reals(&p, &twice, x, N));
	assert_true(x[0] == 0.2 && x[3] == 0.8 && x[4] == 0.6);
	mat_init(&C, 9, 1);
	assert_ok(parties_collect_rows(&p, NULL, &C));
	assert_true(C.a[1] == 0.1 && C.a[2] == 0.2 && C.a[4] == 0.2 && C.a[5] == 0.3);
	mat_release(&C);
	assert_ok(parties_send_labels(&p, 10, named, 9));
	assert_true(party[0].label[1] == 2 && party[1].label[0] == 3 && party[2].label[3] == 9);
}

static enum err look_on(void *watcher, const void *question, double *x, size_t n)
{
	*(size_t *)watcher += n;
	x[0] = 7;
	return ((const struct ask *)question)->times > 2 ? err_set(ERR_PEER, "seen") : ERR_OK;
}

/* Parties in memory ignore broadcasts. `watch` sees each sum, and may change it or make it fail. */
TEST(telling_is_nothing_to_them)
{
	size_t seen = 0;
	struct memory memory = { .watch = look_on, .watcher = &seen };
	struct ask once = { .times = 1 }, thrice = { .times = 3 },
		   fails = { .times = 1, .fails = true };
	struct parties p = of(&memory);
	uint32_t label = 1;
	double x[N];

	parties_phase(&p, "now");
	assert_string_equal(p.phase, "now");
	parties_progress(&p, 1, 2);
	parties_note(&p, "%d", 1);
	assert_ok(parties_broadcast_choice(&p, CHOICE_MORE, 1));
	assert_ok(parties_broadcast_reals(&p, PARTIES_BLOCK, x, 0));
	assert_ok(parties_broadcast_labels(&p, PARTIES_RESULT, 2, &label, 1));
	assert_ok(parties_warm(&p));
	assert_int_equal(seen, 0);
	assert_ok(parties_sum(&p, &once, x, N));
	assert_true(x[0] == 7 && seen == N);
	assert_err(parties_sum(&p, &thrice, x, N), ERR_PEER, "seen");
	assert_err(parties_sum(&p, &fails, x, N), ERR_JOB, "party 1: no answer");
	assert_int_equal(seen, 2 * N);
}
