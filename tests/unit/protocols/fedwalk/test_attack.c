/* Tests the edge attack on walks with known results, and the account of privacy spent. */
#include "tests/unit/protocols/fedwalk/fedwalk.h"

#include "protocols/fedwalk/attack.h"
#include "protocols/fedwalk/facts.h"

static void put_walk(struct walks *w, size_t i, const uint32_t *token, size_t n)
{
	memcpy(w->token + i * w->length, token, n * sizeof(*token));
}

/* The walks contain the pair 0-1 four times, 2-3 twice, and 1-2 and 3-4 once. 4-4 is not a pair. */
TEST(test_counts)
{
	static const uint32_t one[] = { 0, 1, 0, 1, 2 }, two[] = { 3, 2, 3, 4, 4 };
	static const uint32_t three[] = { 1, 0 }, alone[] = { 0 };
	struct fedwalk_guess g;
	struct walks w;

	walks_init(&w, 5, 5); /* walk 4 stays empty */
	put_walk(&w, 0, one, 5);
	put_walk(&w, 1, two, 5);
	put_walk(&w, 2, three, 2);
	put_walk(&w, 3, alone, 1);
	for (unsigned threads = 1; threads < 3; threads++) {
		fedwalk_attack(&w, 5, 2, threads, &g);
		assert_int_equal(g.count, 2);
		assert_true(g.u[0] == 0 && g.v[0] == 1 && g.u[1] == 2 && g.v[1] == 3);
		fedwalk_guess_release(&g);
		fedwalk_attack(&w, 5, 1, threads, &g);
		assert_int_equal(g.count, 1);
		fedwalk_guess_release(&g);
		fedwalk_attack(&w, 5, 9, threads, &g); /* only four pairs exist */
		assert_int_equal(g.count, 4);
		assert_true(g.u[1] == 1 && g.v[1] == 2 && g.u[3] == 3 && g.v[3] == 4);
		fedwalk_guess_release(&g);
		/* Two pairs share rank 3, so the attack returns only the first two pairs. */
		fedwalk_attack(&w, 5, 3, threads, &g);
		assert_int_equal(g.count, 2);
		fedwalk_guess_release(&g);
		fedwalk_attack(&w, 5, 0, threads, &g);
		assert_int_equal(g.count, 0);
		fedwalk_guess_release(&g);
	}
	walks_release(&w);
}

/* The attack finds every tie from plain walks. */
TEST(test_plain_walks)
{
	struct fedwalk_attack_score s = { 0 };
	struct fedwalk_guess g;
	struct graph sample;
	struct walks w;

	sample_graph(&sample, 200, 1000, 3, false, 1);
	walks_random(&w, &sample.adjacency, 40, 40, 1, 2);
	fedwalk_attack(&w, 200, sample.adjacency.start[200] / 2, 2, &g);
	for (uint32_t u = 0; u < 200; u++) {
		size_t start = sample.adjacency.start[u];

		fedwalk_attack_judge(&g, u, sample.adjacency.index + start,
				     sample.adjacency.start[u + 1] - start, &s);
	}
	assert_true(s.ties == (double)(sample.adjacency.start[200] / 2));
	assert_true(s.guessed == s.ties && s.right == s.ties);
	assert_true(fedwalk_share(s.right, s.guessed) == 1 && fedwalk_share(s.right, s.ties) == 1);
	fedwalk_guess_release(&g);
	walks_release(&w);
	graph_release(&sample);
}

TEST(test_judge)
{
	uint32_t u[] = { 0, 0, 2, 2 }, v[] = { 1, 4, 3, 4 };
	static const uint32_t of0[] = { 1, 2, 5 }, of2[] = { 0, 3, 4, 5 }, of3[] = { 2 };
	struct fedwalk_guess g = { 4, u, v };
	struct fedwalk_attack_score s = { 0 };
	static const float c[] = { 3, -1, -4, 1, 2.5f, 2.5f };

	assert_true(fedwalk_share(s.right, s.guessed) == 0 && fedwalk_share(s.right, s.ties) == 0);
	fedwalk_attack_judge(&g, 0, of0, 3, &s);
	fedwalk_attack_judge(&g, 2, of2, 4, &s);
	fedwalk_attack_judge(&g, 3, of3, 1, &s); /* this tie was counted at vertex 2 */
	assert_true(s.guessed == 4 && s.right == 3 && s.ties == 6);
	assert_near(fedwalk_share(s.right, s.guessed), 0.75, 0);
	assert_near(fedwalk_share(s.right, s.ties), 0.5, 0);
	/* The attack guesses half the sum of the degrees 2, 0 and 5, rounded. */
	assert_int_equal(fedwalk_attack_size(c, 3, 2), 4);
}

TEST(test_account)
{
	struct fedwalk_job job = {
		.eps = 2, .length = 40, .walks = 80, .dissimilarity = DISSIMILARITY_DTW
	};
	struct fedwalk_spent s[FEDWALK_SPENT_MAX];

	assert_int_equal(fedwalk_account(&job, 1000, s), 5);
	assert_string_equal(s[0].mechanism, "degree vectors");
	assert_true(s[0].eps_each == 2 && s[0].releases == 2 && s[0].eps == 4);
	assert_string_equal(s[1].mechanism, "ordered degree matrices");
	assert_true(isinf(s[1].eps));
	assert_string_equal(s[2].mechanism, "encoder");
	assert_true(s[2].eps_each == 1000 && s[2].releases == 3200 && s[2].eps == 3200e3);
	assert_string_equal(s[3].mechanism, "training");
	assert_true(s[3].eps == 0);
	assert_string_equal(s[4].mechanism, "total");
	assert_true(isinf(s[4].eps) && strstr(s[4].composition, "promises nothing"));
	job.dissimilarity = DISSIMILARITY_L1;
	assert_int_equal(fedwalk_account(&job, 1000, s), 4);
	assert_true(s[3].eps == 3200e3 + 4);
	job = (struct fedwalk_job){ .mode = FEDWALK_RESPONSE, .eps = 8 };
	assert_int_equal(fedwalk_account(&job, 1000, s), 3);
	assert_string_equal(s[0].mechanism, "randomised response");
	assert_true(s[0].eps == 8 && s[2].eps == 8 && strstr(s[2].composition, "weak"));
	job.eps = 1;
	assert_int_equal(fedwalk_account(&job, 1000, s), 3);
	assert_null(strstr(s[2].composition, "weak"));
}
