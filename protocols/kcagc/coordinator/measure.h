/* measure.h -- Quality of the clusterings of a range of k, from inner products of items (exchange
 * "gram").
 *
 * The items are cells and stand for their nodes by weight. The distances of a cell's nodes to its
 * mean are summed too, so inertia and ratio are those of the nodes. Without them more clusters
 * would always look better, until each is a cell. The silhouette uses the root mean square of a
 * cell's distances for each of its nodes. */
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

/* Coordinates of items with the products G, for stability_of(). Initialises Z (m x d); without rows
 * if there are more than MEASURE_ITEMS items. O(m^3). ERR_INPUT as la_eigen_top(). */
enum err measure_points(const struct mat *G, struct mat *Z) MUST_CHECK;

#endif
