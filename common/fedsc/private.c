#include "common/fedsc/private.h"
#include "common/base/alloc.h"
#include "common/base/progress.h"
#include "common/base/rng.h"
#include "common/cluster/kmeans.h"
#include "common/fedsc/own.h"
#include "common/kind/kind.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { STREAM = 0x707276 }; /* of the directions in which centres are split */
enum {
	LANDMARKS = 4,
	SPLIT = 4
};                                /* for each cluster, at most; what becomes of a centre, at most */
enum { AFTER = 2, OF = 7 };       /* rounds on clusters, of all rounds */
enum { LLOYD = 100 };             /* of k-means on the landmarks, which costs nothing */
static const double SHRINK = 0.7; /* of the radius */
static const double APART = 0.7;  /* of centres that were one, in its rows' root mean square */
static const double CLEAR = 5;    /* a landmark's share of rows, in deviations of a count */
static const double NOISE_ALONE = 2;   /* rows that may be none, in these */
static const double WIDTH = M_SQRT1_2; /* w */

/* -- noise ----------------------------------------------------------------------------------- */

enum err fedsc_noisy_of(const struct fedsc_params *p, size_t parties, size_t m, double radius,
			struct fedsc_noisy *noisy)
{
	const double least = exp2(-JOB_WIDE_FRACTION);
	double s = p->multiplier, grown;

	noisy->radius = radius;
	TRY(discrete_share_of(sqrt(8) * s, parties, p->colluders, least, &noisy->count));
	TRY(discrete_share_of(2 * radius * s, parties, p->colluders, least, &noisy->sum));
	/* Terms are rounded to steps, which can make them longer. */
	grown = 1 + noisy->sum.step * sqrt((double)m + 1) / (2 * radius);
	noisy->sum.steps = (uint32_t)ceil(noisy->sum.steps * grown);
	noisy->deviation = noisy->count.step * noisy->count.steps * sqrt((double)parties);
	return ERR_OK;
}

/* -- a party --------------------------------------------------------------------------------- */

enum err fedsc_enter_ball(struct fedsc_party *p, double clip)
{
	if (!(clip > 0) || !isfinite(clip))
		return err_set(ERR_PEER, "rows are to be shortened to %g, expected above 0", clip);
	noise_clip_rows(&p->X, clip);
	for (size_t e = 0; e < p->X.rows * p->X.cols; e++)
		p->X.a[e] /= clip;
	return ERR_OK;
}

enum err fedsc_take_centres(struct fedsc_party *p, const struct mat *Z)
{
	const struct fedkmeans_question ask = { .kind = FEDKMEANS_COUNTS, .centres = Z };
	double *count = alloc(Z->rows, sizeof(*count));
	enum err err;

	if (p->clusters.X != &p->X) {
		fedkmeans_party_release(&p->clusters);
		fedkmeans_party_init(&p->clusters, &p->X, 0, p->threads);
	}
	err = fedkmeans_answer(&p->clusters, &ask, count);
	free(count);
	return err;
}

static double in_steps(double x, double step)
{
	return nearbyint(x / step) * step;
}

/* sum (m + 1) += y and its width, in whole steps. */
static void add_offset(const double *x, const double *z, size_t m, const struct fedsc_noisy *noisy,
		       double *sum)
{
	double square = 0, rho = noisy->radius, factor, step = noisy->sum.step;

	for (size_t j = 0; j < m; j++)
		square += (x[j] - z[j]) * (x[j] - z[j]);
	factor = square > rho * rho ? rho / sqrt(square) : 1;
	for (size_t j = 0; j < m; j++)
		sum[j] += in_steps((x[j] - z[j]) * factor, step);
	sum[m] += in_steps(WIDTH * fmin(square, rho * rho) / rho, step);
}

enum err fedsc_tell_noisy(struct fedsc_party *p, const struct fedsc_question *q, double *x)
{
	const struct fedsc_noisy *noisy = q->noisy;
	size_t k = q->Z->rows, m = p->X.cols;
	double *sum = x + k;

	if (!p->noise)
		return err_set(ERR_PEER, "asked for noise in sums when none was agreed");
	TRY(fedsc_take_centres(p, q->Z));
	memset(x, 0, k * (m + 2) * sizeof(*x));
	for (size_t i = 0; i < p->X.rows; i++) {
		size_t r = p->clusters.label[i];

		x[r]++;
		add_offset(ROW(&p->X, i), ROW(q->Z, r), m, noisy, sum + r * (m + 1));
	}
	TRY(discrete_add(p->noise, &noisy->count, x, k));
	return discrete_add(p->noise, &noisy->sum, sum, k * (m + 1));
}

