#include "common/cluster/kmeans.h"
#include "common/base/alloc.h"
#include "common/base/progress.h"
#include "common/base/rng.h"
#include "common/linalg/distance.h"
#include "common/linalg/parallel.h"
#include "common/linalg/ranks.h"
#include "common/linalg/simd.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* NULL: all one. */
static inline double kmeans_weight_of(const double *weight, size_t i)
{
	return weight ? weight[i] : 1;
}

/* For up to FEW centres the sums of COLUMNS columns at a time stay in registers, which avoids a
 * store before each addition. Pays in up to FEW_DIMS dimensions. */
enum { FEW = 4, COLUMNS = 3, FEW_DIMS = 2 * COLUMNS };

/* All bits set in the lane of the label; no lane for rows of no cluster. */
static const long long own_lane[FEW + 1][FEW] = {
	{ -1, 0, 0, 0 }, { 0, -1, 0, 0 }, { 0, 0, -1, 0 }, { 0, 0, 0, -1 }, { 0 }
};

typedef long long ivec2 __attribute__((vector_size(16), aligned(8), may_alias));
#define NEAREST     nearest
#define NINTH       ninth
#define SUM_COLUMNS sum_columns
#define SUM         sum_few
#define VEC         vec2
#define IVEC        ivec2
#define TARGET
#include "common/cluster/kmeans_block.inc"
#ifdef SIMD_AVX2
typedef long long ivec4 __attribute__((vector_size(32), aligned(8), may_alias));
#define NEAREST     nearest_avx2
#define NINTH       ninth_avx2
#define SUM_COLUMNS sum_columns_avx2
#define SUM         sum_few_avx2
#define VEC         vec4
#define IVEC        ivec4
#define TARGET      __attribute__((target("avx2")))
#include "common/cluster/kmeans_block.inc"
#endif

/* -- steps ---------------------------------------------------------------------------------- */

/* Adds, for `rows` rows, to sum[label[i] * d + j] and, behind those of all k, to
 * total[label[i]]. */
static void sum_many(const double *z, size_t rows, size_t d, size_t k, const double *weight,
		     const uint32_t *label, double *sum)
{
	double *total = sum + k * d;

	for (size_t i = 0; i < rows; i++, z += d) {
		double w = kmeans_weight_of(weight, i), *to;

		if (label[i] >= k)
			continue;
		to = sum + label[i] * d;
		total[label[i]] += w;
		for (size_t j = 0; j < d; j++)
			to[j] += w * z[j];
	}
}

static bool is_few(size_t k, size_t d)
{
	return k <= FEW && d <= FEW_DIMS;
}

static size_t sum_width(size_t k, size_t d)
{
	return (is_few(k, d) ? FEW : k) * (d + 1);
}

static void kmeans_sum_block(const double *z, size_t rows, size_t d, size_t k, const double *weight,
			     const uint32_t *label, double *sum)
{
	if (is_few(k, d))
		SIMD_PICK(sum_few)(z, rows, d, weight, label, sum, sum + FEW * d);
	else
		sum_many(z, rows, d, k, weight, label, sum);
}

static void means_of(const double *sum, struct mat *c)
{
	size_t k = c->rows, d = c->cols;
	bool few = is_few(k, d);
	const double *total = sum + (few ? FEW : k) * d;

	for (size_t r = 0; r < k; r++)
		for (size_t j = 0; total[r] > 0 && j < d; j++)
			MAT(c, r, j) = sum[few ? j * FEW + r : r * d + j] / total[r];
}

void kmeans_centres_of(const struct ranks *R, const struct mat *Z, const double *weight,
		       const uint32_t *label, struct mat *c)
{
	size_t d = Z->cols, n = Z->rows, width = sum_width(c->rows, d);
	double *total = alloc(width, sizeof(*total));
	struct rowsum s;

	assert(c->cols == d);
	ranks_sum_begin(R, &s, width, NULL, NULL);
	for (size_t b = 0; b < rowsum_blocks(n); b++) {
		size_t first = b * ROWSUM_ROWS;

		kmeans_sum_block(ROW(Z, first), rowsum_rows(n, b), d, c->rows,
				 weight ? weight + first : NULL, label + first, rowsum_open(&s));
		rowsum_close(&s);
	}
	ranks_sum_end(R, &s, total);
	means_of(total, c);
	free(total);
}

