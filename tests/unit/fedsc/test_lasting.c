/* Sums that go on without parties that are lost (on_loss "sum"), both halves in memory. */
#include "common/base/sanitized.h"
#include "tests/unit/both/wire.h"
#include "tests/unit/both/words.h"
#include "tests/unit/fedsc/points.h"

enum { L = 5, K = 3, EACH = 40, M = 4 };

#define LASTING "kind=kmeans on_loss=sum restarts=1"

static void open_all(struct federation *f, const struct points *p, const struct job *job)
{
	points_open(f, &p->X, p->part, L, job);
	f->server.tell = true;
	for (size_t l = 0; l < L; l++)
		f->party[l].tell = true;
}

/* Party l goes when it has heard so many sums. */
struct going {
	struct federation *f;
	size_t after[L], heard[L]; /* after 0: it stays */
	double rows;               /* in clusters, as party 0 last heard */
};

static void go(void *arg, size_t l, enum msg_type type, struct bytes body)
{
	struct going *g = arg;

	if (type != MSG_SUM)
		return;
	if (l == 0) {
		size_t count;
		double *x = points_sum_told(type, body, &count);

		for (size_t i = 0; i < K && count == K; i++)
			g->rows = i ? g->rows + x[i] : x[i];
		free(x);
	}
	if (++g->heard[l] != g->after[l])
		return;
	channel_fail_lost(g->f->server.channel[l], ERR_PEER, "gone", true);
	channel_fail(g->f->party[l].channel[0], ERR_PEER, "gone");
}

static struct federation *run_losing(const struct points *p, const char *settings,
				     const size_t after[L], double *rows, size_t *sums)
{
	struct job job = points_job(settings);
	struct going g = { 0 };
	struct federation *f;

	ALLOC(f, 1);
	open_all(f, p, &job);
	federation_join(f);
	g.f = f;
	memcpy(g.after, after, sizeof(g.after));
	for (size_t l = 0; l < L; l++) {
		f->party[l].saw = go;
		f->party[l].saw_arg = &g;
	}
	federation_run(f);
	*rows = g.rows;
	*sums = g.heard[0];
	return f;
}

static struct federation *run_with(const struct points *p, const size_t after[L], double *rows)
{
	size_t sums;

	return run_losing(p, LASTING, after, rows, &sums);
}

static void end(struct federation *f)
{
	federation_release(f);
	free(f);
}

static double rows_of(const struct points *p, const size_t after[L])
{
	double n = 0;

	for (size_t i = 0; i < p->X.rows; i++)
		n += after[p->part[i]] == 0;
	return n;
}

/* ---- nobody is lost ---- */

static void test_the_same_as_without(void **state)
{
	const size_t none[L] = { 0 };
	struct federation *f, *plain;
	struct points p;
	uint32_t *label, *other;
	double rows;

	(void)state;
	points_make(&p, K, EACH, M, 3, L, 1);
	f = run_with(&p, none, &rows);
	assert_all_done(f);
	assert_int_equal(f->server.record.losts, 0);
	label = points_labels(f, p.part, p.X.rows);
	{
		struct job job = points_job("kind=kmeans restarts=1");

		plain = points_federation(&p, L, &job);
		federation_run(plain);
		assert_all_done(plain);
	}
	other = points_labels(plain, p.part, p.X.rows);
	assert_memory_equal(label, other, p.X.rows * sizeof(*label));
	free(label);
	free(other);
	end(f);
	end(plain);
	points_release(&p);
}

/* ---- some are lost ---- */

