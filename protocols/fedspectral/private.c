#include "protocols/fedspectral/private.h"
#include "common/base/alloc.h"
#include "common/base/rng.h"
#include "protocols/fedspectral/own.h"
#include "common/kind/kind.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { STREAM = 0x66657078 };     /* random stream of the first block */
enum { COLUMNS = 4, POWERS = 6 }; /* l and T1 of private.h */
/* share of mu^2 (common/privacy/account.h) that the noise on degrees uses */
static const double OF_DEGREES = 0.1;
static const double LENGTH = 2.0 / 3;    /* mean length of the rows of X; the maximum is 1 */
static const double LEAST_DEGREE = 0.25; /* degrees below this share of the mean are raised */

void fedspectral_private_settle(struct fedspectral_params *p, double mu, bool rounds_too)
{
	if (rounds_too)
		p->rounds = POWERS;
	if (!p->block)
		p->block = p->k < COLUMNS ? p->k : COLUMNS;
	p->degree = 1 / (sqrt(OF_DEGREES) * mu);
	p->product = sqrt((p->rounds + FEDSPECTRAL_COUNTING) / (1 - OF_DEGREES)) / mu;
}

enum err fedspectral_noisy_of(const struct fedspectral_params *p, size_t parties, size_t cols,
			      struct discrete_share *share, double *deviation)
{
	double v = M_SQRT2 * (cols ? p->product : p->degree);
	size_t colluders = p->colluders == JOB_AUTO ? parties / 2 : p->colluders;

	if (colluders >= parties)
		return err_set(ERR_INPUT,
			       "job.noise.colluders is %zu, of %zu parties: expected fewer, or "
			       "nobody's noise is left",
			       colluders, parties);
	TRY(discrete_share_of(v, parties, colluders, exp2(-JOB_WIDE_FRACTION), share));
	/* Rounding to steps can lengthen a row by half a step in each column. */
	share->steps =
	    (uint32_t)ceil(share->steps * (1 + share->step * sqrt((double)(cols ? cols : 1)) / 2));
	if (deviation)
		*deviation = share->step * share->steps * sqrt((double)parties);
	return ERR_OK;
}

static enum err check_source(const struct fedspectral_party *p)
{
	return p->noise ? ERR_OK
			: err_set(ERR_PEER, "asked for noise in sums when none was agreed");
}

/* Returns the weight of an edge of A, limited to 0 .. 1. */
static double fedspectral_private_weight_of(const struct csr *A, size_t e)
{
	return A->value ? fmin(fmax(A->value[e], 0), 1) : 1;
}

enum err fedspectral_noisy_degrees(const struct fedspectral_party *p,
				   const struct discrete_share *share, double *degree)
{
	const struct csr *A = &p->A;

	TRY(check_source(p));
	for (size_t i = 0; i < A->rows; i++) {
		degree[i] = 0;
		for (size_t e = A->start[i]; e < A->start[i + 1]; e++)
			degree[i] += discrete_in_steps(share, fedspectral_private_weight_of(A, e));
	}
	return discrete_add(p->noise, share, degree, A->rows);
}

enum err fedspectral_noisy_product(const struct fedspectral_party *p, struct mat *X,
				   const struct discrete_share *share, double *y)
{
	const struct csr *A = &p->A;
	size_t b = X->cols;

	TRY(check_source(p));
	for (size_t e = 0; e < X->rows * b; e++)
		if (!isfinite(X->a[e]))
			return err_set(ERR_PEER, "a block with %g in it", X->a[e]);
	noise_clip_rows(X, 1);
	memset(y, 0, A->rows * b * sizeof(*y));
	for (size_t i = 0; i < A->rows; i++)
		for (size_t e = A->start[i]; e < A->start[i + 1]; e++)
			for (size_t j = 0; j < b; j++)
				y[i * b + j] +=
				    discrete_in_steps(share, fedspectral_private_weight_of(A, e) *
								 MAT(X, A->index[e], j));
	return discrete_add(p->noise, share, y, A->rows * b);
}

struct noisy {
	struct parties *parties;
	const struct fedspectral_params *p;
	size_t n;
	double *degree, all; /* degrees, raised to the least degree; their sum */
	unsigned done;
};

static enum err sum_degrees(struct noisy *s)
{
	struct discrete_share share;
	const struct fedspectral_question q = { .kind = FEDSPECTRAL_NOISY_DEGREES,
						.share = &share };
	double mean = 0, least;

	TRY(fedspectral_noisy_of(s->p, s->parties->count, 0, &share, NULL));
	parties_phase(s->parties, "degrees");
	TRY(parties_sum(s->parties, &q, s->degree, s->n));
	for (size_t i = 0; i < s->n; i++)
		mean += s->degree[i] / (double)s->n;
	least = fmax(1, LEAST_DEGREE * mean);
	for (size_t i = 0; i < s->n; i++) {
		s->degree[i] = fmax(s->degree[i], least);
		s->all += s->degree[i];
	}
	return ERR_OK;
}

/* Initialises Y = A X plus noise. The rows of X are floats and have length at most 1. */
static enum err fedspectral_private_multiply(struct noisy *s, const struct mat *X, struct mat *Y)
{
	struct discrete_share share;
	const struct fedspectral_question q = { .kind = FEDSPECTRAL_NOISY_PRODUCT,
						.V = X,
						.share = &share };
	size_t count = X->rows * X->cols;