void kmeans_centres(const struct mat *Z, const double *weight, const uint32_t *label, struct mat *c)
{
	kmeans_centres_of(NULL, Z, weight, label, c);
}

void kmeans_distances(const struct mat *Z, const struct mat *c, double *D)
{
	struct distance s;

	assert(c->cols == Z->cols);
	distance_init(&s, c->rows, c->cols);
	distance_set(&s, c->a);
	for (size_t i = 0; i < Z->rows; i += DISTANCE_ROWS)
		distance_block(&s, ROW(Z, i), distance_count(Z->rows, i), D + i * c->rows);
	distance_release(&s);
}

/* First of the least of k values. For large k, several independent minima hide latency. */
static uint32_t first_least(const double *row, size_t k)
{
	enum { LANES = 8 };
	double lane[LANES], least = row[0];
	uint32_t best = 0;
	size_t r = 1;

	if (k >= 2 * LANES) {
		memcpy(lane, row, sizeof(lane));
		for (r = LANES; r + LANES <= k; r += LANES)
			for (size_t v = 0; v < LANES; v++)
				lane[v] = row[r + v] < lane[v] ? row[r + v] : lane[v];
		for (size_t v = 0; v < LANES; v++)
			least = lane[v] < least ? lane[v] : least;
		while (best < r && row[best] > least)
			best++;
	}
	for (; r < k; r++)
		if (row[r] < least) {
			least = row[r];
			best = (uint32_t)r;
		}
	return best;
}

size_t kmeans_assign(const double *D, const double *weight, size_t n, size_t k, uint32_t *label,
		     double *inertia)
{
	size_t moved = 0;
	double sum = 0;

	for (size_t i = 0; i < n; i++) {
		uint32_t best = first_least(D + i * k, k);

		moved += label[i] != best;
		label[i] = best;
		sum += kmeans_weight_of(weight, i) * D[i * k + best];
	}
	if (inertia)
		*inertia += sum;
	return moved;
}

/* row: squared distances to k centres. A sum over parties may be negative by rounding. */
static double margin_of(const double *row, size_t k, uint32_t label)
{
	double own = fmax(row[label], 0), next = INFINITY;

	for (size_t r = 0; r < k; r++)
		if (r != label && row[r] < next)
			next = row[r];
	return next > own && next < INFINITY ? 1 - sqrt(own / next) : 0;
}

double kmeans_silhouette(const double *D, const double *weight, size_t n, size_t k,
			 const uint32_t *label)
{
	double sum = 0, total = 0;

	for (size_t i = 0; i < n; i++) {
		double w = kmeans_weight_of(weight, i);

		total += w;
		sum += w * margin_of(D + i * k, k, label[i]);
	}
	return total > 0 ? sum / total : 0;
}

void kmeans_margins(const double *D, size_t n, size_t k, const uint32_t *label, double *margin)
{
	for (size_t i = 0; i < n; i++)
		margin[i] = margin_of(D + i * k, k, label[i]);
}

void kmeans_nearest(const struct mat *Z, const struct mat *c, uint32_t *label)
{
	double *D = alloc(Z->rows * c->rows, sizeof(*D));

	memset(label, 0, Z->rows * sizeof(*label));
	kmeans_distances(Z, c, D);
	kmeans_assign(D, NULL, Z->rows, c->rows, label, NULL);
	free(D);
}

void kmeans_assign_ninth(const double *D, size_t n, size_t k, uint32_t *label)
{
	for (size_t i = 0; i < n; i++) {
		const double *row = D + i * k;
		double least = row[0], second = INFINITY;
		uint32_t best = 0;

		for (size_t r = 1; r < k; r++)
			if (row[r] < least) {
				second = least;
				least = row[r];
				best = (uint32_t)r;
			} else if (row[r] < second) {
				second = row[r];
			}
		label[i] = least <= second / 9 ? best : (uint32_t)k;
	}
}

/* -- greedy k-means++ ----------------------------------------------------------------------- */

/* Candidates summed side by side: a single sum waits for each addition. */
enum { SIDE = 4, BLOCKS = ROWSUM_ROWS / DISTANCE_ROWS };

/* Squared distances to the nearest centre so far, and cumulative sums of weight * distance from the
 * first row of all ranks on. */
struct plane {
	double *near;       /* per row of this process */
	double *sum;        /* per block: cumulative, up to its last row */
	double before, all; /* sum before this process's first row; sum over all ranks */
};

