#include "tests/test.h"
#include "common/base/alloc.h"
#include "common/base/rng.h"
#include "protocols/kcagc/coordinator/cells.h"
#include "tests/unit/server/run/chi.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Returns R x m labels, all of them K: nothing is chosen yet. */
static uint32_t *blank(size_t m, unsigned K, unsigned R)
{
	uint32_t *label = alloc((size_t)R * m, sizeof(*label));

	for (size_t i = 0; i < R * m; i++)
		label[i] = K;
	return label;
}

/* Checks that each start has each of 0 .. K-1 once and K elsewhere. */
static void assert_valid(const uint32_t *label, size_t m, unsigned K, unsigned R)
{
	for (unsigned r = 0; r < R; r++) {
		const uint32_t *start = label + r * m;
		bool *seen = alloc(K, sizeof(*seen));
		size_t chosen = 0;

		for (size_t i = 0; i < m; i++) {
			assert_in_range(start[i], 0, K);
			if (start[i] == K)
				continue;
			assert_false(seen[start[i]]);
			seen[start[i]] = true;
			chosen++;
		}
		assert_int_equal(chosen, K);
		free(seen);
	}
}

static size_t item_of(const uint32_t *start, uint32_t c)
{
	size_t i = 0;

	while (start[i] != c)
		i++;
	return i;
}

/* ---- the sample: m different cells of uneven weights ---- */

struct sample {
	size_t m, children;
	double *weight;
	uint32_t *tuple;
};

/* The tuple of cell i, its label at each child, is i in base 3, so no two are equal. */
static void sample_make(struct sample *s, size_t m, size_t children, uint64_t seed)
{
	struct rng rng;

	rng_seed(&rng, seed, 0);
	*s = (struct sample){ .m = m, .children = children };
	ALLOC(s->weight, m);
	ALLOC(s->tuple, m * children);
	for (size_t i = 0; i < m; i++) {
		size_t digits = i;

		s->weight[i] = (double)(1 + rng_below(&rng, 20));
		for (size_t c = 0; c < children; c++, digits /= 3)
			s->tuple[i * children + c] = (uint32_t)(digits % 3);
		assert_int_equal(digits, 0);
	}
}

static void sample_release(struct sample *s)
{
	free(s->weight);
	free(s->tuple);
}

static uint32_t *spread(const struct sample *s, unsigned K, unsigned R, uint64_t seed,
			uint32_t stream)
{
	uint32_t *label = blank(s->m, K, R);

	starts_spread(label, s->m, K, R, s->weight, s->tuple, s->children, seed, stream);
	return label;
}

static uint32_t *uniform(size_t m, unsigned K, unsigned R, uint64_t seed, uint32_t stream)
{
	uint32_t *label = blank(m, K, R);

	starts_uniform(label, m, K, R, seed, stream);
	return label;
}

/* ---- validity of starts ---- */

TEST(test_valid)
{
	static const size_t sizes[] = { 3, 4, 9, 80, 729 };
	static const unsigned clusters[] = { 2, 3, 8, 79, 300 };

	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++)
		for (size_t j = 0; j < sizeof(clusters) / sizeof(*clusters); j++) {
			size_t m = sizes[i];
			unsigned K = clusters[j];
			struct sample s;
			uint32_t *label;

			if (m <= K)
				continue;
			label = uniform(m, K, 20, i, (uint32_t)j);
			assert_valid(label, m, K, 20);
			free(label);
			sample_make(&s, m, 6, i);
			label = spread(&s, K, 20, i, (uint32_t)j);
			assert_valid(label, m, K, 20);
			free(label);
			sample_release(&s);
		}
}

/* Makes valid starts for weights fifteen orders apart, and if all but one cell are chosen. */
TEST(test_valid_at_extremes)
{
	struct sample s;
	uint32_t *label;

	sample_make(&s, 81, 4, 1);
	for (size_t i = 0; i < s.m; i++)
		s.weight[i] = i % 3 ? 1 : 1e15;
	label = spread(&s, 80, 50, 1, 0);
	assert_valid(label, s.m, 80, 50);
	free(label);
	sample_release(&s);
}

/* ---- repeatability ---- */

TEST(test_deterministic)
{
	enum { K = 5, R = 12, FEWER = 4, M = 60 };
	struct sample s;

	sample_make(&s, M, 4, 2);
	for (int kind = 0; kind < 2; kind++) {
		uint32_t *a = kind ? spread(&s, K, R, 9, 3) : uniform(M, K, R, 9, 3);
		uint32_t *again = kind ? spread(&s, K, R, 9, 3) : uniform(M, K, R, 9, 3);
		uint32_t *fewer = kind ? spread(&s, K, FEWER, 9, 3) : uniform(M, K, FEWER, 9, 3);
		uint32_t *seed = kind ? spread(&s, K, R, 10, 3) : uniform(M, K, R, 10, 3);
		uint32_t *stream = kind ? spread(&s, K, R, 9, 4) : uniform(M, K, R, 9, 4);
		size_t start = M * sizeof(*a);

		assert_memory_equal(a, again, R * start);
		assert_memory_equal(a, fewer, FEWER * start);
		for (unsigned r = 0; r < R; r++) {
			assert_memory_not_equal(a + r * M, seed + r * M, start);
			assert_memory_not_equal(a + r * M, stream + r * M, start);
			for (unsigned q = 0; q < r; q++)
				assert_memory_not_equal(a + r * M, a + q * M, start);
		}
		free(a);
		free(again);
		free(fewer);
		free(seed);
		free(stream);
	}
	sample_release(&s);
}

