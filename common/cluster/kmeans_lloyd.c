/* Lloyd's iterations, from seeds to the end of a restart.
 *
 * Once few rows move, bounds save most distances (Hamerly, SDM 2010): a row is skipped while its
 * distance to its own centre is certainly below its distances to all other centres. Sums of centres
 * are kept for each block of ROWSUM_ROWS rows, and computed again only where a label changed.
 * Neither the bounds nor the kept sums change a bit of the result. */
#include "common/base/alloc.h"
#include "common/base/progress.h"
#include "common/cluster/kmeans_own.h"
#include "common/linalg/rowsum.h"
#include "common/linalg/simd.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef long long ivec2 __attribute__((vector_size(16), aligned(8), may_alias));
#define NEAREST     nearest
#define NEAREST_TWO nearest_two
#define VEC         vec2
#define IVEC        ivec2
#define TARGET
#include "common/cluster/kmeans_nearest.inc"
#ifdef SIMD_AVX2
typedef long long ivec4 __attribute__((vector_size(32), aligned(8), may_alias));
#define NEAREST     nearest_avx2
#define NEAREST_TWO nearest_two_avx2
#define VEC         vec4
#define IVEC        ivec4
#define TARGET      __attribute__((target("avx2")))
#include "common/cluster/kmeans_nearest.inc"
#endif

/* Bounds are kept from one iteration to the next once fewer than one row in BOUND_FROM changes its
 * label. */
enum { BOUND_FROM = 16 };
/* Safety margins, so that bounds hold for distances as computed. ROOM exceeds the relative rounding
 * error of a distance in at most 64 dimensions. STEP exceeds the relative rounding error of an
 * addition. TINY exceeds the error of an underflow. */
static const double ROOM = 1e-13, STEP = 1e-15, TINY = 1e-150;
/* INERTIA_ROOM times the sum of the rows' squares exceeds the rounding error of an inertia that
 * lloyd_inertia() computes. If rows lie far from 0, this sum is much larger than the inertia. */
static const double INERTIA_ROOM = 1e-11;

struct lloyd {
	const struct distance_rows *rows;
	const double *weight;
	const struct kmeans_params *p;
	struct seeding *seeding;
	struct restart *r;
	size_t n, d;
	struct distance to;
	double *D; /* k x DISTANCE_STRIDE: distances of one block, never of all rows */
	/* n rounded up to whole blocks: least distances of the last assignment, valid if `whole` */
	double *least;
	bool whole;
	/* n bounds each, valid if `bounded`; NULL if `column` is NULL. upper: the distance of a
	 * row to its own centre is at most this. lower: its distances to all other centres are at
	 * least this. */
	double *upper, *lower;
	bool bounded;
	double *move;      /* k: bound of each centre's movement since the last assignment */
	struct mat before; /* the centres of the last assignment */
	double *column;    /* d x DISTANCE_STRIDE: copies of rows that bounds do not decide */
	size_t gathered[DISTANCE_ROWS], count;
	double squares; /* weighted sum of the squares of all ranks' rows */
	double *sum;    /* sums of each block of ROWSUM_ROWS rows; NULL: not kept */
	bool *stale;    /* blocks whose labels changed since they were summed */
};

static void lloyd_label(struct lloyd *l, size_t i, uint32_t label, size_t *moved)
{
	if (l->r->label[i] == label)
		return;
	l->r->label[i] = label;
	l->stale[i / ROWSUM_ROWS] = true;
	++*moved;
}

static void lloyd_bound(struct lloyd *l, size_t i, double least, double second)
{
	l->upper[i] = sqrt(least) * (1 + ROOM) + TINY;
	l->lower[i] = sqrt(second) * (1 - ROOM) - TINY;
}

