/* Tests the results of kCAGC with coordinator and parties in memory. */
#include "tests/unit/both/federation.h"
#include "common/cluster/kmeans.h"
#include "common/cluster/metrics.h"
#include "protocols/kcagc/job.h"

enum { N = 240, M = 36 };

static void run_all(const struct planted *p, size_t L, const struct job *job, unsigned threads,
		    uint32_t *label)
{
	struct federation *f = alloc(1, sizeof(*f));

	federation_init(f, p, L, job);
	for (size_t l = 0; l < L; l++)
		f->party[l].threads = threads;
	federation_run(f);
	federation_succeeded(f);
	memcpy(label, f->server.label, N * sizeof(*label));
	federation_release(f);
	free(f);
}

/* Each method finds the blocks of easy data, for each shape of the tree up to nine parties. */
TEST(test_finds_planted_clusters)
{
	static const char *const methods[] = { "method=tree", "method=flat", "method=basic" };
	struct planted p;

	planted_make(&p, &(struct plan){ .n = N, .m = M, .seed = 1, .noise = 0.5 });
	for (size_t L = 2; L <= 9; L++)
		for (int i = 0; i < 3; i++) {
			struct job job = planted_job(methods[i]);
			uint32_t label[N];
			struct metrics m;

			run_all(&p, L, &job, 1, label);
			assert_ok(metrics_of(p.truth, label, N, &m));
			if (m.acc < 0.97)
				fail_msg("L=%zu %s: acc %.3f", L, methods[i], m.acc);
		}
	planted_release(&p);
}

TEST(test_same_seed_same_labels)
{
	struct job job = planted_job("method=tree seed=5");
	uint32_t a[N], b[N];
	struct planted p;

	planted_make(&p, &(struct plan){ .n = N, .m = M, .seed = 2, .noise = 1.5 });
	run_all(&p, 4, &job, 1, a);
	run_all(&p, 4, &job, 2, b);
	assert_memory_equal(a, b, sizeof(a));
	planted_release(&p);
}

/* With one party the job returns the party's local clusters (Protocol 1 of kCAGC). */
TEST(test_single_equals_central)
{
	struct job job = planted_job("polish=0");
	struct embed_params e = kcagc_embed_params(kcagc_job(&job), 1);
	struct kmeans_params k = { .k = PLANTED_K,
				   .restarts = kcagc_job(&job)->local_restarts,
				   .iterations = kcagc_job(&job)->iterations,
				   .ninth = true,
				   .seed = job.seed,
				   .threads = 1 };
	uint32_t label[N], central[N];
	struct features X;
	struct planted p;
	struct mat Z;

	planted_make(&p, &(struct plan){ .n = N, .m = M, .seed = 3, .noise = 2.0 });
	run_all(&p, 1, &job, 1, label);
	planted_slice(&p, 0, 1, &X);
	assert_ok(embed(&X, &p.g, &e, &Z));
	kmeans(&Z, NULL, &k, central, NULL, NULL);
	assert_memory_equal(label, central, sizeof(label));
	mat_release(&Z);
	features_release(&X);
	planted_release(&p);
}
