/* Polish over some of the nodes: which these are, and that it ends with a step over all. */
#include "tests/unit/both/federation.h"
#include "common/cluster/metrics.h"
#include "protocols/kcagc/sample.h"

#include <math.h>

enum { N = 1000, K = 3 };

/* 700, 270 and 30 nodes. */
static void shares(uint32_t *label)
{
	for (uint32_t i = 0; i < N; i++)
		label[i] = i % 10 < 7 ? 0 : i % 100 < 97 ? 1 : 2;
}

static void check_sample(size_t rows, size_t first, size_t second, size_t third)
{
	uint32_t label[N], node[N];
	size_t count, of[K] = { 0 };

	shares(label);
	count = polish_sample(label, N, K, rows, 5, node);
	for (size_t i = 0; i < count; i++) {
		assert_true(node[i] < N && (!i || node[i] > node[i - 1]));
		of[label[node[i]]]++;
	}
	assert_int_equal(of[0], first);
	assert_int_equal(of[1], second);
	assert_int_equal(of[2], third);
	assert_int_equal(count, first + second + third);
}

TEST(test_shares)
{
	check_sample(0, 700, 270, 30);
	check_sample(N, 700, 270, 30);
	check_sample(500, 350, 135, 30); /* all of few */
	check_sample(101, 71, 64, 30);   /* rounded up; no fewer than POLISH_LEAST */
	check_sample(1, 64, 64, 30);
}

/* Each node is as likely as any other of its cluster, and who has the seed has the same. */
TEST(test_drawn_evenly)
{
	enum { DRAWS = 2000 };
	uint32_t label[N], node[N], again[N];
	size_t hits[N] = { 0 }, count = 0;

	shares(label);
	for (uint64_t seed = 0; seed < DRAWS; seed++) {
		count = polish_sample(label, N, K, 200, seed, node);
		assert_int_equal(polish_sample(label, N, K, 200, seed, again), count);
		assert_memory_equal(node, again, count * sizeof(*node));
		for (size_t i = 0; i < count; i++)
			hits[node[i]]++;
	}
	/* 140 of 700 and 64 of 270: five deviations of a binomial */
	for (size_t i = 0; i < N; i++) {
		double p = label[i] == 0 ? 0.2 : label[i] == 1 ? 64.0 / 270 : 1;
		double apart = fabs((double)hits[i] - p * DRAWS);

		assert_true(apart <= 5 * sqrt(DRAWS * p * (1 - p)));
	}
}

/* ---- both halves ---- */

enum { NODES = 600, COLUMNS = 24 };

struct outcome {
	uint32_t label[NODES];
	size_t sums, items[2]; /* of the polish */
	unsigned rounds;
};

static void run(const struct planted *p, const char *settings, struct outcome *o)
{
	struct federation *f = alloc(1, sizeof(*f));
	struct job job = planted_job(settings);
	const struct record *r = &f->server.record;

	*o = (struct outcome){ 0 };
	federation_init(f, p, 3, &job);
	federation_run(f);
	federation_succeeded(f);
	memcpy(o->label, f->server.label, sizeof(o->label));
	for (size_t i = r->sums - 2; i < r->sums; i++)
		o->items[i + 2 - r->sums] = r->sum[i].items;
	for (size_t i = 0; i < r->phases; i++)
		if (!strcmp(r->phase[i].name, "polish"))
			o->rounds = r->phase[i].rounds;
	federation_release(f);
	free(f);
}

TEST(test_ends_over_all)
{
	struct outcome all, some;
	struct planted p;
	struct metrics m;

	planted_make(&p, &(struct plan){ .n = NODES, .m = COLUMNS, .seed = 1, .noise = 1 });
	run(&p, "method=flat polish=4", &all);
	run(&p, "method=flat polish=4 polish_rows=10", &some);
	assert_int_equal(all.items[1], NODES);
	assert_true(some.items[0] < NODES && some.items[0] >= POLISH_LEAST);
	assert_int_equal(some.items[1], NODES);
	assert_true(some.rounds >= 2 && some.rounds <= 4);
	assert_ok(metrics_of(p.truth, some.label, NODES, &m));
	if (m.acc < 0.95)
		fail_msg("acc %.3f", m.acc);
	planted_release(&p);
}

/* One step is the last; so many rows are all. */
TEST(test_nothing_to_leave_out)
{
	struct outcome one, other;
	struct planted p;

	planted_make(&p, &(struct plan){ .n = NODES, .m = COLUMNS, .seed = 2, .noise = 1.5 });
	run(&p, "method=tree polish=1", &one);
	run(&p, "method=tree polish=1 polish_rows=10", &other);
	assert_memory_equal(one.label, other.label, sizeof(one.label));
	run(&p, "method=tree polish=3", &one);
	run(&p, "method=tree polish=3 polish_rows=600", &other);
	assert_memory_equal(one.label, other.label, sizeof(one.label));
	planted_release(&p);
}