static void test_one_or_two_at_any_step(void **state)
{
	static const size_t gone[][L] = { { 0, 1 },    { 0, 0, 2 },    { 0, 0, 0, 0, 3 }, { 0, 4 },
					  { 0, 1, 1 }, { 0, 0, 2, 3 }, { 0, 3, 0, 3 } };
	struct points p;

	(void)state;
	points_make(&p, K, EACH, M, 0.5, L, 2);
	for (size_t k = 0; k < sizeof(gone) / sizeof(*gone); k++) {
		size_t lost = 0;
		double rows;
		struct federation *f = run_with(&p, gone[k], &rows);

		for (size_t l = 0; l < L; l++)
			lost += gone[k][l] > 0;
		if (f->server.result != ERR_OK)
			fail_msg("case %zu: %s", k, f->server.why);
		assert_int_equal(f->server.record.losts, lost);
		for (size_t l = 0; l < L; l++) {
			if (gone[k][l])
				continue;
			if (f->party[l].result != ERR_OK)
				fail_msg("case %zu, %zu: %s", k, l, f->party[l].why);
			assert_int_equal(f->party[l].record.losts, lost);
		}
		assert_true(rows == rows_of(&p, gone[k])); /* clusters are of those who stayed */
		end(f);
	}
	points_release(&p);
}

/* ---- at each sum of a job ---- */

/* The labels of those who stayed are the clusters that their rows lie in. */
static void assert_clusters(const struct federation *f, const struct points *p,
			    const size_t after[L], size_t step)
{
	size_t next[L] = { 0 }, n = 0;
	uint32_t *label, *truth;
	struct metrics m;

	ALLOC(label, p->X.rows);
	ALLOC(truth, p->X.rows);
	for (size_t i = 0; i < p->X.rows; i++) {
		size_t l = p->part[i];

		if (after[l])
			continue;
		label[n] = f->party[l].label[next[l]++];
		truth[n++] = p->truth[i];
	}
	assert_ok(metrics_of(truth, label, n, &m));
	if (m.ari < 0.95)
		fail_msg("lost after sum %zu: ARI %g", step, m.ari);
	free(label);
	free(truth);
}

static void lose_at(const struct points *p, const char *settings, size_t step, bool two,
		    size_t sums)
{
	const size_t after[L] = { 0, step, 0, two ? step + 1 : 0 };
	double rows;
	size_t heard;
	struct federation *f = run_losing(p, settings, after, &rows, &heard);

	if (step >= sums - two) { /* behind the last sum there is none to be had without it */
		assert_int_not_equal(f->server.result, ERR_OK);
		assert_non_null(strstr(f->server.why, "gone"));
		end(f);
		return;
	}
	if (f->server.result != ERR_OK)
		fail_msg("%s, lost after sum %zu of %zu: %s", settings, step, sums, f->server.why);
	for (size_t l = 0; l < L; l++)
		if (!after[l] && f->party[l].result != ERR_OK)
			fail_msg("%s, lost after sum %zu, %zu: %s", settings, step, l,
				 f->party[l].why);
	assert_int_equal(f->server.record.losts, 1 + two);
	if (rows != rows_of(p, after))
		fail_msg("%s, lost after sum %zu of %zu: %g rows in clusters, %g are left",
			 settings, step, sums, rows, rows_of(p, after));
	assert_clusters(f, p, after, step);
	end(f);
}

/* At the first sums, at every so many of those that follow, and at the last; with a sanitizer at
 * the first, a few and the last, as what it looks for does not hang on which sum it is. */
static void at_sums(const char *settings, bool two, size_t every)
{
	const size_t none[L] = { 0 };
	struct federation *f;
	struct points p;
	double rows;
	size_t sums;

	points_make(&p, K, 2 * EACH, M, 6, L, 3);
	f = run_losing(&p, settings, none, &rows, &sums);
	assert_all_done(f);
	end(f);
	print_message("%s: %zu sums\n", settings, sums);
	for (size_t step = 1; step <= sums; step++)
		if (step <= (SANITIZED ? 1 : 3) || step % (SANITIZED ? 4 * every : every) == 0 ||
		    step >= sums - 1)
			lose_at(&p, settings, step, two, sums);
	points_release(&p);
}

static void test_anchors(void **state)
{
	(void)state;
	at_sums("kind=fedsc on_loss=sum variant=anchor restarts=2", false, 5);
	at_sums("kind=fedsc on_loss=sum variant=anchor restarts=2", true, 13);
}

static void test_anchors_columns(void **state)
{
	(void)state;
	at_sums("kind=fedsc on_loss=sum variant=anchor restarts=2 standardize=joint", false, 31);
}

