#include "protocols/fedspectral/coordinator.h"
#include "common/base/alloc.h"
#include "common/base/rng.h"
#include "protocols/fedspectral/own.h"
#include "protocols/fedspectral/party.h"
#include "common/linalg/la.h"
#include "common/cluster/spectral.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum {
	/* Number of eigenvalues that are reported in addition to the first k. */
	MORE = 6,
	/* Stream "fedp" of random numbers for the first block of fedspectral+. */
	STREAM = 0x66656470,
};
static const size_t SPACE_BYTES = (size_t)4 << 30;
/* Eigenvalues nearer to 1 than this count as 1, because sums are not more accurate. */
static const double NEAR_1 = 1e-5;

/* Sums the parties' answers to q for the block V into Y (initialised here). V is sent with columns
 * of length sqrt(rows), so that entries are near 1 and keep their digits in fixed point. V is sent
 * as floats, whose relative error of 2^-24 is about as large as the error of the sum. */
static enum err sum_blocks(struct parties *parties, struct fedspectral_question q,
			   const struct mat *V, struct mat *Y)
{
	size_t count = V->rows * V->cols;
	double root = sqrt((double)V->rows);
	struct mat down;
	enum err err;

	mat_copy(&down, V);
	mat_init(Y, V->rows, V->cols);
	for (size_t i = 0; i < count; i++)
		down.a[i] *= root;
	q.V = &down;
	err = parties_broadcast_reals(parties, PARTIES_BLOCK, down.a, count);
	if (!err)
		err = parties_sum(parties, &q, Y->a, count);
	mat_release(&down);
	if (err)
		mat_release(Y);
	for (size_t i = 0; !err && i < count; i++)
		Y->a[i] /= root;
	return err;
}

static size_t pairs(unsigned k, size_t m)
{
	return k ? k : min_size(FEDSPECTRAL_AUTO_MAX + 1, m);
}

/* Returns the number of columns of a product. With max(16, k + 6) columns and a residual of 1e-3,
 * one run in thirty of email-eu-core ended at ARI .997. The numbers used here, with a residual of
 * 5e-4, take no more rounds and reach ARI 1. */
static size_t columns(unsigned block, size_t k)
{
	return block ? block : k + 10 > 20 ? k + 10 : 20;
}

size_t fedspectral_block(unsigned k, unsigned block, size_t m)
{
	struct spectral_params how = { .n = m,
				       .k = pairs(k, m),
				       .block = columns(block, pairs(k, m)) };

	return spectral_block(&how);
}

struct products {
	struct parties *parties;
	unsigned done;
};

/* Computes one product of Lanczos, Y = sum_p s o A_p (s o V) over the parties' matrices A_p, on the
 * rows whose degree is above 0. s = degree^-1/2; s o V multiplies row i of V by s_i. */
static enum err fedspectral_times_joint(void *ctx, const struct mat *V, struct mat *Y)
{
	struct fedspectral_question q = { .kind = FEDSPECTRAL_PRODUCT };
	struct products *of = ctx;

	TRY(parties_broadcast_choice(of->parties, CHOICE_WIDTH, V->cols));
	TRY(sum_blocks(of->parties, q, V, Y));
	parties_progress(of->parties, ++of->done, 0);
	return ERR_OK;
}

/* Computes V (m x r->k, initialised here), the leading eigenvectors of D^-1/2 A D^-1/2. weight (m):
 * sqrt(degree) of the nodes with edges; entries of V tend to be proportional to it. */
static enum err lanczos(struct parties *parties, const struct fedspectral_params *p, size_t m,
			const double *weight, struct fedspectral_report *r, struct mat *V)
{
	struct products products = { .parties = parties };
	struct ortho_operator N = { &products, fedspectral_times_joint };
	struct spectral_report done;
	struct spectral_params how;
	size_t k = pairs(p->k, m), room;
	/* If k is not given, k is the position of the largest drop of the eigenvalues; of equal
	 * drops, the first. */
	unsigned best = 2;
	double *value;
	enum err err;

	spectral_defaults(&how, m, k, p->seed, p->threads);
	how.weight = weight;
	how.block = columns(p->block, k);
	how.rounds = p->rounds;
	how.tolerance = p->tolerance;
	how.values = min_size(min_size(p->k ? k + MORE : k, 2 * FEDSPECTRAL_AUTO_MAX), m);
	how.values = how.values < k ? k : how.values;
	how.space = SPACE_BYTES / (m * sizeof(double));
	room = 2 * k + 8 * spectral_block(&how);
	how.space = how.space < room ? room : how.space;
	ALLOC(value, how.values);
	err = spectral_top(&N, &how, value, V, &done);
	r->rounds = done.rounds;
	r->residual = done.residual;
	if (!err) {
		for (size_t i = 3; i < done.values; i++)
			if (value[i - 1] - value[i] > value[best - 1] - value[best])
				best = (unsigned)i;
		fedspectral_settle(r, p->k ? p->k : best);
		r->values = min_size(done.values, sizeof(r->value) / sizeof(*r->value));
		memcpy(r->value, value, r->values * sizeof(*value));
		r->gap = r->k < done.values ? value[r->k - 1] - value[r->k] : 0;
		while (p->tau <= 0 && r->near_1 < r->values && value[r->near_1] > 1 - NEAR_1)
			r->near_1++;
		for (size_t i = 0; i < V->rows; i++)
			memmove(V->a + i * r->k, ROW(V, i), r->k * sizeof(*V->a));
		V->cols = r->k;
	}
	free(value);
	return err;
}

