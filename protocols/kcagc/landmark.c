#include "protocols/kcagc/landmark.h"
#include "common/base/alloc.h"
#include "common/cluster/kmeans.h"
#include "protocols/kcagc/guard.h"
#include "protocols/kcagc/settle.h"
#include "protocols/kcagc/span.h"
#include "common/linalg/ortho.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Landmarks are chosen in k + EXTRA dimensions, and rows have as many before the power step. There
 * are at most 2k + EXTRA sets. */
enum { EXTRA = 10 };

/* "lm sets": random stream of this module. */
static const uint64_t STREAM = 0x6c6d2073657473;

struct landmark_params landmark_params_of(const struct kcagc_job *job, unsigned threads)
{
	return (struct landmark_params){
		.k = job->clusters,
		.k_from = job->clusters_from,
		.local_clusters = kcagc_local_clusters(job),
		.order = job->filter_order == KCAGC_ORDER_AUTO ? 0 : job->filter_order,
		.degrees = kcagc_degrees(job),
		.power = job->landmark_power,
		.restarts = 100,
		.lloyd = 100,
		.set_restarts = 5,
		.polish = job->polish,
		.min_cell = job->min_cell,
		.guard = GUARD_MARGIN,
		.seed = job->seed,
		.threads = threads,
	};
}

size_t landmark_most(unsigned k, size_t n)
{
	size_t most = (size_t)2 * k + EXTRA;

	return most < n ? most : n;
}

size_t landmark_columns(unsigned k, size_t n)
{
	return k + EXTRA < n ? k + EXTRA : n - 1;
}

struct kmeans_params landmark_local(unsigned k, size_t local_clusters, uint64_t seed,
				    unsigned threads)
{
	return (struct kmeans_params){ .k = local_clusters,
				       .restarts = local_clusters >= (size_t)8 * k ? 2 : 5,
				       .iterations = 10,
				       .ninth = true,
				       .seed = seed,
				       .threads = threads };
}

/* -- sets of nodes -------------------------------------------------------------------------- */

/* The matrix H (n x parties clusters) of one-hot labels. Each column is divided by the square root
 * of its size, and centred. H is not formed; products apply H H'. */
struct cells {
	const uint32_t *label; /* parties x n */
	size_t parties, n, clusters;
	double *size; /* parties x clusters */
};

/* Computes Y = H H' B without centring the columns of H; ortho_subspace() centres. */
static enum err times_cells(void *ctx, const struct mat *B, struct mat *Y)
{
	const struct cells *c = ctx;
	size_t d = B->cols;
	struct mat sum;

	mat_init(Y, c->n, d);
	mat_init(&sum, c->clusters, d);
	for (size_t l = 0; l < c->parties; l++) {
		const uint32_t *label = c->label + l * c->n;
		const double *size = c->size + l * c->clusters;

		memset(sum.a, 0, c->clusters * d * sizeof(*sum.a));
		for (size_t i = 0; i < c->n; i++)
			for (size_t j = 0; j < d; j++)
				MAT(&sum, label[i], j) += MAT(B, i, j);
		for (size_t i = 0; i < c->n; i++)
			for (size_t j = 0; j < d; j++)
				MAT(Y, i, j) += MAT(&sum, label[i], j) / size[label[i]];
	}
	mat_release(&sum);
	return ERR_OK;
}

/* Numbers the non-empty sets from 0. Sets of fewer than min_cell rows are merged into the largest
 * set (of equal ones the first). */
static size_t number_sets(uint32_t *set, size_t n, size_t most, size_t min_cell, size_t *merged)
{
	size_t *size = alloc(most, sizeof(*size)), largest = 0;
	uint32_t *number = alloc(most, sizeof(*number)), used = 0;

	for (size_t i = 0; i < n; i++)
		size[set[i]]++;
	for (size_t c = 1; c < most; c++)
		if (size[c] > size[largest])
			largest = c;
	*merged = 0;
	for (size_t c = 0; c < most; c++) {
		if (c == largest || (size[c] > 0 && size[c] >= min_cell))
			number[c] = used++;
		else
			*merged += size[c] > 0;
	}
	for (size_t c = 0; c < most; c++)
		if (c != largest && size[c] < min_cell)
			number[c] = number[largest];
	for (size_t i = 0; i < n; i++)
		set[i] = number[set[i]];
	free(number);
	free(size);
	return used;
}

