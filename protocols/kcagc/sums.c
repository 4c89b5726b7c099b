#include "protocols/kcagc/sums.h"
#include "common/base/alloc.h"
#include "common/base/progress.h"
#include "common/cluster/kmeans.h"
#include "common/cluster/stability.h"
#include "protocols/kcagc/explained.h"
#include "protocols/kcagc/order.h"
#include "common/privacy/bound.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Raises negative numbers to 0. Rounding, of doubles or of fixed point, may make a number near 0
 * negative. */
static void clamp(double *x, size_t n)
{
	for (size_t i = 0; i < n; i++)
		x[i] = x[i] > 0 ? x[i] : 0;
}

/* Receives the clusters of kCAGC's Protocol 3 line 2. The parties send them after their facts,
 * without a request. The coordinator collects them after it has broadcast all that the next answer
 * needs. */
static enum err collect_cells(struct parties *parties, size_t n, const struct question *own,
			      uint32_t *cells)
{
	if (!own)
		return ERR_OK;
	parties_phase(parties, "local");
	TRY(parties_collect_labels(parties, own, own->k, cells, n));
	for (size_t i = 0; i < parties->count * n; i++)
		if (cells[i] == own->k)
			return err_set(ERR_PEER,
				       "%s sent LOCAL_CLUSTERS with node %zu in none of %zu "
				       "clusters (during %s)",
				       parties_name(parties, i / n), i % n, own->k, parties->phase);
	return ERR_OK;
}

/* Agrees on facts and norms. square: 2 + n numbers, with joint norms from square[2] on. If some but
 * not all parties have only features of 0 and 1, plain norms replace the weighted norms of those
 * parties. */
static enum err sums_agree_basis(struct parties *parties, size_t n, const struct question *own,
				 uint32_t *cells, struct sums_basis *basis, double *square,
				 double *spreads)
{
	struct question facts = { .kind = ASK_FACTS }, norms = { .kind = ASK_NORMS };
	struct question ask = { .kind = ASK_SPREADS,
				.square = square + 2,
				.shares = !basis->order,
				.explained = basis->degrees == DEGREES_AUTO,
				.degrees = basis->degrees != DEGREES_OFF,
				.parties = parties->count };
	bool some;
	int e;

	parties_phase(parties, "norms");
	TRY(parties_bound(parties, &e));
	facts.unit = norms.unit = ask.unit = bound_unit(e);
	TRY(parties_sum(parties, &facts, square, 2 + n));
	if (!(square[1] >= 1))
		return err_set(ERR_PEER, "the parties say that they have %g features", square[1]);
	ask.idf = basis->idf = square[0] < 0.5; /* square[0] is a count, so it is exact */
	some = !basis->idf && square[0] < (double)parties->count - 0.5;
	basis->width = (size_t)(square[1] + 0.5);
	TRY(parties_broadcast_choice(parties, CHOICE_WORDS,
				     some         ? WORDS_SOME
				     : basis->idf ? WORDS_ALL
						  : WORDS_NONE));
	if (some) {
		TRY(parties_warm(parties));
		TRY(collect_cells(parties, n, own, cells));
		parties_phase(parties, "order");
		TRY(parties_sum(parties, &norms, square + 2, n));
	}
	clamp(square + 2, n);
	TRY(parties_broadcast_reals(parties, PARTIES_BLOCK, square + 2, n));
	TRY(parties_warm(parties));
	if (!some) {
		TRY(collect_cells(parties, n, own, cells));
		parties_phase(parties, "order");
	}
	return parties_sum(parties, &ask, spreads, question_words(&ask, n));
}

unsigned sums_restarts(unsigned restarts, size_t n)
{
	double full = 1e5, least = fmin(restarts, 10);

	return (unsigned)fmax(least, restarts * fmin(1, full / (double)n));
}

/* Returns the share of ||S^t X||^2 along sqrt(degree); rounding may raise it above 1. */
static double share_of(const double *sums, unsigned t)
{
	return sums[t] > sums[0] ? sums[0] / sums[t] : 1;
}

/* Returns ||F||^2, where F has all filtered rows and the degree column, or with DEGREES_ALONE only
 * the degree column. The squared length of the column derives from the rows' squared distance from
 * their mean. last: the factor of rows and column. */
