/* points.h -- Rows of a party's k-means: in this process, or at its ranks
 * (party/ranks/workers.h). */
#ifndef PROTOCOLS_KCAGC_PARTY_POINTS_H
#define PROTOCOLS_KCAGC_PARTY_POINTS_H

#include "common/cluster/kmeans.h"
#include "party/ranks/workers.h"
#include "party/work/secure.h"

/* Rows of a k-means. A zero-initialised object is empty. */
struct points {
	struct mat here;         /* rows x cols; owned; with ranks it has only the dimensions */
	struct workers *workers; /* ranks with the rows; NULL: this process has them */
};

struct points points_local(const struct mat *Z);     /* borrows Z's values */
struct points points_distributed(struct workers *w); /* the rows that w has embedded */
void points_release(struct points *p);

/* As kmeans_centres() and kmeans(). weight: NULL with ranks. */
enum err points_centres(const struct points *p, const double *weight, const uint32_t *label,
			struct mat *c) MUST_CHECK;
enum err points_clusters(const struct points *p, const struct kmeans_params *how, uint32_t *label,
			 struct mat *centres) MUST_CHECK;

/* As kmeans_distances(), but adds the distances to a sum instead of returning them. */
enum err points_add_distances(const struct points *p, const struct mat *c,
			      struct secure *s) MUST_CHECK;

/* points_longest() sets *square to the squared length of the longest row. The other functions do
 * the same as embed_norms() and embed_scale(). */
enum err points_longest(const struct points *p, double *square) MUST_CHECK;
enum err points_norms(const struct points *p, double *norm) MUST_CHECK;
enum err points_scale(struct points *p, const double *norm, double mean, double power) MUST_CHECK;

#endif
