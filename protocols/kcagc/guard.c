#include "protocols/kcagc/guard.h"
#include "common/base/alloc.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Initialises `out` with the rows of Z, each divided by the square root of (length / mean length).
 * Zero rows stay zero. O(n k). */
static void guard_scale(const struct mat *Z, struct mat *out)
{
	double *length = alloc(Z->rows, sizeof(*length)), mean = 0;

	mat_copy(out, Z);
	embed_norms(Z, length);
	for (size_t i = 0; i < Z->rows; i++)
		mean += length[i] / (double)Z->rows;
	for (size_t i = 0; i < Z->rows; i++) {
		double factor = length[i] > EMBED_ZERO * mean ? 1 / sqrt(length[i] / mean) : 0;

		for (size_t j = 0; j < Z->cols; j++)
			MAT(out, i, j) *= factor;
	}
	free(length);
}

/* Gets the two modularities in `answer`. With g->means, also gets sums_means() for the clusters of
 * the plain rows, which the next step needs if these clusters win, as they nearly always do. */
static enum err ask_quality(struct parties *parties, const struct guard *g, const uint32_t *both,
			    size_t n, double *answer)
{
	struct question ask = { .kind = ASK_QUALITY,
				.order = g->order,
				.label = both,
				.k = g->how.k,
				.labellings = 2,
				.means = g->means,
				.parties = parties->count };

	TRY(parties_broadcast_labels(parties, PARTIES_ASSIGNMENT, ask.k, both, 2 * n));
	return parties_sum_bound(parties, &ask, question_most(&ask, n), answer,
				 question_words(&ask, n));
}

enum err guard_clusters(struct parties *parties, struct guard *g, const struct mat *Z,
			uint32_t *label)
{
	size_t n = Z->rows, k = g->how.k, words = n * k;
	uint32_t *both = alloc(2 * n, sizeof(*both));
	double *answer = alloc(2 + words, sizeof(*answer));
	enum err err;

	g->scaled = false;
	g->Q = (struct mat){ 0 };
	guard_scale(Z, &g->rows);
	memcpy(both, label, n * sizeof(*both));
	err = sums_cluster(parties, &g->rows, &g->how, both + n, NULL);
	if (!err)
		err = ask_quality(parties, g, both, n, answer);
	g->modularity = answer[0];
	if (!err && !g->never && answer[1] > answer[0] + g->margin) {
		g->scaled = true;
		g->inertia = g->how.inertia;
		g->modularity = answer[1];
		memcpy(label, both + n, n * sizeof(*both));
	} else if (!err && g->means) {
		mat_init(&g->Q, n, k);
		memcpy(g->Q.a, answer + 2, words * sizeof(*answer));
	}
	free(answer);
	free(both);
	return err;
}
