#include "common/fedsc/coordinator.h"
#include "common/base/alloc.h"
#include "common/base/progress.h"
#include "common/cluster/kmeans.h"
#include "common/linalg/la.h"
#include "common/fedsc/own.h"
#include "common/fedsc/paper.h"
#include "common/cluster/spectral.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LLOYD_AT_COORDINATOR = 100 };

void fedsc_report_release(struct fedsc_report *r)
{
	free(r->value);
	free(r->size);
	*r = (struct fedsc_report){ 0 };
}

/* -- one run --------------------------------------------------------------------------------- */

struct run {
	const struct fedsc_pool *pool;
	const struct fedsc_params *p;
	struct fedsc_report *report;
	struct fedkmeans_pool rows, embedded; /* k-means on what the parties cluster */
};

static enum err ask(const struct run *run, const struct fedsc_question *q, double *x)
{
	return run->pool->ask(run->pool->ctx, q, NULL, x);
}

static enum err ask_clusters(void *ctx, const struct fedkmeans_question *q, double *x)
{
	const struct run *run = ctx;
	struct fedsc_question question = { .kind = FEDSC_CLUSTERS, .clusters = q };

	return ask(run, &question, x);
}

static enum err check_params(const struct run *run)
{
	const struct fedsc_params *p = run->p;

	if (p->k < 1 || p->restarts < 1 || !(p->least >= 1))
		return err_set(ERR_INPUT,
			       "%u clusters, %u restarts, %g rows or more: each must be at least 1",
			       p->k, p->restarts, p->least);
	if (p->near < 1 || p->near > FEDSC_NEAR_MAX)
		return err_set(ERR_INPUT, "%u nearest landmarks, expected 1 to %d", p->near,
			       FEDSC_NEAR_MAX);
	if (!(p->beta >= 0 && p->noise_z >= 0 && p->noise_c >= 0 && p->sigma_z >= 0 &&
	      p->sigma_c >= 0))
		return err_set(ERR_INPUT, "noise of %g, %g, %g, %g, %g: none may be negative",
			       p->beta, p->noise_z, p->noise_c, p->sigma_z, p->sigma_c);
	if (!(p->clip >= 0 && p->ball >= 0))
		return err_set(ERR_INPUT, "lengths of %g and %g, expected 0 or more", p->clip,
			       p->ball);
	if (!(p->width >= 0 && p->width_factor > 0 && p->lambda >= 0))
		return err_set(ERR_INPUT, "r %g, its factor %g, lambda %g: expected above 0",
			       p->width, p->width_factor, p->lambda);
	if (p->participants > run->pool->parties)
		return err_set(ERR_INPUT, "%zu participants of %zu parties", p->participants,
			       run->pool->parties);
	return ERR_OK;
}

static enum err check_rows(const struct run *run)
{
	double n = run->report->n;

	if (!(n >= 2))
		return err_set(ERR_PEER, "the parties say that they have %g rows", n);
	if (run->p->k > n)
		return err_set(ERR_INPUT, "%u clusters of %g rows", run->p->k, n);
	if ((double)run->p->dims > n)
		return err_set(ERR_INPUT, "a dictionary of %zu for %g rows", run->p->dims, n);
	return ERR_OK;
}

/* Rows, column means, the global standard deviation, and the width of the kernel. The variance is
 * that about the one mean of all entries: within columns, and between them. */
static enum err agree(struct run *run, bool width)
{
	struct fedsc_question q = { .kind = FEDSC_TOTALS };
	size_t m = run->pool->m;
	double *total, spread = 0, mean = 0, between = 0, distance = 0;
	enum err err;

	ALLOC(total, 1 + m);
	err = ask(run, &q, total);
	run->report->n = total[0];
	if (!err)
		err = check_rows(run);
	if (err)
		goto out;
	for (size_t j = 1; j <= m; j++) {
		total[j] /= total[0];
		mean += total[j] / (double)m;
	}
	for (size_t j = 1; j <= m; j++)
		between += (total[j] - mean) * (total[j] - mean) / (double)m;
	q = (struct fedsc_question){ .kind = FEDSC_SPREAD, .mean = total + 1 };
	err = ask(run, &q, &spread);
	if (err)
		goto out;
	if (!(spread > 0)) {
		err = err_set(ERR_INPUT,
			      "all %g rows are equal (spread %g, within the sums' precision): "
			      "there is nothing to cluster",
			      total[0], spread);
		goto out;
	}
	run->report->scale = sqrt(spread / (total[0] * (double)m) + between);
	q = (struct fedsc_question){ .kind = FEDSC_SCALE,
				     .scale = run->report->scale,
				     .beta = run->p->beta,
				     .clip = run->p->clip,
				     .width = width };
	err = ask(run, &q, &distance);
	if (!err && width) {
		run->report->r = run->p->width_factor * distance / (double)run->pool->parties;
		if (!(run->report->r > 0))
			err = err_set(ERR_INPUT,
				      "each party's rows are all equal: there is no r to be had; "
				      "give one");
	}
out:
	free(total);
	return err;
}

