#include "common/base/alloc.h"
#include "common/base/progress.h"
#include "common/base/rng.h"
#include "common/cluster/kmeans_own.h"
#include "common/linalg/rowsum.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* SIDE: number of candidates whose sums are computed side by side, since each addition to a sum
 * waits for the previous one. */
enum { SIDE = 4, BLOCKS = ROWSUM_ROWS / DISTANCE_ROWS };

/* Squared distances to the nearest centre so far, and cumulative sums of weight * distance. The
 * sums begin at the first row of all ranks. */
struct plane {
	double *near;       /* per row of this process */
	double *sum;        /* per block: cumulative, up to its last row */
	double before, all; /* sum before this process's first row; sum over all ranks' rows */
};

/* Greedy k-means++ (Arthur, Vassilvitskii 2007). Several candidates are tried for each centre. The
 * candidate with the lowest potential becomes the centre. The potential is the sum over rows of
 * weight * near. The next centre's candidates are drawn from the same sums, so the sums are kept
 * for each block of DISTANCE_ROWS rows. Each chunk of ROWSUM_ROWS rows is summed separately, then
 * the chunks are added in order. */
struct seeding {
	const struct ranks *R;
	const struct distance_rows *rows;
	const double *weight;
	size_t n, blocks, chunks, trials; /* chunks: number of chunks of ROWSUM_ROWS rows */
	struct mat planes, sums;
	/* now: state with the current centres. with: for each trial, the state with its candidate
	 * as a further centre */
	struct plane now, *with;
	double *chunk;
	double *gap;
	struct mat candidate;
	struct distance to;
	struct rng rng;
};

/* Computes sums within each chunk, for the first min(count, SIDE) planes. If count < SIDE, sums
 * plane 0 again in place of the missing ones. own: receives the sums of chunks, `stride` numbers
 * apart. */
static void sum_side(const struct seeding *s, struct plane *plane, size_t count, size_t stride,
		     double *own)
{
	double so_far[SIDE] = { 0 }, *sum[SIDE];
	const double *near[SIDE];

	for (size_t t = 0; t < SIDE; t++) {
		near[t] = plane[t < count ? t : 0].near;
		sum[t] = plane[t < count ? t : 0].sum;
	}
	for (size_t b = 0; b < s->blocks; b++) {
		size_t first = b * DISTANCE_ROWS, end = first + distance_count(s->n, first);

		for (size_t t = 0; t < SIDE && first % ROWSUM_ROWS == 0; t++)
			so_far[t] = 0;
		for (size_t i = first; i < end; i++) {
			double w = kmeans_weight_of(s->weight, i);

			for (size_t t = 0; t < SIDE; t++)
				so_far[t] += w * near[t][i];
		}
		for (size_t t = 0; t < SIDE; t++)
			sum[t][b] = so_far[t];
	}
	for (size_t c = 0; c < s->chunks; c++)
		for (size_t t = 0; t < SIDE && t < count; t++)
			own[c * stride + t] = sum[t][min_size((c + 1) * BLOCKS, s->blocks) - 1];
}

/* Adds `before`, the sum of all previous chunks, to the sums of this chunk. */
static void move_up(const struct seeding *s, struct plane *plane, size_t chunk, double before)
{
	for (size_t b = chunk * BLOCKS; b < (chunk + 1) * BLOCKS && b < s->blocks; b++)
		plane->sum[b] = before + plane->sum[b];
}

static void sum_planes(const struct seeding *s, struct plane *plane, size_t count)
{
	size_t first = ranks_first(s->R) / ROWSUM_ROWS, all = s->chunks;
	double *each = s->chunk;

	for (size_t t = 0; t < count; t += SIDE)
		sum_side(s, plane + t, count - t, count, s->chunk + t);
	if (s->R)
		each = ranks_gather(s->R, count * sizeof(*each), s->chunk, all, &all);
	for (size_t t = 0; t < count; t++) {
		double so_far = plane[t].before = 0;

		for (size_t c = 0; c < all; c++) {
			if (c == first)
				plane[t].before = so_far;
			if (c >= first && c < first + s->chunks)
				move_up(s, &plane[t], c - first, so_far);
			so_far += each[c * count + t];
		}
		plane[t].all = so_far;
	}
	if (s->R)
		free(each);
}

static void measure_candidates(struct seeding *s, size_t count)
{
	distance_set(&s->to, s->candidate.a);
	for (size_t first = 0; first < s->n; first += DISTANCE_ROWS) {
		size_t rows = distance_count(s->n, first);

		distance_by_centre(&s->to, s->rows, first, s->gap);
		for (size_t t = 0; t < count; t++) {
			const double *near = s->now.near + first;
			const double *gap = s->gap + t * DISTANCE_STRIDE;
			double *left = s->with[t].near + first;

			for (size_t i = 0; i < rows; i++)
				left[i] = near[i] < gap[i] ? near[i] : gap[i];
		}
	}
	sum_planes(s, s->with, count);
}

struct drawn {
	/* found: a row's cumulative sum exceeds the target. has: a row has non-zero mass */
	bool found, has;
	size_t row;
};

/* Finds the first of this process's rows at which the cumulative sum exceeds the target: first the
 * block, then the row in it. If rounding leaves no such row, takes the last row with non-zero mass
 * (weight * near). */
