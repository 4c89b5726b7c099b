/* Tests the coordinator's side of kCAGC with distances that the test chooses. */
#include "protocols/kcagc/coordinator/kcagc.h"
#include "tests/unit/server/run/fake.h"

#include <math.h>

enum { N = 8, K = 4, ROOT = 2 };
static const char job[] =
    "{\"kind\":\"kcagc\",\"method\":\"tree\",\"clusters\":4,\"local_clusters\":4,\"filter\":"
    "{\"order\":1},\"polish\":3,\"secure_sum\":{\"modulus_bits\":64}}";

/* Both parties have the same two clusters, so there are two cells. The root has nothing to compute,
 * and clusters 2 and 3 stay empty. */
static const uint32_t halves[N] = { 3, 3, 3, 3, 1, 1, 1, 1 };

static void open_polish(struct fake *f)
{
	fake_open(f, 2, N, job);
	fake_send_clusters(f, 0, K, halves);
	fake_send_clusters(f, 1, K, halves);
}

/* Sends the sum of a polish step: `row` for each node. */
static void send_row(struct fake *f, uint64_t round, const double row[static K])
{
	uint64_t words[N * K] = { 0 };

	fake_send_words(f, 1, ROOT, round, words, 0, N * K, N * K);
	for (size_t i = 0; i < N * K; i++)
		words[i] = (uint64_t)(int64_t)ldexp(row[i % K], 16);
	fake_send_words(f, 0, ROOT, round, words, 0, N * K, N * K);
}

static void assert_labels(const uint32_t *label, uint32_t first_half, uint32_t second_half)
{
	for (size_t i = 0; i < N; i++)
		assert_int_equal(label[i], i < N / 2 ? first_half : second_half);
}

/* Checks that both parties get exactly these messages. */
static void assert_sent(struct fake *f, const enum msg_type *types, size_t count)
{
	for (size_t l = 0; l < 2; l++) {
		struct buf body = { 0 };
		enum msg_type type;
		struct msg m;

		for (size_t t = 0; t < count; t++)
			fake_receive(f, l, types[t], &body, &m);
		assert_false(channel_take(f->channel[l], &type, &body));
		buf_release(&body);
	}
}

/* Empty clusters have no centre, even if their distance is the smallest. */
TEST(test_empty_clusters_stay_empty)
{
	static const enum msg_type sent[] = { MSG_CELLS, MSG_CLUSTERS, MSG_ASSIGNMENT,
					      MSG_ASSIGNMENT, MSG_RESULT };
	uint32_t label[N];
	struct fake f;

	open_polish(&f);
	send_row(&f, 0, (double[]){ 5, 6, 1, 0 });
	send_row(&f, 1, (double[]){ 5, 1, 1, 0 }); /* cluster 1 is now empty too */
	assert_ok(server_kcagc(&f.run, label));
	assert_labels(label, 0, 0);
	assert_sent(&f, sent, sizeof(sent) / sizeof(*sent));
	fake_close(&f);
}

/* Polish ends after the first step that moves no node, although three steps are allowed. */
TEST(test_polish_ends_when_nothing_moves)
{
	static const enum msg_type sent[] = { MSG_CELLS, MSG_CLUSTERS, MSG_ASSIGNMENT, MSG_RESULT };
	uint64_t words[N * K] = { 0 };
	uint32_t label[N];
	struct fake f;

	open_polish(&f);
	fake_send_words(&f, 1, ROOT, 0, words, 0, N * K, N * K);
	for (size_t i = 0; i < N; i++) /* distance 0 to the own centre */
		for (size_t c = 0; c < K; c++)
			words[i * K + c] = c == i / (N / 2) ? 0 : 1 << 16;
	fake_send_words(&f, 0, ROOT, 0, words, 0, N * K, N * K);
	assert_ok(server_kcagc(&f.run, label));
	assert_labels(label, 0, 1);
	assert_sent(&f, sent, sizeof(sent) / sizeof(*sent));
	fake_close(&f);
}

/* Polish ends after three steps. */
TEST(test_polish_ends_after_its_steps)
{
	uint64_t words[N * K];
	uint32_t label[N];
	struct fake f;

	open_polish(&f);
	for (uint64_t round = 0; round < 3; round++) /* all nodes change sides each round */
		for (size_t l = 0; l < 2; l++) {
			for (size_t i = 0; i < N; i++)
				for (size_t c = 0; c < K; c++)
					words[i * K + c] = c == (i + round) % 2 ? 0 : 1 << 16;
			fake_send_words(&f, l, ROOT, round, words, 0, N * K, N * K);
		}
	assert_ok(server_kcagc(&f.run, label));
	for (size_t i = 0; i < N; i++)
		assert_int_equal(label[i], i % 2);
	fake_close(&f);
}

/* The lowest number wins among equal distances. Rounding may make a sum slightly negative. */
TEST(test_ties_and_signs)
{
	uint32_t label[N];
	struct fake f;

	open_polish(&f);
	send_row(&f, 0, (double[]){ 0, 0, 0, 0 });
	send_row(&f, 1, (double[]){ -ldexp(1, -16), 0, 0, 0 });
	assert_ok(server_kcagc(&f.run, label));
	assert_labels(label, 0, 0);
	fake_close(&f);
}