/* M (d x d, given, symmetric) from its lower triangle, row by row, as sums bring it. */
static void read_triangle(const double *x, struct mat *M)
{
	for (size_t i = 0; i < M->rows; i++)
		for (size_t j = 0; j <= i; j++)
			MAT(M, i, j) = MAT(M, j, i) = *x++;
}

/* The smallest d whose eigenvalues of sum F'F make up the share of its trace. */
static enum err choose_dims(const struct run *run, const struct mat *Z, size_t *dims)
{
	struct fedsc_question q = {
		.kind = FEDSC_SPECTRUM, .Z = Z, .r = run->report->r, .lambda = run->p->lambda
	};
	size_t d = Z->rows;
	struct mat M, E = { 0 };
	double *x, *value, trace = 0, sum = 0;
	enum err err;

	ALLOC(x, fedsc_words(&q, run->pool->m));
	ALLOC(value, d);
	mat_init(&M, d, d);
	err = ask(run, &q, x);
	if (!err) {
		read_triangle(x, &M);
		for (size_t i = 0; i < d; i++)
			trace += MAT(&M, i, i);
		err = la_eigen_top(&M, d, value, &E);
	}
	for (*dims = 0; !err && *dims < d && sum < run->p->share * trace; ++*dims)
		sum += value[*dims];
	mat_release(&E);
	mat_release(&M);
	free(value);
	free(x);
	return err;
}

/* Up to d landmarks; they begin at the mean of the rows, which is 0. */
static enum err landmarks(struct run *run, size_t d, struct fedkmeans_centres *c)
{
	struct fedkmeans_landmarks how = fedsc_search(run->p, d);
	struct mat mean;
	enum err err;

	mat_init(&mean, 1, run->pool->m);
	err = fedkmeans_landmarks(&run->rows, &how, &mean, c);
	mat_release(&mean);
	if (!err) {
		run->report->dims = c->Z.rows;
		run->report->dropped = c->dropped;
	}
	return err;
}

static enum err embed(const struct run *run, const struct mat *R)
{
	struct fedsc_question q = { .kind = FEDSC_EMBED, .R = R };
	double nothing;

	return ask(run, &q, &nothing);
}

static void keep_sizes(const struct run *run, const struct fedkmeans_centres *c)
{
	ALLOC(run->report->size, c->Z.rows);
	memcpy(run->report->size, c->count, c->Z.rows * sizeof(double));
}

/* -- anchors --------------------------------------------------------------------------------- */

/* k-means on the landmarks' own embedding, each as heavy as what is tied to it, then Lloyd rounds
 * on everybody's. */
static enum err finish_anchors(struct run *run, const struct mat *R, const double *lam)
{
	struct kmeans_params how = { .k = run->p->k,
				     .restarts = run->p->restarts,
				     .iterations = LLOYD_AT_COORDINATOR,
				     .seed = run->p->seed,
				     .threads = run->p->threads };
	struct fedkmeans_centres c = { 0 };
	struct mat unit, centres;
	uint32_t *label;
	enum err err;

	mat_copy(&unit, R);
	spectral_unit_rows(&unit);
	ALLOC(label, R->rows);
	kmeans(&unit, lam, &how, label, &centres, NULL);
	free(label);
	mat_release(&unit);
	fedkmeans_centres_init(&c, &centres);
	mat_release(&centres);
	err = fedkmeans_lloyd(&run->embedded, run->p->least, run->p->lloyd, 0, &c, NULL);
	if (!err)
		err = fedkmeans_count(&run->embedded, &c);
	if (!err)
		keep_sizes(run, &c);
	fedkmeans_centres_release(&c);
	return err;
}

static enum err check_landmarks(const struct run *run, size_t d)
{
	if (d < run->p->k || d <= run->p->near)
		return err_set(ERR_JOB,
			       "only %zu landmarks have %g rows or more, for %u clusters and the "
			       "%u nearest: fewer of those or a smaller minimum are needed",
			       d, run->p->least, run->p->k, run->p->near);
	return ERR_OK;
}