static struct drawn draw_own(const struct seeding *s, double target)
{
	size_t b = 0, end = s->n;
	bool found;
	double sum;

	while (b < s->blocks && !(s->now.sum[b] > target))
		b++;
	found = b < s->blocks;
	if (found)
		end = b * DISTANCE_ROWS + distance_count(s->n, b * DISTANCE_ROWS);
	sum = b > 0 ? s->now.sum[b - 1] : s->now.before;
	for (size_t i = b * DISTANCE_ROWS; i < end; i++) {
		sum += kmeans_weight_of(s->weight, i) * s->now.near[i];
		if (sum > target)
			return (struct drawn){ found, true, ranks_first(s->R) + i };
	}
	for (size_t i = end; i-- > 0;)
		if (!(kmeans_weight_of(s->weight, i) * s->now.near[i] <= 0))
			return (struct drawn){ found, true, ranks_first(s->R) + i };
	return (struct drawn){ .found = found };
}

/* Returns the row that one process with all rows would draw; R->n if no row has mass. */
static size_t drawn_of_all(const struct ranks *R, const struct drawn *own)
{
	struct drawn *each = ranks_all(R, sizeof(*own), own);
	size_t row = R->n;

	for (size_t q = R->count; q-- > 0;)
		if (each[q].has && (each[q].found || row == R->n))
			row = each[q].row;
	free(each);
	return row;
}

/* Draws a row from the rows of all ranks, with probability proportional to weight * near, and
 * copies it to `to`. Draws a row of zero mass only if no row has mass. */
static void kmeans_draw_row(struct seeding *s, double *to)
{
	size_t n = ranks_n(s->R, s->n), bytes = s->candidate.cols * sizeof(*to);
	struct drawn own = draw_own(s, rng_unit(&s->rng) * s->now.all);
	size_t row = s->R ? drawn_of_all(s->R, &own) : own.has ? own.row : n, owner;

	if (row == n) /* there are fewer distinct rows than centres: takes any row */
		row = rng_below(&s->rng, n);
	owner = ranks_owner(s->R, row);
	if (!s->R || owner == s->R->own)
		memcpy(to, ROW(s->rows->Z, row - ranks_first(s->R)), bytes);
	ranks_broadcast(s->R, owner, to, bytes);
}

static void kmeans_swap_pointers(struct plane *a, struct plane *b)
{
	struct plane held = *a;

	*a = *b;
	*b = held;
}

void kmeans_seed(struct seeding *s, uint64_t seed, uint64_t stream, struct mat *c)
{
	size_t row_bytes = c->cols * sizeof(double);

	rng_seed(&s->rng, seed, stream);
	/* The first centre has a single candidate, drawn by weight alone, since there are no
	 * centres to measure distances from. */
	for (size_t i = 0; i < s->n; i++)
		s->now.near[i] = 1;
	sum_planes(s, &s->now, 1);
	for (size_t r = 0; r < c->rows; r++) {
		size_t count = r ? s->trials : 1, best = 0;

		for (size_t t = 0; t < count; t++)
			kmeans_draw_row(s, ROW(&s->candidate, t));
		for (size_t i = 0; r == 0 && i < s->n; i++)
			s->now.near[i] = INFINITY;
		measure_candidates(s, count);
		for (size_t t = 1; t < count; t++)
			if (s->with[t].all < s->with[best].all)
				best = t;
		memcpy(ROW(c, r), ROW(&s->candidate, best), row_bytes);
		kmeans_swap_pointers(&s->now, &s->with[best]);
		progress_tick();
	}
}

static struct plane plane_at(const struct seeding *s, size_t t)
{
	return (struct plane){ .near = ROW(&s->planes, t), .sum = ROW(&s->sums, t) };
}

struct seeding *kmeans_seeding(const struct distance_rows *rows, const double *weight,
			       const struct kmeans_params *p)
{
	size_t n = rows->Z->rows, d = rows->Z->cols;
	struct seeding *s = alloc(1, sizeof(*s));

	*s = (struct seeding){ .R = p->ranks, .rows = rows, .weight = weight, .n = n };
	s->blocks = (n + DISTANCE_ROWS - 1) / DISTANCE_ROWS;
	s->chunks = rowsum_blocks(n);
	s->trials = 2 + (size_t)log((double)p->k);
	mat_init(&s->planes, s->trials + 1, n);
	mat_init(&s->sums, s->trials + 1, s->blocks);
	s->now = plane_at(s, s->trials);
	ALLOC(s->with, s->trials);
	for (size_t t = 0; t < s->trials; t++)
		s->with[t] = plane_at(s, t);
	ALLOC(s->chunk, s->chunks * s->trials);
	ALLOC(s->gap, s->trials * DISTANCE_STRIDE);
	mat_init(&s->candidate, s->trials, d);
	distance_init(&s->to, s->trials, d);
	return s;
}

void kmeans_seeding_free(struct seeding *s)
{
	distance_release(&s->to);
	mat_release(&s->candidate);
	free(s->gap);
	free(s->chunk);
	free(s->with);
	mat_release(&s->sums);
	mat_release(&s->planes);
	free(s);
}