enum err landmark_sets(const uint32_t *cells, size_t parties, size_t n, size_t clusters,
		       size_t most, const struct landmark_params *p, uint32_t *set, size_t *sets,
		       size_t *merged)
{
	struct cells c = { .label = cells, .parties = parties, .n = n, .clusters = clusters };
	struct ortho_operator HH = { .ctx = &c, .times = times_cells };
	struct ortho_subspace search = { .n = n,
					 .k = p->k + EXTRA,
					 .extra = EXTRA,
					 .rounds = 8,
					 .seed = p->seed,
					 .stream = STREAM };
	struct kmeans_params cluster = { .k = most,
					 .restarts = p->set_restarts,
					 .iterations = p->lloyd,
					 .seed = p->seed,
					 .threads = p->threads };
	struct mat Z;
	enum err err;

	ALLOC(c.size, parties * clusters);
	for (size_t l = 0; l < parties; l++)
		for (size_t i = 0; i < n; i++) {
			assert(cells[l * n + i] < clusters);
			c.size[l * clusters + cells[l * n + i]]++;
		}
	/* Z is U S except for a shift, which does not change k-means */
	err = ortho_subspace(&HH, &search, &Z);
	free(c.size);
	if (err)
		return err;
	kmeans(&Z, NULL, &cluster, set, NULL, NULL);
	mat_release(&Z);
	*sets = number_sets(set, n, most, p->min_cell, merged);
	return ERR_OK;
}

/* -- rows on the landmarks' span ------------------------------------------------------------ */

static void set_means(const struct mat *Q, const uint32_t *set, size_t sets, struct mat *M)
{
	mat_init(M, sets, Q->cols);
	kmeans_centres(Q, NULL, set, M);
}

enum err landmark_project(const struct mat *Q, const uint32_t *set, struct mat *Phi)
{
	struct mat W;
	enum err err;

	set_means(Q, set, Q->cols, &W);
	ortho_symmetrise(&W);
	err = ortho_whiten(Q, &W, Q->cols, SPAN_ZERO, Phi);
	mat_release(&W);
	return err;
}

size_t landmark_polish(const struct mat *Q, uint32_t *label)
{
	size_t k = Q->cols, moved = 0;
	uint32_t *next = alloc(Q->rows, sizeof(*next));
	bool *there = alloc(k, sizeof(*there));
	struct mat means;

	/* entry c, c becomes the squared length of the joint mean of cluster c */
	set_means(Q, label, k, &means);
	for (size_t i = 0; i < Q->rows; i++)
		there[label[i]] = true;
	for (size_t i = 0; i < Q->rows; i++) {
		double least = INFINITY;

		for (size_t c = 0; c < k; c++) {
			double distance = MAT(&means, c, c) - 2 * MAT(Q, i, c);

			if (there[c] && distance < least) {
				least = distance;
				next[i] = (uint32_t)c;
			}
		}
		moved += next[i] != label[i];
	}
	memcpy(label, next, Q->rows * sizeof(*label));
	mat_release(&means);
	free(there);
	free(next);
	return moved;
}

/* Fills margin with kmeans_margins() of `label`, from the distances of Z's rows to the means of
 * `sets`. Empty sets have no mean. */
static void margins_to_means(const struct mat *Z, size_t k, const uint32_t *sets,
			     const uint32_t *label, double *margin)
{
	double *D = alloc(Z->rows * k, sizeof(*D));
	bool *there = alloc(k, sizeof(*there));
	struct mat means;

	set_means(Z, sets, k, &means);
	kmeans_distances(Z, &means, D);
	for (size_t i = 0; i < Z->rows; i++)
		there[sets[i]] = true;
	for (size_t i = 0; i < Z->rows; i++)
		for (size_t c = 0; c < k; c++)
			if (!there[c])
				D[i * k + c] = INFINITY;
	kmeans_margins(D, Z->rows, k, label, margin);
	mat_release(&means);
	free(there);
	free(D);
}

