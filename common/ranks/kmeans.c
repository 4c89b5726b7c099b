#include "common/ranks/kmeans.h"
#include "common/base/alloc.h"
#include "common/base/rng.h"
#include "common/cluster/own.h"
#include "common/linalg/distance.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* near of one plane, and sums of it as kmeans.c's seeding has them: of all rows from the first of
 * all ranks to the last of each of this rank's DISTANCE_ROWS rows. */
struct plane {
	double *near, *sum;
	double before, all; /* the sum before this rank's first row, and of all */
};

struct search {
	const struct ranks *R;
	const struct mat *Z;
	const struct kmeans_params *p;
	struct distance_rows rows;
	size_t n, blocks, trials;
	struct plane now, *with; /* with: trials */
	struct mat candidate;    /* trials x d */
	struct distance of_candidates, of_centres;
	double *gap, *D, *least; /* trials x, k x DISTANCE_STRIDE; n, up to whole blocks */
	struct rng rng;
};

/* Sums within ROWSUM_ROWS rows by themselves; own: count of each. */
static void sum_chunks(const struct search *s, struct plane *plane, size_t count, double *own)
{
	for (size_t t = 0; t < count; t++)
		for (size_t c = 0; c < rowsum_blocks(s->n); c++) {
			double so_far = 0;
			size_t row = c * ROWSUM_ROWS, end = row + rowsum_rows(s->n, c);

			for (; row < end; row += DISTANCE_ROWS) {
				for (size_t i = row; i < row + distance_count(s->n, row); i++)
					so_far += plane[t].near[i];
				plane[t].sum[row / DISTANCE_ROWS] = so_far;
			}
			own[c * count + t] = so_far;
		}
}

/* Those of all ranks, to each: `all` of them, owned by the caller. */
static double *tell_chunks(const struct search *s, const double *own, size_t count, size_t *all)
{
	size_t chunks = rowsum_blocks(s->n), *out_count, *in_count;
	double *out = alloc(s->R->count * chunks, count * sizeof(*out)), *in;

	ALLOC(out_count, s->R->count);
	ALLOC(in_count, s->R->count);
	for (size_t q = 0; q < s->R->count; q++) {
		out_count[q] = chunks;
		memcpy(out + q * chunks * count, own, chunks * count * sizeof(*own));
	}
	in = ranks_exchange(s->R, count * sizeof(*in), out, out_count, in_count);
	*all = 0;
	for (size_t q = 0; q < s->R->count; q++)
		*all += in_count[q];
	free(out);
	free(in_count);
	free(out_count);
	return in;
}

/* What came before a chunk is added to its sums. */
static void move_up(const struct search *s, struct plane *plane, size_t chunk, double before)
{
	size_t b = chunk * (ROWSUM_ROWS / DISTANCE_ROWS), end = b + ROWSUM_ROWS / DISTANCE_ROWS;

	for (; b < end && b < s->blocks; b++)
		plane->sum[b] = before + plane->sum[b];
}

/* Sums of `count` planes: those within ROWSUM_ROWS rows by itself, of those before as all ranks
 * tell. */
static void sum_planes(const struct search *s, struct plane *plane, size_t count)
{
	size_t chunks = rowsum_blocks(s->n), first = s->R->cut[s->R->own] / ROWSUM_ROWS, all;
	double *own = alloc(chunks, count * sizeof(*own)), *each;

	sum_chunks(s, plane, count, own);
	each = tell_chunks(s, own, count, &all);
	for (size_t t = 0; t < count; t++) {
		double so_far = plane[t].before = 0;

		for (size_t c = 0; c < all; c++) {
			if (c == first)
				plane[t].before = so_far;
			if (c >= first && c < first + chunks)
				move_up(s, &plane[t], c - first, so_far);
			so_far += each[c * count + t];
		}
		plane[t].all = so_far;
	}
	free(each);
	free(own);
}

struct drawn {
	bool found, has; /* a row that exceeds the target; a row with a mass */
	size_t row;
};

/* kmeans.c's draw() on this rank's rows. */
static struct drawn draw_own(const struct search *s, double target)
{
	size_t b = 0, end = s->n, first = s->R->cut[s->R->own];
	struct drawn own = { 0 };
	double sum;

