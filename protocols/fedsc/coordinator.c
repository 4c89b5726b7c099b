#include "protocols/fedsc/coordinator.h"
#include "common/base/alloc.h"
#include "common/base/progress.h"
#include "common/base/rng.h"
#include "common/linalg/la.h"
#include "protocols/fedsc/own.h"
#include "protocols/fedsc/pairwise.h"
#include "protocols/fedsc/points.h"
#include "protocols/fedsc/private.h"
#include "common/cluster/spectral.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void fedsc_report_release(struct fedsc_report *r)
{
	free(r->value);
	free(r->size);
	free(r->label);
	mat_release(&r->centres);
	profile_release(&r->profile);
	fedsc_model_release(&r->model);
	free(r->mean);
	free(r->unit);
	*r = (struct fedsc_report){ 0 };
}

/* Tolerance of the sum of the parties' weights n_p / n, which should be 1: each party rounds its
 * weight to the fixed point. */
static const double WEIGHTS_ROUNDING = 1e-4;

enum err fedsc_sum_triangle(const struct fedsc_run *run, const struct fedsc_question *q, size_t d,
			    struct mat *M)
{
	double *x = alloc(d * (d + 1) / 2, sizeof(*x));
	const double *next = x;
	enum err err = parties_sum_opened(run->parties, q, x, d * (d + 1) / 2);

	mat_init(M, d, d);
	for (size_t i = 0; i < d; i++)
		for (size_t j = 0; j <= i; j++)
			MAT(M, i, j) = MAT(M, j, i) = *next++;
	free(x);
	return err;
}

/* Chooses the least d such that the d largest eigenvalues of the sum of all parties' F'F
 * (FEDSC_SPECTRUM) add up to p->share of its trace or more. */
static enum err choose_dims(const struct fedsc_run *run, const struct mat *Z, size_t *dims)
{
	struct fedsc_question q = {
		.kind = FEDSC_SPECTRUM, .Z = Z, .r = run->report->r, .lambda = run->p->lambda
	};
	size_t d = Z->rows;
	struct mat M = { 0 }, E = { 0 };
	double *value = alloc(d, sizeof(*value)), trace = 0, sum = 0;
	enum err err = fedsc_sum_triangle(run, &q, d, &M);

	for (size_t i = 0; !err && i < d; i++)
		trace += MAT(&M, i, i);
	if (!err)
		err = la_eigen_top(&M, d, value, &E);
	for (*dims = 0; !err && *dims < d && sum < run->p->share * trace; ++*dims)
		sum += value[*dims];
	mat_release(&E);
	mat_release(&M);
	free(value);
	return err;
}

enum err fedsc_find_landmarks(struct fedsc_run *run, size_t d, struct fedkmeans_centres *c)
{
	struct fedkmeans loop = { .parties = run->parties, .n = run->report->n };
	struct fedkmeans_landmarks how = fedsc_search(run->p, d);
	struct mat mean;
	enum err err;

	parties_phase(run->parties, "landmarks");
	mat_init(&mean, 1, run->m);
	err = fedkmeans_landmarks(&loop, &how, &mean, c);
	mat_release(&mean);
	TRY(err);
	run->report->dims = c->Z.rows;
	run->report->dropped = c->dropped;
	d = c->Z.rows;
	if (run->p->variant == FEDSC_BY_ANCHORS && (d < run->p->k || d <= run->p->near))
		return err_set(ERR_JOB,
			       "only %zu landmarks have %u rows or more, for %u clusters and the "
			       "%u nearest: fewer of those or a smaller minimum are needed",
			       d, run->p->least, run->p->k, run->p->near);
	return ERR_OK;
}

enum err fedsc_embed(const struct fedsc_run *run, const struct mat *R)
{
	struct fedsc_question q = { .kind = FEDSC_EMBED, .R = R };

	return parties_sum_opened(run->parties, &q, NULL, 0);
}

