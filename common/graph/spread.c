#include "common/graph/spread.h"
#include "common/linalg/simd.h"

#include <assert.h>

/* Rows of a panel are not adjacent in memory, so they are prefetched this many rows ahead. */
enum { AHEAD = 8 };

struct moments {
	double *rows;                  /* number of rows, the same for all columns */
	double *mean, *square, *apart; /* width each; apart: squared distances from mean */
};

static struct moments moments_at(double *a, size_t width)
{
	return (struct moments){ a, a + 1, a + 1 + width, a + 1 + 2 * width };
}

#define SUMS spread_sums
#define ROWS spread_of_rows
#define VEC  vec2
#define TARGET
#include "common/graph/spread_rows.inc"
#ifdef SIMD_AVX2
#define SUMS   spread_sums_avx2
#define ROWS   spread_of_rows_avx2
#define VEC    vec4
#define TARGET __attribute__((target("avx2")))
#include "common/graph/spread_rows.inc"
#define SUMS   spread_sums_avx512
#define ROWS   spread_of_rows_avx512
#define VEC    vec8
#define TARGET __attribute__((target("avx512f")))
#include "common/graph/spread_rows.inc"
#endif

/* Joins the moments of two sets of rows (Chan, Golub, LeVeque 1983). */
static void spread_join_moments(void *ctx, double *into, double *from)
{
	size_t width = *(const size_t *)ctx;
	struct moments a = moments_at(into, width), b = moments_at(from, width);
	double rows = *a.rows + *b.rows, share = rows ? *b.rows / rows : 0;

	for (size_t u = 0; u < width; u++) {
		double gap = b.mean[u] - a.mean[u];

		a.mean[u] += gap * share;
		a.square[u] += b.square[u];
		a.apart[u] += b.apart[u] + gap * gap * (*a.rows * share);
	}
	*a.rows = rows;
}

void spread_begin_sum(const struct ranks *R, struct rowsum *s, size_t *width)
{
	ranks_sum_begin(R, s, spread_width(*width), spread_join_moments, width);
}

void spread_add(struct rowsum *s, const struct spread_rows *of, size_t first, size_t rows)
{
	struct moments m = moments_at(rowsum_open(s), of->width);

	assert(of->width == SPREAD_PANEL || of->width == SPREAD_PANEL / 2 ||
	       of->width == SPREAD_COLUMNS);
	*m.rows = (double)rows;
	SIMD_PICK_512(spread_of_rows)(of, first, rows, m);
	for (size_t u = 0; u < of->width; u++)
		m.apart[u] = m.apart[u] < 0 ? 0 : m.apart[u]; /* keeps NaN */
	rowsum_close(s);
}

void spread_of_group(const double *total, size_t width, size_t g, double *square, double *spread)
{
	const double *all = total + 1 + width + g * SPREAD_COLUMNS;

	*square = *spread = 0;
	for (size_t u = 0; u < SPREAD_COLUMNS; u++) {
		*square += all[u];
		*spread += all[width + u];
	}
}

void spread_add_groups(const double *term, size_t groups, size_t powers, double *square,
		       double *spread)
{
	for (size_t t = 0; t < powers; t++) {
		square[t] = spread[t] = 0;
		for (size_t g = 0; g < groups; g++) {
			square[t] += term[g * 2 * powers + t];
			spread[t] += term[g * 2 * powers + powers + t];
		}
	}
}
