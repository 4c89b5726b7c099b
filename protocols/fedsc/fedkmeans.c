#include "protocols/fedsc/fedkmeans.h"
#include "common/base/alloc.h"
#include "common/base/sort.h"
#include "common/base/progress.h"
#include "common/base/rng.h"
#include "common/cluster/stability.h"
#include "common/cluster/kmeans.h"
#include "protocols/fedsc/own.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { STREAM = 0x6c6267 }; /* stream of random numbers by which clusters are split */

/* Limits of the search for landmarks. PATIENCE: number of doublings without gain before the search
 * ends. TRAPS: maximum number of centres per landmark, including centres that hold outliers.
 * DOUBLINGS: maximum number of doublings (12 make 4096 centres). */
enum { PATIENCE = 8, TRAPS = 4, DOUBLINGS = 64 };

void fedkmeans_centres_init(struct fedkmeans_centres *c, const struct mat *Z)
{
	*c = (struct fedkmeans_centres){ 0 };
	mat_copy(&c->Z, Z);
	ALLOC(c->count, Z->rows);
	ALLOC(c->spread, Z->rows);
}

void fedkmeans_centres_release(struct fedkmeans_centres *c)
{
	mat_release(&c->Z);
	free(c->count);
	free(c->spread);
	*c = (struct fedkmeans_centres){ 0 };
}

static void move_centre(struct fedkmeans_centres *c, size_t from, size_t to)
{
	if (from == to)
		return;
	memcpy(ROW(&c->Z, to), ROW(&c->Z, from), c->Z.cols * sizeof(double));
	c->count[to] = c->count[from];
	c->spread[to] = c->spread[from];
}

static enum err fedkmeans_sum_answers(struct fedkmeans *loop, const struct fedkmeans_question *q,
				      double *x, size_t words)
{
	struct fedsc_question question = { .kind = FEDSC_CLUSTERS, .clusters = q };

	return parties_sum_opened(loop->parties, &question, x, words);
}

enum err fedkmeans_count(struct fedkmeans *loop, struct fedkmeans_centres *c)
{
	struct fedkmeans_question ask = { .kind = FEDKMEANS_COUNTS, .centres = &c->Z };
	size_t k = c->Z.rows;
	double all = 0;

	parties_progress(loop->parties, ++loop->rounds, 0);
	TRY(fedkmeans_sum_answers(loop, &ask, c->count, k));
	TRY(parties_check_counts(loop->parties->phase, "rows of cluster", c->count, k, loop->n,
				 &all));
	if (all != loop->n) /* each row must be in exactly one cluster */
		return err_set(ERR_PEER,
			       "the parties say that %zu clusters have %.17g rows of %.17g "
			       "(during %s)",
			       k, all, loop->n, loop->parties->phase);
	return ERR_OK;
}

static double take_mean(struct fedkmeans_centres *c, size_t i, const double *sum)
{
	size_t m = c->Z.cols;
	double square = 0;

	for (size_t j = 0; j < m; j++) {
		double mean = sum[j] / c->count[i], by = mean - MAT(&c->Z, i, j);

		square += by * by;
		MAT(&c->Z, i, j) = mean;
	}
	/* Rounding to the fixed point may make the sum slightly negative. */
	c->spread[i] = sum[m] > 0 ? sum[m] : 0;
	return sqrt(square);
}

enum err fedkmeans_round(struct fedkmeans *loop, double least, bool drop,
			 struct fedkmeans_centres *c, double *moved)
{
	struct fedkmeans_question ask = { .kind = FEDKMEANS_SUMS, .least = least };
	size_t m = c->Z.cols, kept = 0, words;
	double most = 0, *sums, *next;
	enum err err;

	assert(least >= 1 && c->Z.rows > 0);
	TRY(fedkmeans_count(loop, c));
	ask.count = c->count;
	ask.k = c->Z.rows;
	words = fedkmeans_words(&ask, m);
	drop = drop && words; /* if all centres would be dropped, drop none */
	ALLOC(sums, words);
	next = sums;
	err = words ? fedkmeans_sum_answers(loop, &ask, sums, words) : ERR_OK;
	for (size_t i = 0; !err && i < c->Z.rows; i++) {
		bool stays = c->count[i] >= least;

		if (stays) {
			most = fmax(most, take_mean(c, i, next));
			next += m + 1;
		} else {
			c->spread[i] = 0;
		}
		if (stays || !drop)
			move_centre(c, i, kept++);
	}
	free(sums);
	TRY(err);
	c->dropped += c->Z.rows - kept;
	c->Z.rows = kept;
	if (moved)
		*moved = most;
	progress_tick();
	return ERR_OK;
}