/* Assigns all rows of the block that begins at row `first`. */
static void lloyd_block(struct lloyd *l, size_t first, bool bound, size_t *moved)
{
	size_t rows = distance_count(l->n, first);
	uint32_t label[DISTANCE_ROWS];
	double second[DISTANCE_ROWS];

	distance_by_centre(&l->to, l->rows, first, l->D);
	if (!bound) {
		SIMD_PICK(nearest)(l->D, rows, l->to.k, label, l->least + first);
	} else {
		SIMD_PICK(nearest_two)(l->D, rows, l->to.k, label, l->least + first, second);
		for (size_t i = 0; i < rows; i++)
			lloyd_bound(l, first + i, l->least[first + i], second[i]);
	}
	for (size_t i = 0; i < rows; i++)
		lloyd_label(l, first + i, label[i], moved);
}

static void lloyd_gathered(struct lloyd *l, size_t *moved)
{
	uint32_t label[DISTANCE_ROWS];
	double least[DISTANCE_ROWS], second[DISTANCE_ROWS];

	distance_columns(&l->to, l->column, l->count, l->D);
	SIMD_PICK(nearest_two)(l->D, l->count, l->to.k, label, least, second);
	for (size_t i = 0; i < l->count; i++) {
		lloyd_bound(l, l->gathered[i], least[i], second[i]);
		lloyd_label(l, l->gathered[i], label[i], moved);
	}
	l->count = 0;
}

static void gather(struct lloyd *l, size_t i, size_t *moved)
{
	const double *z = ROW(l->rows->Z, i);

	for (size_t j = 0; j < l->d; j++)
		l->column[j * DISTANCE_STRIDE + l->count] = z[j];
	l->gathered[l->count++] = i;
	if (l->count == DISTANCE_ROWS)
		lloyd_gathered(l, moved);
}

/* Updates the bounds of a block for the current centres. fastest: the centre that moved furthest;
 * next: the longest movement of another centre. Lists in `loose` the rows that the bounds do not
 * decide, and returns their number. */
static size_t lloyd_loose(struct lloyd *l, size_t first, size_t fastest, double next, size_t *loose)
{
	size_t rows = distance_count(l->n, first), count = 0;
	double most = l->move[fastest];

	for (size_t i = first; i < first + rows; i++) {
		uint32_t own = l->r->label[i];
		double way = own == fastest ? next : most;

		l->upper[i] = (l->upper[i] + l->move[own]) * (1 + STEP);
		l->lower[i] -= way + STEP * (fabs(l->lower[i]) + way);
		loose[count] = i;
		count += !(l->upper[i] * (1 + ROOM) < l->lower[i]);
	}
	return count;
}

static size_t lloyd_assign_bounded(struct lloyd *l)
{
	size_t fastest = 0, moved = 0, loose[DISTANCE_ROWS];
	double next = 0;

	for (size_t r = 1; r < l->to.k; r++)
		if (l->move[r] > l->move[fastest])
			fastest = r;
	for (size_t r = 0; r < l->to.k; r++)
		if (r != fastest)
			next = fmax(next, l->move[r]);
	for (size_t first = 0; first < l->n; first += DISTANCE_ROWS) {
		size_t count = lloyd_loose(l, first, fastest, next, loose);

		if (2 * count > DISTANCE_ROWS) /* gathering would cost as much */
			lloyd_block(l, first, true, &moved);
		else
			for (size_t i = 0; i < count; i++)
				gather(l, loose[i], &moved);
	}
	lloyd_gathered(l, &moved);
	return moved;
}

/* Assigns each row to the nearest centre. whole: computes all distances, for l->least. bound: if
 * all distances are computed, also sets the bounds from them. Returns how many labels of this
 * process's rows changed. */
static size_t lloyd_assign(struct lloyd *l, bool whole, bool bound)
{
	size_t moved = 0;

	distance_set(&l->to, l->r->centres.a);
	l->whole = whole || !l->bounded;
	if (!l->whole)
		return lloyd_assign_bounded(l);
	for (size_t first = 0; first < l->n; first += DISTANCE_ROWS)
		lloyd_block(l, first, bound, &moved);
	l->bounded = bound;
	return moved;
}

