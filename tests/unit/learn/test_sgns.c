/* Tests random walks on a graph and SkipGram on walks. */
#include "tests/unit/linalg/sample.h"

#include "common/learn/sgns.h"
#include "common/graph/walks.h"

/* Makes two cliques of `half` vertices, joined by one edge. */
static void two_cliques(struct csr *g, uint32_t half)
{
	size_t n = 0;
	struct triple *t;

	ALLOC(t, 2 * half * half + 2);
	for (uint32_t c = 0; c < 2; c++)
		for (uint32_t i = 0; i < half; i++)
			for (uint32_t j = 0; j < half; j++)
				if (i != j)
					t[n++] = (struct triple){ c * half + i, c * half + j, 1 };
	t[n++] = (struct triple){ 0, half, 1 };
	t[n++] = (struct triple){ half, 0, 1 };
	csr_from_triples(g, 2 * half, 2 * half, t, n);
	free(g->value);
	g->value = NULL;
	free(t);
}

/* A walk goes along edges, chosen with equal probability or in proportion to weights. */
TEST(test_steps_go_along_ties)
{
	struct triple t[] = { { 0, 1, 1 }, { 1, 0, 1 }, { 0, 2, 3 }, { 2, 0, 3 },
			      { 1, 2, 1 }, { 2, 1, 1 }, { 3, 1, 5 }, { 1, 3, 5 } };
	double count[5][5] = { { 0 } }, left[5] = { 0 };
	struct walks w, same;
	struct csr g;

	csr_from_triples(&g, 5, 5, t, 8); /* vertex 4 has no edge */
	for (int weighted = 1; weighted >= 0; weighted--) {
		if (!weighted) {
			free(g.value);
			g.value = NULL;
		}
		walks_random(&w, &g, 2000, 20, 9, 1);
		walks_random(&same, &g, 2000, 20, 9, 3);
		assert_int_equal(w.count, 10000);
		assert_memory_equal(w.token, same.token, w.count * 20 * sizeof(*w.token));
		memset(count, 0, sizeof(count));
		memset(left, 0, sizeof(left));
		for (size_t i = 0; i < w.count; i++) {
			const uint32_t *token = w.token + i * 20;

			assert_int_equal(token[0], i % 5);
			if (i % 5 == 4) {
				assert_true(token[1] == WALK_END && token[19] == WALK_END);
				continue;
			}
			for (int j = 1; j < 20; j++) {
				count[token[j - 1]][token[j]]++;
				left[token[j - 1]]++;
			}
		}
		for (size_t u = 0; u < 4; u++) {
			double sum = 0;

			for (size_t e = g.start[u]; e < g.start[u + 1]; e++)
				sum += weighted ? g.value[e] : 1;
			for (size_t v = 0; v < 5; v++) {
				double p = 0;

				for (size_t e = g.start[u]; e < g.start[u + 1]; e++)
					if (g.index[e] == v)
						p = (weighted ? g.value[e] : 1) / sum;
				assert_near(count[u][v], p * left[u], 6 * sqrt(p * left[u]));
			}
		}
		walks_release(&w);
		walks_release(&same);
	}
	csr_release(&g);
}

struct losses {
	double first, last, done;
	int calls;
};

static void keep_loss(void *ctx, double done, double loss)
{
	struct losses *l = ctx;

	assert_true(done > l->done && done <= 1);
	l->done = done;
	if (!l->calls++)
		l->first = loss;
	l->last = loss;
}

static double cosine(const float *a, const float *b)
{
	double product = 0, x = 0, y = 0;

	for (int i = 0; i < SGNS_DIMS; i++) {
		product += (double)a[i] * (double)b[i];
		x += (double)a[i] * (double)a[i];
		y += (double)b[i] * (double)b[i];
	}
	return product / sqrt(x * y);
}