enum err fedsc_leading(struct fedsc_run *run, const struct mat *G, size_t k, double *value,
		       struct mat *U)
{
	bool check = run->parties->at_party;
	enum err err = ERR_OK;

	if (check) {
		mat_init(U, k, G->rows);
	} else {
		struct mat copy;

		mat_copy(&copy, G);
		err = la_eigen_top(&copy, k, value, U);
		mat_release(&copy);
	}
	TRY(err);
	TRY(parties_pass_reals(run->parties, value, k));
	TRY(parties_pass_reals(run->parties, U->a, k * G->rows));
	if (check)
		err = la_eigen_check(G, value, U, run->p->threads);
	return err ? parties_refuse(run->parties, err) : ERR_OK;
}

void fedsc_keep_model(struct fedsc_report *report, size_t m, const struct mat *centre)
{
	struct fedsc_model *to = &report->model;

	to->m = m;
	ALLOC(to->shift, m);
	ALLOC(to->unit, m);
	memcpy(to->shift, report->mean, m * sizeof(*to->shift));
	memcpy(to->unit, report->unit, m * sizeof(*to->unit));
	mat_copy(&to->centre, centre);
}

void fedsc_keep_clipped(struct fedsc_report *report, size_t m, const struct mat *centre,
			double clip)
{
	ALLOC(report->mean, m);
	ALLOC(report->unit, m);
	for (size_t j = 0; j < m; j++)
		report->unit[j] = clip;
	fedsc_keep_model(report, m, centre);
	report->model.clip = clip;
}

void fedsc_keep_sizes(const struct fedsc_run *run, const struct fedkmeans_centres *c)
{
	run->report->k = (unsigned)c->Z.rows;
	ALLOC(run->report->size, c->Z.rows);
	memcpy(run->report->size, c->count, c->Z.rows * sizeof(double));
}

/* Runs one round, whose result is the weighted mean of the parties' dictionaries. */
static enum err average(struct fedsc_run *run, unsigned s, struct mat *Z)
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
	enum err err;

	ALLOC(x, words + 1);
	parties_progress(run->parties, s, 0);
	err = parties_sum_opened(run->parties, &q, x, words + 1);
	if (!err && !(x[words] > 0 && x[words] <= 1 + WEIGHTS_ROUNDING))
		err = err_set(ERR_PEER,
			      "round %u: the parties' weights add to %.17g, expected a number "
			      "above 0 and at most 1",
			      s, x[words]);
	for (size_t e = 0; !err && e < words; e++) {
		double z = x[e] / x[words];

		change += (z - Z->a[e]) * (z - Z->a[e]);
		size += z * z;
		Z->a[e] = z;
	}
	run->report->change = size > 0 ? sqrt(change / size) : 0;
	run->report->rounds = s;
	free(x);
	progress_tick();
	return err;
}

enum { START_STREAM = 0x7a30 }; /* seed stream "z0" */

/* Algorithm 1, line 1: draws Z^0 (d x m) at random around the mean of the rows, with their standard
 * deviation. */
static void start_at_random(struct fedsc_run *run, size_t d, struct fedkmeans_centres *c)
{
	struct mat Z;
	struct rng rng;

	rng_seed(&rng, run->p->seed, START_STREAM);
	mat_init(&Z, d, run->m);
	for (size_t e = 0; e < d * run->m; e++)
		/* Rounded to float, so that all machines draw the same number. */
		Z.a[e] = (float)rng_normal(&rng);
	fedkmeans_centres_init(c, &Z);
	mat_release(&Z);
	run->report->dims = d;
}

static enum err start_dictionary(struct fedsc_run *run, size_t d, struct fedkmeans_centres *c)
{
	if (run->p->start == FEDSC_FROM_LANDMARKS)
		return fedsc_find_landmarks(run, d, c);
	start_at_random(run, d, c);
	return ERR_OK;
}