static enum err by_anchors(struct run *run)
{
	struct fedsc_question q = { .kind = FEDSC_ANCHOR, .near = run->p->near };
	struct fedkmeans_centres c = { 0 };
	struct mat M = { 0 }, R = { 0 };
	double *lam = NULL, *x = NULL;
	enum err err;

	TRY(agree(run, false));
	err = landmarks(run, fedsc_landmarks_most(run->p, run->report->n), &c);
	if (!err)
		err = check_landmarks(run, c.Z.rows);
	if (err)
		goto out;
	q.Z = &c.Z;
	ALLOC(x, fedsc_words(&q, run->pool->m));
	ALLOC(lam, c.Z.rows);
	ALLOC(run->report->value, run->p->k);
	mat_init(&M, c.Z.rows, c.Z.rows);
	err = ask(run, &q, x);
	if (err)
		goto out;
	read_triangle(x, &M);
	err = fedsc_anchor_basis(&M, run->p->k, lam, &R, run->report->value);
	if (!err)
		err = embed(run, &R);
	if (!err)
		err = finish_anchors(run, &R, lam);
out:
	free(lam);
	free(x);
	mat_release(&R);
	mat_release(&M);
	fedkmeans_centres_release(&c);
	return err;
}

/* -- Stage I --------------------------------------------------------------------------------- */

/* One round: the weighted mean of the participants' dictionaries. */
static enum err average(struct run *run, unsigned s, struct mat *Z)
{
	const struct fedsc_params *p = run->p;
	struct fedsc_question q = { .kind = FEDSC_DICTIONARY,
				    .Z = Z,
				    .r = run->report->r,
				    .lambda = p->lambda,
				    .inner = p->inner,
				    .n = run->report->n,
				    .ball = p->ball,
				    .noise_z = p->noise_z,
				    .sigma_z = p->sigma_z };
	size_t words = Z->rows * Z->cols;
	double *x, change = 0, size = 0;
	bool *member = NULL;
	enum err err;

	if (p->participants && p->participants < run->pool->parties) {
		ALLOC(member, run->pool->parties);
		fedsc_members(p->draw, s, run->pool->parties, p->participants, member);
	}
	ALLOC(x, words + 1);
	err = run->pool->ask(run->pool->ctx, &q, member, x);
	if (!err && !(x[words] > 0))
		err =
		    err_set(ERR_PEER, "round %u: the participants' weights add to %g", s, x[words]);
	for (size_t e = 0; !err && e < words; e++) {
		double z = x[e] / x[words];

		change += (z - Z->a[e]) * (z - Z->a[e]);
		size += z * z;
		Z->a[e] = z;
	}
	run->report->change = size > 0 ? sqrt(change / size) : 0;
	run->report->rounds = s;
	free(x);
	free(member);
	progress_tick();
	return err;
}

/* Z (d x m) after Stage I: landmarks, of which d is chosen, and S rounds. */
static enum err learn(struct run *run, struct fedkmeans_centres *c)
{
	const struct fedsc_params *p = run->p;
	size_t d = p->dims;

	TRY(agree(run, p->width == 0));
	if (p->width > 0)
		run->report->r = p->width;
	TRY(landmarks(run, fedsc_landmarks_most(p, run->report->n), c));
	if (!d) {
		TRY(choose_dims(run, &c->Z, &d));
		d = d > p->k ? d : p->k;
		if (d < c->Z.rows) {
			fedkmeans_centres_release(c);
			TRY(landmarks(run, d, c));
		}
	}
	for (unsigned s = 1; s <= p->rounds; s++) {
		TRY(average(run, s, &c->Z));
		if (run->report->change <= p->tolerance)
			break;
	}
	return ERR_OK;
}

/* -- dense ----------------------------------------------------------------------------------- */

/* R (d x k, initialised here) = U Lam^-1/2 of M. */
static enum err whiten(const struct run *run, struct mat *M, struct mat *R)
{
	size_t d = M->rows, k = run->p->k;
	double *value = run->report->value;
	struct mat U;

	TRY(la_eigen_top(M, k, value, &U));
	if (!(value[k - 1] > 0)) {
		mat_release(&U);
		return err_set(ERR_JOB,
			       "the dictionary spans fewer than %zu dimensions (eigenvalue %zu is "
			       "%.3g): more of it or fewer clusters are needed",
			       k, k, value[k - 1]);
	}
	mat_init(R, d, k);
	for (size_t i = 0; i < d; i++)
		for (size_t j = 0; j < k; j++)
			MAT(R, i, j) = MAT(&U, j, i) / sqrt(value[j]);
	mat_release(&U);
	return ERR_OK;
}

