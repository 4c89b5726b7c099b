/* Memory estimates of every kind never fall when a size grows, and are finite for sizes up to 2^40.
 * Also tests the warnings about memory. */
#include "common/base/machine.h"
#include "jobs.h"

#include "common/job/kinds.h"
#include "common/job/memory_check.h"
#include "tests/test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double of(const struct job *job, const struct kind_sizes *s)
{
	double bytes = job->kind->memory(job, s);

	assert_true(isfinite(bytes) && bytes >= KIND_MEMORY_LEAST);
	return bytes;
}

/* Doubling one size at a time never lowers the estimate. */
static void check_rises(const struct job *job, bool coordinator, bool dense)
{
	struct kind_sizes s = { 1000, 50, 20000, 4000, 3, coordinator, dense, false };

	/* for more nodes fedwalk uses another tree, so its estimate may fall */
	while (s.n < 0x1p14) {
		struct kind_sizes more[] = { s, s, s, s };

		more[0].n *= 2;
		more[1].columns *= 2;
		more[2].entries *= 2;
		more[3].edges *= 2;
		for (size_t i = 0; i < 4; i++)
			assert_true(of(job, &more[i]) >= of(job, &s));
		s = more[0];
	}
}

TEST(test_all_kinds)
{
	struct kind_sizes large = { 0x1p24, 0x1p16, 0x1p40, 0x1p40, 256, false, false, false };

	for (size_t i = 0; kinds[i]; i++) {
		char text[128];
		struct job job;

		snprintf(text, sizeof(text), "{\"kind\": \"%s\"%s%s}", kinds[i]->name,
			 kinds[i]->clusters == CLUSTERS_NONE ? "" : ", \"clusters\": 3",
			 strstr(kinds[i]->name, ".predict")
			     ? ", \"model\": \"0123456789abcdef0123456789abcdef\""
			 : !strcmp(kinds[i]->name, "kcagc")
			     ? ", \"method\": \"tree\", \"filter\": { \"order\": 3 }"
			     : "");
		assert_ok(job_parse(&job, (struct bytes){ (const uint8_t *)text, strlen(text) },
				    "job", NULL));
		check_rises(&job, false, false);
		check_rises(&job, false, true);
		check_rises(&job, true, false);
		of(&job, &large);
		large.coordinator = !large.coordinator;
		of(&job, &large);
	}
}

/* A kcagc party makes 64 sparse columns dense to filter them. It does not do so with 5000 columns,
 * so they take less than 1.5 times the memory of 64 dense ones. */
TEST(test_few_columns)
{
	static const char text[] = "{\"kind\": \"kcagc\", \"method\": \"tree\", \"clusters\": 10, "
				   "\"filter\": { \"order\": 5 }}";
	struct kind_sizes few = { 0x1p20, 64, 0x1p21, 0x1p22, 4, false, false, false };
	struct kind_sizes many = few;
	struct job job;

	many.columns = 5000;
	assert_ok(
	    job_parse(&job, (struct bytes){ (const uint8_t *)text, strlen(text) }, "job", NULL));
	assert_true(of(&job, &few) > 8 * few.n * (few.columns + 32));
	assert_true(of(&job, &few) < 8 * few.n * (few.columns + 32) * 1.5);
	assert_true(of(&job, &many) < 8 * many.n * few.columns * 1.5);
}

/* Returns the estimate for one dense slice with this method. */
static double of_method(const char *method, const struct kind_sizes *s)
{
	char text[128];
	struct job job;

	snprintf(text, sizeof(text),
		 "{\"kind\": \"kcagc\", \"clusters\": 16, \"method\": \"%s\", \"filter\": { "
		 "\"order\": 2 }}",
		 method);
	assert_ok(
	    job_parse(&job, (struct bytes){ (const uint8_t *)text, strlen(text) }, "job", NULL));
	return of(&job, s);
}

/* A dense slice is in memory once. Measured figures for these sizes are in
 * docs/results/memory.md. */
TEST(test_dense_slices)
{
	struct kind_sizes s = { 2e5, 64, 64 * 2e5, 1980761, 1, false, true, true };
	double slice = 8 * s.n * s.columns, took = 223e6;

	assert_true(fabs(of_method("gcc", &s) / took - 1) < 0.1);
	assert_true(of_method("landmark", &s) == of_method("gcc", &s));
	assert_true(of_method("flat", &s) < 2.6 * slice);
	s.again = false; /* the data cannot be read again, so landmark keeps a copy */
	assert_true(of_method("landmark", &s) - of_method("gcc", &s) == slice);
	s.dense = false;
	assert_true(of_method("gcc", &s) > 1.5 * took);
}

TEST(test_sentences_of_room)
{
	assert_ok(memory_check(5e9, 0, "bank-a", "policy.max_memory"));
	assert_ok(memory_check(5e9, 5000000000, "bank-a", "policy.max_memory"));
	assert_err(memory_check(5.1e9, 5000000000, "bank-a", "policy.max_memory"), ERR_INPUT,
		   "this job takes about 5.1 GB of memory at bank-a, policy.max_memory is 5.0 GB: "
		   "raise it, or offer a "
		   "smaller job");
	assert_err(memory_check(machine_memory() + 1, 0, "bank-a", "policy.max_memory"), ERR_INPUT,
		   "(host, container, ulimit): raise that, or offer a smaller job");
}

TEST(test_peak)
{
	size_t n = 64 << 20;
	volatile char *p;
	double before;

	memory_check_begin();
	before = memory_check_peak();
	p = malloc(n);
	assert_non_null(p);
	for (size_t i = 0; i < n; i += 4096)
		p[i] = 1;
	free((void *)p);
	assert_true(memory_check_peak() >= before + 0.9 * (double)n);
}
