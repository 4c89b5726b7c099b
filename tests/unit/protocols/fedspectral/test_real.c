/* FedSpectral equals central clustering on real graphs, in few rounds. */
#include "tests/unit/protocols/fedspectral/parts.h"

static void check_real(const char *set, unsigned rounds)
{
	static const size_t split[][2] = { { 5, 2 }, { 5, 0 }, { 2, 1 }, { 10, 4 }, { 20, 8 } };
	struct fedspectral_report report;
	struct fedspectral_params p;
	uint32_t *all, *label;
	struct csr A;

	if (!parts_read(set, &A)) {
		print_message("no %s here\n", set);
		skip();
		return;
	}
	ALLOC(all, A.rows);
	ALLOC(label, A.rows);
	parts_central(&A, 10, all);
	fedspectral_defaults(&p, 10, 1, 2);
	p.tau = 0; /* the central clustering has no tau */
	for (size_t s = 0; s < sizeof(split) / sizeof(*split); s++) {
		struct parts parts;
		struct metrics m;

		parts_deal(&parts, &A, split[s][0], split[s][1], 1, 1);
		assert_ok(fedspectral_exact(&parts.parties, parts.n, &p, label, &report));
		assert_ok(metrics_of(all, label, A.rows, &m));
		print_message("%s, %zu parties, edges at %zu: %u rounds, similarity %.6f, ARI "
			      "%.6f\n",
			      set, split[s][0], split[s][1], report.rounds, m.similarity, m.ari);
		assert_true(m.similarity >= 0.9999);
		assert_true(m.ari >= 0.999);
		assert_in_range(report.rounds, 1, rounds);
		parts_release(&parts);
	}
	free(label);
	free(all);
	csr_release(&A);
}

TEST(email_eu_core)
{
	check_real("email-eu-core", 12);
}

TEST(ego_facebook)
{
	if (SANITIZED)
		skip(); /* takes two minutes */
	check_real("ego-facebook", 20);
}
