#include "protocols/kcagc/gcc.h"
#include "common/base/alloc.h"
#include "common/cluster/kmeans.h"
#include "protocols/kcagc/guard.h"
#include "protocols/kcagc/landmark.h"
#include "protocols/kcagc/settle.h"
#include "common/linalg/la.h"
#include "common/linalg/ortho.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { EXTRA = 10 }; /* number of columns of the first block in addition to k */

/* "gcc init": random stream of this module. */
static const uint64_t STREAM = 0x67636320696e6974;

/* H of embed_by() may be singular. Its eigenvalues below this share of the largest are rounding
 * errors. */
static const double ROOT_ZERO = 1e-10;

/* The iterations stop once the loss falls by less than this. */
static const double LOSS_FALL = 1e-6;

void gcc_defaults(struct gcc_params *p, unsigned k, uint64_t seed, unsigned threads)
{
	*p = (struct gcc_params){ .k = k,
				  .rounds = 8,
				  .restarts = 200,
				  .lloyd = 100,
				  .iterations = GCC_ITERATIONS,
				  .guard = GUARD_MARGIN,
				  .seed = seed,
				  .threads = threads };
}

size_t gcc_width(const struct gcc_params *p, size_t n)
{
	return p->k + EXTRA < n ? p->k + EXTRA : n - 1;
}

/* State between two iterations: G as labels, the centres F (k x r) in the embedding's space. */
struct state {
	struct parties *parties;
	size_t n;
	const struct gcc_params *p;
	struct sums_basis *basis;
	struct gcc_report by[2];
	struct gcc_report *report;
	uint32_t *label;
	double *confidence;
	struct mat F;
	struct mat Q; /* sums of the first iteration, which the guard computed */
	size_t moved;
};

static enum err gcc_times_joint(void *ctx, const struct mat *B, struct mat *Y)
{
	const struct state *s = ctx;

	return sums_products(s->parties, s->basis->order, B, Y);
}

/* Initialises Z with the joint leading left singular vectors times singular values. Computes
 * the labels G and the centres F by k-means on Z. */
static enum err first(struct state *s, struct mat *Z)
{
	struct ortho_operator K = { .ctx = s, .times = gcc_times_joint };
	struct ortho_subspace search = { .n = s->n,
					 .k = sums_columns(s->p->k, s->p->k_from),
					 /* k + extra is k + 10, as in gcc_width(), for a range
					  * too */
					 .extra = EXTRA - (s->p->k_from ? 1 : 0),
					 .rounds = s->p->rounds,
					 .seed = s->p->seed,
					 .stream = STREAM };
	struct sums_clusters c = SUMS_CLUSTERS_OF(s->p);

	TRY(ortho_subspace(&K, &search, Z));
	TRY(sums_cluster(s->parties, Z, &c, s->label, &s->F));
	s->report->k = c.k;
	s->report->loss = c.inertia;
	s->report->selection = c.selection;
	return ERR_OK;
}

/* Lets the guard (guard.h) decide whether the clusters remain. Its sums include Q of the first
 * iteration. */
static enum err gcc_guard(struct state *s, const struct mat *Z)
{
	struct guard g = { .order = s->basis->order,
			   .means = s->p->iterations > 0,
			   .never = s->basis->degrees != DEGREES_OFF,
			   .margin = s->p->guard,
			   .how = SUMS_CLUSTERS_OF(s->p),
			   .inertia = s->report->loss };
	enum err err;

	g.how.k = s->report->k;
	g.how.k_from = 0;
	g.how.restarts = s->p->restarts > 1 ? s->p->restarts / 2 : 1;
	err = guard_clusters(s->parties, &g, Z, s->label);
	s->report->scaled = g.scaled;
	s->report->modularity = g.modularity;
	s->report->loss = g.inertia;
	s->Q = g.Q;
	mat_release(&g.rows);
	return err;
}