enum err fedkmeans_lloyd(struct fedkmeans *loop, double least, unsigned rounds, double tolerance,
			 struct fedkmeans_centres *c, unsigned *used)
{
	double moved = INFINITY;
	unsigned unused;

	used = used ? used : &unused;
	for (*used = 0; *used < rounds && moved > tolerance; ++*used)
		TRY(fedkmeans_round(loop, least, false, c, &moved));
	return ERR_OK;
}

enum err fedkmeans_measure(struct fedkmeans *loop, const struct fedkmeans_centres *c,
			   struct selection_point *p)
{
	struct fedkmeans_question ask = { .kind = FEDKMEANS_MARGIN,
					  .count = c->count,
					  .k = c->Z.rows };
	double margins = 0;

	TRY(fedkmeans_sum_answers(loop, &ask, &margins, 1));
	/* The tolerance allows for rounding, since each party rounds its term to the fixed
	 * point. */
	if (!(margins > -1e-3 * loop->n && margins < 1.001 * loop->n))
		return err_set(
		    ERR_PEER,
		    "the parties say that the margins of %g rows add to %.17g (during %s)", loop->n,
		    margins, loop->parties->phase);
	*p = (struct selection_point){ .silhouette = margins / loop->n };
	for (size_t i = 0; i < c->Z.rows; i++)
		p->inertia += c->spread[i];
	p->ratio = selection_ratio(&c->Z, c->count, p->inertia);
	return ERR_OK;
}

void fedkmeans_take_chosen(const struct selection *s, struct fedkmeans_centres tried[SELECTION_MAX],
			   struct fedkmeans_centres *best)
{
	size_t chosen = selection_k(s) - s->from;

	*best = tried[chosen];
	tried[chosen] = (struct fedkmeans_centres){ 0 };
	for (size_t i = 0; i < SELECTION_MAX; i++)
		fedkmeans_centres_release(&tried[i]);
}

static void fedkmeans_split_centres(struct fedkmeans_centres *c, size_t more, double by,
				    struct rng *rng)
{
	size_t k = c->Z.rows, m = c->Z.cols;
	struct keyed *rank; /* clusters in order of falling spread */

	ALLOC(rank, k);
	for (size_t i = 0; i < k; i++)
		rank[i] = (struct keyed){ -c->spread[i], (uint32_t)i };
	sort_keyed(rank, k);
	c->Z.a = alloc_again(c->Z.a, (k + more) * m, sizeof(double));
	c->count = alloc_again(c->count, k + more, sizeof(double));
	c->spread = alloc_again(c->spread, k + more, sizeof(double));
	c->Z.rows = k + more;
	for (size_t t = 0; t < more; t++) {
		size_t i = rank[t].item;
		double e = by * sqrt(c->spread[i] / (c->count[i] * (double)m));

		for (size_t j = 0; j < m; j++) {
			/* Rounded to float, so that all machines compute the same number although
			 * their logarithms and cosines round differently. */
			double z = MAT(&c->Z, i, j), off = (float)(e * rng_normal(rng));

			MAT(&c->Z, i, j) = z + off;
			MAT(&c->Z, k + t, j) = z - off;
		}
		c->count[k + t] = c->spread[k + t] = 0;
	}
	free(rank);
}

static size_t live(const struct fedkmeans_centres *c, double least)
{
	size_t count = 0;

	for (size_t i = 0; i < c->Z.rows; i++)
		count += c->count[i] >= least;
	return count;
}

/* Drops centres with fewer than `least` rows. The few rows of such a centre were in no sum. */
static void drop_below(struct fedkmeans_centres *c, double least)
{
	size_t kept = 0;

	for (size_t i = 0; i < c->Z.rows; i++)
		if (c->count[i] >= least)
			move_centre(c, i, kept++);
	c->dropped += c->Z.rows - kept;
	c->Z.rows = kept;
}