/* -- the coordinator's half ------------------------------------------------------------------ */

struct centres {
	struct mat Z;  /* room for `most` rows */
	double *count; /* N, most */
	double *width; /* Q rho / w: summed squared offsets, most */
	size_t most;
};

struct rounds {
	struct parties *parties;
	const struct fedsc_params *p;
	struct centres c;
	struct rng rng;
	unsigned done;
	double radius, deviation; /* of this round; of a count */
};

/* So many landmarks that each has rows clearly above the noise of a count. */
static size_t landmarks_of(const struct fedsc_params *p, double n, double deviation)
{
	double most = fmin(n / (CLEAR * deviation), LANDMARKS * (double)p->k);

	return most > p->k ? (size_t)most : p->k;
}

static void centres_init(struct centres *c, size_t most, size_t m)
{
	c->most = most;
	mat_init(&c->Z, most, m);
	c->Z.rows = 1; /* at 0 */
	ALLOC(c->count, most);
	ALLOC(c->width, most);
}

static void centres_release(struct centres *c)
{
	mat_release(&c->Z);
	free(c->count);
	free(c->width);
}

/* Centre j moves by its mean offset, and not out of the ball. */
static void move(struct mat *Z, size_t j, const double *sum, double count)
{
	double square = 0;

	for (size_t c = 0; c < Z->cols; c++) {
		MAT(Z, j, c) += sum[c] / count;
		square += MAT(Z, j, c) * MAT(Z, j, c);
	}
	for (size_t c = 0; square > 1 && c < Z->cols; c++)
		MAT(Z, j, c) /= sqrt(square);
}

static enum err noisy_round(struct rounds *run)
{
	struct centres *c = &run->c;
	struct fedsc_noisy noisy;
	struct fedsc_question q = { .kind = FEDSC_NOISY, .Z = &c->Z, .noisy = &noisy };
	size_t k = c->Z.rows, m = c->Z.cols, words = k * (m + 2);
	double *x;
	enum err err;

	TRY(fedsc_noisy_of(run->p, run->parties->count, m, run->radius, &noisy));
	ALLOC(x, words);
	parties_progress(run->parties, ++run->done, 0);
	err = parties_sum_told(run->parties, &q, x, words);
	for (size_t j = 0; j < k && !err; j++) {
		const double *sum = x + k + j * (m + 1);

		c->count[j] = x[j];
		c->width[j] = fmax(0, sum[m] * run->radius / WIDTH);
		if (x[j] >= fmax(run->p->least, noisy.deviation))
			move(&c->Z, j, sum, x[j]);
	}
	free(x);
	run->radius *= SHRINK;
	progress_tick();
	return err;
}

static void take(struct centres *c, size_t from, size_t to)
{
	memmove(ROW(&c->Z, to), ROW(&c->Z, from), c->Z.cols * sizeof(double));
	c->count[to] = c->count[from];
	c->width[to] = c->width[from];
}

/* Those stay that have more than noise; one at least, that of most rows. */
static void drop(struct rounds *run)
{
	struct centres *c = &run->c;
	size_t kept = 0, top = 0;

	for (size_t j = 1; j < c->Z.rows; j++)
		top = c->count[j] > c->count[top] ? j : top;
	for (size_t j = 0; j < c->Z.rows; j++)
		if (j == top || c->count[j] > NOISE_ALONE * run->deviation)
			take(c, j, kept++);
	c->Z.rows = kept;
}

/* z becomes z + e u, u a random direction; floats, so that all machines have the same, however
 * their logarithm and cosine round. */
static void displace(struct rng *rng, const double *from, double e, double *z, size_t m)
{
	double square = 0, *u = alloc(m, sizeof(*u));

	for (size_t j = 0; j < m; j++) {
		u[j] = rng_normal(rng);
		square += u[j] * u[j];
	}
	for (size_t j = 0; j < m; j++)
		z[j] = from[j] + (float)(e * u[j] / sqrt(square));
	free(u);
}

/* Four centres for each, or as many as there may be; each further one to the one whose rows are
 * widest, by the centres that it has got. */