/* Computes Z = X W for the best W = X'GF (F'G'KGF)^-1/2, without forming W: Z = KGF H^-1/2, with H
 * = F'G'KGF. Since the parties sum Q = K G D^-1, where D has the cluster sizes, KGF = Q (DF). */
static enum err embed_by(const struct state *s, const struct mat *Q, struct mat *Z)
{
	double *size = alloc(s->F.rows, sizeof(*size));
	struct mat DF, KGF, S, H, root;
	enum err err;

	for (size_t i = 0; i < Q->rows; i++)
		size[s->label[i]]++;
	mat_copy(&DF, &s->F);
	for (size_t c = 0; c < DF.rows; c++)
		for (size_t a = 0; a < DF.cols; a++)
			MAT(&DF, c, a) *= size[c];
	free(size);
	la_mul_nn(Q, &DF, 1, &KGF);
	mat_init(&S, s->F.rows, KGF.cols); /* G'KGF */
	for (size_t i = 0; i < KGF.rows; i++)
		for (size_t a = 0; a < KGF.cols; a++)
			MAT(&S, s->label[i], a) += MAT(&KGF, i, a);
	la_mul_tn(&s->F, &S, 1, &H);
	ortho_symmetrise(&H);
	err = ortho_inverse_root(&H, ROOT_ZERO, &root);
	if (!err) {
		la_mul_nn(&KGF, &root, 1, Z);
		mat_release(&root);
	}
	mat_release(&H);
	mat_release(&S);
	mat_release(&KGF);
	mat_release(&DF);
	return err;
}

static void move_centres(struct state *s, const struct mat *Z)
{
	memset(s->F.a, 0, s->F.rows * s->F.cols * sizeof(*s->F.a));
	kmeans_centres(Z, NULL, s->label, &s->F);
}

static size_t gcc_clusters_of(const uint32_t *label, size_t n, size_t k)
{
	bool *there = alloc(k, sizeof(*there));
	size_t count = 0;

	for (size_t i = 0; i < n; i++) {
		count += !there[label[i]];
		there[label[i]] = true;
	}
	free(there);
	return count;
}

static void gcc_nearest_centres(struct state *s, const struct mat *Z)
{
	double *D = alloc(Z->rows * s->F.rows, sizeof(*D));

	kmeans_distances(Z, &s->F, D);
	kmeans_assign(D, NULL, Z->rows, s->F.rows, s->label, NULL);
	if (s->confidence)
		kmeans_margins(D, Z->rows, s->F.rows, s->label, s->confidence);
	free(D);
}

/* Computes the next labels, then the next centres F. As published, labels use the centres of the
 * previous embedding. The embedding may turn far at first, if the overall mean outweighs the
 * differences of rows. Some old centres then lose all rows, and their clusters are lost for the
 * rest of the run. In that case the labels are computed again with moved centres, which also lowers
 * the loss. (To move centres in every iteration costs 0.6 points on cora and gains 0.3 on
 * citeseer.) */
static void gcc_assign(struct state *s, const struct mat *Z)
{
	size_t n = Z->rows, k = s->F.rows;
	uint32_t *before = alloc(n, sizeof(*before));

	memcpy(before, s->label, n * sizeof(*before));
	gcc_nearest_centres(s, Z);
	if (gcc_clusters_of(s->label, n, k) < gcc_clusters_of(before, n, k)) {
		memcpy(s->label, before, n * sizeof(*before));
		move_centres(s, Z);
		gcc_nearest_centres(s, Z);
	}
	s->moved = 0;
	for (size_t i = 0; i < n; i++)
		s->moved += s->label[i] != before[i];
	free(before);
	move_centres(s, Z);
}

/* Returns the square root of ||X - G F W'||^2 = ||X||^2 - ||Z||^2 + ||Z - GF||^2, where X stands
 * for the filtered T^p X (gcc.h). */
