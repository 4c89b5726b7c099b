#include "common/graph/graphs.h"
#include "common/base/alloc.h"
#include "common/linalg/parallel.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { STRUCTURE = GRAPHS_DEGREES + GRAPHS_WALKS };

void graphs_release(struct graphs *g)
{
	free(g->first);
	csr_release(&g->A);
	mat_release(&g->attribute);
	*g = (struct graphs){ 0 };
}

static size_t degree(const struct csr *A, size_t v)
{
	return A->start[v + 1] - A->start[v];
}

/* -- random walks --------------------------------------------------------------------------- */

enum { BLOCK = 16 };

/* v_s = S^s e_i for BLOCK nodes i of one graph, with S = D^-1/2 A D^-1/2. Powers of S have the same
 * diagonal as those of D^-1 A. By symmetry (S^t)_ii = v_a . v_b for any a + b = t. Only rows in
 * `reached` may be non-zero; all other rows are not touched. */
struct walks {
	const struct csr *A;
	size_t first, nodes;
	double *now, *next; /* nodes x BLOCK */
	/* numbers in the graph, from 0, of the nodes whose rows may be non-zero */
	uint32_t *reached;
	size_t count;
	bool *is_reached;
};

static void walks_reach(struct walks *w, uint32_t v)
{
	if (w->is_reached[v])
		return;
	w->is_reached[v] = true;
	w->reached[w->count++] = v;
}

static void walks_step(struct walks *w)
{
	size_t before = w->count;
	double *swap = w->now;

	for (size_t i = 0; i < before; i++) {
		size_t v = w->first + w->reached[i];

		for (size_t e = w->A->start[v]; e < w->A->start[v + 1]; e++)
			walks_reach(w, w->A->index[e] - (uint32_t)w->first);
	}
	for (size_t i = 0; i < w->count; i++) {
		size_t v = w->first + w->reached[i];
		double *to = w->next + (size_t)w->reached[i] * BLOCK;

		for (int j = 0; j < BLOCK; j++)
			to[j] = 0;
		for (size_t e = w->A->start[v]; e < w->A->start[v + 1]; e++) {
			size_t u = w->A->index[e];
			double s = 1 / sqrt((double)degree(w->A, u) * (double)degree(w->A, v));
			const double *from = w->now + (u - w->first) * BLOCK;

			for (int j = 0; j < BLOCK; j++)
				to[j] += s * from[j];
		}
	}
	w->now = w->next;
	w->next = swap;
}

/* Computes features of `count` <= BLOCK nodes of the graph, from number `from` in it on: the last
 * GRAPHS_WALKS columns of GRAPHS_STRUCTURE. */
static void walks_block(struct walks *w, size_t from, size_t count, size_t width, float *F)
{
	double dot[BLOCK];

	for (size_t i = 0; i < w->count; i++) {
		size_t at = (size_t)w->reached[i] * BLOCK;

		memset(w->now + at, 0, BLOCK * sizeof(double));
		memset(w->next + at, 0, BLOCK * sizeof(double));
		w->is_reached[w->reached[i]] = false;
	}
	w->count = 0;
	for (size_t j = 0; j < count; j++) {
		walks_reach(w, (uint32_t)(from + j));
		w->now[(from + j) * BLOCK + j] = 1;
	}
	for (size_t t = 1; t <= GRAPHS_WALKS; t++) {
		const double *b = w->now;

		if (t % 2) { /* makes `now` v_s, and `next` v_(s-1); t is 2 s - 1 */
			walks_step(w);
			b = w->next;
		}
		memset(dot, 0, sizeof(dot));
		for (size_t i = 0; i < w->count; i++) {
			size_t at = (size_t)w->reached[i] * BLOCK;

			for (size_t j = 0; j < BLOCK; j++)
				dot[j] += w->now[at + j] * b[at + j];
		}
		for (size_t j = 0; j < count; j++)
			F[(w->first + from + j) * width + GRAPHS_DEGREES + t - 1] = (float)dot[j];
	}
}

/* -- drawings ------------------------------------------------------------------------------- */

enum { COORDINATES = 2, GRID = 4, DIRECTIONS = 4, CELLS = GRID * GRID, POINTS = 8 };
enum { DRAWING = COORDINATES + GRAPHS_LINES };
_Static_assert(DIRECTIONS *CELLS == GRAPHS_LINES, "a column for each cell and direction");