/* ---- frequencies of ordered triples of a few items against their probabilities ---- */

enum { ITEMS = 6, TRIPLES = ITEMS * ITEMS * ITEMS, DRAWS = 60000 };

static void count_triples(const uint32_t *label, size_t *seen)
{
	memset(seen, 0, TRIPLES * sizeof(*seen));
	for (unsigned r = 0; r < DRAWS; r++) {
		const uint32_t *start = label + r * ITEMS;

		seen[(item_of(start, 0) * ITEMS + item_of(start, 1)) * ITEMS + item_of(start, 2)]++;
	}
}

TEST(test_uniform_law)
{
	uint32_t *label = uniform(ITEMS, 3, DRAWS, 5, 1);
	size_t seen[TRIPLES], possible = 0;
	double expected[TRIPLES];

	count_triples(label, seen);
	for (size_t t = 0; t < TRIPLES; t++) {
		size_t a = t / ITEMS / ITEMS, b = t / ITEMS % ITEMS, c = t % ITEMS;

		expected[t] = a != b && b != c && a != c ? DRAWS / 120.0 : 0;
		possible += expected[t] > 0;
	}
	assert_int_equal(possible, 120);
	assert_true(chi_square(seen, expected, TRIPLES) < chi_limit(possible - 1));
	free(label);
}

static double hamming(const struct sample *s, size_t a, size_t b)
{
	double differ = 0;

	for (size_t c = 0; c < s->children; c++)
		differ += s->tuple[a * s->children + c] != s->tuple[b * s->children + c];
	return differ;
}

/* Returns the probability of `next` after the chosen cells, which is proportional to weight x
 * (least Hamming distance)^2. */
static double chance(const struct sample *s, const size_t *chosen, size_t count, size_t next)
{
	double total = 0, own = 0;

	for (size_t i = 0; i < s->m; i++) {
		double h = count ? INFINITY : 1;

		for (size_t j = 0; j < count; j++)
			h = fmin(h, hamming(s, i, chosen[j]));
		total += s->weight[i] * h * h;
		if (i == next)
			own = s->weight[i] * h * h;
	}
	return own / total;
}

TEST(test_spread_law)
{
	size_t seen[TRIPLES], possible = 0;
	double expected[TRIPLES], all = 0;
	struct sample s;
	uint32_t *label;

	sample_make(&s, ITEMS, 3, 3);
	label = spread(&s, 3, DRAWS, 6, 2);
	count_triples(label, seen);
	for (size_t t = 0; t < TRIPLES; t++) {
		size_t pick[] = { t / ITEMS / ITEMS, t / ITEMS % ITEMS, t % ITEMS };

		expected[t] = DRAWS * chance(&s, pick, 0, pick[0]);
		expected[t] *= chance(&s, pick, 1, pick[1]);
		expected[t] *= chance(&s, pick, 2, pick[2]);
		possible += expected[t] > 0;
		all += expected[t];
	}
	assert_true(fabs(all - DRAWS) < 1e-6);
	assert_true(chi_square(seen, expected, TRIPLES) < chi_limit(possible - 1));
	free(label);
	sample_release(&s);
}

/* The drawing rule prefers heavy cells first, then cells whose tuples differ from theirs in each
 * entry. */
TEST(test_spread_prefers_the_distant_and_the_heavy)
{
	enum { R = 2000 };
	size_t apart_spread = 0, apart_uniform = 0, heavy = 0;
	struct sample s;
	uint32_t *spread_out, *anyhow;

	sample_make(&s, 81, 4, 4);
	for (size_t i = 0; i < s.m; i++)
		s.weight[i] = i < 8 ? 10 : 1; /* eight cells have 80 of the total weight 153 */
	spread_out = spread(&s, 3, R, 7, 0);
	anyhow = uniform(s.m, 3, R, 7, 0);
	for (unsigned r = 0; r < R; r++) {
		const uint32_t *a = spread_out + r * s.m, *b = anyhow + r * s.m;

		apart_spread += hamming(&s, item_of(a, 0), item_of(a, 1)) == 4;
		apart_uniform += hamming(&s, item_of(b, 0), item_of(b, 1)) == 4;
		heavy += item_of(a, 0) < 8;
	}
	assert_in_range(heavy, R * 48 / 100, R * 57 / 100); /* expected share: 80 / 153 */
	assert_true(apart_spread > apart_uniform + R / 10);
	free(spread_out);
	free(anyhow);
	sample_release(&s);
}