static enum err finish_dense(struct run *run)
{
	struct fedkmeans_params how = fedsc_kmeans(run->p);
	struct fedkmeans_report report;
	struct fedkmeans_centres c = { 0 };
	struct mat start;
	enum err err;

	mat_init(&start, 1, run->p->k); /* its first round makes it the mean */
	err = fedkmeans_run(&run->embedded, &how, run->report->n, &start, &c, &report);
	mat_release(&start);
	if (!err)
		keep_sizes(run, &c);
	fedkmeans_centres_release(&c);
	return err;
}

static enum err by_dense(struct run *run)
{
	struct fedkmeans_centres c = { 0 };
	struct fedsc_question q = { .kind = FEDSC_DEGREES, .lambda = run->p->lambda };
	struct mat M = { 0 }, R = { 0 };
	double *t = NULL, *x = NULL;
	enum err err = learn(run, &c);
	size_t d = c.Z.rows;

	if (!err && d < run->p->k)
		err = err_set(ERR_JOB, "a dictionary of %zu for %u clusters", d, run->p->k);
	if (err)
		goto out;
	ALLOC(run->report->value, run->p->k);
	ALLOC(t, d);
	q.Z = &c.Z;
	q.r = run->report->r;
	err = ask(run, &q, t);
	if (err)
		goto out;
	q = (struct fedsc_question){ .kind = FEDSC_DENSE, .t = t, .d = d };
	ALLOC(x, fedsc_words(&q, run->pool->m));
	err = ask(run, &q, x);
	if (err)
		goto out;
	mat_init(&M, d, d);
	read_triangle(x, &M);
	err = whiten(run, &M, &R);
	if (!err)
		err = embed(run, &R);
	if (!err)
		err = finish_dense(run);
out:
	free(x);
	free(t);
	mat_release(&R);
	mat_release(&M);
	fedkmeans_centres_release(&c);
	return err;
}

/* -- paper ----------------------------------------------------------------------------------- */

static enum err by_paper(struct run *run)
{
	const struct fedsc_params *p = run->p;
	struct fedsc_paper how = { .k = p->k,
				   .neighbours = p->neighbours,
				   .restarts = p->restarts,
				   .r = 0,
				   .lambda = p->lambda,
				   .seed = p->seed,
				   .threads = p->threads };
	struct fedkmeans_centres c = { 0 };
	struct mat C = { 0 };
	uint32_t *label = NULL;
	enum err err = learn(run, &c);

	if (!err)
		err = run->pool->upload(run->pool->ctx, &c.Z, run->report->r, p->lambda, p->noise_c,
					p->sigma_c, &C);
	if (err)
		goto out;
	how.r = run->report->r;
	ALLOC(label, C.rows);
	ALLOC(run->report->size, p->k);
	err = fedsc_paper(&c.Z, &C, &how, label);
	for (size_t i = 0; !err && i < C.rows; i++)
		run->report->size[label[i]]++;
	if (!err)
		err = run->pool->hand_back(run->pool->ctx, label, C.rows);
out:
	free(label);
	mat_release(&C);
	fedkmeans_centres_release(&c);
	return err;
}

/* -- k-means --------------------------------------------------------------------------------- */

static enum err by_kmeans(struct run *run)
{
	struct fedkmeans_params how = fedsc_kmeans(run->p);
	struct fedkmeans_report report;
	struct fedkmeans_centres c = { 0 };
	struct mat mean;
	enum err err;

	TRY(agree(run, false));
	mat_init(&mean, 1, run->pool->m);
	err = fedkmeans_run(&run->rows, &how, run->report->n, &mean, &c, &report);
	mat_release(&mean);
	run->report->dims = report.landmarks;
	run->report->dropped = report.dropped;
	run->report->rounds = report.rounds;
	if (!err)
		keep_sizes(run, &c);
	fedkmeans_centres_release(&c);
	return err;
}

enum err fedsc_run(const struct fedsc_pool *pool, const struct fedsc_params *p,
		   struct fedsc_report *report)
{
	struct run run = { .pool = pool, .p = p, .report = report };

	run.rows = (struct fedkmeans_pool){ pool->m, &run, ask_clusters };
	run.embedded = (struct fedkmeans_pool){ p->k, &run, ask_clusters };
	*report = (struct fedsc_report){ 0 };
	TRY(check_params(&run));
	switch (p->variant) {
	case FEDSC_BY_ANCHORS:
		return by_anchors(&run);
	case FEDSC_BY_DENSE:
		return by_dense(&run);
	case FEDSC_BY_PAPER:
		return by_paper(&run);
	case FEDSC_BY_KMEANS:
		return by_kmeans(&run);
	}
	return ERR_OK;
}
