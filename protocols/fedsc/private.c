#include "protocols/fedsc/private.h"
#include "common/base/alloc.h"
#include "common/base/progress.h"
#include "common/base/rng.h"
#include "common/cluster/kmeans.h"
#include "protocols/fedsc/own.h"
#include "common/kind/kind.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { STREAM = 0x707276 }; /* stream of random numbers for the directions of splits */
enum {
	/* kmeans: maximum number of landmarks per cluster */
	LANDMARKS = 4,
	/* fedsc: the maximum number of landmarks is ANCHORS or, if that is more, ANCHORS_EACH
	 * for each cluster */
	ANCHORS = 64,
	ANCHORS_EACH = 8,
	SPLIT = 4 /* maximum factor by which the number of centres grows in a round */
};
/* kmeans: the last AFTER / OF of the rounds improve clusters; the others find landmarks */
enum { AFTER = 2, OF = 7 };
/* Maximum number of k-means steps on the landmarks, which need no sums. */
enum { LLOYD = 100 };
static const double SHRINK = 0.7; /* each round multiplies the radius by this */
/* Distance by which the parts of a split centre move away from it, in units of the root mean square
 * offset of its rows. */
static const double APART = 0.7;
/* Fewest rows per landmark, on average; the unit is the standard deviation of a count's noise. */
static const double CLEAR = 5;
/* Counts up to this many standard deviations may be noise alone. */
static const double NOISE_ALONE = 2;
static const double WIDTH = M_SQRT1_2; /* the weight w of private.h */

enum err fedsc_noisy_of(const struct fedsc_params *p, size_t parties, size_t m, double radius,
			struct fedsc_noisy *noisy)
{
	const double least = exp2(-JOB_WIDE_FRACTION);
	double s = p->multiplier, grown;

	noisy->radius = radius;
	TRY(discrete_share_of(sqrt(8) * s, parties, p->colluders, least, &noisy->count));
	TRY(discrete_share_of(2 * radius * s, parties, p->colluders, least, &noisy->sum));
	/* Rounding to steps can make terms longer. */
	grown = 1 + noisy->sum.step * sqrt((double)m + 1) / (2 * radius);
	noisy->sum.steps = (uint32_t)ceil(noisy->sum.steps * grown);
	noisy->deviation = noisy->count.step * noisy->count.steps * sqrt((double)parties);
	return ERR_OK;
}

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
	const struct mat *rows = fedsc_rows_clustered(p);
	double *count = alloc(Z->rows, sizeof(*count));
	enum err err;

	if (p->clusters.X != rows) {
		fedkmeans_party_release(&p->clusters);
		fedkmeans_party_init(&p->clusters, rows, 0, p->threads);
	}
	err = fedkmeans_answer(&p->clusters, &ask, count);
	free(count);
	return err;
}

/* Adds the offset of row x from its centre z, shortened to the radius, and its width (Q of
 * private.h) to sum (m + 1), in whole steps. */
static void add_offset(const double *x, const double *z, size_t m, const struct fedsc_noisy *noisy,
		       double *sum)
{
	double square = 0, rho = noisy->radius, factor;

	for (size_t j = 0; j < m; j++)
		square += (x[j] - z[j]) * (x[j] - z[j]);
	factor = square > rho * rho ? rho / sqrt(square) : 1;
	for (size_t j = 0; j < m; j++)
		sum[j] += discrete_in_steps(&noisy->sum, (x[j] - z[j]) * factor);
	sum[m] += discrete_in_steps(&noisy->sum, WIDTH * fmin(square, rho * rho) / rho);
}

enum err fedsc_answer_noisy(struct fedsc_party *p, const struct fedsc_question *q, double *x)
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

static size_t fewest_of(const struct fedsc_params *p)
{
	return p->variant == FEDSC_BY_ANCHORS && p->near >= p->k ? p->near + 1 : p->k;
}

/* Returns the number of landmarks at which each landmark still has clearly more rows than the noise
 * of a count. */