enum err landmark_margins(const struct mat *Q, const uint32_t *before, const uint32_t *label,
			  double *margin)
{
	struct mat Phi;

	TRY(landmark_project(Q, before, &Phi));
	margins_to_means(&Phi, Q->cols, before, label, margin);
	mat_release(&Phi);
	return ERR_OK;
}

/* -- landmark_run() ------------------------------------------------------------------------- */

struct state {
	struct parties *parties;
	size_t n;
	const struct landmark_params *p;
	uint32_t *set; /* n: the set of each node, below the number of sets */
	struct sums_basis *basis;
	struct landmark_report by[2];
	struct landmark_report *report;
	uint32_t *label;
	double *confidence;
	struct mat Z; /* n x at most k: the joint embedding */
};

static enum err choose_sets(struct state *s, struct landmark_report *report)
{
	const struct landmark_params *p = s->p;
	struct kmeans_params how = landmark_local(p->k, p->local_clusters, p->seed, p->threads);
	struct question own = { .kind = ASK_CELLS,
				.k = p->local_clusters,
				.order = p->order,
				.parties = s->parties->count,
				.dims = p->k,
				.how = &how };
	uint32_t *cells = alloc(s->parties->count * s->n, sizeof(*cells));
	enum err err =
	    sums_agree(s->parties, s->n, p->order, p->degrees, &own, cells, &report->basis);

	if (!err)
		err = landmark_sets(cells, s->parties->count, s->n, p->local_clusters,
				    landmark_most(p->k, s->n), p, s->set, &report->sets,
				    &report->merged);
	free(cells);
	return err;
}

static enum err broadcast_sets(struct state *s, struct mat *Q)
{
	size_t sets = s->report->sets;

	parties_phase(s->parties, "landmarks");
	TRY(parties_broadcast_labels(s->parties, PARTIES_LANDMARKS, sets, s->set, s->n));
	TRY(parties_warm(s->parties));
	return sums_means(s->parties, s->basis->order, s->set, s->n, sets, Q);
}

/* Computes the sums Q = K G D^-1 of the sets (sums_means()), and F: all rows, projected on the
 * landmarks' span and reduced to its leading directions: k + 10 before a power step, otherwise
 * sums_columns(). */
static enum err landmark_round(struct state *s, struct mat *Q, struct mat *F)
{
	struct mat Phi;
	enum err err;

	TRY(broadcast_sets(s, Q));
	TRY(landmark_project(Q, s->set, &Phi));
	s->report->rank = Phi.cols;
	err = ortho_components(
	    &Phi, s->p->power ? s->p->k + EXTRA : sums_columns(s->p->k, s->p->k_from), F);
	mat_release(&Phi);
	return err;
}

/* Multiplies the landmarks' directions F by K (sums.h), which brings them close to the leading
 * directions of all rows. Z gets the rows in the space of both sums. Releases Q and F. */
static enum err power_round(struct state *s, struct mat *Q, struct mat *F)
{
	struct mat Y;
	enum err err;

	TRY(ortho_basis(F));
	parties_phase(s->parties, "power");
	TRY(parties_broadcast_choice(s->parties, CHOICE_WIDTH, F->cols));
	TRY(sums_products(s->parties, s->basis->order, F, &Y));
	err = span_join(Q, s->set, F, &Y, sums_columns(s->p->k, s->p->k_from), &s->Z);
	mat_release(&Y);
	return err;
}

static enum err landmark_cluster(struct state *s)
{
	struct sums_clusters c = SUMS_CLUSTERS_OF(s->p);

	TRY(sums_cluster(s->parties, &s->Z, &c, s->label, NULL));
	s->report->k = c.k;
	s->report->inertia = c.inertia;
	s->report->selection = c.selection;
	return ERR_OK;
}

/* Runs the guard. If the plain rows' clusters win and there are polish steps, Q gets the sums for
 * the first step. Otherwise Q is empty. */
