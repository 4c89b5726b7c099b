/* measure.h -- Quality of the clusterings of a range of k, from inner products of items (exchange
 * "gram").
 *
 * An item is a cell, weighted by its number of nodes. The parties also sum the distances of a
 * cell's nodes to its mean, so inertia and ratio are those of the nodes. Without these distances,
 * more clusters would always look better, up to one per cell. The silhouette uses the root mean
 * square of a cell's distances for each of its nodes. */
#ifndef PROTOCOLS_KCAGC_COORDINATOR_MEASURE_H
#define PROTOCOLS_KCAGC_COORDINATOR_MEASURE_H

#include "common/cluster/selection.h"
#include "common/cluster/stability.h"
#include "protocols/kcagc/coordinator/joint.h"

enum { MEASURE_ITEMS = 2048 }; /* most items with coordinates, because the cost is cubic */
enum { MEASURE_DIMS = 256 };   /* most coordinates: those of the largest eigenvalues */

/* Measures j's best restart after gram_lloyd(). within: m, the mean squared distance of each cell's
 * nodes to their mean. O(m^2 + K m). */
struct selection_point measure_joint(const struct joint *j, const struct mat *G,
				     const double *within);

/* Computes coordinates of items from their products G, for stability_of(). Initialises Z (m x d); Z
 * has no rows if there are more than MEASURE_ITEMS items. O(m^3). ERR_INPUT as la_eigen_top(). */
enum err measure_points(const struct mat *G, struct mat *Z) MUST_CHECK;

#endif
