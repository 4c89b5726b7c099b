/* kmeans_own.h -- declarations for the files of k-means only. */
#ifndef COMMON_CLUSTER_KMEANS_OWN_H
#define COMMON_CLUSTER_KMEANS_OWN_H

#include "common/cluster/kmeans.h"
#include "common/linalg/distance.h"

/* weight NULL: every row weighs one. */
static inline double kmeans_weight_of(const double *weight, size_t i)
{
	return weight ? weight[i] : 1;
}

/* The memory of greedy k-means++ for one thread, reused over restarts. */
struct seeding;

/* rows, weight and p->ranks are borrowed until kmeans_seeding_free(). */
struct seeding *kmeans_seeding(const struct distance_rows *rows, const double *weight,
			       const struct kmeans_params *p);
/* Overwrites c (k x d) with the initial centres. Each restart has its own stream of the seed. O(n k
 * d log k). With ranks, all ranks call this function together and get the same centres. */
void kmeans_seed(struct seeding *s, uint64_t seed, uint64_t stream, struct mat *c);
void kmeans_seeding_free(struct seeding *s);

/* ---- sums of centres: kmeans.c ---- */

/* Returns the number of values in a sum for k centres in d dimensions. */
size_t kmeans_sum_width(size_t k, size_t d);
/* Writes the sums of `rows` rows z (rows x d) to `sum`, which must be all 0. Leaves out rows with
 * label >= k. */
void kmeans_sum_block(const double *z, size_t rows, size_t d, size_t k, const double *weight,
		      const uint32_t *label, double *sum);
/* Sets each row of c to the mean that `sum` gives. A centre without weight keeps its row. */
void kmeans_means_of(const double *sum, struct mat *c);

/* ---- one restart: kmeans_lloyd.c ---- */

struct restart {
	uint32_t *label;
	struct mat centres;
	double inertia; /* INFINITY: the restart gave up */
};

/* A thread's memory, reused over restarts: returning pages and getting new ones costs as much as an
 * iteration. Takes 8 (6 + floor(ln k)) bytes per row, of which 8 (3 + floor(ln k)) are for seeding,
 * and sums of centres for each ROWSUM_ROWS rows, unless they would be larger than Z. All parameters
 * are borrowed until lloyd_free(). */
struct lloyd;
struct lloyd *lloyd_new(const struct distance_rows *rows, const double *weight,
			const struct kmeans_params *p);
/* Runs restart `number`: takes the centres of p->start for number 0, if p has them, else draws them
 * from random stream `number`. Then does the 1/9 step (kmeans.h) if p->ninth, and iterates. Gives
 * up if the remaining iterations would not reduce the inertia to `goal`, even if each reduced it as
 * much as the last one (INFINITY: never gives up). Initialises r's members, which the caller
 * frees. */
void lloyd_run(struct lloyd *l, uint64_t number, double goal, struct restart *r);
void lloyd_free(struct lloyd *l);

#endif