/* Algorithm 1: computes Z (d x m). Makes the start, chooses d, and runs S rounds of Stage I. */
static enum err fedsc_coordinator_learn(struct fedsc_run *run, struct fedkmeans_centres *c)
{
	const struct fedsc_params *p = run->p;
	bool summed = p->width == 0, search = p->dims == 0;

	TRY(fedsc_totals(run->parties, run->m, run->p, summed, run->report));
	if (!summed)
		run->report->r = p->width;
	if (p->variant == FEDSC_BY_PAIRWISE)
		TRY(fedsc_pairwise_fits(run->report->n, run->parties->count));
	TRY(start_dictionary(run, fedsc_landmarks_most(p, run->report->n), c));
	if (search)
		parties_phase(run->parties, "dims");
	if (search) {
		size_t d;

		TRY(choose_dims(run, &c->Z, &d));
		d = d > p->k ? d : p->k;
		if (d < c->Z.rows) {
			fedkmeans_centres_release(c);
			TRY(start_dictionary(run, d, c));
		}
	}
	if (p->rounds)
		parties_phase(run->parties, "stage-1");
	for (unsigned s = 1; s <= p->rounds; s++) {
		TRY(average(run, s, &c->Z));
		if (run->report->change <= p->tolerance)
			break;
	}
	return ERR_OK;
}

/* Initialises R (d x k) = U Lam^-1/2, from M's leading eigenvectors U and eigenvalues Lam. */
static enum err whiten(struct fedsc_run *run, const struct mat *M, struct mat *R)
{
	size_t d = M->rows, k = run->report->values;
	double *value = run->report->value;
	struct mat U = { 0 };
	enum err err = fedsc_leading(run, M, k, value, &U);

	if (!err && !(value[k - 1] > 0))
		err = err_set(ERR_JOB,
			      "the dictionary spans fewer than %zu dimensions (eigenvalue %zu is "
			      "%.3g): more of it or fewer clusters are needed",
			      k, k, value[k - 1]);
	if (!err) {
		mat_init(R, d, k);
		for (size_t i = 0; i < d; i++)
			for (size_t j = 0; j < k; j++)
				MAT(R, i, j) = MAT(&U, j, i) / sqrt(value[j]);
	}
	mat_release(&U);
	return err;
}

/* Returns how many eigenvectors k clusters use: k, or `dims` if that is less. dims: the size of the
 * dictionary that the job gives; 0: the data determine it, and it is at least k. */
static size_t fewest(size_t k, size_t dims)
{
	return dims && dims < k ? dims : k;
}

/* Computes t = F'1 and F' diag(1 / F t) F as sums (F as in party.h), and derives from them R, which
 * maps F to the embedding. Then runs federated k-means on the embedding. */
static enum err by_dense(struct fedsc_run *run)
{
	struct fedsc_question degrees = { .kind = FEDSC_DEGREES, .lambda = run->p->lambda };
	struct fedsc_question product = { .kind = FEDSC_DENSE };
	struct fedkmeans_params how = fedsc_kmeans(run->p);
	struct fedkmeans loop = { .parties = run->parties };
	struct fedkmeans_centres Z = { 0 }, c = { 0 };
	struct mat M = { 0 }, R = { 0 }, start;
	struct fedkmeans_report report;
	double *t = NULL;
	size_t d, vectors;
	enum err err = fedsc_coordinator_learn(run, &Z);

