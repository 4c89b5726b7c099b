/* Compares FedGCN's clusters before and after changes of the graphs and of node attributes. */
#include "tests/unit/both/invariance.h"

#include "protocols/fedgcn/coordinator.h"
#include "protocols/fedgcn/job.h"

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

static const char square[] = "attributes are coordinates in a square of 0 to 3";

static const struct method methods[] = {
	{ "features=structure", { SAME, SAME, SAME, SAME, LIKE, NO, NO, NO, NO, SAME } },
	{ "features=coordinates",
	  { NOT(square), NOT(square), NOT(square), NOT(square), LIKE, NO, NO, NO, NO,
	    NOT(square) } },
};

enum { NODES_MOST = 14, SIZES = 8 };

/* Makes one graph from each row of the party. Row i gives a ring of 7 to 14 nodes, with chords if
 * its class is odd. The node count depends on the row's original number. Node u has the row's two
 * numbers as attributes, times 1 + 0.1 u. */
static void graphs_of(const struct sheet *s, uint32_t party, struct graphs *g)
{
	struct triple *t = alloc(s->p.n * NODES_MOST * 4, sizeof(*t));
	size_t edges = 0, nodes = 0;

	*g = (struct graphs){ 0 };
	ALLOC(g->first, s->p.n + 1);
	mat_init(&g->attribute, s->p.n * NODES_MOST, 2);
	for (size_t i = 0; i < s->p.n; i++) {
		size_t size = NODES_MOST - SIZES + 1 + s->row[i] * 5 % SIZES;

		if (s->part[i] != party)
			continue;
		for (size_t u = 0; u < size; u++)
			for (size_t step = 1; step <= 1 + s->p.truth[i] % 2; step++) {
				uint32_t a = (uint32_t)(nodes + u);
				uint32_t b = (uint32_t)(nodes + (u + step) % size);

				t[edges++] = (struct triple){ a, b, 1 };
				t[edges++] = (struct triple){ b, a, 1 };
			}
		for (size_t u = 0; u < size; u++)
			for (size_t j = 0; j < 2; j++)
				MAT(&g->attribute, nodes + u, j) =
				    MAT(&s->p.X, i, j) * (1 + 0.1 * (double)u);
		nodes += size;
		g->first[++g->count] = nodes;
	}
	g->attribute.rows = nodes;
	csr_from_triples(&g->A, nodes, nodes, t, edges);
	free(g->A.value);
	g->A.value = NULL;
	free(t);
}

static struct fedgcn_params params_of(const char *settings, uint64_t seed)
{
	static const char text[] = "{\"kind\":\"fedgcn\",\"clusters\":2,\"rounds\":3,\"epochs\":2,"
				   "\"batch\":16,\"baselines\":\"off\"}";
	struct fedgcn_params p;
	struct job job;
	char with[256];

	snprintf(with, sizeof(with), "%s seed=%u", settings, (unsigned)seed);
	job = job_of(text, strlen(text), with);
	assert_ok(fedgcn_params_of(fedgcn_job(&job), 1, &p));
	return p;
}

static uint32_t *labels_of(const struct sheet *s, const struct fedgcn_party *party)
{
	size_t next[SHEET_PARTIES] = { 0 };
	uint32_t *label = alloc(s->p.n, sizeof(*label));

	for (size_t i = 0; i < s->p.n; i++)
		label[i] = party[s->part[i]].label[next[s->part[i]]++];
	return label;
}

static uint32_t *run(const struct sheet *s, const char *settings, uint64_t seed)
{
	struct fedgcn_params p = params_of(settings, seed);
	struct fedgcn_party party[SHEET_PARTIES];
	struct memory memory = { .kind = &fedgcn_in_memory,
				 .party = party,
				 .count = SHEET_PARTIES,
				 .fraction_bits = JOB_WIDE_FRACTION };
	struct fedgcn_report report = { 0 };
	struct graphs g[SHEET_PARTIES];
	struct parties parties;
	uint32_t *label = NULL;

	for (uint32_t l = 0; l < SHEET_PARTIES; l++) {
		graphs_of(s, l, &g[l]);
		assert_ok(fedgcn_party_init(&party[l], &g[l], &p));
	}
	parties_in_memory(&parties, &memory);
	if (fedgcn_run(&parties, &p, &report) == ERR_OK)
		label = labels_of(s, party);
	else
		snprintf(invariance_why, sizeof(invariance_why), "%s", err_detail());
	fedgcn_report_release(&report);
	for (size_t l = 0; l < SHEET_PARTIES; l++) {
		fedgcn_party_release(&party[l]);
		graphs_release(&g[l]);
	}
	return label;
}

static const struct invariance table = {
	.method = methods,
	.methods = sizeof(methods) / sizeof(*methods),
	.run = run,
	.slack = 0.01,
	.protocol = "fedgcn",
	.name = { "all attributes times 2^k", "all attributes times 10^k",
		  "one attribute times 1000", "a constant added to all attributes",
		  "graphs in another order", NULL, NULL, NULL, NULL,
		  "the attributes of one graph times 10^4" },
};

TEST(test_promises)
{
	struct sheet s;

	sheet_make(&s, &(struct plan){ .n = 90, .m = SHEET_PARTIES, .seed = 3, .noise = 0.4 },
		   NULL);
	invariance_holds(&table, &s);
	sheet_release(&s);
}

TEST(test_page)
{
	invariance_page(&table);
}
