/* A party draws the same noise for two answers if and only if both answer the same question with
 * the same numbers. */
#include "party/work/noise.h"
#include "common/base/alloc.h"
#include "common/base/file.h"
#include "crypto/hash.h"
#include "party/work/secret.h"
#include "tests/unit/crypto/lab.h"

#include <sys/stat.h>
#include <unistd.h>

enum { LONG = 40000, QUESTIONS = 32 }; /* LONG bytes exceed one block of the noise stream */

struct desk {
	char dir[64];
	uint8_t data[SHA256_LEN];
	struct work *work;
};

static uint8_t asked[QUESTIONS][SHA256_LEN];
static uint32_t release_of[QUESTIONS];
static size_t questions;

static enum err question(struct work *unused, uint32_t release,
			 const uint8_t hash[static SHA256_LEN])
{
	(void)unused;
	assert_true(questions < QUESTIONS);
	release_of[questions] = release;
	memcpy(asked[questions++], hash, SHA256_LEN);
	return ERR_OK;
}

static void desk_open(struct desk *d)
{
	lab_dir(d->dir);
	memset(d->data, 7, sizeof(d->data));
	ALLOC(d->work, 1);
	d->work->state = d->dir;
	d->work->data_hash = d->data;
	d->work->question = question;
	d->work->L = 3;
	for (size_t l = 0; l < 3; l++)
		snprintf(d->work->name[l], sizeof(d->work->name[l]), "p%zu", l);
	questions = 0;
}

static void desk_close(struct desk *d)
{
	work_noise_end(d->work);
	free(d->work);
	lab_remove(d->dir);
}

static enum err begin(struct desk *d, enum noise_on on, const char *answer)
{
	const struct bytes part = { (const uint8_t *)answer, strlen(answer) };

	return noise_begin(work_noise(d->work, on), &part, 1);
}

/* Draws the noise of the attempt's first release, that is, of its first noisy answer. */
static void draw(struct desk *d, enum noise_on on, const char *answer, uint8_t bytes[static LONG])
{
	const struct bytes part = { (const uint8_t *)answer, strlen(answer) };
	const struct noise_source *source;

	work_noise_end(d->work);
	source = work_noise(d->work, on);
	assert_int_equal(source->bytes(source->ctx, bytes, 3), ERR_INTERNAL); /* no answer is set */
	assert_ok(noise_begin(source, &part, 1));
	assert_ok(source->bytes(source->ctx, bytes, 3));
	assert_ok(source->bytes(source->ctx, bytes + 3, LONG - 3));
}

static uint8_t first[LONG], other[LONG];

TEST(test_same_in_each_attempt)
{
	uint8_t group_key[SECAGG_HASH_LEN];
	struct desk d;

	desk_open(&d);
	d.work->attempt = 1;
	draw(&d, NOISE_ON_OWN, "a", first);
	assert_memory_not_equal(first, first + LONG / 2, LONG / 2);
	d.work->attempt = 2;
	/* noise must not depend on values of the session, such as keys */
	memset(d.work->params_hash, 9, SECAGG_HASH_LEN);
	memset(d.work->transcript, 9, SECAGG_HASH_LEN);
	memset(group_key, 9, SECAGG_HASH_LEN);
	d.work->group_key = group_key;
	draw(&d, NOISE_ON_OWN, "a", other);
	assert_memory_equal(first, other, LONG);
	assert_int_equal(questions, 2);
	assert_memory_equal(asked[0], asked[1], SHA256_LEN);
	desk_close(&d);
}

/* Each change_ function but change_nothing() makes another question. change_members() and
 * change_name() do so only if the noise is in a sum. */
static void change_id(struct work *w)
{
	w->job_id[15]++;
}
static void change_parameters(struct work *w)
{
	w->began_hash[31]++;
}
static void change_data(struct work *w)
{
	((uint8_t *)w->data_hash)[31]++;
}
static void change_members(struct work *w)
{
	w->L = 2;
}
static void change_name(struct work *w)
{
	w->name[2][1]++;
}
static void change_heard(struct work *w)
{
	work_note_received(w, "", 0);
}
static void change_broadcast(struct work *w)
{
	work_observe(w, MSG_CHOICE, (struct bytes){ (const uint8_t *)"x", 1 });
}
static void change_apart(struct work *w)
{
	w->broadcasts.per_party = true;
	work_observe(w, MSG_LISTS, (struct bytes){ (const uint8_t *)"x", 1 });
	w->broadcasts.per_party = false;
}
static void change_bound(struct work *w)
{
	work_bind(w, "x", 1);
}
static void change_nothing(struct work *w)
{
	work_observe(w, MSG_SEALED, (struct bytes){ (const uint8_t *)"x", 1 });
	work_observe(w, MSG_SUM, (struct bytes){ (const uint8_t *)"x", 1 });
}

TEST(test_each_input)
{
	static const struct {
		void (*change)(struct work *);
		/* does the change make another question if the noise is on a party's own numbers
		 * (of_own), or in a sum (of_sum)? */
		bool of_own, of_sum;
	} input[] = { { change_id, true, true },        { change_parameters, true, true },
		      { change_data, true, true },      { change_members, false, true },
		      { change_name, false, true },     { change_heard, true, true },
		      { change_broadcast, true, true }, { change_apart, true, true },
		      { change_bound, true, true },     { change_nothing, false, false } };

	for (size_t i = 0; i < sizeof(input) / sizeof(*input); i++)
		for (enum noise_on on = NOISE_ON_OWN; on <= NOISE_IN_SUM; on++) {
			bool differs = on == NOISE_ON_OWN ? input[i].of_own : input[i].of_sum;
			struct desk d;

			desk_open(&d);
			draw(&d, on, "a", first);
			input[i].change(d.work);
			draw(&d, on, "a", other);
			assert_int_equal(memcmp(first, other, LONG) != 0, differs);
			assert_int_equal(memcmp(asked[0], asked[1], SHA256_LEN) != 0, differs);
			if (differs)
				assert_memory_not_equal(first, other, 16);
			desk_close(&d);
		}
}

