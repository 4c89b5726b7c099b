/* The federated result equals the pooled result.
 *
 * The first reference rounds each party's squared distance to a multiple of 2^-f, where f is
 * secure_sum.fraction_bits. Every label must be equal, so every comparison of distances, inertias
 * and 1/9 bounds must have had the same result. This includes ties: data may be degenerate.
 *
 * The second reference is in doubles. Its clusters must agree for at least 99.9 % of all nodes of
 * all federations. A sum of L parties' distances is off by at most L 2^-(f+1), so the order of two
 * distances may differ if they are closer than L 2^-f: 1.4e-4 at L = 9, f = 16. Distances are of
 * order 1, so less than one comparison in a thousand is that close. If two starts have inertias
 * that close, either may win. Therefore a single federation must agree for 99 % only, and cluster
 * numbers may differ (starts that find the same clusters in another order have the same inertia).
 * With 32-bit words and f = 12 the limit is L 2^-12, 2.2e-3 at L = 9: 99 % of all, 97 % of each. */
#include "tests/unit/both/pooled.h"
#include "common/cluster/metrics.h"

static uint32_t *federated(const struct planted *p, size_t L, const struct job *job)
{
	struct federation *f = alloc(1, sizeof(*f));
	uint32_t *label = alloc(p->n, sizeof(*label));

	federation_init(f, p, L, job);
	federation_run(f);
	federation_succeeded(f);
	memcpy(label, f->server.label, p->n * sizeof(*label));
	federation_release(f);
	free(f);
	return label;
}

static void compare_rounded(const char *what, const struct planted *p, size_t L,
			    const char *settings, const struct job *job, const uint32_t *label)
{
	struct pooled *pool = alloc(1, sizeof(*pool));
	size_t differ = 0;

	pooled_run(pool, p, L, job, true);
	for (size_t i = 0; i < p->n; i++)
		differ += label[i] != pool->label[i];
	if (differ)
		fail_msg("%s, L=%zu, %s: %zu of %zu labels differ from the pooled ones", what, L,
			 settings, differ, p->n);
	pooled_release(pool);
	free(pool);
}

/* Returns the number of nodes whose cluster differs from the pooled result in doubles. */
static double compare_doubles(const struct planted *p, size_t L, const struct job *job,
			      const uint32_t *label)
{
	struct pooled *pool = alloc(1, sizeof(*pool));
	struct metrics m;

	pooled_run(pool, p, L, job, false);
	assert_ok(metrics_of(pool->label, label, p->n, &m));
	pooled_release(pool);
	free(pool);
	return (1 - m.acc) * (double)p->n;
}

/* Counts, over a test's federations, all nodes and those whose cluster differs from the pooled
 * result in doubles. */
struct tally {
	double most; /* greatest share of differing nodes in one federation */
	double nodes, elsewhere;
};

/* Compares a federation with the rounded reference and, unless tally is NULL, with the one in
 * doubles. */
static void compare(const char *what, const struct planted *p, size_t L, const char *settings,
		    struct tally *tally)
{
	struct job job = planted_job(settings);
	uint32_t *label = federated(p, L, &job);
	double elsewhere;

	compare_rounded(what, p, L, settings, &job, label);
	if (tally) {
		elsewhere = compare_doubles(p, L, &job, label);
		if (elsewhere > tally->most * (double)p->n)
			fail_msg("%s, L=%zu, %s: in doubles %.0f of %zu nodes are elsewhere", what,
				 L, settings, elsewhere, p->n);
		tally->elsewhere += elsewhere;
		tally->nodes += (double)p->n;
	}
	free(label);
}

static void assert_tally(const struct tally *t, double most)
{
	assert_true(t->nodes > 0);
	if (t->elsewhere > most * t->nodes)
		fail_msg("in doubles %.0f of %.0f nodes are elsewhere", t->elsewhere, t->nodes);
}

static const char *const methods[] = { "method=basic", "method=tree", "method=flat" };
enum { METHODS = 3, PARTIES = 9 };

TEST(test_every_number_of_parties)
{
	struct tally t = { .most = 0.01 };
	struct planted p;

	planted_make(&p, &(struct plan){ .n = 300, .m = 36, .seed = 1, .noise = 2 });
	for (size_t L = 1; L <= PARTIES; L++)
		for (size_t s = 0; s < METHODS; s++) {
			char line[64];

			snprintf(line, sizeof(line), "%s starts=20 restarts=8", methods[s]);
			compare("planted", &p, L, line, &t);
		}
	assert_tally(&t, 0.001);
	planted_release(&p);
}

TEST(test_words_of_32_bits)
{
	static const char *const settings[] = {
		"method=basic starts=20 secure_sum.modulus_bits=32 secure_sum.fraction_bits=12",
		"method=tree starts=20 secure_sum.modulus_bits=32 secure_sum.fraction_bits=12",
	};
	struct tally t = { .most = 0.03 };
	struct planted p;

	planted_make(&p, &(struct plan){ .n = 300, .m = 36, .seed = 2, .noise = 2 });
	for (size_t L = 2; L <= PARTIES; L += 7)
		for (size_t s = 0; s < 2; s++)
			compare("planted", &p, L, settings[s], &t);
	assert_tally(&t, 0.01);
	planted_release(&p);
}