static size_t landmarks_of(const struct fedsc_params *p, double n, double deviation)
{
	double clear = n / (CLEAR * deviation), most = LANDMARKS * (double)p->k;
	size_t least = fewest_of(p);

	if (p->variant == FEDSC_BY_ANCHORS)
		most = p->dims ? p->dims : fmin(n / 5, fmax(ANCHORS, ANCHORS_EACH * (double)p->k));
	most = fmin(clear, most);
	return most > (double)least ? (size_t)most : least;
}

enum err fedsc_rounds_init(struct fedsc_rounds *run, struct parties *parties, size_t m,
			   const struct fedsc_params *p, struct fedsc_report *report)
{
	const struct fedsc_question ball = { .kind = FEDSC_BALL, .clip = p->clip };
	struct fedsc_noisy noisy;

	*run = (struct fedsc_rounds){ .parties = parties, .p = p, .radius = 1 };
	TRY(fedsc_count(parties, p, report));
	TRY(parties_sum_opened(parties, &ball, NULL, 0));
	TRY(fedsc_noisy_of(p, parties->count, m, 1, &noisy));
	run->deviation = noisy.deviation;
	report->scale = p->clip;
	report->dims = landmarks_of(p, report->n, noisy.deviation);
	rng_seed(&run->rng, p->seed, STREAM);
	run->most = report->dims;
	run->fewest = p->variant == FEDSC_BY_ANCHORS ? fewest_of(p) : 1;
	mat_init(&run->Z, run->most, m);
	run->Z.rows = 1; /* the first centre is at 0 */
	ALLOC(run->count, run->most);
	ALLOC(run->width, run->most);
	return ERR_OK;
}

void fedsc_rounds_release(struct fedsc_rounds *run)
{
	mat_release(&run->Z);
	free(run->count);
	free(run->width);
	run->count = run->width = NULL;
}

static void fedsc_private_move_centre(struct mat *Z, size_t j, const double *sum, double count)
{
	double square = 0;

	for (size_t c = 0; c < Z->cols; c++) {
		MAT(Z, j, c) += sum[c] / count;
		square += MAT(Z, j, c) * MAT(Z, j, c);
	}
	for (size_t c = 0; square > 1 && c < Z->cols; c++)
		MAT(Z, j, c) /= sqrt(square);
}

static enum err noisy_round(struct fedsc_rounds *run)
{
	struct fedsc_noisy noisy;
	struct fedsc_question q = { .kind = FEDSC_NOISY, .Z = &run->Z, .noisy = &noisy };
	size_t k = run->Z.rows, m = run->Z.cols, words = k * (m + 2);
	double *x;
	enum err err;

	TRY(fedsc_noisy_of(run->p, run->parties->count, m, run->radius, &noisy));
	ALLOC(x, words);
	parties_progress(run->parties, ++run->done, 0);
	err = parties_sum_opened(run->parties, &q, x, words);
	for (size_t j = 0; j < k && !err; j++) {
		const double *sum = x + k + j * (m + 1);

		run->count[j] = x[j];
		run->width[j] = fmax(0, sum[m] * run->radius / WIDTH);
		if (x[j] >= fmax(run->p->least, noisy.deviation))
			fedsc_private_move_centre(&run->Z, j, sum, x[j]);
	}
	free(x);
	run->radius *= SHRINK;
	progress_tick();
	return err;
}

static void fedsc_private_copy_centre(struct fedsc_rounds *c, size_t from, size_t to)
{
	memmove(ROW(&c->Z, to), ROW(&c->Z, from), c->Z.cols * sizeof(double));
	c->count[to] = c->count[from];
	c->width[to] = c->width[from];
}

/* Returns the number of centres with more rows than centre j. Of centres with equal counts, those
 * with a lower index come first. */
static size_t rank_of(const struct fedsc_rounds *c, size_t j)
{
	size_t before = 0;

	for (size_t i = 0; i < c->Z.rows; i++)
		before += c->count[i] > c->count[j] || (i < j && c->count[i] == c->count[j]);
	return before;
}

/* Keeps the centres whose counts exceed what may be noise. Always keeps the `fewest` centres with
 * most rows. */
