/* bench.h -- common code of the benches: fatal errors, medians, and timed work. */
#ifndef TESTS_BENCH_BENCH_H
#define TESTS_BENCH_BENCH_H

#include "common/base/err.h"

#include <assert.h>
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { BENCH_RUNS_MAX = 1000 };

/* Exits on an error, since a failed step would look fast. */
static inline void need(enum err e)
{
	if (e == ERR_OK)
		return;
	fprintf(stderr, "%s: %s\n", program_invocation_short_name, err_detail());
	exit(e);
}

static inline int bench_rising(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Returns the median; sorts s. */
static inline double bench_median(double *s, size_t n)
{
	assert(n >= 1);
	qsort(s, n, sizeof(*s), bench_rising);
	return n % 2 ? s[n / 2] : (s[n / 2 - 1] + s[n / 2]) / 2;
}

/* Returns the CPU seconds of this process. Other processes disturb them less than elapsed time. */
static inline double bench_cpu_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

typedef void bench_work(void *ctx);

/* Returns the median CPU seconds of `runs` calls of single-threaded work, after one warm-up call.
 * `prepare` (may be NULL) is not timed. */
static inline double bench_time(unsigned runs, bench_work *prepare, bench_work *run, void *ctx)
{
	double s[BENCH_RUNS_MAX];

	assert(runs >= 1 && runs <= BENCH_RUNS_MAX);
	for (unsigned i = 0; i <= runs; i++) {
		double start;

		if (prepare)
			prepare(ctx);
		start = bench_cpu_s();
		run(ctx);
		if (i)
			s[i - 1] = bench_cpu_s() - start;
	}
	return bench_median(s, runs);
}

#endif
