#include "cli/synth/gauss.h"
#include "common/base/alloc.h"
#include "common/base/rng.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>

enum { STREAM_CENTRES = 0x6761757373, STREAM_LABELS, STREAM_ROWS };

static bool near_another(const struct mat *centres, size_t c, double apart)
{
	for (size_t other = 0; other < c; other++) {
		double d = 0;

		for (size_t j = 0; j < centres->cols; j++) {
			double x = MAT(centres, c, j) - MAT(centres, other, j);

			d += x * x;
		}
		if (d < apart * apart)
			return true;
	}
	return false;
}

/* As wide as lets two centres be 1.4 apart in the mean; wider with each that must be drawn again,
 * so that there is an end to it also in one dimension. */
static void make_centres(const struct gauss_params *p, struct mat *centres)
{
	double width = p->apart > 0 ? p->apart / sqrt((double)p->columns) : 1;
	struct rng rng;

	rng_seed(&rng, p->seed, STREAM_CENTRES);
	mat_init(centres, p->clusters, p->columns);
	for (size_t c = 0; c < p->clusters; c++) {
		for (;; width *= 1.05) {
			for (size_t j = 0; j < p->columns; j++)
				MAT(centres, c, j) = width * rng_normal(&rng);
			if (!near_another(centres, c, p->apart))
				break;
		}
	}
}

enum err gauss_make(const struct gauss_params *p, struct mat *X, uint32_t **label)
{
	struct mat centres;
	struct rng rng;

	*X = (struct mat){ 0 };
	*label = NULL;
	assert(p->clusters >= 1 && p->clusters <= GAUSS_CLUSTERS_MAX && p->columns >= 1);
	if (p->clusters > p->rows)
		return err_set(ERR_INPUT, "%zu clusters of %zu rows, expected at most as many",
			       p->clusters, p->rows);
	if (p->rows > GAUSS_VALUES_MAX / p->columns)
		return err_set(ERR_INPUT, "%zu x %zu values, expected at most %zu", p->rows,
			       p->columns, GAUSS_VALUES_MAX);
	make_centres(p, &centres);
	ALLOC(*label, p->rows);
	for (size_t i = 0; i < p->rows; i++)
		(*label)[i] = (uint32_t)(i % p->clusters);
	rng_seed(&rng, p->seed, STREAM_LABELS);
	rng_shuffle(&rng, *label, p->rows);
	rng_seed(&rng, p->seed, STREAM_ROWS);
	mat_init(X, p->rows, p->columns);
	for (size_t i = 0; i < p->rows; i++) {
		for (size_t j = 0; j < p->columns; j++)
			MAT(X, i, j) =
			    (double)(float)(MAT(&centres, (*label)[i], j) + rng_normal(&rng));
	}
	mat_release(&centres);
	return ERR_OK;
}