/* SQUARE: side of the square in which nodes lie. BLUR: width of a cell's bell curve. INK: weight of
 * a line, so large that features depend more on lines than on the number of nodes. */
static const double SQUARE = 3, BLUR = 0.5, INK = 1;

struct making {
	const struct graphs *g;
	enum graphs_features what;
	size_t width;
	float *F;
};

/* Returns the share of a line in direction dx, dy that counts for direction d. A line between two
 * directions counts for both in part. */
static double in_direction(double dx, double dy, int d)
{
	double pi = acos(-1.0), turned = atan2(dy, dx) - d * pi / DIRECTIONS;

	turned = fabs(turned - pi * nearbyint(turned / pi)); /* 0 .. pi/2 */
	return fmax(0, 1 - turned * DIRECTIONS / pi);
}

/* Spreads half a line, from x to its middle, over the cells; f: DIRECTIONS x CELLS. */
static void draw_half(const double *x, double dx, double dy, float *f)
{
	double length = sqrt(dx * dx + dy * dy) / 2 / POINTS, pitch = SQUARE / (GRID - 1);

	for (int point = 0; point < POINTS; point++) {
		double t = (point + 0.5) / POINTS / 2, px = x[0] + t * dx, py = x[1] + t * dy;

		for (int c = 0; c < CELLS; c++) {
			double cx = px - pitch * (c % GRID), cy = py - pitch * (c / GRID);
			double bell = length * exp(-(cx * cx + cy * cy) / (2 * BLUR * BLUR));

			for (int d = 0; d < DIRECTIONS; d++)
				f[d * CELLS + c] += (float)(INK * bell * in_direction(dx, dy, d));
		}
	}
}

static void make_graph(void *ctx, unsigned worker, size_t graph)
{
	const struct making *m = ctx;
	size_t first = m->g->first[graph], nodes = m->g->first[graph + 1] - first;
	struct walks w = { .A = &m->g->A, .first = first, .nodes = nodes };

	(void)worker;
	for (size_t v = first; v < first + nodes; v++) {
		size_t d = degree(w.A, v);

		d = d < 1 ? 1 : d > GRAPHS_DEGREES ? GRAPHS_DEGREES : d;
		m->F[v * m->width + d - 1] = 1;
	}
	ALLOC(w.now, nodes * BLOCK);
	ALLOC(w.next, nodes * BLOCK);
	ALLOC(w.reached, nodes);
	ALLOC(w.is_reached, nodes);
	for (size_t from = 0; from < nodes; from += BLOCK)
		walks_block(&w, from, min_size(BLOCK, nodes - from), m->width, m->F);
	free(w.now);
	free(w.next);
	free(w.reached);
	free(w.is_reached);
	for (size_t v = first; v < first + nodes && m->what != GRAPHS_STRUCTURE; v++) {
		float *f = m->F + v * m->width + STRUCTURE;
		const double *x = ROW(&m->g->attribute, v);

		for (size_t j = 0; j < COORDINATES; j++)
			f[j] = (float)x[j];
		if (m->what == GRAPHS_COORDINATES)
			continue;
		for (size_t e = w.A->start[v]; e < w.A->start[v + 1]; e++) {
			const double *y = ROW(&m->g->attribute, w.A->index[e]);

			draw_half(x, y[0] - x[0], y[1] - x[1], f + COORDINATES);
		}
	}
}

size_t graphs_width(enum graphs_features what)
{
	if (what == GRAPHS_DRAWING)
		return STRUCTURE + DRAWING;
	return what == GRAPHS_COORDINATES ? STRUCTURE + COORDINATES : STRUCTURE;
}

enum err graphs_features(const struct graphs *g, enum graphs_features what, unsigned threads,
			 float **F)
{
	struct making m = { .g = g, .what = what, .width = graphs_width(what) };

	*F = NULL;
	if (what != GRAPHS_STRUCTURE && g->attribute.cols < 2)
		return err_set(ERR_INPUT,
			       "these features need two coordinates of each node, "
			       "there are %zu attributes",
			       g->attribute.cols);
	ALLOC(m.F, graphs_nodes(g) * m.width);
	parallel(threads, g->count, make_graph, &m);
	*F = m.F;
	return ERR_OK;
}