/* Splits centres, so that the number of live ones (with at least p->least rows) can double, up to
 * p->most. Restores the old centres if none is live afterwards. */
static enum err fedkmeans_grow(struct fedkmeans *loop, const struct fedkmeans_landmarks *p,
			       bool drop, double by, struct rng *rng, struct fedkmeans_centres *c,
			       size_t *alive)
{
	size_t room = p->most - *alive;
	struct fedkmeans_centres before;
	enum err err = ERR_OK;

	fedkmeans_centres_init(&before, &c->Z);
	memcpy(before.count, c->count, c->Z.rows * sizeof(double));
	memcpy(before.spread, c->spread, c->Z.rows * sizeof(double));
	before.dropped = c->dropped;
	fedkmeans_split_centres(c, *alive < room ? *alive : room, by, rng);
	for (unsigned t = 0; !err && t < p->rounds; t++)
		err = fedkmeans_round(loop, p->least, drop, c, NULL);
	if (!err && live(c, p->least) == 0) {
		struct fedkmeans_centres dead = *c;

		*c = before;
		before = dead;
	}
	fedkmeans_centres_release(&before);
	TRY(err);
	/* Centres of small clusters stay as traps for outliers. A trap without rows has no
	 * effect, so drop it. */
	drop_below(c, 1);
	*alive = live(c, p->least);
	return ERR_OK;
}

/* An outlier widens a cluster so much that both halves lie far from most of its rows. Each such
 * split gives the outlier a centre of its own, which is dropped because it has too few rows. So a
 * single row could end the search at one landmark. The search therefore watches the number of
 * landmarks. If this number stops rising below half of what the rows could support, later splits
 * are closer. Centres of small clusters then stay as traps, which keep outliers out of every
 * sum. */
enum err fedkmeans_landmarks(struct fedkmeans *loop, const struct fedkmeans_landmarks *p,
			     const struct mat *mean, struct fedkmeans_centres *c)
{
	unsigned still = 0;
	bool drop = true;
	size_t alive = 1;
	double carried;
	struct rng rng;

	assert(mean->rows == 1 && p->most > 0);
	rng_seed(&rng, p->seed, STREAM);
	fedkmeans_centres_init(c, mean);
	TRY(fedkmeans_round(loop, p->least, true, c, NULL));
	carried = fmin((double)p->most, c->count[0] / (4 * p->least));
	for (unsigned t = 0; t < DOUBLINGS && alive < p->most && c->Z.rows < TRAPS * p->most; t++) {
		size_t before = alive;

		TRY(fedkmeans_grow(loop, p, drop, 0.5 * pow(0.25, still), &rng, c, &alive));
		still = alive <= before ? still + 1 : 0;
		if (still > PATIENCE || (still && 2 * (double)alive >= carried))
			break;
		drop = drop && !still;
	}
	for (unsigned t = 0; t < p->last; t++)
		TRY(fedkmeans_round(loop, p->least, drop, c, NULL));
	drop_below(c, p->least);
	if (c->Z.rows == 0)
		return err_set(ERR_JOB,
			       "no %g rows are near each other: a smaller minimum is needed",
			       p->least);
	return ERR_OK;
}

void fedkmeans_defaults(struct fedkmeans_params *p, unsigned k, double least, uint64_t seed,
			unsigned threads)
{
	*p = (struct fedkmeans_params){
		.k = k,
		.landmarks = { .least = least, .rounds = 4, .last = 10, .seed = seed },
		.restarts = 20,
		.lloyd = 100,
		.tolerance = 1e-6,
		.threads = threads
	};
}

/* Returns the number of landmarks to search for among n rows: landmarks.most or its default. */
static size_t fedkmeans_most(const struct fedkmeans_params *p, double n)
{
	size_t most = p->landmarks.most, fifth = (size_t)(n / 5);

	if (most == 0) {
		most = (size_t)20 * p->k > 100 ? (size_t)20 * p->k : 100;
		most = most < fifth ? most : fifth;
	}
	return most > p->k ? most : p->k;
}