static double square_of(const struct sums_basis *basis, const double *spreads, double last)
{
	double rows = spreads[basis->order], column = spreads[SLICE_POWERS + basis->order];

	switch (basis->degrees) {
	case DEGREES_BESIDE:
		return last * (rows + DEGREES_SHARE * column);
	case DEGREES_ALONE:
		return last * column;
	case DEGREES_OFF:
	case DEGREES_AUTO:
		break;
	}
	return rows;
}

static enum err decide_degrees(struct parties *parties, struct sums_basis *basis, const double *x)
{
	struct question take = { .kind = ASK_DEGREES };

	basis->explained = x[1] > 0 ? x[0] / x[1] : 0;
	basis->degrees = basis->explained > EXPLAINED ? DEGREES_ALONE : DEGREES_OFF;
	take.take = basis->degrees;
	parties_note(parties,
		     "degrees \"auto\" are %s: they explain %.3f of the features' variance",
		     basis->degrees == DEGREES_ALONE ? "alone" : "off", basis->explained);
	TRY(parties_broadcast_choice(parties, CHOICE_DEGREES, basis->degrees == DEGREES_ALONE));
	return parties_sum(parties, &take, NULL, 0);
}

enum err sums_agree(struct parties *parties, size_t n, unsigned order, enum degrees degrees,
		    struct question *own, uint32_t *cells, struct sums_basis *basis)
{
	double spreads[SLICE_SPREADS + SLICE_EXPLAINED + 1] = { 0 }, *square = NULL, *last;
	enum err err;

	*basis = (struct sums_basis){ .order = order, .degrees = degrees };
	if (order > SLICE_ORDER_MAX)
		return err_set(ERR_INPUT, "filter order %u, expected at most %d", order,
			       SLICE_ORDER_MAX);
	ALLOC(square, n + 2);
	err = sums_agree_basis(parties, n, own, cells, basis, square, spreads);
	free(square);
	TRY(err);
	clamp(spreads, SLICE_SPREADS + SLICE_EXPLAINED + 1);
	if (!(spreads[0] > 0))
		return err_set(ERR_INPUT, "all features of all parties are 0: nothing to cluster");
	last = spreads + (order ? 2 * SLICE_POWERS : SLICE_SPREADS);
	if (degrees == DEGREES_AUTO) {
		TRY(decide_degrees(parties, basis, last));
		last += SLICE_EXPLAINED;
	}
	if (!order) {
		basis->order = slice_order(spreads, n, basis->width);
		basis->rule = slice_rule(spreads, n, basis->width);
		for (unsigned t = 1; t <= SLICE_ORDER_MAX; t++)
			basis->share[t] = share_of(spreads + (size_t)2 * SLICE_POWERS, t);
		if (psi_doubt(basis->order, basis->rule, basis->share[basis->order]) &&
		    basis->degrees == DEGREES_OFF)
			basis->first = 1;
		basis->first_square = spreads[1];
	}
	basis->square = square_of(basis, spreads, *last);
	return ERR_OK;
}

/* Sums numbers with a known bound, scaled so that they use all bits of the integers that are
 * summed. */
static enum err sums_sum_words(struct parties *parties, const struct question *q, size_t n,
			       double *x)
{
	return parties_sum_bound(parties, q, question_most(q, n), x, question_words(q, n));
}

enum err sums_products(struct parties *parties, unsigned order, const struct mat *B, struct mat *Y)
{
	struct mat scaled;
	struct question ask = { .kind = ASK_PRODUCTS, .order = order, .B = &scaled };
	double root = sqrt((double)B->rows);
	enum err err;

	mat_copy(&scaled, B);
	for (size_t i = 0; i < B->rows * B->cols; i++)
		scaled.a[i] *= root;
	mat_init(Y, B->rows, B->cols);
	err = parties_broadcast_reals(parties, PARTIES_BLOCK, scaled.a, B->rows * B->cols);
	if (!err)
		err = sums_sum_words(parties, &ask, B->rows, Y->a);
	mat_release(&scaled);
	if (err)
		mat_release(Y);
	for (size_t i = 0; !err && i < Y->rows * Y->cols; i++)
		Y->a[i] /= root;
	return err;
}