/* Vectors of one clique are closer to each other than to those of the other clique. The loss falls
 * from 6 ln 2, the loss of zero vectors. The vectors are the same with one thread and with four. */
TEST(test_cliques)
{
	enum { HALF = 12, N = 2 * HALF + 1 }; /* the last vertex never occurs */
	struct losses loss = { 0 };
	struct sgns_params p = {
		.n = N, .window = 5, .seed = 3, .threads = 1, .progress = keep_loss, .ctx = &loss
	};
	double within = 0, between = 0;
	static float X[N * SGNS_DIMS], again[N * SGNS_DIMS];
	struct walks w;
	struct csr g;

	two_cliques(&g, HALF);
	walks_random(&w, &g, 200, 20, 2, 2);
	sgns(&w, &p, X);
	assert_true(loss.done == 1 && loss.calls > 10);
	assert_near(loss.first, 6 * log(2), 0.5);
	assert_true(loss.last < 0.95 * loss.first);
	for (int u = 0; u < 2 * HALF; u++)
		for (int v = u + 1; v < 2 * HALF; v++) {
			double c = cosine(X + u * SGNS_DIMS, X + v * SGNS_DIMS);

			/* Skips the ends of the joining edge, which may be between the cliques. */
			if (u % HALF == 0 || v % HALF == 0)
				continue;
			if (u / HALF == v / HALF)
				within += c / (2 * 55);
			else
				between += c / 121;
		}
	assert_true(within > between + 0.3);
	for (int i = 0; i < SGNS_DIMS; i++)
		assert_true(X[2 * HALF * SGNS_DIMS + i] == 0);
	p.progress = NULL;
	p.threads = 4;
	sgns(&w, &p, again);
	assert_memory_equal(X, again, sizeof(X));
	p.seed = 4;
	sgns(&w, &p, again);
	assert_memory_not_equal(X, again, sizeof(X));
	walks_release(&w);
	csr_release(&g);
}

/* Every walk is [0, 1] and the window is 1, so each vertex is the only context of the other. The
 * only possible negatives are 0 and 1, too. */
TEST(test_one_pair)
{
	enum { WALKS = 4000 };
	struct sgns_params p = { .n = 2, .window = 1, .seed = 1, .threads = 1 };
	static float X[2 * SGNS_DIMS];
	struct walks w;
	double c;

	walks_init(&w, WALKS, 3);
	for (size_t i = 0; i < WALKS; i++) {
		w.token[3 * i] = 0;
		w.token[3 * i + 1] = 1;
	}
	sgns(&w, &p, X);
	for (int i = 0; i < 2 * SGNS_DIMS; i++)
		assert_true(isfinite(X[i]));
	/* Vertex 0 occurs only next to 1, never next to itself. So vector 0 moves towards target
	 * vector 1 and away from target vector 0, and vector 1 does the opposite: the two vectors
	 * point in opposite directions. */
	c = cosine(X, X + SGNS_DIMS);
	assert_true(c < -0.9);
	walks_release(&w);
}

/* Walks with one token or none train nothing. The vertex of a single token gets its random start,
 * all other vertices have zeros. */
TEST(test_short)
{
	struct sgns_params p = { .n = 3, .window = 10, .seed = 1, .threads = 2 };
	static float X[3 * SGNS_DIMS], none[3 * SGNS_DIMS];
	struct walks w;

	walks_init(&w, 5, 4);
	sgns(&w, &p, X);
	assert_memory_equal(X, none, sizeof(X));
	w.token[0] = 1;
	sgns(&w, &p, X);
	for (int i = 0; i < SGNS_DIMS; i++) {
		assert_true(X[i] == 0 && X[2 * SGNS_DIMS + i] == 0);
		assert_true(fabsf(X[SGNS_DIMS + i]) <= 0.5f / SGNS_DIMS);
	}
	walks_release(&w);
	walks_init(&w, 0, 4);
	sgns(&w, &p, X);
	walks_release(&w);
}
