/* Tests when a slice replaces the counts of words by their presence, 0 or 1. */
#include "protocols/kcagc/counts.h"
#include "protocols/kcagc/words.h"
#include "tests/unit/protocols/kcagc/planted.h"

#include <math.h>

enum { N = 1200, M = 60 };

/* How often a node has a word. Each node has more of its class's words than of other words. */
enum repeats {
	ONCE,      /* each word at most once */
	AT_RANDOM, /* some words very often, for any class */
	BY_CLASS,  /* words of the class often; all nodes have the same words */
	SOME,      /* AT_RANDOM, but one count is 1.5 */
	NEGATIVE,  /* AT_RANDOM, but one count is negative */
};

static double count_of(enum repeats repeats, bool own, struct rng *rng)
{
	switch (repeats) {
	case ONCE:
		return rng_unit(rng) < (own ? 0.25 : 0.1);
	case BY_CLASS:
		return rng_unit(rng) < 0.15 ? 1 + floor((own ? 9 : 3) * rng_unit(rng)) : 0;
	default:
		return rng_unit(rng) < (own ? 0.25 : 0.1) ? 1 + floor(exp(2 * rng_normal(rng))) : 0;
	}
}

static void make(struct planted *p, enum repeats repeats)
{
	const struct plan plan = { .n = N, .m = M, .seed = 5, .degree = 20 };
	struct rng rng;

	planted_make(p, &plan);
	rng_seed(&rng, 7, 0);
	for (size_t i = 0; i < N; i++)
		for (size_t j = 0; j < M; j++)
			MAT(&p->X, i, j) =
			    count_of(repeats, j * PLANTED_K / M == p->truth[i], &rng);
	if (repeats == SOME)
		MAT(&p->X, 0, 0) = 1.5;
	if (repeats == NEGATIVE)
		MAT(&p->X, 0, 0) = -2;
}

/* Returns whether a slice takes these counts as words. year adds a column with a number in each
 * row. */
static bool are_words(const struct planted *p, bool sparse, bool year)
{
	struct features X = { 0 };
	struct slice s;
	struct seen seen;
	bool words;

	mat_init(&X.dense, N, M + year);
	for (size_t i = 0; i < N; i++) {
		memcpy(ROW(&X.dense, i), ROW(&p->X, i), M * sizeof(double));
		if (year)
			MAT(&X.dense, i, M) = 1990 + (double)(i % 30);
	}
	if (sparse) {
		struct mat m = X.dense;
		struct triple *t = alloc(N * (M + 1), sizeof(*t));
		size_t count = 0;

		for (size_t e = 0; e < N * m.cols; e++)
			if (m.a[e] != 0)
				t[count++] = (struct triple){ (uint32_t)(e / m.cols),
							      (uint32_t)(e % m.cols), m.a[e] };
		X = (struct features){ .is_sparse = true };
		csr_from_triples(&X.sparse, N, m.cols, t, count);
		free(t);
		mat_release(&m);
	}
	assert_ok(slice_init(&s, &X, &p->g, 1));
	seen_of(&s, &seen);
	words = counts_are_words(&s, &seen);
	seen_release(&seen);
	slice_release(&s);
	return words;
}

TEST(presence_where_repetitions_are_noise)
{
	static const struct {
		enum repeats repeats;
		bool words;
	} row[] = { { ONCE, false }, /* the features are words already */
		    { AT_RANDOM, true },
		    { BY_CLASS, false },
		    { SOME, false },
		    { NEGATIVE, false } };

	for (size_t i = 0; i < sizeof(row) / sizeof(*row); i++)
		for (int how = 0; how < 4; how++) {
			struct planted p;

			make(&p, row[i].repeats);
			assert_int_equal(are_words(&p, how & 1, how & 2), row[i].words);
			planted_release(&p);
		}
}

/* Links that do not depend on words leave counts as counts. */
TEST(counts_where_links_tell_nothing)
{
	struct planted p, other;
	const struct plan elsewhere = { .n = N, .m = M, .seed = 99, .degree = 20 };

	make(&p, AT_RANDOM);
	planted_make(&other, &elsewhere);
	graph_release(&p.g);
	p.g = other.g;
	other.g = (struct graph){ 0 };
	assert_false(are_words(&p, true, false));
	planted_release(&other);
	planted_release(&p);
}

/* A slice that took counts as words answers like a slice of words. */
TEST(a_slice_of_counts_becomes_one_of_words)
{
	double counted[2 + N], marked[2 + N];
	struct planted p;

	make(&p, AT_RANDOM);
	for (int once = 0; once < 2; once++) {
		struct features X = { 0 };
		struct slice s;

		mat_copy(&X.dense, &p.X);
		assert_ok(slice_init(&s, &X, &p.g, 1));
		assert_ok(slice_answer(&s, &(struct question){ .kind = ASK_FACTS },
				       once ? marked : counted));
		assert_int_equal(s.marked, !once);
		slice_release(&s);
		for (size_t e = 0; e < N * M; e++)
			p.X.a[e] = p.X.a[e] != 0;
	}
	assert_memory_equal(counted, marked, sizeof(counted));
	assert_true(counted[0] == 0);
	planted_release(&p);
}

/* `tree` embeds such counts as words, and a model of them embeds new counts. */
TEST(an_embedding_takes_counts_as_words)
{
	const struct embed_params p = { .idf = true,
					.filter = FILTER_HALF,
					.order = 1,
					.dims = PLANTED_K,
					.unit_rows = true,
					.row_power = 1,
					.threads = 1 };
	struct mat Z[2], again;
	struct planted counts;
	struct embedding kept;

	make(&counts, AT_RANDOM);
	for (int once = 0; once < 2; once++) {
		struct features X = { 0 };

		mat_copy(&X.dense, &counts.X);
		if (once) {
			assert_ok(embed(&X, &counts.g, &p, &Z[once]));
			break;
		}
		assert_ok(embed_keep(&X, &counts.g, &p, &Z[once], &kept));
		mat_copy(&X.dense, &counts.X);
		assert_ok(embed_again(&X, &counts.g, &kept, 1, &again));
		for (size_t e = 0; e < N * M; e++)
			counts.X.a[e] = counts.X.a[e] != 0;
	}
	assert_true(kept.idf && kept.word == WORD_OF_ROWS);
	for (size_t e = 0; e < Z[0].rows * Z[0].cols; e++) {
		assert_true(Z[0].a[e] == Z[1].a[e]);
		assert_true(fabs(again.a[e] - Z[0].a[e]) <= 1e-9);
	}
	embedding_release(&kept);
	mat_release(&again);
	mat_release(&Z[0]);
	mat_release(&Z[1]);
	planted_release(&counts);
}

/* Without one row for each node, no counts are read. */
TEST(an_embedding_checks_rows_first)
{
	const struct embed_params p = { .idf = true, .dims = PLANTED_K, .threads = 1 };
	struct features X = { 0 };
	struct planted counts;
	struct mat Z;

	make(&counts, AT_RANDOM);
	mat_init(&X.dense, N + 1, M);
	memcpy(X.dense.a, counts.X.a, N * M * sizeof(double));
	assert_err(embed(&X, &counts.g, &p, &Z), ERR_INPUT, "1201");
	planted_release(&counts);
}
