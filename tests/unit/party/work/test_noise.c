/* Noise of a party: the same on the same numbers in every attempt, another on anything else. */
#include "party/work/noise.h"
#include "common/base/alloc.h"
#include "common/base/file.h"
#include "crypto/hash.h"
#include "tests/unit/crypto/lab.h"

#include <sys/stat.h>
#include <unistd.h>

struct desk {
	char dir[64];
	uint8_t data[SHA256_LEN];
	struct work *work;
};

static void desk_open(struct desk *d)
{
	lab_dir(d->dir);
	memset(d->data, 7, sizeof(d->data));
	ALLOC(d->work, 1);
	d->work->state = d->dir;
	d->work->data_hash = d->data;
}

static void desk_close(struct desk *d)
{
	work_noise_end(d->work);
	free(d->work);
	lab_remove(d->dir);
}

enum { LONG = 40000 }; /* more than a block of the stream */

static void draw(struct desk *d, const char *of, const char *asked, uint8_t bytes[static LONG])
{
	const struct noise_source *source;

	assert_ok(work_noise(d->work, of, (struct bytes){ (const uint8_t *)asked, strlen(asked) },
			     &source));
	assert_ok(source->bytes(source->ctx, bytes, 3));
	assert_ok(source->bytes(source->ctx, bytes + 3, LONG - 3));
}

static uint8_t first[LONG], other[LONG];

static void test_same_in_each_attempt(void **state)
{
	struct desk d;

	(void)state;
	desk_open(&d);
	d.work->attempt = 1;
	draw(&d, "rows", "", first);
	assert_memory_not_equal(first, first + LONG / 2, LONG / 2);
	d.work->attempt = 2;
	draw(&d, "rows", "", other);
	assert_memory_equal(first, other, LONG);
	work_noise_end(d.work); /* another process */
	draw(&d, "rows", "", other);
	assert_memory_equal(first, other, LONG);
	desk_close(&d);
}

static void test_other_numbers_other_noise(void **state)
{
	struct desk d;

	(void)state;
	desk_open(&d);
	draw(&d, "rows", "a", first);
	draw(&d, "rows", "b", other);
	assert_memory_not_equal(first, other, 16);
	draw(&d, "row", "sa", other);
	assert_memory_not_equal(first, other, 16);
	d.work->job_id[0]++;
	draw(&d, "rows", "a", other);
	assert_memory_not_equal(first, other, 16);
	d.work->job_id[0]--;
	d.data[31]++;
	draw(&d, "rows", "a", other);
	assert_memory_not_equal(first, other, 16);
	d.data[31]--;
	draw(&d, "rows", "a", other);
	assert_memory_equal(first, other, LONG);
	desk_close(&d);
}

/* Where some were left out of an attempt, a share of the noise in a sum is another, of other noise.
 * What is on this party's own numbers stays. */
static void test_fewer_parties(void **state)
{
	struct desk d;

	(void)state;
	desk_open(&d);
	for (int answer = 0; answer < 2; answer++) {
		d.work->L = 4;
		draw(&d, "noise", answer ? "a" : "", first);
		d.work->L = 3;
		draw(&d, "noise", answer ? "a" : "", other);
		if (answer)
			assert_memory_not_equal(first, other, 16);
		else
			assert_memory_equal(first, other, LONG);
	}
	desk_close(&d);
}

/* The key is this party's alone; in memory there is none. */
static void test_key(void **state)
{
	const struct noise_source *source;
	struct desk d;
	struct stat st;
	char *path;

	(void)state;
	desk_open(&d);
	draw(&d, "rows", "", first);
	path = file_join(d.dir, "noise.key");
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	assert_int_equal(st.st_size, 32);
	assert_int_equal(unlink(path), 0);
	draw(&d, "rows", "", other);
	assert_memory_not_equal(first, other, 16);
	assert_int_equal(truncate(path, 31), 0);
	assert_err(work_noise(d.work, "rows", (struct bytes){ 0 }, &source), ERR_INPUT,
		   "31 bytes, expected 32");
	free(path);
	d.work->state = NULL;
	draw(&d, "rows", "", first);
	draw(&d, "rows", "", other);
	assert_memory_not_equal(first, other, 16);
	desk_close(&d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_same_in_each_attempt),
		cmocka_unit_test(test_other_numbers_other_noise),
		cmocka_unit_test(test_fewer_parties),
		cmocka_unit_test(test_key),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
