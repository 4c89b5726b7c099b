/* Tests a party's side of a secure sum: chunks, masks, fixed point, and data that must not leave
 * the party. */
#include "party/work/secure.h"
#include "common/base/alloc.h"
#include "common/base/log.h"
#include "common/base/rng.h"
#include "crypto/fixed.h"
#include "proto/frame.h"
#include "tests/unit/crypto/lab.h"
#include "tests/unit/server/run/chi.h"

#include <unistd.h>

/* Three parties, whose channels end in the test. */
enum { L = 3, CHUNK_WORDS = CHANNEL_CHUNK / 8, COUNT = 4 * CHUNK_WORDS + 1001 };

static struct identity *identity[L];
static const char *const names[L] = { "p0", "p1", "p2" };

struct stage {
	struct work work[L];
	struct record record[L];
	struct channel *hub[L];
	struct mailbox *hub_post;
	struct tree tree;
};

static int make_identities(void **state)
{
	char dir[64];

	(void)state;
	lab_dir(dir);
	for (int l = 0; l < L; l++)
		identity[l] = lab_identity(dir, l);
	lab_remove(dir);
	return 0;
}

static int free_identities(void **state)
{
	(void)state;
	for (size_t l = 0; l < L; l++)
		identity_free(identity[l]);
	return 0;
}

static void agree(struct stage *s, unsigned modulus_bits)
{
	struct secagg_advert adverts[L];
	uint8_t pins[L][SECAGG_HASH_LEN];

	for (size_t l = 0; l < L; l++) {
		struct secagg_setup setup = { .group_bits = 2048,
					      .modulus_bits = modulus_bits,
					      .parties = L,
					      .names = names,
					      .own = l };

		assert_ok(secagg_new(&s->work[l].secagg, &setup, identity[l]));
		secagg_own_advert(s->work[l].secagg, &adverts[l]);
		identity_fingerprint(identity[l], pins[l]);
	}
	for (size_t l = 0; l < L; l++)
		assert_ok(secagg_agree(s->work[l].secagg, adverts,
				       (const uint8_t(*)[SECAGG_HASH_LEN])pins));
}

static struct stage *stage_new(unsigned modulus_bits, unsigned fraction_bits)
{
	struct stage *s;

	ALLOC(s, 1);
	s->hub_post = mailbox_new(5);
	tree_build(&s->tree, L, false);
	for (size_t l = 0; l < L; l++) {
		struct work *w = &s->work[l];

		w->job.modulus_bits = modulus_bits;
		w->job.fraction_bits = fraction_bits;
		w->L = L;
		w->own = l;
		w->mailbox = mailbox_new(5);
		w->record = &s->record[l];
		w->channel = channel_new(w->mailbox, PARTY, "hub");
		for (size_t i = 0; i < L; i++)
			snprintf(w->name[i], sizeof(w->name[i]), "%s", names[i]);
		s->hub[l] = channel_new(s->hub_post, COORD, names[l]);
		record_init(w->record, "party", names[l]);
		work_phase(w, "test");
		work_group(w, &s->tree.node[L]);
	}
	agree(s, modulus_bits);
	return s;
}

static void stage_free(struct stage *s)
{
	for (size_t l = 0; l < L; l++) {
		channel_free(s->hub[l]);
		channel_free(s->work[l].channel);
		mailbox_free(s->work[l].mailbox);
		secagg_free(s->work[l].secagg);
		record_release(&s->record[l]);
	}
	mailbox_free(s->hub_post);
	free(s);
}

/* Takes the messages that party l has queued. Requires that they are the chunks of a whole vector
 * in order, none above the size limit. */
static size_t collect(struct stage *s, size_t l, uint64_t round, size_t count, struct buf *words)
{
	size_t chunks = 0, word = s->work[l].job.modulus_bits / 8;
	struct buf body = { 0 };
	enum msg_type type;

	words->n = 0;
	while (channel_take(s->work[l].channel, &type, &body)) {
		struct msg m;

		assert_int_equal(type, MSG_MASKED);
		assert_ok(msg_decode(&m, MSG_MASKED, (struct bytes){ body.p, body.n }));
		channel_sent(s->work[l].channel, FRAME_HEADER_LEN + body.n);
		assert_int_equal(m.masked.group, L);
		assert_int_equal(m.masked.round, round);
		assert_int_equal(m.masked.count, count + 1);
		assert_int_equal(m.masked.offset * word, words->n);
		assert_in_range(m.masked.words.n, 1, CHANNEL_CHUNK);
		buf_add(words, m.masked.words.p, m.masked.words.n);
		chunks++;
	}
	assert_int_equal(words->n, (count + 1) * word);
	buf_release(&body);
	return chunks;
}

/* Sends a vector in pieces of uneven sizes. */
static void send(struct stage *s, size_t l, const double *x, size_t count, uint64_t seed)
{
	struct secure *secure = NULL;
	struct rng rng;

	rng_seed(&rng, seed, l);
	assert_ok(secure_begin(&s->work[l], &s->tree.node[L], count, false, &secure));
	for (size_t done = 0; done < count;) {
		size_t n = rng_below(&rng, 100000);

		n = n < count - done ? n : count - done;
		assert_ok(secure_add(secure, x + done, n)); /* n may be 0 */
		done += n;
	}
	assert_ok(secure_end(secure));
	secure_free(secure);
}

static double *draw(size_t count, uint64_t seed)
{
	double *x = alloc(count, sizeof(*x));
	struct rng rng;

	rng_seed(&rng, seed, 0);
	for (size_t i = 0; i < count; i++)
		x[i] = 4 * rng_unit(&rng);
	return x;
}