	d = Z.Z.rows;
	vectors = fewest(run->p->k, run->p->dims);
	if (!err && d < vectors)
		err = err_set(ERR_JOB, "a dictionary of %zu for %u clusters", d, run->p->k);
	if (err)
		goto out;
	ALLOC(run->report->value, vectors);
	run->report->values = vectors;
	ALLOC(t, d);
	degrees.r = run->report->r;
	degrees.Z = &Z.Z;
	product.t = t;
	product.d = d;
	parties_phase(run->parties, "dense");
	err = parties_sum_opened(run->parties, &degrees, t, d);
	if (!err)
		err = fedsc_sum_triangle(run, &product, d, &M);
	if (!err)
		err = whiten(run, &M, &R);
	if (!err)
		err = fedsc_embed(run, &R);
	if (err)
		goto out;
	loop.n = run->report->n;
	/* The start is 0 instead of the mean of the embedded rows. The first round moves it to
	 * this mean. */
	mat_init(&start, 1, vectors);
	parties_phase(run->parties, "kmeans");
	err = fedkmeans_run(&loop, &how, &start, &c, &report);
	mat_release(&start);
	if (!err)
		fedsc_keep_sizes(run, &c);
out:
	fedkmeans_centres_release(&c);
	fedkmeans_centres_release(&Z);
	mat_release(&R);
	mat_release(&M);
	free(t);
	return err;
}

/* Appendix C, steps 4 and 5. Each pair of parties computes its entries of K^ (pairwise.h) by
 * encryption. Then each party uploads its own rows of K^. */
static enum err collect_similarities(struct fedsc_run *run, struct fedsc_question *q, struct mat *K)
{
	q->kind = FEDSC_PAIRWISE;
	q->n = run->report->n;
	parties_phase(run->parties, "pairwise");
	TRY(parties_exchange(run->parties, q, PARTIES_CIPHERS));
	TRY(parties_exchange(run->parties, q, PARTIES_PRODUCTS));
	parties_phase(run->parties, "upload");
	if (!run->parties->at_party)
		mat_init(K, (size_t)q->n, (size_t)q->n);
	return parties_collect_rows(run->parties, q, K);
}

/* Collects the coefficients of all rows, which are unmasked. */
static enum err collect_coefficients(struct fedsc_run *run, struct fedsc_question *q, struct mat *C)
{
	parties_phase(run->parties, "upload");
	if (!run->parties->at_party)
		mat_init(C, (size_t)run->report->n, q->Z->rows);
	return parties_collect_rows(run->parties, q, C);
}

/* Runs variants "paper" and "pairwise". Parties upload C in "paper", and K^ = C' Kzz C in
 * "pairwise". */
static enum err by_paper(struct fedsc_run *run)
{
	bool pairwise = run->p->variant == FEDSC_BY_PAIRWISE;
	const struct fedsc_params *p = run->p;
	struct points_params how = {
		.k = p->k, .restarts = p->restarts, .seed = p->seed, .threads = p->threads
	};
	struct fedsc_question q = { .kind = FEDSC_UPLOAD,
				    .lambda = p->lambda,
				    .noise_c = p->noise_c,
				    .sigma_c = p->sigma_c };
	struct fedsc_report *report = run->report;
	struct fedkmeans_centres c = { 0 };
	struct mat all = { 0 };
	enum err err = fedsc_coordinator_learn(run, &c);

	if (err)
		goto out;
	q.r = report->r;
	q.Z = &c.Z;
	err = pairwise ? collect_similarities(run, &q, &all) : collect_coefficients(run, &q, &all);
	if (err)
		goto out;
	if (!run->parties->at_party) { /* a party that runs this code does not have the uploads */
		ALLOC(report->label, all.rows);
		ALLOC(report->size, p->k);
		report->k = p->k;
		if (pairwise)
			err = fedsc_pairwise_join(run->parties, c.Z.rows, p->lambda, &all);
		if (!err)
			err = pairwise
				  ? points_similarities(&all, c.Z.rows, q.r, &how, report->label)
				  : points_paper(&c.Z, &all, q.r, p->lambda, &how, report->label);
		if (err)
			goto out;
		for (size_t i = 0; i < all.rows; i++)
			report->size[report->label[i]]++;
	}
	parties_phase(run->parties, "result");
	err = parties_send_labels(run->parties, p->k, report->label, all.rows);
out:
	mat_release(&all);
	fedkmeans_centres_release(&c);
	return err;
}

