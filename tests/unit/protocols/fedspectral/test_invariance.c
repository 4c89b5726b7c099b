/* Compares FedSpectral's clusters before and after changes of a graph's weights and nodes. */
#include "tests/unit/both/invariance.h"
#include "tests/unit/protocols/fedspectral/casting.h"
#include "tests/unit/protocols/fedspectral/parts.h"

#define SAME                                                                                       \
	{                                                                                          \
		EXACT, NULL                                                                        \
	}
#define LIKE                                                                                       \
	{                                                                                          \
		NEAR, NULL                                                                         \
	}
#define NOT(x)                                                                                     \
	{                                                                                          \
		NONE, x                                                                            \
	}
#define NO                                                                                         \
	{                                                                                          \
		ABSENT, NULL                                                                       \
	}

static const char weight[] = "an edge counts by its weight, as a share of its nodes' weights";

#define GRAPH                                                                                      \
	{                                                                                          \
		SAME, LIKE, NOT(weight), NOT(weight), LIKE, NO, LIKE, NO, NO, NOT(weight)          \
	}

static const struct method methods[] = {
	{ "variant=exact", GRAPH },
	{ "variant=exact clusters=auto", GRAPH },
	{ "variant=exact tau=0.1", GRAPH },
	{ "variant=fedspectral+", GRAPH },
	{ "variant=fedspectral+ unit_rows=false", GRAPH },
	{ "variant=fedspectral", GRAPH },
};

enum { NODES = 120, CLASSES = 3 };

static const struct sheet *held;

/* Gives each edge to two of three parties, by the original numbers of its nodes. */
static double at_two(size_t l, size_t L, uint32_t i, uint32_t j)
{
	size_t first = sheet_holder(held->row[i], held->row[j]);

	return first == l || (first + 1) % L == l;
}

static uint32_t *run(const struct sheet *s, const char *settings, uint64_t seed)
{
	static const char text[] = "{\"kind\":\"fedspectral\",\"clusters\":3,"
				   "\"secure_sum\":{\"group\":\"x25519\"}}";
	static const uint8_t numbers[32] = { 1 };
	uint32_t *label = NULL;
	struct stage *stage;
	struct job job;
	char with[256];

	snprintf(with, sizeof(with), "%s seed=%u", settings, (unsigned)seed);
	job = job_of(text, strlen(text), with);
	held = s;
	stage = stage_open_job(&s->A, SHEET_PARTIES, at_two, &job);
	stage->f.server.numbers = numbers;
	federation_run(&stage->f);
	if (invariance_ran(&stage->f)) {
		ALLOC(label, s->p.n);
		gather_labels(stage, label);
	}
	stage_end(stage);
	return label;
}

static const struct invariance table = {
	.method = methods,
	.methods = sizeof(methods) / sizeof(*methods),
	.run = run,
	.edges = true,
	.slack = 0.01,
	.protocol = "fedspectral",
	.name = { "all weights times 2^k", "all weights times 10^k",
		  "the weights of some edges times 1000", "a constant added to all weights",
		  "nodes in another order", NULL, "a node without edges", NULL, NULL,
		  "the edges of one node times 10^4" },
};

TEST(test_promises)
{
	uint32_t truth[NODES];
	struct sheet s;
	struct csr g;

	parts_planted(&g, NODES, CLASSES, 1200, 0.06, 0, truth);
	sheet_make(&s, &(struct plan){ .n = NODES, .m = SHEET_PARTIES, .seed = 3 }, &g);
	csr_release(&g);
	invariance_holds(&table, &s);
	sheet_release(&s);
}

TEST(test_page)
{
	invariance_page(&table);
}