	while (b < s->blocks && !(s->now.sum[b] > target))
		b++;
	if (b < s->blocks) {
		end = b * DISTANCE_ROWS + distance_count(s->n, b * DISTANCE_ROWS);
		own.found = true;
	}
	sum = b > 0 ? s->now.sum[b - 1] : s->now.before;
	for (size_t i = b * DISTANCE_ROWS; i < end && !own.has; i++) {
		sum += s->now.near[i];
		own.has = sum > target;
		own.row = first + i;
	}
	for (size_t i = end; i-- > 0 && !own.has;) {
		own.has = !(s->now.near[i] <= 0);
		own.row = first + i;
	}
	return own;
}

/* Of all ranks, the same at each; and the row to each. */
static void draw(struct search *s, double *to)
{
	size_t first = s->R->cut[s->R->own], d = s->Z->cols, row = s->R->n, owner;
	struct drawn own = draw_own(s, rng_unit(&s->rng) * s->now.all), *each;
	double *rows;

	each = ranks_all(s->R, sizeof(own), &own);
	for (size_t q = s->R->count; q-- > 0;)
		if (each[q].has && (each[q].found || row == s->R->n))
			row = each[q].row;
	free(each);
	if (row == s->R->n)
		row = rng_below(&s->rng, s->R->n);
	owner = ranks_owner(s->R, row);
	if (owner == s->R->own)
		memcpy(to, ROW(s->Z, row - first), d * sizeof(*to));
	rows = ranks_all(s->R, d * sizeof(*rows), to);
	memcpy(to, rows + owner * d, d * sizeof(*to));
	free(rows);
}

static void measure(struct search *s, size_t count)
{
	distance_set(&s->of_candidates, s->candidate.a);
	for (size_t first = 0; first < s->n; first += DISTANCE_ROWS) {
		size_t rows = distance_count(s->n, first);

		distance_by_centre(&s->of_candidates, &s->rows, first, s->gap);
		for (size_t t = 0; t < count; t++)
			for (size_t i = 0; i < rows; i++) {
				double gap = s->gap[t * DISTANCE_STRIDE + i],
				       near = s->now.near[first + i];

				s->with[t].near[first + i] = near < gap ? near : gap;
			}
	}
	sum_planes(s, s->with, count);
}

static void seed(struct search *s, uint64_t stream, struct mat *c)
{
	rng_seed(&s->rng, s->p->seed, stream);
	for (size_t i = 0; i < s->n; i++)
		s->now.near[i] = 1;
	sum_planes(s, &s->now, 1);
	for (size_t r = 0; r < c->rows; r++) {
		size_t count = r ? s->trials : 1, best = 0;
		struct plane kept;

		for (size_t t = 0; t < count; t++)
			draw(s, ROW(&s->candidate, t));
		for (size_t i = 0; r == 0 && i < s->n; i++)
			s->now.near[i] = INFINITY;
		measure(s, count);
		for (size_t t = 1; t < count; t++)
			if (s->with[t].all < s->with[best].all)
				best = t;
		memcpy(ROW(c, r), ROW(&s->candidate, best), c->cols * sizeof(double));
		kept = s->now;
		s->now = s->with[best];
		s->with[best] = kept;
	}
}

void ranks_centres(const struct ranks *R, const struct mat *Z, const uint32_t *label, struct mat *c)
{
	size_t width = kmeans_sum_width(c->rows, c->cols);
	double *total = alloc(width, sizeof(*total));
	struct rowsum sum;

	rowsum_init(&sum, width, NULL, NULL);
	rowsum_begin_at(&sum, R->cut[R->own] / ROWSUM_ROWS);
	for (size_t b = 0; b < rowsum_blocks(Z->rows); b++) {
		size_t first = b * ROWSUM_ROWS;

		kmeans_sum_block(ROW(Z, first), rowsum_rows(Z->rows, b), c->cols, c->rows, NULL,
				 label + first, rowsum_open(&sum));
		rowsum_close(&sum);
	}
	ranks_sum(R, &sum, total);
	kmeans_means(total, c);
	rowsum_release(&sum);
	free(total);
}

