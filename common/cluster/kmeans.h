/* kmeans.h -- weighted k-means on rows of a matrix: kCAGC's Protocol 1 (arXiv 2411.12329); and its
 * single steps, which Protocols 2 and 3 run with a secure sum between distances and assignment. */
#ifndef COMMON_CLUSTER_KMEANS_H
#define COMMON_CLUSTER_KMEANS_H

#include "common/linalg/mat.h"
#include "common/linalg/ranks.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Labels are 0 .. k-1; in a partial assignment k means "no cluster". */

/* Computes the centres of a (partial) assignment: row r of c (k x Z.cols) becomes the weighted mean
 * of the rows i of Z with label[i] == r. A cluster without rows or weight keeps its row of c.
 * weight may be NULL: all one. O(n d). Protocol 1 lines 11-13 and 21-23. */
void kmeans_centres(const struct mat *Z, const double *weight, const uint32_t *label,
		    struct mat *c);
/* kmeans_centres() for distributed rows. Z, weight and label have this process's rows; c is the
 * same at each rank. */
void kmeans_centres_of(const struct ranks *R, const struct mat *Z, const double *weight,
		       const uint32_t *label, struct mat *c);

/* D[i * k + r] = ||Z_i - c_r||^2, clamped at 0. O(n k d). Protocol 1 line 7. */
void kmeans_distances(const struct mat *Z, const struct mat *c, double *D);

/* label[i] = argmin_r D[i * k + r], the lowest r on ties. Returns the number of labels changed.
 * Adds sum_i weight_i min_r D to *inertia if it is not NULL. Protocol 1 line 19. */
size_t kmeans_assign(const double *D, const double *weight, size_t n, size_t k, uint32_t *label,
		     double *inertia);

/* The simplified silhouette (Hruschka et al. 2004) of an assignment to the nearest centres: the
 * weighted mean of 1 - a / b. a is the distance of a row to its own centre, b its distance to the
 * next centre. A row without a next centre (at infinity) counts 0. O(n k). */
double kmeans_silhouette(const double *D, const double *weight, size_t n, size_t k,
			 const uint32_t *label);

/* margin[i] becomes 1 - a / b of row i: 0 halfway between two centres, 1 at its own centre. The
 * margin is also 0 if there is no next centre, or if the row's own centre is not the nearest. O(n
 * k). */
void kmeans_margins(const double *D, size_t n, size_t k, const uint32_t *label, double *margin);

/* label[i] = the nearest centre of row i: kmeans_distances() and kmeans_assign(). */
void kmeans_nearest(const struct mat *Z, const struct mat *c, uint32_t *label);

/* The 1/9 step, Protocol 1 line 9: label[i] = r if D_ir <= D_is / 9 for all s != r, else k. */
void kmeans_assign_ninth(const double *D, size_t n, size_t k, uint32_t *label);

struct kmeans_params {
	size_t k;            /* k >= 1; more than n leaves clusters empty */
	unsigned restarts;   /* >= 1; the lowest inertia wins, the first on ties */
	unsigned iterations; /* maximum number of Lloyd iterations */
	bool ninth;          /* one 1/9 step before Lloyd */
	uint64_t seed;
	/* k x d, borrowed: centres from which the first restart begins; NULL: it draws them */
	const struct mat *start;
	unsigned threads; /* the result does not depend on it */
	/* processes that share the rows (ranks.h), one thread each; borrowed, or NULL */
	const struct ranks *ranks;
};

/* Greedy k-means++ (2 + floor(ln k) trials per centre), then the 1/9 step if p->ninth, then Lloyd.
 * An empty cluster keeps its centre. Outputs: label (n), centres (k x d, initialised here), and the
 * inertia of the last assignment. centres and inertia may be NULL. With zero iterations, the labels
 * are those of the initial centres. Weights are >= 0. O(n k d) per iteration. A restart after the
 * fourth gives up early if it is unlikely to reach the best of the first four: that is, if its
 * remaining iterations would not reach it even if each gained as much as the last one.
 *
 * The same seed gives the same labels for any number of threads and ranks. With ranks, Z, weight
 * and label have this process's rows; centres and inertia are the same at each rank. Memory for
 * each thread: 8 (6 + floor(ln k)) bytes per row, and at most as much as Z. For each restart: 4
 * bytes per row. With up to 64 columns also a copy of Z. */
void kmeans(const struct mat *Z, const double *weight, const struct kmeans_params *p,
	    uint32_t *label, struct mat *centres, double *inertia);

/* Improves label (each below k) further than restarts can. If clusters are not clear, Lloyd's
 * algorithm has hundreds of optima within a thousandth of the best, and they differ in a few rows.
 * On email-eu-core the best of 100 restarts under two seeds agree to an ARI of .99. There
 * kmeans_swap() finds the same optimum for all seeds that were tried.
 *
 * First moves each row to the cluster in which it costs least, considering cluster sizes, until no
 * row moves (Hartigan, Wong 1979). Then tries `swaps` random swaps (Franti 2018): a random row
 * replaces a random centre, then a few steps of Lloyd and Hartigan follow, and the better result
 * stays. Runs on this thread. The same seed gives the same labels. A swap takes about 8 n k d
 * operations. */
void kmeans_swap(const struct mat *Z, size_t k, unsigned swaps, uint64_t seed, uint32_t *label);

#endif