/* Compares the results for k, 2k and 8k local clusters, which give different numbers of cells at
 * inner nodes and at the root. */
TEST(test_local_clusters)
{
	static const char *const settings[] = {
		"local_clusters=3",
		"local_clusters=2k",
		"local_clusters=8k",
		"local_clusters=8k method=flat",
		"local_clusters=2k inner_restarts=7 inner_iterations=2",
		"preset=paper",
		"preset=paper local_clusters=8k polish=2 secure_sum.fraction_bits=32",
	};
	struct tally t = { .most = 0.01 };
	struct planted p;

	planted_make(&p, &(struct plan){ .n = 300, .m = 36, .seed = 3, .noise = 2 });
	for (size_t s = 0; s < sizeof(settings) / sizeof(*settings); s++)
		compare("planted", &p, 5, settings[s], &t);
	assert_tally(&t, 0.001);
	planted_release(&p);
}

/* Compares the results for many combinations of starts, screening and iterations. */
TEST(test_plans_of_starts)
{
	static const char *const settings[] = {
		"starts=1 restarts=1",
		"starts=12 restarts=12", /* nothing is screened */
		"starts=30 restarts=1 screen=1",
		"starts=20 restarts=5 screen=10 iterations=10",
		"starts=20 restarts=5 screen=11 iterations=10", /* the iterations end first */
		"starts=20 restarts=5 screen=1 iterations=1 polish=0",
		"starts=20 restarts=5 iterations=100", /* all restarts converge */
	};
	struct planted p;

	planted_make(&p, &(struct plan){ .n = 300, .m = 24, .seed = 4, .noise = 2 });
	for (size_t s = 0; s < sizeof(settings) / sizeof(*settings); s++) {
		char basic[128];

		compare("planted", &p, 3, settings[s], NULL);
		snprintf(basic, sizeof(basic), "%s method=basic polish=0", settings[s]);
		compare("planted", &p, 3, basic, NULL);
	}
	planted_release(&p);
}

/* ---- data with something missing ---- */

/* Nine parties have one column each, so the points of each party are on a line. */
TEST(test_one_column_each)
{
	struct planted p;

	planted_make(&p, &(struct plan){ .n = 300, .m = PARTIES, .seed = 5, .noise = 1 });
	for (size_t s = 0; s < METHODS; s++) {
		char line[64];

		/* With unit rows all points are -1 or 1, and most comparisons are ties. */
		compare("one column each", &p, PARTIES, methods[s], NULL);
		snprintf(line, sizeof(line), "%s projection.unit_rows=false", methods[s]);
		compare("one column each", &p, PARTIES, line, NULL);
	}
	planted_release(&p);
}

/* All parties have the same columns, so their clusters are equal. There are as many cells as local
 * clusters, and the inner nodes compute nothing. With only 3 local clusters, as many as clusters,
 * the root computes nothing either. */
TEST(test_equal_columns)
{
	static const char *const settings[] = { "local_clusters=3", "local_clusters=8k",
						"local_clusters=3 method=flat", "method=basic" };
	static const unsigned trivial[] = { 3, 2, 1, 0 };
	struct planted p;

	planted_make(&p, &(struct plan){ .n = 300, .m = 24, .seed = 6, .noise = 1.5 });
	planted_repeat(&p, 4);
	for (size_t s = 0; s < sizeof(settings) / sizeof(*settings); s++) {
		struct job job = planted_job(settings[s]);
		struct pooled *pool = alloc(1, sizeof(*pool));

		compare("equal columns", &p, 4, settings[s], NULL);
		pooled_run(pool, &p, 4, &job, true);
		assert_int_equal(pool->trivial, trivial[s]);
		pooled_release(pool);
		free(pool);
	}
	planted_release(&p);
}

/* Compares the results for few nodes: fewer than local clusters, fewer than clusters times parties,
 * and as many as clusters. */
TEST(test_few_nodes)
{
	static const size_t nodes[] = { 3, 4, 10, 20 };

	for (size_t i = 0; i < sizeof(nodes) / sizeof(*nodes); i++) {
		struct planted p;

		planted_make(&p, &(struct plan){ .n = nodes[i], .m = 12, .seed = 7, .noise = 1 });
		for (size_t s = 0; s < METHODS; s++) {
			bool basic = strstr(methods[s], "basic");
			char line[64];

			snprintf(line, sizeof(line), "%s%s", methods[s],
				 basic ? "" : " local_clusters=8k");
			compare("few nodes", &p, 4, line, NULL);
			compare("few nodes", &p, 1, line, NULL);
		}
		planted_release(&p);
	}
}

/* Compares the results for nodes without features, without edges, and without both, and for a party
 * with only zeros in its column. */
TEST(test_nothing_there)
{
	struct planted p;

	planted_make(&p, &(struct plan){ .n = 200, .m = 5, .seed = 8, .noise = 1, .isolated = 20 });
	for (size_t i = 0; i < 200; i++)
		for (size_t j = 0; j < 5; j++)
			if (i % 7 == 0 || i >= 190 || j == 2)
				MAT(&p.X, i, j) = 0;
	for (size_t s = 0; s < METHODS; s++)
		for (size_t L = 2; L <= 5; L++)
			compare("nothing there", &p, L, methods[s], NULL);
	planted_release(&p);
}
