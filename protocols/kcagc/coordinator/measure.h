/* measure.h -- measures the quality of clusterings for a range of k, from inner products of items
 * (exchange "gram").
 *
 * An item is a cell, weighted by its number of nodes. The parties also sum the distances of a
 * cell's nodes to its mean, so inertia and ratio are those of the nodes. Without these distances,
 * more clusters would always seem better, up to one per cell. For the silhouette, each node of a
 * cell counts with the root mean square of the cell's distances. */
#ifndef PROTOCOLS_KCAGC_COORDINATOR_MEASURE_H
#define PROTOCOLS_KCAGC_COORDINATOR_MEASURE_H

#include "common/cluster/selection.h"
#include "common/cluster/stability.h"
#include "protocols/kcagc/coordinator/joint.h"

/* Maximum number of items with coordinates, because the cost is cubic. */
enum { MEASURE_ITEMS = 2048 };
/* Maximum number of coordinates; those of the largest eigenvalues are kept. */
enum { MEASURE_DIMS = 256 };

/* Measures j's best restart after gram_lloyd(). within: m, the mean squared distance of each cell's
 * nodes to their mean. O(m^2 + K m). */
struct selection_point measure_joint(const struct joint *j, const struct mat *G,
				     const double *within);

/* Computes coordinates of items from their products G, for stability_of(). Initialises Z (m x d); Z
 * has no rows if there are more than MEASURE_ITEMS items. O(m^3). ERR_INPUT as la_eigen_top(). */
enum err measure_points(const struct mat *G, struct mat *Z) MUST_CHECK;

#endif
