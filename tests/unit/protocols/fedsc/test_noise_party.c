/* A party adds the job's noise to its rows before it uses them. */
#include "tests/test.h"

#include "common/base/alloc.h"
#include "protocols/fedsc/job.h"
#include "protocols/fedsc/noise.h"
#include "common/privacy/noise.h"
#include "protocols/fedsc/party/fedsc.h"
#include "party/work/noise.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct bench {
	struct work *work;
	struct record record;
	struct mat X;
};

/* Opens a job on n rows of 4 columns: (1, 0, 0, 0), and (30, 40, 0, 0) as the last. */
static void bench_open(struct bench *b, const char *job, size_t n)
{
	ALLOC(b->work, 1);
	assert_ok(job_parse(&b->work->job, (struct bytes){ (const uint8_t *)job, strlen(job) },
			    "test", NULL));
	record_init(&b->record, "party", "p0");
	b->work->record = &b->record;
	mat_init(&b->X, n, 4);
	for (size_t i = 0; i + 1 < n; i++)
		MAT(&b->X, i, 0) = 1;
	MAT(&b->X, n - 1, 0) = 30;
	MAT(&b->X, n - 1, 1) = 40;
}

static void bench_close(struct bench *b)
{
	work_noise_end(b->work);
	mat_release(&b->X);
	record_release(&b->record);
	free(b->work);
}

static const struct fact *fact(const struct bench *b, const char *name)
{
	for (size_t i = 0; i < b->record.facts.count; i++)
		if (!strcmp(b->record.facts.item[i].name, name))
			return &b->record.facts.item[i];
	return NULL;
}

/* Clip 50 shortens no row; the sensitivity is 100, eps is 100. The noise divided by sigma has mean
 * 0 and variance 1, each within five standard deviations of the estimate. */
TEST(test_variance)
{
	enum { N = 20000 };
	struct fedsc_noise noise;
	struct bench b;
	double square = 0, mean = 0;

	bench_open(&b,
		   "{\"kind\": \"fedsc\", \"clusters\": 2, \"noise\": {\"on\": \"data\", "
		   "\"eps\": 100, \"delta\": 1e-5, \"clip\": 50}}",
		   N);
	assert_ok(fedsc_noise_of(fedsc_job(&b.work->job), &noise));
	assert_ok(party_noise_rows(b.work, &b.X));
	MAT(&b.X, N - 1, 0) -= 29;
	MAT(&b.X, N - 1, 1) -= 40;
	for (size_t i = 0; i < N; i++)
		for (size_t j = 0; j < 4; j++) {
			double z = (MAT(&b.X, i, j) - (j == 0)) / noise.sigma;

			mean += z / (4.0 * N);
			square += z * z / (4.0 * N);
		}
	assert_true(fabs(mean) < 5 / sqrt(4.0 * N));
	assert_true(fabs(square - 1) < 5 * sqrt(2 / (4.0 * N)));
	assert_true(fact(&b, "clipped_rows")->value[0] == 0);
	bench_close(&b);
}

/* A row of length 50 among rows of length 1 is shortened to 1 and counted. The noise is tiny and
 * leaves the other rows nearly unchanged. */
TEST(test_clipped_then_noisy)
{
	struct fedsc_noise noise;
	struct bench b;

	bench_open(&b,
		   "{\"kind\": \"kmeans\", \"clusters\": 2, \"noise\": {\"on\": \"data\", "
		   "\"eps\": 1e6, \"delta\": 0.4, \"clip\": 1}}",
		   3);
	assert_ok(fedsc_noise_of(fedsc_job(&b.work->job), &noise));
	assert_true(noise.sigma < 2e-3);
	assert_ok(party_noise_rows(b.work, &b.X));
	assert_true(fabs(MAT(&b.X, 2, 0) - 0.6) < 10 * noise.sigma);
	assert_true(fabs(MAT(&b.X, 2, 1) - 0.8) < 10 * noise.sigma);
	assert_true(fabs(MAT(&b.X, 0, 0) - 1) < 10 * noise.sigma);
	assert_true(MAT(&b.X, 0, 1) != 0 && MAT(&b.X, 0, 1) != MAT(&b.X, 1, 1));
	assert_true(fact(&b, "clipped_rows")->value[0] == 1);
	assert_non_null(strstr(fact(&b, "privacy")->text, "(eps 1e+06, delta 0.4)"));
	bench_close(&b);
}

/* party_noise_rows() leaves the rows unchanged if the job has no noise, noise on factors, or noise
 * of a given `beta`. It records the noise. */
TEST(test_other_noise)
{
	static const struct {
		const char *job, *said;
	} cases[] = {
		{ "{\"kind\": \"fedsc\", \"clusters\": 2}", NULL },
		{ "{\"kind\": \"fedsc\", \"clusters\": 2, \"noise\": {\"on\": \"data\", \"beta\": "
		  "3}}",
		  "no differential privacy: rows" },
		{ "{\"kind\": \"fedsc\", \"clusters\": 2, \"variant\": \"paper\", \"noise\": "
		  "{\"on\": \"factors\", \"beta\": 3}}",
		  "C_p of sigma 3" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct bench b;

		bench_open(&b, cases[i].job, 3);
		assert_ok(party_noise_rows(b.work, &b.X));
		assert_true(MAT(&b.X, 0, 0) == 1 && MAT(&b.X, 0, 1) == 0 && MAT(&b.X, 2, 0) == 30);
		assert_null(fact(&b, "clipped_rows"));
		if (cases[i].said)
			assert_non_null(strstr(fact(&b, "privacy")->text, cases[i].said));
		else
			assert_null(fact(&b, "privacy"));
		bench_close(&b);
	}
}

/* Two draws from the CSPRNG differ and fill the whole buffer. */
TEST(test_source)
{
	const struct noise_source *source = work_random();
	uint8_t a[64] = { 0 }, b[64] = { 0 };

	assert_ok(source->bytes(source->ctx, a, sizeof(a)));
	assert_ok(source->bytes(source->ctx, b, sizeof(b)));
	assert_memory_not_equal(a, b, sizeof(a));
	assert_memory_not_equal(a + 48, b + 48, 16);
}
