/* kCAGC, both halves in memory: what comes out, and what the coordinator gets to see. */
#include "tests/unit/both/federation.h"
#include "common/math/kmeans.h"
#include "common/math/metrics.h"

static void run_all(const struct planted *p, size_t L, const struct job *job, unsigned threads,
		    uint32_t *label)
{
	struct federation *f = alloc(1, sizeof(*f));

	federation_init(f, p, L, job, threads);
	federation_run(f);
	if (f->server.result != ERR_OK)
		fail_msg("L=%zu: %s", L, f->server.why);
	for (size_t l = 0; l < L; l++) {
		assert_int_equal(f->party[l].result, ERR_OK);
		assert_memory_equal(f->party[l].label, f->server.label, sizeof(f->server.label));
	}
	memcpy(label, f->server.label, sizeof(f->server.label));
	federation_release(f);
	free(f);
}

/* Easy data: every method, for every shape of the tree up to nine parties, finds the blocks. */
static void test_finds_planted_clusters(void **state)
{
	static const char *const methods[] = { "method=tree", "method=flat", "method=basic" };
	struct planted p;

	(void)state;
	planted_make(&p, 1, 0.5);
	for (size_t L = 2; L <= FED_MAX; L++)
		for (int i = 0; i < 3; i++) {
			struct job job = planted_job(methods[i], NULL);
			uint32_t label[FED_N];
			struct metrics m;

			run_all(&p, L, &job, 1, label);
			assert_ok(metrics_of(p.truth, label, FED_N, &m));
			if (m.acc < 0.97)
				fail_msg("L=%zu %s: acc %.3f", L, methods[i], m.acc);
		}
	planted_release(&p);
}

static void test_same_seed_same_labels(void **state)
{
	struct job job = planted_job("method=tree", "seed=5");
	uint32_t a[FED_N], b[FED_N];
	struct planted p;

	(void)state;
	planted_make(&p, 2, 1.5);
	run_all(&p, 4, &job, 1, a);
	run_all(&p, 4, &job, 2, b);
	assert_memory_equal(a, b, sizeof(a));
	planted_release(&p);
}

/* One party: its own Protocol 1 is the result. */
static void test_single_equals_central(void **state)
{
	struct job job = planted_job("polish=0", NULL);
	struct embed_params e = job_embed_params(&job, 1);
	struct kmeans_params k = { .k = FED_K,
				   .restarts = job.local_restarts,
				   .iterations = job.iterations,
				   .ninth = job.ninth,
				   .seed = job.seed,
				   .threads = 1 };
	uint32_t label[FED_N], central[FED_N];
	struct features X;
	struct planted p;
	struct mat Z;

	(void)state;
	planted_make(&p, 3, 2.0);
	run_all(&p, 1, &job, 1, label);
	planted_slice(&p, 0, 1, &X);
	assert_ok(embed(&X, &p.g, &e, &Z));
	kmeans(&Z, NULL, &k, central, NULL, NULL);
	assert_memory_equal(label, central, sizeof(label));
	mat_release(&Z);
	features_release(&X);
	planted_release(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_finds_planted_clusters),
		cmocka_unit_test(test_same_seed_same_labels),
		cmocka_unit_test(test_single_equals_central),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
