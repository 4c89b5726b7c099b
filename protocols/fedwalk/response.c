#include "protocols/fedwalk/response.h"
#include "common/base/alloc.h"
#include "common/privacy/noise.h"
#include "common/linalg/parallel.h"

#include <math.h>
#include <stdlib.h>

enum { ROWS = 256 };

double fedwalk_flip(double eps)
{
	return 1 / (1 + exp(eps));
}

double fedwalk_reports_expected(double eps, size_t n, double edges)
{
	double pairs = (double)n * ((double)n - 1) / 2, q = fedwalk_flip(eps);

	return edges * (1 - q) + (pairs - edges) * q;
}

double fedwalk_ties_expected(double eps, size_t n, double reported)
{
	double pairs = (double)n * ((double)n - 1) / 2, q = fedwalk_flip(eps);

	return fmax((reported - pairs * q) / (1 - 2 * q), 0);
}

/* Returns the next flipped vertex after v, or n if there is none. Each vertex flips with
 * probability q, so the distance between flips is geometric. */
static size_t next_flip(struct draw *d, double log_stay, size_t v, size_t n)
{
	double gap = floor(log(draw_unit_above(d)) / log_stay);

	return gap < (double)(n - v) ? v + 1 + (size_t)gap : n;
}

enum err fedwalk_report(const struct noise_source *source, double eps, size_t n, uint32_t u,
			const uint32_t *neighbour, size_t degree, uint32_t **report, size_t *count)
{
	double log_stay = log1p(-fedwalk_flip(eps));
	size_t at = 0, room = degree + 64, flip;
	struct draw d;

	*report = NULL;
	*count = 0;
	if (!(eps >= FEDWALK_RESPONSE_MIN && eps <= FEDWALK_RESPONSE_MAX))
		return err_set(ERR_INPUT, "eps of the response is %g, expected %g .. %g", eps,
			       FEDWALK_RESPONSE_MIN, FEDWALK_RESPONSE_MAX);
	ALLOC(*report, room);
	while (at < degree && neighbour[at] <= u)
		at++;
	draw_init(&d, source);
	flip = next_flip(&d, log_stay, u, n);
	/* The report is the exclusive or of neighbours and flips. */
	while (!d.err && (at < degree || flip < n)) {
		size_t tie = at < degree ? neighbour[at] : n;

		if (*count == room)
			*report = alloc_again(*report, room *= 2, sizeof(**report));
		if (tie != flip)
			(*report)[(*count)++] = (uint32_t)(tie < flip ? tie : flip);
		at += tie <= flip && tie < n;
		if (flip <= tie && flip < n)
			flip = next_flip(&d, log_stay, flip, n);
	}
	if (draw_end(&d)) {
		free(*report);
		*report = NULL;
		*count = 0;
		return d.err;
	}
	return ERR_OK;
}

struct plan {
	struct csr *g;
	double odds;          /* e^eps: likelihood ratio of a report */
	const double *degree; /* estimated degrees, at least 1 */
	double sum;
};

static void weigh_block(void *ctx, unsigned worker, size_t block)
{
	const struct plan *p = ctx;
	size_t n = p->g->rows, end = (block + 1) * ROWS < n ? (block + 1) * ROWS : n;

	(void)worker;
	for (size_t u = block * ROWS; u < end; u++)
		for (size_t e = p->g->start[u]; e < p->g->start[u + 1]; e++) {
			/* The prior odds of a tie are those in a random graph with these
			 * degrees. */
			double odds = p->degree[u] * p->degree[p->g->index[e]] / p->sum * p->odds;

			p->g->value[e] = odds / (1 + odds);
		}
}

void fedwalk_debias(struct csr *g, double eps, unsigned threads)
{
	double q = fedwalk_flip(eps), *degree;
	struct plan p = { .g = g, .odds = exp(eps) };
	size_t n = g->rows, write = 0, read = 0;

	ALLOC(degree, n);
	ALLOC(g->value, g->start[n]);
	for (size_t u = 0; u < n; u++) {
		double said = (double)(g->start[u + 1] - g->start[u]);

		degree[u] = fmax((said - (double)(n - 1) * q) / (1 - 2 * q), 1);
		p.sum += degree[u];
	}
	p.degree = degree;
	parallel(threads, (n + ROWS - 1) / ROWS, weigh_block, &p);
	free(degree);
	for (size_t u = 0; u < n; u++) {
		size_t end = g->start[u + 1];

		g->start[u] = write;
		for (; read < end; read++) {
			if (g->value[read] < FEDWALK_TIE_LEAST)
				continue;
			g->index[write] = g->index[read];
			g->value[write++] = g->value[read];
		}
	}
	g->start[n] = write;
}