static void split(struct rounds *run)
{
	struct centres *c = &run->c;
	size_t old = c->Z.rows, m = c->Z.cols, more = old * SPLIT < c->most ? old * SPLIT : c->most;
	size_t *share = alloc(old, sizeof(*share)), at = old;

	for (size_t j = 0; j < old; j++)
		share[j] = 1;
	for (size_t t = old; t < more; t++) {
		size_t widest = 0;

		for (size_t j = 1; j < old; j++)
			if (c->width[j] / (double)share[j] >
			    c->width[widest] / (double)share[widest])
				widest = j;
		share[widest]++;
	}
	c->Z.rows = more;
	for (size_t j = 0; j < old; j++) {
		double e = APART * sqrt(c->width[j] / fmax(c->count[j], 1));

		for (size_t s = 1; s < share[j]; s++)
			displace(&run->rng, ROW(&c->Z, j), e, ROW(&c->Z, at++), m);
		if (share[j] > 1)
			displace(&run->rng, ROW(&c->Z, j), e, ROW(&c->Z, j), m);
	}
	free(share);
}

/* Landmarks become k centres: their k-means, weighed by their counts. */
static void cluster_landmarks(struct rounds *run)
{
	struct centres *c = &run->c;
	struct kmeans_params how = { .k = run->p->k,
				     .restarts = run->p->restarts,
				     .iterations = LLOYD,
				     .seed = run->p->seed,
				     .threads = run->p->threads };
	double *weight = alloc(c->Z.rows, sizeof(*weight));
	uint32_t *label = alloc(c->Z.rows, sizeof(*label));
	struct mat centres;

	for (size_t j = 0; j < c->Z.rows; j++)
		weight[j] = fmax(c->count[j], 1);
	kmeans(&c->Z, weight, &how, label, &centres, NULL);
	memcpy(c->Z.a, centres.a, centres.rows * centres.cols * sizeof(double));
	c->Z.rows = centres.rows;
	mat_release(&centres);
	free(label);
	free(weight);
}

static enum err all_rounds(struct rounds *run)
{
	unsigned T = run->p->lloyd, T1 = T - T * AFTER / OF;

	parties_phase(run->parties, "landmarks");
	for (unsigned t = 0; t < T; t++) {
		TRY(noisy_round(run));
		if (t < T1)
			drop(run);
		if (t + 1 < T1)
			split(run);
		if (t + 1 != T1)
			continue;
		cluster_landmarks(run);
		parties_phase(run->parties, "kmeans");
	}
	return ERR_OK;
}

static void keep(struct fedsc_report *report, const struct fedsc_params *p, const struct centres *c)
{
	size_t k = c->Z.rows, m = c->Z.cols;

	ALLOC(report->mean, m);
	ALLOC(report->unit, m);
	report->k = (unsigned)k;
	ALLOC(report->size, k);
	mat_copy(&report->centres, &c->Z);
	for (size_t e = 0; e < k * m; e++)
		report->centres.a[e] *= p->clip;
	for (size_t j = 0; j < m; j++)
		report->unit[j] = p->clip;
	fedsc_keep_model(report, m, &c->Z);
	report->model.clip = p->clip;
	for (size_t j = 0; j < k; j++)
		report->size[j] = fmax(0, nearbyint(c->count[j]));
}

enum err fedsc_private(struct parties *parties, size_t m, const struct fedsc_params *p,
		       struct fedsc_report *report)
{
	const struct fedsc_question ball = { .kind = FEDSC_BALL, .clip = p->clip };
	struct rounds run = { .parties = parties, .p = p, .radius = 1 };
	const struct fedsc_question nearest = { .kind = FEDSC_NEAREST, .Z = &run.c.Z };
	struct fedsc_noisy noisy;
	enum err err;

	TRY(fedsc_count(parties, p, report));
	TRY(parties_sum_told(parties, &ball, NULL, 0));
	TRY(fedsc_noisy_of(p, parties->count, m, 1, &noisy));
	run.deviation = noisy.deviation;
	report->scale = p->clip;
	report->dims = landmarks_of(p, report->n, noisy.deviation);
	rng_seed(&run.rng, p->seed, STREAM);
	centres_init(&run.c, report->dims, m);
	err = all_rounds(&run);
	if (!err)
		err = parties_sum_told(parties, &nearest, NULL, 0);
	if (!err)
		keep(report, p, &run.c);
	report->rounds = run.done;
	centres_release(&run.c);
	return err;
}