/* Assigns by the 1/9 step (kmeans.h): rows that are not near enough to a centre get the label k. */
static void lloyd_ninth(struct lloyd *l)
{
	uint32_t label[DISTANCE_ROWS];
	double second[DISTANCE_ROWS];

	distance_set(&l->to, l->r->centres.a);
	for (size_t first = 0; first < l->n; first += DISTANCE_ROWS) {
		size_t rows = distance_count(l->n, first);
		double *least = l->least + first;

		distance_by_centre(&l->to, l->rows, first, l->D);
		SIMD_PICK(nearest_two)(l->D, rows, l->to.k, label, least, second);
		for (size_t i = 0; i < rows; i++)
			l->r->label[first + i] =
			    least[i] <= second[i] / 9 ? label[i] : (uint32_t)l->to.k;
	}
}

/* Returns the inertia of the current labels about the clusters' means: `squares` minus the means'
 * squares, each times its cluster's weight. total: sums as for kmeans_means_of(). */
static double lloyd_inertia(const struct lloyd *l, const double *total)
{
	const struct mat *c = &l->r->centres;
	const double *weight = total + kmeans_sum_width(c->rows, c->cols) / (l->d + 1) * l->d;
	double explained = 0;

	for (size_t r = 0; r < c->rows; r++)
		explained += weight[r] * mat_square(ROW(c, r), c->cols);
	return l->squares - explained;
}

/* Moves the centres to the means of their rows. Returns the inertia about the means, or -INFINITY
 * if sums are not kept. */
static double lloyd_means(struct lloyd *l)
{
	size_t width = kmeans_sum_width(l->p->k, l->d);
	struct mat *c = &l->r->centres;
	double *total, inertia;
	struct rowsum s;

	memcpy(l->before.a, c->a, c->rows * c->cols * sizeof(double));
	if (!l->sum) {
		kmeans_centres_of(l->p->ranks, l->rows->Z, l->weight, l->r->label, c);
		return -INFINITY;
	}
	ALLOC(total, width);
	ranks_sum_begin(l->p->ranks, &s, width, NULL, NULL);
	for (size_t b = 0; b < rowsum_blocks(l->n); b++) {
		size_t first = b * ROWSUM_ROWS;
		double *kept = l->sum + b * width;

		if (l->stale[b]) {
			memset(kept, 0, width * sizeof(*kept));
			kmeans_sum_block(ROW(l->rows->Z, first), rowsum_rows(l->n, b), l->d,
					 l->p->k, l->weight ? l->weight + first : NULL,
					 l->r->label + first, kept);
			l->stale[b] = false;
		}
		memcpy(rowsum_open(&s), kept, width * sizeof(*kept));
		rowsum_close(&s);
	}
	ranks_sum_end(l->p->ranks, &s, total);
	kmeans_means_of(total, c);
	inertia = lloyd_inertia(l, total);
	free(total);
	return inertia;
}

static void measure_moves(struct lloyd *l)
{
	for (size_t r = 0; r < l->p->k; r++)
		l->move[r] =
		    sqrt(mat_square_between(ROW(&l->before, r), ROW(&l->r->centres, r), l->d)) *
			(1 + ROOM) +
		    TINY;
}

/* Returns the weighted sum of `value`, which has one number per row, over the rows of all ranks. */
static double sum_of(const struct ranks *R, const double *value, const double *weight, size_t n)
{
	struct rowsum all;
	double total;

	ranks_sum_begin(R, &all, 1, NULL, NULL);
	for (size_t b = 0; b < rowsum_blocks(n); b++) {
		size_t first = b * ROWSUM_ROWS, last = first + rowsum_rows(n, b);
		double *to = rowsum_open(&all);

		for (; first < last; first += DISTANCE_ROWS) {
			double sum = 0;

			for (size_t i = first; i < first + distance_count(n, first); i++)
				sum += kmeans_weight_of(weight, i) * value[i];
			*to += sum;
		}
		rowsum_close(&all);
	}
	ranks_sum_end(R, &all, &total);
	return total;
}

