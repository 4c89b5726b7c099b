/* Tests facts, which are columns of numbers beside words: facts that linked rows share, and other
 * facts. */
#include "protocols/kcagc/linked.h"
#include "common/base/warnings.h"
#include "tests/unit/protocols/kcagc/planted.h"

#include <math.h>

enum { N = 300, M = 60, FACTS = 40 };

/* Returns whether a fact depends on the class: each fourth does. */
static bool is_of_class(size_t fact)
{
	return fact % 4 == 1;
}

static void make(struct planted *p, size_t degree)
{
	const struct plan plan = { .n = N, .m = M, .seed = 5, .degree = degree };

	planted_make(p, &plan);
}

static void make_sparse(struct features *X)
{
	struct mat m = X->dense;
	struct triple *t = alloc(m.rows * m.cols, sizeof(*t));
	size_t count = 0;

	for (size_t e = 0; e < m.rows * m.cols; e++)
		if (m.a[e] != 0)
			t[count++] = (struct triple){ (uint32_t)(e / m.cols),
						      (uint32_t)(e % m.cols), m.a[e] };
	*X = (struct features){ .is_sparse = true };
	csr_from_triples(&X->sparse, m.rows, m.cols, t, count);
	free(t);
	mat_release(&m);
}

/* Makes a slice of words, and then of facts, in five units. */
static void slice_of(struct slice *s, const struct planted *p, bool sparse)
{
	struct features X = { 0 };
	struct rng rng;

	rng_seed(&rng, 9, 0);
	mat_init(&X.dense, N, M + FACTS);
	for (size_t i = 0; i < N; i++) {
		for (size_t j = 0; j < M; j++)
			MAT(&X.dense, i, j) = rng_unit(&rng) < 0.1;
		for (size_t f = 0; f < FACTS; f++)
			MAT(&X.dense, i, M + f) =
			    pow(10, (double)(f % 5)) *
			    (1990 + 20 * rng_unit(&rng) + (is_of_class(f) ? 20 * p->truth[i] : 0));
	}
	if (sparse)
		make_sparse(&X);
	slice_begin(s, &X, &p->g, 1);
}

TEST(facts_of_the_class_count)
{
	for (int sparse = 0; sparse < 2; sparse++) {
		struct planted p;
		struct slice s;
		struct seen seen;
		size_t right = 0;

		make(&p, 12);
		slice_of(&s, &p, sparse);
		seen_of(&s, &seen);
		assert_int_equal(seen.foreign, FACTS);
		for (size_t j = 0; j < M; j++)
			assert_false(seen.unlinked[j]);
		for (size_t f = 0; f < FACTS; f++) {
			double unit = seen_to_unit(&seen, M + f);

			right += seen.unlinked[M + f] == !is_of_class(f);
			assert_true(!is_of_class(f) || unit > 0);
			assert_true((unit == 0) == seen.unlinked[M + f]);
		}
		assert_true(right >= FACTS - 2); /* by chance one fact of 44 seems linked */
		seen_release(&seen);
		slice_release(&s);
		planted_release(&p);
	}
}

TEST(few_edges_tell_nothing)
{
	struct planted p;
	struct slice s;
	struct seen seen;

	make(&p, 1);
	assert_true(graph_neighbours(&p.g) < 2 * LINKED_LEAST);
	slice_of(&s, &p, false);
	seen_of(&s, &seen);
	assert_true(seen.foreign == FACTS && !seen.unlinked);
	seen_release(&seen);
	slice_release(&s);
	planted_release(&p);
}

/* A fact that linked rows do not share leaves the row norms of words unchanged. The party warns of
 * it, and slice_weights_beside() gives it weight 0 in the party's own embedding (embed.c). */
TEST(it_counts_for_nothing)
{
	double with[2 + N], without[2 + N], *weight;
	struct question ask = { .kind = ASK_FACTS };
	struct warnings said = { 0 };
	struct features X;
	struct planted p;
	struct slice s;

	make(&p, 12);
	for (int fact = 0; fact < 2; fact++) {
		slice_of(&s, &p, false);
		/* All facts are constant, except one in the second run, which is unrelated to the
		 * class. */
		for (size_t i = 0; i < N; i++)
			for (size_t f = 0; f < FACTS; f++)
				MAT(&s.X.dense, i, M + f) =
				    fact && f == 2 ? MAT(&s.X.dense, i, M + f) : 7;
		warnings_begin(&said);
		assert_ok(slice_answer(&s, &ask, fact ? with : without));
		warnings_begin(NULL);
		assert_int_equal(said.count, fact);
		assert_true(!fact || (said.said[0].what == WARNING_COLUMNS_UNLINKED &&
				      said.said[0].number == 1));
		warnings_release(&said);
		slice_release(&s);
	}
	for (size_t i = 0; i < N; i++)
		assert_true(with[2 + i] == without[2 + i]);
	slice_of(&s, &p, false);
	weight = slice_weights_beside(&s, &X);
	assert_true(weight[M + 2] == 0 && weight[M + 1] > 0);
	free(weight);
	features_release(&X);
	slice_release(&s);
	planted_release(&p);
}
