/* points.h -- the rows that a party's k-means is about: here, or with its ranks (party/ranks/workers.h). */
#ifndef PROTOCOLS_KCAGC_PARTY_POINTS_H
#define PROTOCOLS_KCAGC_PARTY_POINTS_H

#include "common/cluster/kmeans.h"
#include "party/ranks/workers.h"
#include "party/work/secure.h"

/* Zero-initialised is empty. */
struct points {
	struct mat here;         /* rows x cols; owned; or, with ranks, of that shape without values */
	struct workers *workers; /* who has them; NULL: this process */
	const uint32_t *only;    /* points_only() with ranks: which of theirs; borrowed */
};

struct points points_here(const struct mat *Z); /* Z's values, borrowed */
struct points points_away(struct workers *w);   /* those that w has embedded */
/* Rows `row` (count, rising) of p, in this order: copied, or, with ranks, borrowed as p is; points_scale() and
 * points_clusters() are not for these. */
struct points points_only(const struct points *p, const uint32_t *row, size_t count);
void points_release(struct points *p);

/* kmeans_centres() and kmeans(). weight: NULL with ranks. */
enum err points_centres(const struct points *p, const double *weight, const uint32_t *label, struct mat *c) MUST_CHECK;
enum err points_clusters(const struct points *p, const struct kmeans_params *how, uint32_t *label,
			 struct mat *centres) MUST_CHECK;

/* kmeans_distances() into a sum. */
enum err points_add_distances(const struct points *p, const struct mat *c, struct secure *s) MUST_CHECK;

/* embed_norms() and embed_scale(). */
/* *square: of the longest row's length. */
enum err points_longest(const struct points *p, double *square) MUST_CHECK;
enum err points_norms(const struct points *p, double *norm) MUST_CHECK;
enum err points_scale(struct points *p, const double *norm, double mean, double power) MUST_CHECK;

#endif