/* Iterates until no label changes, the iterations are used up, or the job is stopped. Returns false
 * if it gave up before, because `goal` seemed out of reach. */
static bool iterate(struct lloyd *l, double goal)
{
	const struct kmeans_params *p = l->p;
	bool can_bound = l->column != NULL, bound = false;
	double before = INFINITY;

	for (size_t i = 0; i < l->n; i++)
		l->r->label[i] = UINT32_MAX; /* the first assignment moves every row */
	memset(l->stale, true, rowsum_blocks(l->n));
	for (unsigned t = 0; t < p->iterations; t++) {
		size_t moved = lloyd_assign(l, t + 1 == p->iterations, bound);
		double now;

		bound = can_bound && moved < l->n / BOUND_FROM;
		if (ranks_total(p->ranks, moved) == 0 || progress_stopped())
			break;
		now = lloyd_means(l);
		if (now - goal > (p->iterations - t) * (before - now + INERTIA_ROOM * l->squares))
			return false;
		before = now;
		if (l->bounded)
			measure_moves(l);
		progress_tick();
	}
	if (!l->whole)
		lloyd_assign(l, true, false);
	return true;
}

void lloyd_run(struct lloyd *l, uint64_t number, double goal, struct restart *r)
{
	const struct kmeans_params *p = l->p;

	l->r = r;
	l->bounded = l->whole = false;
	ALLOC(r->label, l->n);
	mat_init(&r->centres, p->k, l->d);
	if (p->start && number == 0)
		memcpy(r->centres.a, p->start->a, p->k * l->d * sizeof(double));
	else
		kmeans_seed(l->seeding, p->seed, number, &r->centres);
	if (p->ninth) {
		lloyd_ninth(l);
		kmeans_centres_of(p->ranks, l->rows->Z, l->weight, r->label, &r->centres);
	}
	r->inertia = iterate(l, goal) ? sum_of(p->ranks, l->least, l->weight, l->n) : INFINITY;
}

struct lloyd *lloyd_new(const struct distance_rows *rows, const double *weight,
			const struct kmeans_params *p)
{
	size_t n = rows->Z->rows, d = rows->Z->cols, blocks = rowsum_blocks(n);
	size_t width = kmeans_sum_width(p->k, d);
	struct lloyd *l = alloc(1, sizeof(*l));

	*l = (struct lloyd){ .rows = rows, .weight = weight, .p = p, .n = n, .d = d };
	l->seeding = kmeans_seeding(rows, weight, p);
	distance_init(&l->to, p->k, d);
	ALLOC(l->D, DISTANCE_STRIDE * p->k);
	ALLOC(l->least, n + DISTANCE_ROWS);
	ALLOC(l->stale, blocks);
	ALLOC(l->move, p->k);
	mat_init(&l->before, p->k, d);
	if (distance_has_columns(&l->to, rows)) {
		ALLOC(l->column, d * DISTANCE_STRIDE);
		ALLOC(l->upper, n);
		ALLOC(l->lower, n);
	}
	if (blocks * width <= n * d)
		ALLOC(l->sum, blocks * width);
	for (size_t i = 0; i < n; i++)
		l->least[i] = mat_square(ROW(rows->Z, i), d);
	l->squares = sum_of(p->ranks, l->least, weight, n);
	return l;
}

void lloyd_free(struct lloyd *l)
{
	kmeans_seeding_free(l->seeding);
	distance_release(&l->to);
	mat_release(&l->before);
	free(l->D);
	free(l->least);
	free(l->stale);
	free(l->move);
	free(l->column);
	free(l->upper);
	free(l->lower);
	free(l->sum);
	free(l);
}