/* Fills c with k centres by a k-means of the landmarks. It needs no sums, because landmarks
 * represent the rows near them. */
static enum err fedkmeans_find_clusters(struct fedkmeans *loop, const struct fedkmeans_params *p,
					unsigned k, const struct fedkmeans_centres *landmarks,
					double tolerance, struct fedkmeans_centres *c,
					unsigned *rounds)
{
	struct kmeans_params how = { .k = k,
				     .restarts = p->restarts,
				     .iterations = 100,
				     .seed = p->landmarks.seed,
				     .threads = p->threads };
	uint32_t *label;
	struct mat Z;

	ALLOC(label, landmarks->Z.rows);
	kmeans(&landmarks->Z, landmarks->count, &how, label, &Z, NULL);
	free(label);
	fedkmeans_centres_init(c, &Z);
	mat_release(&Z);
	TRY(fedkmeans_lloyd(loop, p->landmarks.least, p->lloyd, tolerance, c, rounds));
	return fedkmeans_count(loop, c);
}

/* Selects the best k of the range. A last counting with these centres gives the parties their
 * labels. */
static enum err fedkmeans_select_clusters(struct fedkmeans *loop, const struct fedkmeans_params *p,
					  const struct fedkmeans_centres *landmarks,
					  double tolerance, struct fedkmeans_centres *best,
					  struct fedkmeans_report *report)
{
	struct fedkmeans_centres tried[SELECTION_MAX] = { 0 };
	unsigned rounds[SELECTION_MAX] = { 0 };
	struct selection *s = &report->selection;
	enum err err = ERR_OK;

	s->from = p->k_from;
	for (unsigned k = p->k_from, i = 0; k <= p->k && !err; k++, i++) {
		struct selection_point point = { 0 };

		err = fedkmeans_find_clusters(loop, p, k, landmarks, tolerance, &tried[i],
					      &rounds[i]);
		if (!err)
			err = fedkmeans_measure(loop, &tried[i], &point);
		/* Stability is measured on the landmarks, because no party sees another party's
		 * rows. */
		if (!err) {
			selection_add(s, point);
			selection_stability(s, stability_of(&landmarks->Z, landmarks->count, k,
							    p->landmarks.seed, p->threads));
		}
	}
	fedkmeans_take_chosen(s, tried, best);
	report->rounds = rounds[selection_k(s) - s->from];
	return err ? err : fedkmeans_count(loop, best);
}

enum err fedkmeans_run(struct fedkmeans *loop, const struct fedkmeans_params *p,
		       const struct mat *mean, struct fedkmeans_centres *c,
		       struct fedkmeans_report *report)
{
	struct fedkmeans_params how = *p;
	struct fedkmeans_centres landmarks = { 0 };
	double spread = 0, tolerance;
	enum err err;

	*c = (struct fedkmeans_centres){ 0 };
	*report = (struct fedkmeans_report){ 0 };
	if (p->k == 0 || p->k > loop->n)
		return err_set(ERR_INPUT, "%u clusters of %g rows, expected 1 to as many as rows",
			       p->k, loop->n);
	how.landmarks.most = fedkmeans_most(p, loop->n);
	err = fedkmeans_landmarks(loop, &how.landmarks, mean, &landmarks);
	report->landmarks = landmarks.Z.rows;
	report->dropped = landmarks.dropped;
	for (size_t i = 0; i < landmarks.Z.rows; i++)
		spread += landmarks.spread[i];
	tolerance = p->tolerance * sqrt(spread / loop->n);
	if (!err && landmarks.Z.rows < p->k)
		err = err_set(ERR_JOB,
			      "only %zu landmarks have %g rows or more, for %u clusters: fewer "
			      "clusters or a smaller minimum are needed",
			      landmarks.Z.rows, how.landmarks.least, p->k);
	if (!err)
		err = p->k_from
			  ? fedkmeans_select_clusters(loop, &how, &landmarks, tolerance, c, report)
			  : fedkmeans_find_clusters(loop, &how, p->k, &landmarks, tolerance, c,
						    &report->rounds);
	fedkmeans_centres_release(&landmarks);
	for (size_t i = 0; !err && i < c->Z.rows; i++)
		report->inertia += c->spread[i];
	return err;
}
