/* For each method, kCAGC with `standardize` gives the labels that it gives without `standardize` on
 * columns that were standardised before. */
#include "tests/unit/both/federation.h"
#include "tests/unit/linalg/sample.h"
#include "common/cluster/metrics.h"
#include "common/data/standard.h"

enum { N = 240, M = 12, L = 3 };

static double labels(const struct planted *p, const char *settings, uint32_t *label)
{
	struct federation *f = alloc(1, sizeof(*f));
	struct job job = planted_job(settings);
	struct metrics m;

	federation_init(f, p, L, &job);
	federation_run(f);
	federation_succeeded(f);
	memcpy(label, f->server.label, N * sizeof(*label));
	federation_release(f);
	free(f);
	assert_ok(metrics_of(p->truth, label, N, &m));
	return m.acc;
}

TEST(test_as_if_standardised_before)
{
	static const char *const methods[] = {
		"method=tree features=raw",
		"method=basic features=raw",
		"method=landmark",
		"method=gcc",
		"method=tree features=raw filter.order=auto",
	};

	for (int i = 0; i < 5; i++) {
		uint32_t raw[N], local[N], before[N];
		char settings[128];
		struct planted p;
		double without, with;

		planted_make(&p, &(struct plan){ .n = N, .m = M, .seed = 2, .noise = 0.5 });
		for (size_t r = 0; r < N; r++) /* one column of large numbers at each party */
			for (size_t j = 0; j < L; j++)
				MAT(&p.X, r, j * M / L) = 10 * (double)(r * 7919 % 97);
		without = labels(&p, methods[i], raw);
		snprintf(settings, sizeof(settings), "%s standardize=%s", methods[i],
			 i % 2 ? "joint" : "local");
		with = labels(&p, settings, local);
		assert_ok(standard_own(&p.X, NULL, NULL, false, NULL));
		labels(&p, methods[i], before);
		assert_memory_equal(local, before, sizeof(before));
		if (with < without + 0.1)
			fail_msg("%s: accuracy %.3f without and %.3f with", methods[i], without,
				 with);
		planted_release(&p);
	}
}
