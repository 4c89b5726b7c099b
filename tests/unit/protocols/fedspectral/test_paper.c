/* Tests the two variants of the FedSpectral paper where they must equal central clustering. */
#include "tests/unit/protocols/fedspectral/parts_planted.h"

/* A party with all edges gets the central clustering after enough rounds. */
TEST(plus_of_one_party)
{
	struct fedspectral_report report;
	struct fedspectral_params p;
	struct parts parts;
	uint32_t label[N];

	parts_deal(&parts, &graph, 1, 1, 1, 1);
	fedspectral_defaults(&p, K, 1, 1);
	p.rounds = 20;
	assert_ok(fedspectral_plus(&parts.parties, parts.n, &p, label, &report));
	assert_agree(central, label, N, 1, "fedspectral+ of one");
	assert_int_equal(report.rounds, 20);
	assert_int_equal(report.isolated, ALONE);
	parts_release(&parts);
	parts_deal(&parts, &graph, 4, 2, 1, 1);
	assert_ok(fedspectral_plus(&parts.parties, parts.n, &p, label, NULL));
	assert_agree(truth, label, N, 0.9, "fedspectral+ of four");
	parts_release(&parts);
}

TEST(plain_of_equal_parties)
{
	struct fedspectral_report report;
	struct fedspectral_params p;
	struct parts parts;
	uint32_t label[N];

	fedspectral_defaults(&p, K, 1, 1);
	parts_deal(&parts, &graph, 3, 3, 1, 1);
	assert_ok(fedspectral_plain(&parts.parties, parts.n, &p, label, &report));
	assert_agree(central, label, N, 1, "fedspectral of three who have all");
	assert_int_equal(report.clusters, K + 1);
	parts_release(&parts);
}

static enum err given_cells(void *ctx, const void *question, size_t values, uint32_t *label,
			    size_t n)
{
	(void)question;
	(void)values;
	memcpy(label, ctx, 3 * n * sizeof(*label));
	return ERR_OK;
}

/* Compares fedspectral with clustering the similarity graph (equation 1) by LAPACK's eigenvectors.
 */
TEST(plain_is_of_the_similarity_graph)
{
	struct fedspectral_params p;
	uint32_t cell[3 * 40], label[40], expected[40];
	static const struct parties_backend given = { .collect_labels = given_cells };
	struct parties parties = { .count = 3, .backend = &given, .ctx = cell };
	struct triple *t = alloc(40 * 40 * 3, sizeof(*t));
	size_t count = 0;
	struct rng rng;
	struct csr S;

	rng_seed(&rng, 3, 3);
	for (size_t l = 0; l < 3; l++) /* 3 of 10 labels are random; label 3 means no cluster */
		for (uint32_t i = 0; i < 40; i++)
			cell[l * 40 + i] =
			    rng_below(&rng, 10) < 3 ? (uint32_t)rng_below(&rng, 4) : i % 3;
	for (size_t l = 0; l < 3; l++)
		cell[l * 40 + 39] = 3;
	for (uint32_t i = 0; i < 40; i++)
		for (uint32_t j = 0; j < 40; j++)
			for (size_t l = 0; l < 3; l++)
				if (cell[l * 40 + i] == cell[l * 40 + j] && cell[l * 40 + i] < 3)
					t[count++] = (struct triple){ i, j, 1.0 / 3 };
	csr_from_triples(&S, 40, 40, t, count);
	parts_central(&S, 3, expected);
	fedspectral_defaults(&p, 3, 1, 1);
	assert_ok(fedspectral_plain(&parties, 40, &p, label, NULL));
	assert_agree(expected, label, 40, 1, "similarity graph");
	assert_int_equal(label[39], 3);
	csr_release(&S);
	free(t);
}

TESTS_BETWEEN(plant, uproot)