/* Greedy k-means++ (Arthur, Vassilvitskii 2007): several trials per centre; the one with the lowest
 * potential, the sum over rows of weight * near, stays. The next centre's candidates are drawn from
 * the same sums, so that these are kept per block of DISTANCE_ROWS. Each ROWSUM_ROWS rows are
 * summed by themselves, then chunk after chunk. */
struct seeding {
	const struct ranks *R;
	const struct distance_rows *rows;
	const double *weight;
	size_t n, blocks, chunks, trials; /* chunks: of ROWSUM_ROWS */
	struct mat planes, sums;
	struct plane now, *with; /* with: trials, each with one more candidate */
	double *chunk;
	double *gap;
	struct mat candidate;
	struct distance to;
	struct rng rng;
};

/* Sums within each chunk, for the first `count` planes, at most SIDE; plane 0 fills the other
 * lanes. own: the sums of chunks, `stride` numbers apart. */
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

/* before: the sum of all chunks before this one. */
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
	bool found, has; /* a row exceeds the target; a row has non-zero mass */
	size_t row;
};

/* The first of this process's rows at which the cumulative sum exceeds the target: searches its
 * block, then its rows. Rounding may leave none: then the last row with non-zero mass. */
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

/* The row that one process with all rows would draw; R->n if no row has mass. */
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

/* to: a row of all ranks, drawn with probability proportional to weight * near. Rows of zero mass
 * are drawn only if there are no others. */
static void kmeans_draw_row(struct seeding *s, double *to)
{
	size_t n = ranks_n(s->R, s->n), bytes = s->candidate.cols * sizeof(*to);
	struct drawn own = draw_own(s, rng_unit(&s->rng) * s->now.all);
	size_t row = s->R ? drawn_of_all(s->R, &own) : own.has ? own.row : n, owner;

	if (row == n) /* fewer distinct rows than centres: any row */
		row = rng_below(&s->rng, n);
	owner = ranks_owner(s->R, row);
	if (!s->R || owner == s->R->own)
		memcpy(to, ROW(s->rows->Z, row - ranks_first(s->R)), bytes);
	ranks_tell(s->R, owner, to, bytes);
}

static void kmeans_swap_pointers(struct plane *a, struct plane *b)
{
	struct plane held = *a;

	*a = *b;
	*b = held;
}