static void test_kmeans(void **state)
{
	(void)state;
	at_sums("kind=kmeans on_loss=sum restarts=2", false, 6);
}

/* ---- word for word ---- */

static struct points words_points;
static struct job words_job;

static struct federation *open_words(const char *settings)
{
	struct federation *f;

	ALLOC(f, 1);
	words_job = points_job(settings);
	open_all(f, &words_points, &words_job);
	federation_join(f);
	return f;
}

static void test_words(void **state)
{
	static const struct words_of
	    kmeans = { open_words, end, "kind=kmeans on_loss=sum restarts=2" },
	    columns = { open_words, end, "kind=kmeans on_loss=sum restarts=1 standardize=joint" },
	    anchor = { open_words, end, "kind=fedsc on_loss=sum variant=anchor restarts=2" };

	(void)state;
	points_make(&words_points, K, EACH, M, 3, L, 3);
	words_at_sums(&kmeans, L, 12, true);
	words_at_sums(&columns, L, 60, false);
	words_at_sums(&anchor, L, 25, true);
	points_release(&words_points);
}

static void test_too_few(void **state)
{
	const size_t three[L] = { 0, 1, 2, 3 };
	struct federation *f;
	struct points p;
	double rows;

	(void)state;
	points_make(&p, K, EACH, M, 0.5, L, 2);
	f = run_with(&p, three, &rows);
	if (!strstr(f->server.why,
		    "2 of 5 parties are left, and a sum goes on with 3 or more (on_loss;"))
		fail_msg("%s", f->server.why);
	end(f);
	points_release(&p);
}

/* ---- a coordinator that lies ---- */

static void replace(struct buf *body, const struct msg *m)
{
	struct buf said = { 0 };

	msg_encode(&said, m);
	buf_release(body);
	*body = said;
}

/* To party 0, that the last one is lost, which it is not; to all others the truth. What party 0
 * says is made as long as that of the others. */
static void lie(void *arg, size_t l, enum msg_type type, struct buf *body)
{
	static uint8_t longer[512];
	bool *own = arg; /* SHARES that pass are party 0's own, and after that the coordinator's */
	struct msg m;

	if (l != 0)
		return;
	assert_ok(msg_decode(&m, (uint16_t)type, (struct bytes){ body->p, body->n }));
	if (type == MSG_REMAIN) {
		m.remain.parties--;
		replace(body, &m);
	} else if (type == MSG_SHARES) {
		*own = !*own;
		if (*own)
			return;
		m.shares.boxes.n -= MSG_SHARE_LEN;
		replace(body, &m);
	} else if (type == MSG_TOLD) {
		memcpy(longer, m.told.words.p, m.told.words.n);
		m.told.words = (struct bytes){ longer, m.told.words.n + MSG_TOLD_LEN };
		replace(body, &m);
	} else if (type == MSG_ANSWER) {
		memcpy(longer, m.answer.sealed.p, m.answer.sealed.n);
		m.answer.sealed = (struct bytes){ longer, m.answer.sealed.n + 16 };
		replace(body, &m);
	}
}

static void test_two_lists(void **state)
{
	struct job job = points_job(LASTING);
	bool own = false;
	struct wire w = { .pass = lie, .arg = &own };
	struct points p;

	(void)state;
	points_make(&p, K, EACH, M, 0.5, L, 2);
	ALLOC(w.f, 1);
	open_all(w.f, &p, &job);
	wire_federation_run(&w);
	assert_int_equal(w.f->server.result, ERR_PEER);
	if (!strstr(w.f->server.why, "does not open: its members were told different"))
		fail_msg("%s", w.f->server.why);
	for (size_t l = 0; l < L; l++)
		assert_int_not_equal(w.f->party[l].result, ERR_OK);
	end(w.f);
	points_release(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_same_as_without),
		cmocka_unit_test(test_one_or_two_at_any_step),
		cmocka_unit_test(test_anchors),
		cmocka_unit_test(test_anchors_columns),
		cmocka_unit_test(test_kmeans),
		cmocka_unit_test(test_words),
		cmocka_unit_test(test_too_few),
		cmocka_unit_test(test_two_lists),
	};

	federation_quiet();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
