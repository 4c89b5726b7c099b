#include "tests/test.h"
#include "common/base/progress.h"
#include "common/linalg/parallel.h"

#include <stdatomic.h>
#include <string.h>

enum { BLOCKS = 1000 };

struct tally {
	_Atomic int done[BLOCKS];
	_Atomic int of_worker[PARALLEL_MAX];
	unsigned workers;
	_Atomic int out_of_range;
};

static void count(void *ctx, unsigned worker, size_t block)
{
	struct tally *t = ctx;

	t->done[block]++;
	if (worker < t->workers)
		t->of_worker[worker]++;
	else
		t->out_of_range++;
}

TEST(each_block_once)
{
	static const unsigned threads[] = { 0, 1, 2, 4, 7, 5000 };

	for (size_t i = 0; i < sizeof(threads) / sizeof(*threads); i++) {
		static struct tally t;
		uint64_t ticks = progress_count(NULL);

		memset(&t, 0, sizeof(t));
		t.workers = parallel_workers(threads[i], BLOCKS);
		parallel(threads[i], BLOCKS, count, &t);
		for (size_t b = 0; b < BLOCKS; b++)
			assert_int_equal(t.done[b], 1);
		assert_int_equal(t.out_of_range, 0);
		assert_int_equal(progress_count(NULL) - ticks, BLOCKS);
	}
}

TEST(workers)
{
	assert_int_equal(parallel_workers(0, 10), 1);
	assert_int_equal(parallel_workers(4, 10), 4);
	assert_int_equal(parallel_workers(4, 3), 3);
	assert_int_equal(parallel_workers(4, 0), 1);
	assert_int_equal(parallel_workers(100000, 100000), PARALLEL_MAX);
}

static void nothing(void *ctx, unsigned worker, size_t block)
{
	(void)worker;
	(void)block;
	*(int *)ctx = 1;
}

static void stops(void *ctx, unsigned worker, size_t block)
{
	(void)worker;
	(void)block;
	*(_Atomic int *)ctx += progress_stopped();
}

/* Progress and stop of one job do not affect another job of the same process. */
TEST(of_one_job)
{
	struct progress a = { 0 }, b = { 0 };
	_Atomic int stopped = 0;

	progress_enter(&a);
	progress_stop(&b);
	parallel(4, BLOCKS, stops, &stopped);
	assert_int_equal(stopped, 0);
	progress_stop(&a);
	parallel(4, BLOCKS, stops, &stopped);
	assert_int_equal(stopped, BLOCKS);
	assert_int_equal(progress_count(&a), 2 * BLOCKS);
	assert_int_equal(progress_count(&b), 0);
	progress_enter(NULL);
	assert_false(progress_stopped());
}

TEST(no_blocks)
{
	int called = 0;

	parallel(4, 0, nothing, &called);
	assert_int_equal(called, 0);
}
