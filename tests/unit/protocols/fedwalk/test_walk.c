/* Tests the turns of a walk: their next vertices, and the number of messages. */
#include "tests/unit/protocols/fedwalk/fedwalk.h"

#include "protocols/fedwalk/walk.h"
#include "lab/pooled/seeded.h"

/* Returns the expected number of messages of a walk of l tokens, by the recurrence of equation 19.
 * The predictor is asked with probability p and always answers. */
static double by_recurrence(unsigned l, double p)
{
	double before = 0, e = l > 1 ? 1 : 0;

	for (unsigned i = 3; i <= l; i++) {
		double next = p * (before + 1) + (1 - p) * (e + 1);

		before = e;
		e = next;
	}
	return e;
}

TEST(test_formula)
{
	static const double known[] = { 39, 35.54, 32.64, 30.18, 28.06 };

	for (unsigned l = 1; l < 60; l++)
		for (double p = 0; p <= 1; p += 0.125)
			assert_near(fedwalk_messages(l, p), by_recurrence(l, p), 1e-9);
	for (int i = 0; i < 5; i++)
		assert_near(fedwalk_messages(40, 0.1 * i), known[i], 0.005);
}

enum { N = 12 };

/* Lists the neighbours of v: v +- 1 on a ring, and 0, which is a neighbour of all others. */
static size_t neighbours(uint32_t v, uint32_t *to)
{
	size_t degree = 0;

	for (uint32_t w = 0; w < N; w++)
		if (w != v && (w == 0 || v == 0 || w == (v + 1) % N || v == (w + 1) % N))
			to[degree++] = w;
	return degree;
}

/* Makes pools. The pool of each vertex v has v + 2 and v + 3, but the pool of vertex 5 is empty. */
static void sample_pools(struct fedwalk_pools *p)
{
	p->n = N;
	ALLOC(p->start, N + 1);
	ALLOC(p->member, 2 * N);
	for (uint32_t v = 0; v < N; v++) {
		p->start[v + 1] = p->start[v] + (v == 5 ? 0 : 2);
		for (uint32_t i = 0; i < 2 && v != 5; i++)
			p->member[p->start[v] + i] = (v + 2 + i) % N;
	}
}

static bool is_neighbour(uint32_t u, uint32_t v)
{
	uint32_t to[N];
	size_t degree = neighbours(u, to);

	for (size_t i = 0; i < degree; i++)
		if (to[i] == v)
			return true;
	return false;
}

TEST(test_turns)
{
	enum { WALKS = 20000 };
	static const double chances[] = { 0, 0.2, 0.4, 1 };
	struct rng rng;
	struct noise_source source = seeded_source(&rng);
	struct fedwalk_pools pools;
	struct draw d;

	sample_pools(&pools);
	rng_seed(&rng, 3, 0);
	draw_init(&d, &source);
	for (size_t c = 0; c < 4; c++)
		for (unsigned l = 3; l <= 40; l += 37) {
			double messages = 0, unanswered = 0;

			for (int i = 0; i < WALKS; i++) {
				uint32_t at = 1;
				unsigned left = l, written = 0, turns = 0;

				while (left) {
					struct fedwalk_turn turn;
					uint32_t to[N];

					fedwalk_take_turn(to, neighbours(at, to), &pools,
							  chances[c], left, &d, &turn);
					assert_true(is_neighbour(at, turn.token[0]));
					assert_int_equal(turn.left, left - turn.tokens);
					assert_true(turn.tokens == 1 ||
						    (turn.tokens == 2 && left > 2));
					if (turn.tokens == 2)
						assert_true(
						    (turn.token[1] + N - turn.token[0]) % N == 2 ||
						    (turn.token[1] + N - turn.token[0]) % N == 3);
					assert_int_equal(turn.next, turn.token[turn.tokens - 1]);
					assert_true(turn.token[0] != 5 || turn.tokens == 1);
					unanswered += turn.token[0] == 5 && left > 2;
					written += turn.tokens;
					messages += turn.left > 0;
					left = turn.left;
					at = turn.next;
					turns++;
				}
				assert_int_equal(written, l);
				assert_true(turns <= l);
			}
			/* Each empty pool may cost one more message. */
			messages /= WALKS;
			assert_true(messages > fedwalk_messages(l, chances[c]) - 0.12);
			assert_true(messages <= fedwalk_messages(l, chances[c]) +
						    chances[c] * unanswered / WALKS + 0.12);
		}
	assert_ok(draw_end(&d));
	fedwalk_pools_release(&pools);
}

/* If every pool has a member, the mean number of messages is fedwalk_messages() within five
 * standard errors. */
TEST(test_messages)
{
	enum { WALKS = 100000 };
	static const unsigned lengths[] = { 1, 2, 3, 4, 10, 40 };
	uint32_t member[N];
	size_t start[N + 1];
	struct fedwalk_pools pools = { N, start, member };
	struct rng rng;
	struct noise_source source = seeded_source(&rng);
	struct draw d;

	for (uint32_t v = 0; v <= N; v++) {
		start[v] = v;
		if (v < N)
			member[v] = (v + 2) % N;
	}
	rng_seed(&rng, 4, 0);
	draw_init(&d, &source);
	for (size_t i = 0; i < 6; i++)
		for (double p = 0; p <= 1; p += 0.25) {
			double messages = 0, square = 0, deviation;

			for (int w = 0; w < WALKS; w++) {
				uint32_t at = 1, to[N];
				unsigned left = lengths[i];
				double sent = 0;

				while (left) {
					struct fedwalk_turn turn;

					fedwalk_take_turn(to, neighbours(at, to), &pools, p, left,
							  &d, &turn);
					sent += turn.left > 0;
					left = turn.left;
					at = turn.next;
				}
				messages += sent;
				square += sent * sent;
			}
			messages /= WALKS;
			deviation = sqrt(fmax(0, square / WALKS - messages * messages) / WALKS);
			assert_near(messages, fedwalk_messages(lengths[i], p),
				    5 * deviation + 1e-9);
		}
	assert_ok(draw_end(&d));
}

/* Draws each neighbour equally often, and a second token with the given probability. */
TEST(test_each_neighbour_as_often)
{
	enum { DRAWS = 200000 };
	static const uint32_t neighbour[] = { 2, 3, 7, 9, 11 };
	double count[N] = { 0 }, asked = 0;
	struct fedwalk_pools pools;
	struct rng rng;
	struct noise_source source = seeded_source(&rng);
	struct fedwalk_turn turn;
	struct draw d;

	sample_pools(&pools);
	rng_seed(&rng, 5, 0);
	draw_init(&d, &source);
	for (int i = 0; i < DRAWS; i++) {
		fedwalk_take_turn(neighbour, 5, &pools, 0.3, 9, &d, &turn);
		count[turn.token[0]]++;
		asked += turn.tokens == 2;
	}
	for (int i = 0; i < 5; i++)
		assert_near(count[neighbour[i]], 0.2 * DRAWS, 5 * sqrt(0.2 * DRAWS));
	assert_near(asked, 0.3 * DRAWS, 5 * sqrt(0.21 * DRAWS));
	/* No turn predicts a token if at most two tokens are left. */
	for (int i = 0; i < 100; i++) {
		fedwalk_take_turn(neighbour, 5, &pools, 1, 2, &d, &turn);
		assert_int_equal(turn.tokens, 1);
		fedwalk_take_turn(neighbour, 5, &pools, 1, 1, &d, &turn);
		assert_true(turn.tokens == 1 && turn.left == 0);
	}
	assert_ok(draw_end(&d));
	fedwalk_pools_release(&pools);
}