static double loss_of(const struct state *s, const struct mat *Z)
{
	double sum = s->basis->square;

	for (size_t i = 0; i < Z->rows; i++)
		for (size_t a = 0; a < Z->cols; a++) {
			double z = MAT(Z, i, a), gap = z - MAT(&s->F, s->label[i], a);

			sum += gap * gap - z * z;
		}
	return sum > 0 ? sqrt(sum) : 0;
}

/* Gets the sums Q of the next iteration. For the first iteration these are the sums of the guard.
 * The caller releases Q. */
static enum err next_means(struct state *s, struct mat *Q)
{
	if (!s->Q.a)
		return sums_step(s->parties, s->basis->order, s->label, s->n, s->report->k, Q);
	*Q = s->Q;
	s->Q = (struct mat){ 0 };
	return ERR_OK;
}

static enum err gcc_iterate(struct state *s)
{
	struct gcc_report *r = s->report;
	double before = INFINITY;
	struct mat Q, Z;

	while (r->iterations < s->p->iterations) {
		enum err err;

		TRY(next_means(s, &Q)); /* broadcast G and sum the parties' terms of Q */
		err = embed_by(s, &Q, &Z);
		mat_release(&Q);
		TRY(err);
		gcc_assign(s, &Z);
		r->loss = r->losses[r->iterations++] = loss_of(s, &Z);
		mat_release(&Z);
		parties_progress(s->parties, r->iterations, s->moved);
		if (!(before - r->loss >= LOSS_FALL))
			break;
		before = r->loss;
	}
	return ERR_OK;
}

/* Moves each row once: from its cluster of scaled rows to the nearest joint mean. */
static enum err step_scaled(struct state *s)
{
	uint32_t *before;
	struct mat Q;
	enum err err = ERR_OK;

	TRY(sums_step(s->parties, s->basis->order, s->label, s->n, s->report->k, &Q));
	ALLOC(before, s->n);
	memcpy(before, s->label, s->n * sizeof(*before));
	s->moved = landmark_polish(&Q, s->label);
	parties_progress(s->parties, 1, s->moved);
	if (s->confidence)
		err = landmark_margins(&Q, before, s->label, s->confidence);
	mat_release(&Q);
	free(before);
	return err;
}

static enum err gcc_cluster_by_order(void *method, unsigned t, uint32_t *label, double *confidence,
				     unsigned *k)
{
	struct state *s = method;
	struct mat Z = { 0 };
	enum err err;

	s->report = &s->by[t];
	s->label = label;
	s->confidence = confidence;
	parties_phase(s->parties, "init");
	err = first(s, &Z);
	if (!err) {
		parties_phase(s->parties, "iterate");
		err = gcc_guard(s, &Z);
	}
	mat_release(&Z);
	if (!err && s->p->iterations)
		err = s->report->scaled ? step_scaled(s) : gcc_iterate(s);
	*k = s->report->k;
	mat_release(&s->Q);
	mat_release(&s->F);
	return err ? err : sums_end_steps(s->parties);
}

enum err gcc_run(struct parties *parties, size_t n, const struct gcc_params *p, uint32_t *label,
		 struct gcc_report *report)
{
	struct sums_basis basis = { 0 };
	struct state s = { .parties = parties, .n = n, .p = p, .basis = &basis };
	struct settle settle = { .parties = parties,
				 .n = n,
				 .k_from = p->k_from,
				 .basis = &basis,
				 .method = &s,
				 .cluster = gcc_cluster_by_order };
	unsigned taken = 0;
	enum err err;

	assert(p->iterations <= GCC_ITERATIONS);
	if (report)
		*report = (struct gcc_report){ 0 };
	if (p->k < 1 || p->k > n || n < 2)
		return err_set(ERR_INPUT, "%u clusters of %zu nodes", p->k, n);
	err = sums_agree(parties, n, p->order, p->degrees, NULL, NULL, &basis);
	if (!err)
		err = settle_order(&settle, label, p->confidence, &taken);
	s.by[taken].basis = basis;
	if (report)
		*report = s.by[taken];
	return err;
}
