/* FedSpectral refuses too few nodes, no edges and too few rounds. It returns the error of a failed
 * sum. */
#include "tests/unit/protocols/fedspectral/parts_planted.h"

TEST(too_few_nodes)
{
	struct triple t[] = { { 1, 3, 1 }, { 3, 1, 1 }, { 3, 4, 2 }, { 4, 3, 2 } };
	enum err (*const method[])(struct parties *, size_t, const struct fedspectral_params *,
				   uint32_t *, struct fedspectral_report *) = { fedspectral_exact,
										fedspectral_plus,
										fedspectral_plain };
	struct fedspectral_params p;
	uint32_t label[7];
	struct csr A;

	csr_from_triples(&A, 7, 7, t, 4);
	for (size_t i = 0; i < 3; i++) {
		struct parts parts;

		parts_deal(&parts, &A, 2, 1, 1, 1);
		fedspectral_defaults(&p, 4, 1, 1);
		assert_err(method[i](&parts.parties, parts.n, &p, label, NULL), ERR_JOB,
			   "3 of 7 nodes have edges, which cannot be put into 4 clusters");
		parts_release(&parts);
		parts_deal(&parts, &A, 2, 1, 1, 1);
		p.k = 3;
		p.rounds = 5;
		assert_ok(method[i](&parts.parties, parts.n, &p, label, NULL));
		assert_int_equal(label[0], 3);
		parts_release(&parts);
	}
	csr_release(&A);
}

TEST(no_edges)
{
	struct fedspectral_params p;
	struct triple none;
	uint32_t label[5];
	struct parts parts;
	struct csr A;

	csr_from_triples(&A, 5, 5, &none, 0);
	parts_deal(&parts, &A, 2, 1, 1, 1);
	fedspectral_defaults(&p, 0, 1, 1);
	assert_err(fedspectral_exact(&parts.parties, parts.n, &p, label, NULL), ERR_JOB,
		   "0 of 5 nodes");
	parts_release(&parts);
	csr_release(&A);
}

static unsigned falters; /* number of calls before the failing one */

static struct parties sound;

static enum err falter(void)
{
	return falters-- == 0 ? err_set(ERR_PEER, "the sum failed") : ERR_OK;
}

static enum err bad_sum(void *ctx, const void *question, enum parties_how how, double most,
			double *x, size_t n)
{
	if (n)
		TRY(falter());
	return sound.backend->sum(ctx, question, how, most, x, n);
}

static enum err bad_cells(void *ctx, const void *question, size_t values, uint32_t *label, size_t n)
{
	TRY(falter());
	return sound.backend->collect_labels(ctx, question, values, label, n);
}

TEST(errors_come_through)
{
	static const struct parties_backend bad = { .sum = bad_sum, .collect_labels = bad_cells };
	struct fedspectral_params p;
	struct parts parts;
	uint32_t label[N];

	fedspectral_defaults(&p, K, 1, 1);
	for (unsigned after = 0; after < 3; after++) {
		parts_deal(&parts, &graph, 2, 1, 1, 1);
		sound = parts.parties;
		parts.parties.backend = &bad;
		falters = after;
		assert_err(fedspectral_plus(&parts.parties, parts.n, &p, label, NULL), ERR_PEER,
			   "sum failed");
		falters = after;
		assert_err(fedspectral_exact(&parts.parties, parts.n, &p, label, NULL), ERR_PEER,
			   "sum failed");
		falters = 0;
		assert_err(fedspectral_plain(&parts.parties, parts.n, &p, label, NULL), ERR_PEER,
			   "sum failed");
		parts_release(&parts);
	}
	parts_deal(&parts, &graph, 2, 1, 1, 1);
	p.rounds = 2;
	assert_err(fedspectral_exact(&parts.parties, parts.n, &p, label, NULL), ERR_JOB,
		   "after 2 rounds");
	parts_release(&parts);
}

TESTS_BETWEEN(plant, uproot)