static enum err landmark_guard(struct state *s, struct mat *Q)
{
	struct guard g = { .order = s->basis->order,
			   .means = s->p->polish > 0,
			   .never = s->basis->degrees != DEGREES_OFF,
			   .margin = s->p->guard,
			   .how = SUMS_CLUSTERS_OF(s->p),
			   .inertia = s->report->inertia };
	enum err err;

	g.how.k = s->report->k;
	g.how.k_from = 0;
	parties_phase(s->parties, "polish");
	err = guard_clusters(s->parties, &g, &s->Z, s->label);
	s->report->scaled = g.scaled;
	s->report->modularity = g.modularity;
	s->report->inertia = g.inertia;
	*Q = g.Q;
	if (!err && !s->p->polish && s->confidence)
		margins_to_means(g.scaled ? &g.rows : &s->Z, g.how.k, s->label, s->label,
				 s->confidence);
	mat_release(&g.rows);
	return err;
}

/* Runs the polish steps. Q: the sums of the first step, or empty; Q is released here. */
static enum err landmark_polish_rows(struct state *s, struct mat *Q)
{
	uint32_t *before = alloc(s->n, sizeof(*before));
	size_t moved = 1;
	enum err err = ERR_OK;

	for (unsigned t = 0; t < s->p->polish && moved && !err; t++) {
		if (!Q->a)
			err =
			    sums_step(s->parties, s->basis->order, s->label, s->n, s->report->k, Q);
		if (err)
			break;
		memcpy(before, s->label, s->n * sizeof(*before));
		moved = landmark_polish(Q, s->label);
		parties_progress(s->parties, t + 1, moved);
		if (s->confidence && (!moved || t + 1 == s->p->polish))
			err = landmark_margins(Q, before, s->label, s->confidence);
		mat_release(Q);
	}
	free(before);
	return err ? err : sums_end_steps(s->parties);
}

static enum err landmark_cluster_by_order(void *method, unsigned t, uint32_t *label,
					  double *confidence, unsigned *k)
{
	struct state *s = method;
	struct mat F = { 0 }, Q = { 0 };
	enum err err;

	s->report = &s->by[t];
	s->label = label;
	s->confidence = confidence;
	err = landmark_round(s, &Q, &F);
	if (!err && s->p->power) {
		err = power_round(s, &Q, &F);
	} else if (!err) {
		s->Z = F;
		F = (struct mat){ 0 };
	}
	mat_release(&Q);
	if (!err)
		err = landmark_cluster(s);
	if (!err)
		err = landmark_guard(s, &Q);
	if (!err)
		err = landmark_polish_rows(s, &Q);
	*k = s->report->k;
	mat_release(&F);
	mat_release(&s->Z);
	return err;
}

/* Clusters the nodes, given their sets. report: on entry it has basis, sets and merged; on return
 * it describes the clustering that was taken. */
static enum err cluster_sets(struct state *s, uint32_t *label, struct landmark_report *report)
{
	struct settle settle = { .parties = s->parties,
				 .n = s->n,
				 .k_from = s->p->k_from,
				 .basis = &report->basis,
				 .method = s,
				 .cluster = landmark_cluster_by_order };
	struct sums_basis basis;
	unsigned taken;
	enum err err;

	s->basis = &report->basis;
	s->by[0] = s->by[1] = *report;
	err = settle_order(&settle, label, s->p->confidence, &taken);
	basis = report->basis;
	*report = s->by[taken];
	report->basis = basis;
	return err;
}

enum err landmark_run(struct parties *parties, size_t n, const struct landmark_params *p,
		      uint32_t *label, struct landmark_report *report)
{
	struct landmark_report unused, *r = report ? report : &unused;
	struct state s = { .parties = parties, .n = n, .p = p };
	enum err err;

	*r = (struct landmark_report){ 0 };
	if (p->k < 1 || p->k > n || n < 2)
		return err_set(ERR_INPUT, "%u clusters of %zu nodes", p->k, n);
	if (p->min_cell > n)
		return err_set(ERR_JOB, "%zu nodes cannot make a set of job.min_cell, %zu", n,
			       p->min_cell);
	ALLOC(s.set, n);
	err = choose_sets(&s, r);
	if (!err)
		err = cluster_sets(&s, label, r);
	free(s.set);
	return err;
}