/* Returns how many labels of all ranks changed. */
static size_t assign(struct search *s, const struct mat *c, bool ninth, uint32_t *label)
{
	size_t moved = 0;
	uint32_t new[DISTANCE_ROWS];

	distance_set(&s->of_centres, c->a);
	for (size_t first = 0; first < s->n; first += DISTANCE_ROWS) {
		size_t rows = distance_count(s->n, first);

		distance_by_centre(&s->of_centres, &s->rows, first, s->D);
		if (ninth)
			kmeans_block_ninth(s->D, rows, c->rows, new);
		else
			kmeans_block_nearest(s->D, rows, c->rows, new, s->least + first);
		for (size_t i = 0; i < rows; i++)
			moved += label[first + i] != new[i];
		memcpy(label + first, new, rows * sizeof(*new));
	}
	return ranks_total(s->R, moved);
}

static double inertia_of(const struct search *s)
{
	struct rowsum sum;
	double all = 0;

	rowsum_init(&sum, 1, NULL, NULL);
	rowsum_begin_at(&sum, s->R->cut[s->R->own] / ROWSUM_ROWS);
	for (size_t b = 0; b < rowsum_blocks(s->n); b++) {
		size_t first = b * ROWSUM_ROWS, last = first + rowsum_rows(s->n, b);
		double *to = rowsum_open(&sum);

		for (; first < last; first += DISTANCE_ROWS) {
			double part = 0;

			for (size_t i = first; i < first + distance_count(s->n, first); i++)
				part += s->least[i];
			*to += part;
		}
		rowsum_close(&sum);
	}
	ranks_sum(s->R, &sum, &all);
	rowsum_release(&sum);
	return all;
}

static double restart(struct search *s, unsigned number, uint32_t *label, struct mat *c)
{
	seed(s, number, c);
	if (s->p->ninth) {
		assign(s, c, true, label);
		ranks_centres(s->R, s->Z, label, c);
	}
	for (size_t i = 0; i < s->n; i++)
		label[i] = UINT32_MAX;
	for (unsigned t = 0; t < s->p->iterations; t++) {
		if (assign(s, c, false, label) == 0)
			break;
		ranks_centres(s->R, s->Z, label, c);
	}
	if (s->p->iterations == 0)
		assign(s, c, false, label);
	return inertia_of(s);
}

static void plane_init(struct plane *p, size_t n, size_t blocks)
{
	ALLOC(p->near, n);
	ALLOC(p->sum, blocks);
}

static void plane_release(struct plane *p)
{
	free(p->near);
	free(p->sum);
}

static void search_init(struct search *s)
{
	size_t k = s->p->k, d = s->Z->cols;

	s->n = s->Z->rows;
	s->blocks = (s->n + DISTANCE_ROWS - 1) / DISTANCE_ROWS;
	s->trials = 2 + (size_t)log((double)k);
	distance_rows_init(&s->rows, s->Z);
	plane_init(&s->now, s->n, s->blocks);
	ALLOC(s->with, s->trials);
	for (size_t t = 0; t < s->trials; t++)
		plane_init(&s->with[t], s->n, s->blocks);
	mat_init(&s->candidate, s->trials, d);
	distance_init(&s->of_candidates, s->trials, d);
	distance_init(&s->of_centres, k, d);
	ALLOC(s->gap, s->trials * DISTANCE_STRIDE);
	ALLOC(s->D, k * DISTANCE_STRIDE);
	ALLOC(s->least, s->n + DISTANCE_ROWS);
}

static void search_release(struct search *s)
{
	free(s->least);
	free(s->D);
	free(s->gap);
	distance_release(&s->of_centres);
	distance_release(&s->of_candidates);
	mat_release(&s->candidate);
	for (size_t t = 0; t < s->trials; t++)
		plane_release(&s->with[t]);
	free(s->with);
	plane_release(&s->now);
	distance_rows_release(&s->rows);
}

void ranks_kmeans(const struct ranks *R, const struct mat *Z, const struct kmeans_params *p,
		  uint32_t *label, struct mat *centres)
{
	struct search s = { .R = R, .Z = Z, .p = p };
	double best = INFINITY;
	uint32_t *own;
	struct mat c;

	search_init(&s);
	ALLOC(own, s.n);
	mat_init(&c, p->k, Z->cols);
	mat_init(centres, p->k, Z->cols);
	for (unsigned r = 0; r < p->restarts; r++) {
		double inertia = restart(&s, r, own, &c);

		if (r > 0 && !(inertia < best))
			continue;
		best = inertia;
		memcpy(label, own, s.n * sizeof(*label));
		memcpy(centres->a, c.a, p->k * Z->cols * sizeof(double));
	}
	mat_release(&c);
	free(own);
	search_release(&s);
}
