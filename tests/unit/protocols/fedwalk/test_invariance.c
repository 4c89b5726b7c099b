/* Compares clusters of FedWalk before and after changes of a graph's weights and vertices. The
 * clusters are those of k-means on its embeddings. */
#include "protocols/fedwalk/job.h"
#include "tests/unit/both/invariance.h"
#include "tests/unit/protocols/fedspectral/parts.h"
#include "tests/unit/protocols/fedwalk/casting.h"

#include "common/cluster/kmeans.h"

#define LIKE                                                                                       \
	{                                                                                          \
		NEAR, NULL                                                                         \
	}
#define NO                                                                                         \
	{                                                                                          \
		ABSENT, NULL                                                                       \
	}

/* FedWalk ignores weights. Each run draws new noise, so no two runs are sure to have equal labels.
 */
#define TIES                                                                                       \
	{                                                                                          \
		LIKE, LIKE, LIKE, LIKE, LIKE, NO, LIKE, NO, NO, LIKE                               \
	}

static const struct method methods[] = {
	{ "dissimilarity=l1", TIES },
	{ "dissimilarity=l1 p=0", TIES },
	{ "dissimilarity=dtw", TIES },
	{ "mode=randomized-response eps=4", TIES },
};

enum { NODES = 120, CLASSES = 3 };

static const struct sheet *hosted;

static size_t by_part(size_t i, size_t L)
{
	(void)L;
	return hosted->part[i];
}

static uint32_t *clusters_of(const struct stage *stage, size_t n)
{
	struct kmeans_params how = {
		.k = CLASSES, .restarts = 20, .iterations = 50, .seed = 1, .threads = 1
	};
	float *x = alloc(n * FEDWALK_DIMS, sizeof(*x));
	uint32_t *label = alloc(n, sizeof(*label));
	struct mat Z;

	gather(stage, x);
	mat_init(&Z, n, FEDWALK_DIMS);
	for (size_t i = 0; i < n * FEDWALK_DIMS; i++)
		Z.a[i] = (double)x[i];
	spectral_unit_rows(&Z);
	kmeans(&Z, NULL, &how, label, NULL, NULL);
	mat_release(&Z);
	free(x);
	return label;
}

static uint32_t *run(const struct sheet *s, const char *settings, uint64_t seed)
{
	static const char text[] = "{\"kind\":\"fedwalk\",\"walks\":20,\"length\":12,\"window\":4,"
				   "\"secure_sum\":{\"group\":\"x25519\"}}";
	uint32_t *label = NULL;
	struct stage *stage;
	struct job job;
	char with[256];

	snprintf(with, sizeof(with), "%s seed=%u", settings, (unsigned)seed);
	job = job_of(text, strlen(text), with);
	hosted = s;
	stage =
	    stage_open_job((struct cast){ .A = &s->A, .L = SHEET_PARTIES, .host = by_part }, &job);
	federation_run(&stage->f);
	if (invariance_ran(&stage->f))
		label = clusters_of(stage, s->p.n);
	stage_end(stage);
	return label;
}

static const struct invariance table = {
	.method = methods,
	.methods = sizeof(methods) / sizeof(*methods),
	.run = run,
	.edges = true,
	.slack = 0.1, /* allows for the noise */
	.name = { "all weights times 2^k", "all weights times 10^k",
		  "the weights of some edges times 1000", "a constant added to all weights",
		  "vertices in another order", NULL, "a vertex without edges", NULL, NULL,
		  "the edges of one vertex times 10^4" },
};

TEST(test_promises)
{
	uint32_t truth[NODES];
	struct sheet s;
	struct csr g;

	parts_planted(&g, NODES, CLASSES, 1200, 0.04, 0, truth);
	sheet_make(&s, &(struct plan){ .n = NODES, .m = SHEET_PARTIES, .seed = 3 }, &g);
	csr_release(&g);
	invariance_holds(&table, &s);
	sheet_release(&s);
}