enum err fedspectral_exact(struct parties *parties, size_t n, const struct fedspectral_params *p,
			   uint32_t *label, struct fedspectral_report *report)
{
	double *degree = alloc(n, sizeof(*degree));
	uint32_t *active = alloc(n, sizeof(*active));
	struct fedspectral_question degrees = { .kind = FEDSPECTRAL_DEGREES },
				    join = { .kind = FEDSPECTRAL_JOIN, .degree = degree };
	struct fedspectral_report unused;
	struct mat V = { 0 };
	size_t m = 0;
	enum err err;

	report = report ? report : &unused;
	*report = (struct fedspectral_report){ .k = p->k };

	/* Sum and broadcast the degrees of all n nodes. From then on, the parties' products are
	 * terms of the joint graph. */
	parties_phase(parties, "degrees");
	err = parties_sum_opened_parts(parties, &degrees, degree, n);
	/* Rounding or a false term may make a degree negative. The parties detect a false term. */
	for (size_t i = 0; i < n; i++)
		degree[i] = degree[i] > 0 ? degree[i] : 0;
	if (!err) {
		fedspectral_regularize(degree, n, p->tau);
		err = parties_sum(parties, &join, NULL, 0);
	}
	if (err)
		goto out;
	m = fedspectral_active(degree, n, active);
	err = fedspectral_check_nodes(m, n, p->k, report);
	if (err)
		goto out;
	for (size_t i = 0, at = 0; i < n; i++)
		if (degree[i] > 0)
			degree[at++] = sqrt(degree[i]);

	parties_phase(parties, "lanczos");
	err = lanczos(parties, p, m, degree, report, &V);
	if (err)
		goto out;
	fedspectral_cluster(parties, p, &V, active, n, report, label);
	/* Announces that no more products follow. */
	err = parties_broadcast_choice(parties, CHOICE_WIDTH, 0);
out:
	mat_release(&V);
	free(degree);
	free(active);
	return err;
}

enum err fedspectral_orthonormal(struct mat *V)
{
	struct mat T;
	enum err err;

	mat_transpose(V, &T);
	mat_release(V);
	err = la_orthonormal_rows(&T);
	mat_transpose(&T, V);
	mat_release(&T);
	return err;
}

/* Numbers the rows of nodes with an edge at some party, and returns the number of these rows. All
 * other rows are 0 after each power. */
static size_t rows_there(const struct mat *Y, uint32_t *active)
{
	size_t m = 0;

	for (size_t i = 0; i < Y->rows; i++) {
		bool there = false;

		for (size_t j = 0; j < Y->cols; j++)
			there |= MAT(Y, i, j) != 0;
		active[i] = there ? (uint32_t)m++ : UINT32_MAX;
	}
	return m;
}

enum err fedspectral_plus(struct parties *parties, size_t n, const struct fedspectral_params *p,
			  uint32_t *label, struct fedspectral_report *report)
{
	struct fedspectral_question q = { .kind = FEDSPECTRAL_POWERS, .iterations = p->iterations };
	struct fedspectral_report unused;
	uint32_t *active;
	struct rng rng;
	struct mat V, Y;
	size_t m = 0;
	enum err err;

	report = report ? report : &unused;
	*report = (struct fedspectral_report){ .k = p->k };
	TRY(fedspectral_check_nodes(n, n, p->k, report));
	ALLOC(active, n);
	rng_seed(&rng, p->seed, STREAM);
	mat_init(&V, n, p->k);
	for (size_t i = 0; i < V.rows * V.cols; i++)
		V.a[i] = rng_normal(&rng);
	parties_phase(parties, "power");
	/* Rounds of Algorithm 4. They use sums where the paper has averages. The two differ only by
	 * a factor, which QR removes. The first V is made orthonormal as well, which does not
	 * change the space of the result. */
	err = fedspectral_orthonormal(&V);
	for (unsigned t = 1; !err && t <= p->rounds; t++) {
		err = sum_blocks(parties, q, &V, &Y);
		if (err)
			break;
		mat_release(&V);
		V = Y;
		if (t == 1) {
			m = rows_there(&V, active);
			err = fedspectral_check_nodes(m, n, p->k, report);
		}
		if (!err)
			err = fedspectral_orthonormal(&V);
		if (err)
			break;
		report->rounds = t;
		parties_progress(parties, t, 0);
	}
	if (!err) {
		fedspectral_settle(report, p->k);
		for (size_t i = 0; i < n; i++) /* remove the rows of isolated nodes */
			if (active[i] != UINT32_MAX)
				memmove(ROW(&V, active[i]), ROW(&V, i), V.cols * sizeof(*V.a));
		V.rows = m;
		fedspectral_cluster(parties, p, &V, active, n, report, label);
	}
	mat_release(&V);
	free(active);
	return err;
}