static void fedsc_private_drop_centres(struct fedsc_rounds *c)
{
	size_t kept = 0;
	bool *stays = alloc(c->Z.rows, sizeof(*stays));

	for (size_t j = 0; j < c->Z.rows; j++)
		stays[j] = c->count[j] > NOISE_ALONE * c->deviation || rank_of(c, j) < c->fewest;
	for (size_t j = 0; j < c->Z.rows; j++)
		if (stays[j])
			fedsc_private_copy_centre(c, j, kept++);
	c->Z.rows = kept;
	free(stays);
}

/* Sets z = from + e u, with a random direction u. Numbers are rounded to float, so that all
 * machines compute the same although their logarithms and cosines round differently. */
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

/* Splits centres. The number of centres grows at most SPLIT-fold, and at most to c->most. Each new
 * part goes to the centre that then has the largest width per part. */
static void fedsc_private_split_centres(struct fedsc_rounds *c)
{
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
			displace(&c->rng, ROW(&c->Z, j), e, ROW(&c->Z, at++), m);
		if (share[j] > 1)
			displace(&c->rng, ROW(&c->Z, j), e, ROW(&c->Z, j), m);
	}
	free(share);
}

static void cluster_landmarks(struct fedsc_rounds *run)
{
	struct kmeans_params how = { .k = run->p->k,
				     .restarts = run->p->restarts,
				     .iterations = LLOYD,
				     .seed = run->p->seed,
				     .threads = run->p->threads };
	double *weight = alloc(run->Z.rows, sizeof(*weight));
	uint32_t *label = alloc(run->Z.rows, sizeof(*label));
	struct mat centres;

	for (size_t j = 0; j < run->Z.rows; j++)
		weight[j] = fmax(run->count[j], 1);
	kmeans(&run->Z, weight, &how, label, &centres, NULL);
	memcpy(run->Z.a, centres.a, centres.rows * centres.cols * sizeof(double));
	run->Z.rows = centres.rows;
	mat_release(&centres);
	free(label);
	free(weight);
}

enum err fedsc_noisy_landmarks(struct fedsc_rounds *run, unsigned rounds)
{
	parties_phase(run->parties, "landmarks");
	for (unsigned t = 0; t < rounds; t++) {
		TRY(noisy_round(run));
		fedsc_private_drop_centres(run);
		if (t + 1 < rounds)
			fedsc_private_split_centres(run);
	}
	return ERR_OK;
}

enum err fedsc_noisy_end(struct parties *parties, const struct mat *Z, const double *count,
			 struct fedsc_report *report)
{
	const struct fedsc_question nearest = { .kind = FEDSC_NEAREST, .Z = Z };

	TRY(parties_sum_opened(parties, &nearest, NULL, 0));
	report->k = (unsigned)Z->rows;
	ALLOC(report->size, Z->rows);
	for (size_t j = 0; j < Z->rows; j++)
		report->size[j] = fmax(0, nearbyint(count[j]));
	return ERR_OK;
}

static void fedsc_private_keep_centres(struct fedsc_report *report, const struct fedsc_params *p,
				       const struct mat *Z)
{
	mat_copy(&report->centres, Z);
	for (size_t e = 0; e < Z->rows * Z->cols; e++)
		report->centres.a[e] *= p->clip;
	fedsc_keep_clipped(report, Z->cols, Z, p->clip);
}

enum err fedsc_private(struct parties *parties, size_t m, const struct fedsc_params *p,
		       struct fedsc_report *report)
{
	unsigned T = p->lloyd, T1 = T - T * AFTER / OF;
	struct fedsc_rounds run;
	enum err err = fedsc_rounds_init(&run, parties, m, p, report);

	if (!err)
		err = fedsc_noisy_landmarks(&run, T1);
	if (!err) {
		cluster_landmarks(&run);
		parties_phase(parties, "kmeans");
	}
	for (unsigned t = T1; t < T && !err; t++)
		err = noisy_round(&run);
	if (!err)
		err = fedsc_noisy_end(parties, &run.Z, run.count, report);
	if (!err)
		fedsc_private_keep_centres(report, p, &run.Z);
	report->rounds = run.done;
	fedsc_rounds_release(&run);
	return err;
}