static void assert_uniform(const struct buf *b)
{
	double expected[256];
	size_t seen[256] = { 0 };

	for (size_t i = 0; i < b->n; i++)
		seen[b->p[i]]++;
	for (size_t i = 0; i < 256; i++)
		expected[i] = (double)b->n / 256;
	assert_true(chi_square(seen, expected, 256) < chi_limit(255));
}

static void check_sum(unsigned modulus_bits, unsigned fraction_bits, size_t count, size_t chunks)
{
	struct stage *s = stage_new(modulus_bits, fraction_bits);
	struct fixed fixed = { modulus_bits, fraction_bits, L };
	double *x[L], *sum = alloc(count, sizeof(*sum));
	struct buf words = { 0 };
	uint8_t *acc = alloc(count + 1, modulus_bits / 8);
	uint64_t canary = 0;

	for (size_t l = 0; l < L; l++) {
		x[l] = draw(count, l);
		send(s, l, x[l], count, 1);
		assert_int_equal(collect(s, l, 0, count, &words), chunks);
		assert_uniform(&words);
		fixed_add(&fixed, acc, words.p, count + 1);
		assert_int_equal(record_now(&s->record[l])->rounds, 1);
	}
	fixed_decode(&fixed, acc, count, sum);
	memcpy(&canary, acc + count * (modulus_bits / 8), modulus_bits / 8);
	assert_int_equal(canary, L);
	for (size_t i = 0; i < count; i++)
		assert_true(fabs(sum[i] - x[0][i] - x[1][i] - x[2][i]) <=
			    ldexp(1.5, -(int)fraction_bits) * (1 + 1e-9));
	for (size_t l = 0; l < L; l++)
		free(x[l]);
	free(sum);
	free(acc);
	buf_release(&words);
	stage_free(s);
}

static void test_sum_of_chunks(void **state)
{
	(void)state;
	check_sum(64, 16, COUNT, 5);
	check_sum(64, 32, 2 * CHUNK_WORDS - 1, 2); /* the last chunk is full */
	check_sum(64, 16, CHUNK_WORDS, 2);         /* the last chunk is the canary */
	check_sum(32, 12, COUNT, 3);
	check_sum(32, 12, 3000, 1);
}

/* Sends the same numbers twice with the same transcript: only the round differs, so the masks
 * differ. */
static void test_equal_vectors_have_other_masks(void **state)
{
	struct stage *s = stage_new(64, 16);
	struct buf once = { 0 }, again = { 0 };
	double *x = draw(5000, 1);

	(void)state;
	send(s, 1, x, 5000, 1);
	collect(s, 1, 0, 5000, &once);
	send(s, 1, x, 5000, 2);
	collect(s, 1, 1, 5000, &again);
	for (size_t i = 0; i < once.n; i += 8) {
		uint64_t a, b;

		memcpy(&a, once.p + i, 8);
		memcpy(&b, again.p + i, 8);
		a -= b;
		memcpy(once.p + i, &a, 8);
	}
	assert_uniform(&again);
	assert_uniform(&once); /* `once` now has the difference of both vectors */
	free(x);
	buf_release(&once);
	buf_release(&again);
	stage_free(s);
}

/* secure_add() finds a bad value in the middle of a vector, before any word of its chunk leaves. */
static void test_value_outside_the_bound(void **state)
{
	static const double bad[] = { 1e300, -1e300, INFINITY, NAN };
	FILE *nowhere = fopen("/dev/null", "w");

	(void)state;
	assert_non_null(nowhere);
	log_set_stream(fileno(nowhere), false);
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		struct stage *s = stage_new(64, 16);
		struct secure *secure = NULL;
		double *x = draw(5000, 1);
		struct buf body = { 0 };
		enum msg_type type;

		x[4321] = bad[i];
		assert_ok(secure_begin(&s->work[2], &s->tree.node[L], 5000, false, &secure));
		assert_err(secure_add(secure, x, 5000), ERR_JOB,
			   "secure sum: a value is not finite or exceeds the fixed-point bound of");
		assert_null(strstr(err_detail(), "e+300"));
		assert_null(strstr(err_detail(), "nan"));
		assert_null(strstr(err_detail(), "inf "));
		assert_false(channel_take(s->work[2].channel, &type, &body));
		secure_free(secure);
		free(x);
		stage_free(s);
	}
	log_set_stream(STDERR_FILENO, false);
	fclose(nowhere);
}

/* The channel fails while a sum is open: the sum fails with the same error and frees all memory. */
static void test_channel_that_fails(void **state)
{
	struct stage *s = stage_new(64, 16);
	struct secure *secure = NULL;
	double *x = draw(COUNT, 1);

	(void)state;
	assert_ok(secure_begin(&s->work[0], &s->tree.node[L], COUNT, false, &secure));
	channel_fail(s->work[0].channel, ERR_PEER, "hub left");
	assert_err(secure_add(secure, x, COUNT), ERR_PEER, "hub left (during test)");
	secure_free(secure);
	secure_free(NULL);
	free(x);
	stage_free(s);
}

int tests_run(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sum_of_chunks),
		cmocka_unit_test(test_equal_vectors_have_other_masks),
		cmocka_unit_test(test_value_outside_the_bound),
		cmocka_unit_test(test_channel_that_fails),
	};

	log_init("test", LOG_ERROR);
	log_set_stream(STDERR_FILENO, false);
	return cmocka_run_group_tests(tests, make_identities, free_identities);
}