/* Keeps the centres, converted to the data's units. */
static void fedsc_coordinator_keep_centres(const struct fedsc_run *run, const struct mat *Z)
{
	const struct fedsc_report *r = run->report;

	mat_copy(&run->report->centres, Z);
	for (size_t i = 0; i < Z->rows; i++)
		for (size_t j = 0; j < Z->cols; j++)
			MAT(&r->centres, i, j) = r->mean[j] + r->unit[j] * MAT(Z, i, j);
}

static enum err fedsc_coordinator_by_kmeans(struct fedsc_run *run)
{
	struct fedkmeans_params how = fedsc_kmeans(run->p);
	struct fedkmeans loop = { .parties = run->parties };
	struct fedkmeans_report report;
	struct fedkmeans_centres c = { 0 };
	struct mat mean;
	enum err err;

	TRY(fedsc_totals(run->parties, run->m, run->p, false, run->report));
	loop.n = run->report->n;
	parties_phase(run->parties, "kmeans");
	mat_init(&mean, 1, run->m);
	err = fedkmeans_run(&loop, &how, &mean, &c, &report);
	mat_release(&mean);
	run->report->dims = report.landmarks;
	run->report->dropped = report.dropped;
	run->report->rounds = report.rounds;
	run->report->selection = report.selection;
	if (!err)
		fedsc_keep_sizes(run, &c);
	if (!err)
		fedsc_coordinator_keep_centres(run, &c.Z);
	if (!err)
		fedsc_keep_model(run->report, run->m, &c.Z);
	fedkmeans_centres_release(&c);
	return err;
}

static enum err run_variant(struct fedsc_run *run)
{
	switch (run->p->variant) {
	case FEDSC_BY_ANCHORS:
		return fedsc_by_anchors(run);
	case FEDSC_BY_DENSE:
		return by_dense(run);
	case FEDSC_BY_PAPER:
	case FEDSC_BY_PAIRWISE:
		return by_paper(run);
	case FEDSC_BY_KMEANS:
		return fedsc_coordinator_by_kmeans(run);
	}
	return ERR_OK;
}

enum err fedsc_run(struct parties *parties, size_t m, const struct fedsc_params *p,
		   struct fedsc_report *report)
{
	struct fedsc_run run = { .parties = parties, .m = m, .p = p, .report = report };
	bool kmeans = p->variant == FEDSC_BY_KMEANS;

	*report = (struct fedsc_report){ 0 };
	if (p->k < 1 || p->restarts < 1 || p->least < 1)
		return err_set(ERR_INPUT,
			       "%u clusters, %u restarts, %u rows or more: each must be at least 1",
			       p->k, p->restarts, p->least);
	if (!kmeans && (p->near < 1 || p->near > FEDSC_NEAR_MAX))
		return err_set(ERR_INPUT, "%u nearest landmarks, expected 1 to %d", p->near,
			       FEDSC_NEAR_MAX);
	if (!(p->beta >= 0 && p->noise_z >= 0 && p->noise_c >= 0 && p->sigma_z >= 0 &&
	      p->sigma_c >= 0))
		return err_set(ERR_INPUT, "noise of %g, %g, %g, %g, %g: none may be negative",
			       p->beta, p->noise_z, p->noise_c, p->sigma_z, p->sigma_c);
	if (!(p->clip >= 0 && p->ball >= 0))
		return err_set(ERR_INPUT, "lengths of %g and %g, expected 0 or more", p->clip,
			       p->ball);
	if (!kmeans && !(p->width >= 0 && p->width_factor > 0 && p->lambda >= 0))
		return err_set(ERR_INPUT, "r %g, its factor %g, lambda %g: expected above 0",
			       p->width, p->width_factor, p->lambda);
	if (p->multiplier > 0 && p->variant == FEDSC_BY_ANCHORS)
		return fedsc_private_anchors(parties, m, p, report);
	if (p->multiplier > 0)
		return fedsc_private(parties, m, p, report);
	TRY(run_variant(&run));
	return p->profile ? fedsc_profile(&run) : ERR_OK;
}