/* Overwrites c (k x d); each restart has a stream of the seed. O(n k d log k). */
static void kmeans_seed(struct seeding *s, uint64_t seed, uint64_t stream, struct mat *c)
{
	size_t row_bytes = c->cols * sizeof(double);

	rng_seed(&s->rng, seed, stream);
	/* The first centre needs no comparison: one draw, by weight alone. */
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

static struct seeding *kmeans_seeding(const struct distance_rows *rows, const double *weight,
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

static void kmeans_seeding_free(struct seeding *s)
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

/* -- Lloyd ---------------------------------------------------------------------------------- */

struct restart {
	uint32_t *label;
	struct mat centres;
	double inertia;
};

struct search {
	const struct distance_rows *rows;
	const double *weight;
	const struct kmeans_params *p;
	struct restart *restart;
	struct lloyd *lloyd;
};

/* A worker's memory, reused over restarts: returning pages and getting new ones costs as much as an
 * iteration. Distances are computed and used block by block, never n x k at once. */
struct lloyd {
	const struct search *s;
	struct restart *r;
	struct seeding *seeding;
	struct distance to;
	double *D;
	double *least; /* n, rounded up to whole blocks: least distances of the last assignment */
};

/* Assigns by the 1/9 step, or to the nearest centre. Returns the number of labels changed, of this
 * process's rows. */
static size_t lloyd_assign(struct lloyd *l, bool by_ninth)
{
	size_t n = l->s->rows->Z->rows, moved = 0;
	uint32_t label[DISTANCE_ROWS];

	distance_set(&l->to, l->r->centres.a);
	for (size_t first = 0; first < n; first += DISTANCE_ROWS) {
		size_t rows = distance_count(n, first);
		uint32_t *old = l->r->label + first;

		distance_by_centre(&l->to, l->s->rows, first, l->D);
		if (by_ninth)
			SIMD_PICK(ninth)(l->D, rows, l->to.k, label);
		else
			SIMD_PICK(nearest)(l->D, rows, l->to.k, label, l->least + first);
		for (size_t i = 0; i < rows; i++)
			moved += old[i] != label[i];
		memcpy(old, label, rows * sizeof(*label));
	}
	return moved;
}

static double inertia_of(const struct ranks *R, const double *least, const double *weight, size_t n)
{
	struct rowsum all;
	double inertia;

	ranks_sum_begin(R, &all, 1, NULL, NULL);
	for (size_t b = 0; b < rowsum_blocks(n); b++) {
		size_t first = b * ROWSUM_ROWS, last = first + rowsum_rows(n, b);
		double *to = rowsum_open(&all);

		for (; first < last; first += DISTANCE_ROWS) {
			double sum = 0;

			for (size_t i = first; i < first + distance_count(n, first); i++)
				sum += kmeans_weight_of(weight, i) * least[i];
			*to += sum;
		}
		rowsum_close(&all);
	}
	ranks_sum_end(R, &all, &inertia);
	return inertia;
}

static void run_restart(void *ctx, unsigned worker, size_t number)
{
	const struct search *s = ctx;
	const struct ranks *R = s->p->ranks;
	const struct mat *Z = s->rows->Z;
	struct restart *r = &s->restart[number];
	struct lloyd *l = &s->lloyd[worker];
	size_t n = Z->rows;

	l->r = r;
	ALLOC(r->label, n);
	mat_init(&r->centres, s->p->k, Z->cols);
	kmeans_seed(l->seeding, s->p->seed, number, &r->centres);
	if (s->p->ninth) {
		lloyd_assign(l, true);
		kmeans_centres_of(R, Z, s->weight, r->label, &r->centres);
	}
	for (size_t i = 0; i < n; i++)
		r->label[i] = UINT32_MAX; /* the first assignment moves every row */
	for (unsigned t = 0; t < s->p->iterations; t++) {
		if (ranks_total(R, lloyd_assign(l, false)) == 0 || progress_stopped())
			break;
		kmeans_centres_of(R, Z, s->weight, r->label, &r->centres);
		progress_tick();
	}
	if (s->p->iterations == 0)
		lloyd_assign(l, false);
	r->inertia = inertia_of(R, l->least, s->weight, n);
}

void kmeans(const struct mat *Z, const double *weight, const struct kmeans_params *p,
	    uint32_t *label, struct mat *centres, double *inertia)
{
	struct distance_rows rows;
	struct search s = { .rows = &rows, .weight = weight, .p = p };
	/* Ranks exchange in the order of restarts. */
	unsigned threads = p->ranks ? 1 : p->threads;
	unsigned workers = parallel_workers(threads, p->restarts);
	size_t best = 0;

	assert(p->k >= 1 && p->k < UINT32_MAX && p->restarts >= 1);
	if (inertia)
		*inertia = 0;
	if (centres)
		mat_init(centres, p->k, Z->cols);
	if (ranks_n(p->ranks, Z->rows) == 0)
		return;
	distance_rows_init(&rows, Z);
	ALLOC(s.restart, p->restarts);
	ALLOC(s.lloyd, workers);
	for (unsigned w = 0; w < workers; w++) {
		struct lloyd *l = &s.lloyd[w];

		l->s = &s;
		l->seeding = kmeans_seeding(&rows, weight, p);
		distance_init(&l->to, p->k, Z->cols);
		ALLOC(l->D, DISTANCE_STRIDE * p->k);
		ALLOC(l->least, Z->rows + DISTANCE_ROWS);
	}
	parallel(threads, p->restarts, run_restart, &s);
	for (unsigned w = 0; w < workers; w++) {
		free(s.lloyd[w].least);
		free(s.lloyd[w].D);
		distance_release(&s.lloyd[w].to);
		kmeans_seeding_free(s.lloyd[w].seeding);
	}
	free(s.lloyd);
	for (size_t i = 1; i < p->restarts; i++)
		if (s.restart[i].inertia < s.restart[best].inertia)
			best = i;
	memcpy(label, s.restart[best].label, Z->rows * sizeof(*label));
	if (centres)
		memcpy(centres->a, s.restart[best].centres.a, p->k * Z->cols * sizeof(double));
	if (inertia)
		*inertia = s.restart[best].inertia;
	for (size_t i = 0; i < p->restarts; i++) {
		free(s.restart[i].label);
		mat_release(&s.restart[i].centres);
	}
	free(s.restart);
	distance_rows_release(&rows);
}