enum err sums_means(struct parties *parties, unsigned order, const uint32_t *label, size_t n,
		    size_t k, struct mat *Y)
{
	struct question ask = { .kind = ASK_MEANS, .order = order, .label = label, .k = k };
	enum err err;

	mat_init(Y, n, k);
	err = sums_sum_words(parties, &ask, n, Y->a);
	if (err)
		mat_release(Y);
	return err;
}

enum err sums_step(struct parties *parties, unsigned order, const uint32_t *label, size_t n,
		   size_t k, struct mat *Y)
{
	TRY(parties_broadcast_choice(parties, CHOICE_MORE, 1));
	TRY(parties_broadcast_labels(parties, PARTIES_ASSIGNMENT, k, label, n));
	return sums_means(parties, order, label, n, k, Y);
}

/* -- clusters of an embedding --------------------------------------------------------------- */

size_t sums_columns(unsigned k, unsigned k_from)
{
	return (size_t)k + (k_from ? 1 : 0);
}

static void sums_leading_columns(const struct mat *Z, size_t most, struct mat *out)
{
	size_t cols = most < Z->cols ? most : Z->cols;

	mat_init(out, Z->rows, cols);
	for (size_t i = 0; i < Z->rows; i++)
		memcpy(ROW(out, i), ROW(Z, i), cols * sizeof(double));
}

static void sums_cluster_rows(const struct mat *Z, const struct sums_clusters *c, unsigned k,
			      uint32_t *label, struct mat *centres, double *inertia)
{
	struct kmeans_params how = { .k = k,
				     .restarts = sums_restarts(c->restarts, Z->rows),
				     .iterations = c->lloyd,
				     .seed = c->seed,
				     .threads = c->threads };

	kmeans(Z, NULL, &how, label, centres, inertia);
}

/* Measures the gaps between eigenvalues of the centred operator. Each eigenvalue is the spread of a
 * column about its mean; columns are in the order of eigenvalues. */
static void measure_gaps(const struct mat *Z, struct selection *s)
{
	double *value = alloc(Z->cols, sizeof(*value)), n = (double)Z->rows;

	for (size_t j = 0; j < Z->cols; j++) {
		double sum = 0;

		for (size_t i = 0; i < Z->rows; i++) {
			sum += MAT(Z, i, j);
			value[j] += MAT(Z, i, j) * MAT(Z, i, j);
		}
		value[j] -= sum * sum / n;
	}
	selection_gaps(s, value, Z->cols);
	free(value);
}

static void select_k(const struct mat *Z, struct sums_clusters *c, uint32_t *label)
{
	c->selection.from = c->k_from;
	for (unsigned k = c->k_from; k <= c->k; k++) {
		struct mat part, centres;

		sums_leading_columns(Z, k, &part);
		sums_cluster_rows(&part, c, k, label, &centres, NULL);
		selection_add(&c->selection, selection_measure(&part, &centres));
		selection_stability(&c->selection,
				    stability_of(&part, NULL, k, c->seed, c->threads));
		mat_release(&centres);
		mat_release(&part);
		progress_tick();
	}
	measure_gaps(Z, &c->selection);
	c->k = selection_k(&c->selection);
}

enum err sums_cluster(struct parties *parties, struct mat *Z, struct sums_clusters *c,
		      uint32_t *label, struct mat *centres)
{
	if (c->k_from) {
		struct mat part;

		select_k(Z, c, label);
		sums_leading_columns(Z, c->k, &part);
		mat_release(Z);
		*Z = part;
		TRY(parties_broadcast_choice(parties, CHOICE_CLUSTERS, c->k));
	}
	sums_cluster_rows(Z, c, c->k, label, centres, &c->inertia);
	return ERR_OK;
}

enum err sums_end_steps(struct parties *parties)
{
	return parties_broadcast_choice(parties, CHOICE_MORE, 0);
}

enum err sums_result(struct parties *parties, const uint32_t *label, size_t n, size_t k)
{
	parties_phase(parties, "result");
	return parties_broadcast_labels(parties, PARTIES_RESULT, k, label, n);
}