	*Y = (struct mat){ 0 };
	TRY(fedspectral_noisy_of(s->p, s->parties->count, X->cols, &share, NULL));
	mat_init(Y, X->rows, X->cols);
	TRY(parties_broadcast_reals(s->parties, PARTIES_BLOCK, X->a, count));
	TRY(parties_sum(s->parties, &q, Y->a, count));
	parties_progress(s->parties, ++s->done, 0);
	return ERR_OK;
}

static void fedspectral_private_scale(const struct noisy *s, const struct mat *V, struct mat *X)
{
	double square = 0;

	mat_copy(X, V);
	for (size_t i = 0; i < V->rows; i++)
		for (size_t j = 0; j < V->cols; j++) {
			MAT(X, i, j) /= sqrt(s->degree[i]);
			square += MAT(X, i, j) * MAT(X, i, j);
		}
	square = sqrt(square / (double)V->rows) / LENGTH;
	for (size_t e = 0; e < X->rows * X->cols; e++)
		X->a[e] /= square;
	noise_clip_rows(X, 1);
	for (size_t e = 0; e < X->rows * X->cols; e++)
		X->a[e] = (float)X->a[e];
}

/* Replaces Y by W Y (W = d^-1/2, d the degrees) without its component along d^1/2, the first
 * eigenvector. */
static void take_off_first(const struct noisy *s, struct mat *Y)
{
	for (size_t j = 0; j < Y->cols; j++) {
		double along = 0;

		for (size_t i = 0; i < Y->rows; i++) {
			MAT(Y, i, j) /= sqrt(s->degree[i]);
			along += MAT(Y, i, j) * sqrt(s->degree[i] / s->all);
		}
		for (size_t i = 0; i < Y->rows; i++)
			MAT(Y, i, j) -= along * sqrt(s->degree[i] / s->all);
	}
}

static enum err fedspectral_private_iterate(struct noisy *s, struct mat *V)
{
	struct rng rng;
	enum err err;

	rng_seed(&rng, s->p->seed, STREAM);
	mat_init(V, s->n, s->p->block < s->n ? s->p->block : s->n);
	for (size_t e = 0; e < V->rows * V->cols; e++)
		V->a[e] = rng_normal(&rng);
	parties_phase(s->parties, "power");
	err = fedspectral_orthonormal(V);
	for (unsigned t = 0; t < s->p->rounds && !err; t++) {
		struct mat X, Y;

		fedspectral_private_scale(s, V, &X);
		err = fedspectral_private_multiply(s, &X, &Y);
		mat_release(&X);
		mat_release(V);
		*V = Y;
		if (!err)
			take_off_first(s, V);
		if (!err)
			err = fedspectral_orthonormal(V);
	}
	return err;
}

/* Moves each node to the cluster to which its number of edges most exceeds the number that its
 * degree predicts. */
static void fedspectral_private_move_nodes(const struct noisy *s, const struct mat *Y,
					   uint32_t *label)
{
	size_t k = Y->cols;
	double *volume = alloc(k, sizeof(*volume));

	for (size_t i = 0; i < s->n; i++)
		volume[label[i]] += s->degree[i];
	for (size_t i = 0; i < s->n; i++) {
		double most = -INFINITY;

		for (size_t r = 0; r < k; r++) {
			double gain = MAT(Y, i, r) - s->degree[i] * volume[r] / s->all;

			if (gain > most) {
				most = gain;
				label[i] = (uint32_t)r;
			}
		}
	}
	free(volume);
}

static enum err count_edges(struct noisy *s, uint32_t *label)
{
	enum err err = ERR_OK;

	for (unsigned t = 0; t < FEDSPECTRAL_COUNTING && !err; t++) {
		struct mat X, Y;

		mat_init(&X, s->n, s->p->k);
		for (size_t i = 0; i < s->n; i++)
			MAT(&X, i, label[i]) = 1;
		err = fedspectral_private_multiply(s, &X, &Y);
		if (!err)
			fedspectral_private_move_nodes(s, &Y, label);
		mat_release(&X);
		mat_release(&Y);
	}
	fedspectral_name_clusters(label, s->n, s->p->k);
	return err;
}

enum err fedspectral_private(struct parties *parties, size_t n, const struct fedspectral_params *p,
			     uint32_t *label, struct fedspectral_report *report)
{
	struct noisy s = { .parties = parties, .p = p, .n = n, .degree = alloc(n, sizeof(double)) };
	uint32_t *every = alloc(n, sizeof(*every));
	struct fedspectral_report unused;
	struct mat V = { 0 };
	enum err err;

	report = report ? report : &unused;
	*report = (struct fedspectral_report){ .k = p->k };
	for (size_t i = 0; i < n; i++)
		every[i] = (uint32_t)i;
	err = fedspectral_check_nodes(n, n, p->k, report);
	if (!err)
		err = sum_degrees(&s);
	if (!err)
		err = fedspectral_private_iterate(&s, &V);
	if (!err) {
		fedspectral_settle(report, p->k);
		fedspectral_cluster(parties, p, &V, every, n, report, label);
		err = count_edges(&s, label);
	}
	report->rounds = s.done;
	mat_release(&V);
	free(every);
	free(s.degree);
	return err;
}
