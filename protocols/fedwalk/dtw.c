#include "common/base/alloc.h"
#include "common/base/sort.h"
#include "protocols/fedwalk/distance.h"
#include "common/linalg/parallel.h"
#include "common/linalg/simd.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

/* Vertices are sorted by number of rows and processed sixteen at a time, each in one lane of a
 * vector. The lane of a shorter matrix continues after its end; its result is read at its own last
 * row. */
enum { LANES = 16 };

struct group {
	size_t rows;
	uint32_t v[LANES];   /* unused lanes repeat the last vertex */
	uint32_t len[LANES]; /* number of rows of each vertex, >= 1 */
	float *row;          /* [rows][k][LANES] */
};

struct plan {
	const struct fedwalk_matrices *m; /* matrices in which every vertex has a row */
	const uint32_t *order;            /* vertices in the order of their numbers of rows */
	const struct group *group;
	size_t groups;
	float **scratch; /* per worker: [longest][LANES] */
	struct triangle *h;
};

#define TARGET
#define VEC  float4
#define IVEC int4
#define WARP warp4
#ifdef __SSE__
#include <immintrin.h>
#define LEAST(a, b) ((float4)_mm_min_ps((__m128)(a), (__m128)(b)))
#else
#define LEAST(a, b) ((float4)(((int4)(a) & ((a) < (b))) | ((int4)(b) & ~((a) < (b)))))
#endif
#include "protocols/fedwalk/dtw.inc"
#ifdef SIMD_AVX2
#define TARGET      __attribute__((target("avx2")))
#define VEC         float8
#define IVEC        int8
#define WARP        warp8
#define LEAST(a, b) ((float8)_mm256_min_ps((__m256)(a), (__m256)(b)))
#include "protocols/fedwalk/dtw.inc"
#define TARGET      __attribute__((target("avx512f")))
#define VEC         float16
#define IVEC        int16
#define WARP        warp16
#define LEAST(a, b) ((float16)_mm512_min_ps((__m512)(a), (__m512)(b)))
#include "protocols/fedwalk/dtw.inc"
#endif

typedef void warp_fn(const struct group *g, const float *u, size_t x, unsigned k, float *cost);

static void warp_group(void *ctx, unsigned worker, size_t block)
{
	const struct plan *p = ctx;
	size_t number = p->groups - 1 - block;
	const struct group *g = &p->group[number];
	size_t end = (number + 1) * LANES < p->m->n ? (number + 1) * LANES : p->m->n;
	float *cost = p->scratch[worker];
	warp_fn *warp = warp4;

#ifdef SIMD_AVX2
	if (simd_avx2())
		warp = warp8;
	if (simd_avx512())
		warp = warp16;
#endif
	for (size_t i = 0; i < end; i++) {
		uint32_t u = p->order[i];
		size_t from = p->m->start[u];

		warp(g, p->m->row + from * p->m->k, p->m->start[u + 1] - from, p->m->k, cost);
		for (size_t l = 0; l < LANES && number * LANES + l < p->m->n; l++)
			if (number * LANES + l > i)
				*triangle_at(p->h, u, g->v[l]) = cost[(g->len[l] - 1) * LANES + l];
	}
}

static void fill_group(const struct fedwalk_matrices *m, const uint32_t *order, size_t number,
		       struct group *g)
{
	g->rows = 0;
	for (size_t l = 0; l < LANES; l++) {
		size_t i = number * LANES + l < m->n ? number * LANES + l : m->n - 1;

		g->v[l] = order[i];
		g->len[l] = (uint32_t)(m->start[order[i] + 1] - m->start[order[i]]);
		g->rows = g->len[l] > g->rows ? g->len[l] : g->rows;
	}
	ALLOC(g->row, g->rows * m->k * LANES);
	for (size_t l = 0; l < LANES; l++) {
		const float *from = m->row + m->start[g->v[l]] * m->k;

		for (size_t i = 0; i < g->len[l] * m->k; i++)
			g->row[i * LANES + l] = from[i];
	}
}

static void warp_all(const struct fedwalk_matrices *m, unsigned threads, struct triangle *h)
{
	struct plan p = { .m = m, .groups = (m->n + LANES - 1) / LANES, .h = h };
	struct keyed *s;
	uint32_t *order;
	struct group *group;
	unsigned workers = parallel_workers(threads, p.groups);

	ALLOC(s, m->n);
	ALLOC(order, m->n);
	for (size_t v = 0; v < m->n; v++)
		s[v] = (struct keyed){ (double)(m->start[v + 1] - m->start[v]), (uint32_t)v };
	sort_keyed(s, m->n);
	for (size_t v = 0; v < m->n; v++)
		order[v] = s[v].item;
	free(s);
	p.order = order;
	ALLOC(group, p.groups);
	ALLOC(p.scratch, workers);
	p.group = group;
	for (size_t i = 0; i < p.groups; i++)
		fill_group(m, order, i, &group[i]);
	for (unsigned w = 0; w < workers; w++)
		ALLOC(p.scratch[w], group[p.groups - 1].rows * LANES);
	parallel(threads, p.groups, warp_group, &p);
	for (unsigned w = 0; w < workers; w++)
		free(p.scratch[w]);
	for (size_t i = 0; i < p.groups; i++)
		free(group[i].row);
	free(p.scratch);
	free(group);
	free(order);
}

/* Copies the matrices. Each copy has at least one row and, if `most` is not 0, at most `most` rows.
 * A vertex without rows gets a zero row. Longer matrices become means of neighbouring rows. */
static void fedwalk_dtw_shorten(const struct fedwalk_matrices *m, size_t most, size_t **start,
				float **row)
{
	unsigned k = m->k;

	ALLOC(*start, m->n + 1);
	for (size_t v = 0; v < m->n; v++) {
		size_t len = m->start[v + 1] - m->start[v];

		len = most && len > most ? most : len ? len : 1;
		(*start)[v + 1] = (*start)[v] + len;
	}
	ALLOC(*row, (*start)[m->n] * k);
	for (size_t v = 0; v < m->n; v++) {
		size_t len = m->start[v + 1] - m->start[v], cut = (*start)[v + 1] - (*start)[v];
		const float *from = m->row + m->start[v] * k;

		for (size_t i = 0; len && i < cut; i++) {
			size_t first = len * i / cut, end = len * (i + 1) / cut;

			for (unsigned j = 0; j < k; j++) {
				double sum = 0;

				for (size_t r = first; r < end; r++)
					sum += (double)from[r * k + j];
				(*row)[((*start)[v] + i) * k + j] =
				    (float)(sum / (double)(end - first));
			}
		}
	}
}

void fedwalk_dtw(const struct fedwalk_matrices *m, size_t most, unsigned threads,
		 struct triangle *h)
{
	struct fedwalk_matrices cut = { .n = m->n, .k = m->k };
	size_t *start;
	float *row;

	triangle_init(h, m->n);
	if (!m->n)
		return;
	fedwalk_dtw_shorten(m, most, &start, &row);
	cut.start = start;
	cut.row = row;
	warp_all(&cut, threads, h);
	free(start);
	free(row);
}