/* Noise also depends on the answer, on the number of the release, on whether the noise is in a sum,
 * and on the boundaries between parts of the answer. */
TEST(test_each_answer)
{
	const struct bytes ab[] = { { (const uint8_t *)"ab", 2 }, { (const uint8_t *)"c", 1 } },
			   a[] = { { (const uint8_t *)"a", 1 }, { (const uint8_t *)"bc", 2 } };
	const struct noise_source *source;
	struct desk d;

	desk_open(&d);
	draw(&d, NOISE_ON_OWN, "abc", first);
	draw(&d, NOISE_ON_OWN, "abd", other);
	assert_memory_not_equal(first, other, 16);
	draw(&d, NOISE_IN_SUM, "abc", other);
	assert_memory_not_equal(first, other, 16);
	source = work_noise(d.work, NOISE_ON_OWN); /* the second release of the attempt */
	assert_ok(begin(&d, NOISE_ON_OWN, "abc"));
	assert_int_equal(release_of[questions - 1], 1);
	assert_ok(noise_begin(source, ab, 2));
	work_noise_end(d.work);
	assert_ok(noise_begin(work_noise(d.work, NOISE_ON_OWN), ab, 2));
	work_noise_end(d.work);
	assert_ok(noise_begin(work_noise(d.work, NOISE_ON_OWN), a, 2));
	for (size_t i = 0; i < questions; i++)
		for (size_t j = 0; j < i; j++)
			assert_memory_not_equal(asked[i], asked[j], SHA256_LEN);
	desk_close(&d);
}

/* Stands in for work->question. Refuses, so that the noise gives no bytes. */
static enum err refuse(struct work *unused, uint32_t release, const uint8_t hash[static SHA256_LEN])
{
	(void)unused;
	(void)release;
	(void)hash;
	return err_set(ERR_PEER, "no");
}

TEST(test_refused)
{
	const struct noise_source *source;
	struct desk d;

	desk_open(&d);
	d.work->question = refuse;
	assert_err(begin(&d, NOISE_ON_OWN, "a"), ERR_PEER, "no");
	source = work_noise(d.work, NOISE_ON_OWN);
	assert_int_equal(source->bytes(source->ctx, first, 3), ERR_INTERNAL);
	desk_close(&d);
}

/* A party keeps its secret in noise.key, which only the owner of the file may read. Without a state
 * directory, each draw has a new secret. */
TEST(test_secret)
{
	uint8_t key[HMAC_LEN], again[HMAC_LEN];
	struct desk d;
	struct stat st;
	char *path;

	desk_open(&d);
	draw(&d, NOISE_ON_OWN, "a", first);
	path = file_join(d.dir, "noise.key");
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	assert_int_equal(st.st_size, 32);
	assert_ok(secret_key(d.work, "hashed ids", key)); /* one key for all attempts at a job */
	d.work->attempt++;
	assert_ok(secret_key(d.work, "hashed ids", again));
	assert_memory_equal(key, again, HMAC_LEN);
	d.work->job_id[0]++;
	assert_ok(secret_key(d.work, "hashed ids", again));
	assert_memory_not_equal(key, again, HMAC_LEN);
	d.work->job_id[0]--;
	assert_int_equal(unlink(path), 0);
	draw(&d, NOISE_ON_OWN, "a", other);
	assert_memory_not_equal(first, other, 16);
	assert_int_equal(truncate(path, 31), 0);
	assert_err(begin(&d, NOISE_ON_OWN, "a"), ERR_INPUT, "31 bytes, expected 32 or 72");
	free(path);
	d.work->state = NULL;
	draw(&d, NOISE_ON_OWN, "a", first);
	draw(&d, NOISE_ON_OWN, "a", other);
	assert_memory_not_equal(first, other, 16);
	desk_close(&d);
}

/* The ledger's head is stored with the secret. An older head never replaces a newer one. */
TEST(test_head)
{
	struct ledger_head head = { .count = 5, .hash = { 1 } }, kept;
	struct desk d;

	desk_open(&d);
	assert_ok(secret_keep_head(d.dir, &head, false)); /* without a claim no file is written */
	assert_ok(secret_head(d.dir, &kept));
	assert_int_equal(kept.count, 0);
	draw(&d, NOISE_ON_OWN, "a", first);
	assert_ok(secret_keep_head(d.dir, &head, true));
	assert_ok(secret_head(d.dir, &kept));
	assert_memory_equal(&kept, &head, sizeof(head));
	head = (struct ledger_head){ .count = 4, .hash = { 2 } };
	assert_ok(secret_keep_head(d.dir, &head, true));
	assert_ok(secret_head(d.dir, &kept));
	assert_int_equal(kept.count, 5);
	draw(&d, NOISE_ON_OWN, "a", other);
	assert_memory_equal(first, other, LONG);
	desk_close(&d);
}
