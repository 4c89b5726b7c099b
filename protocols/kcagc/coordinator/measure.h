/* measure.h -- how good the clusterings of a range of k are, from inner products of items (exchange "gram").
 *
 * The items are cells, which stand for their nodes by weight. How far a cell's nodes lie from its mean is known,
 * too, so inertia and ratio are those of the nodes. Without it the more clusters there are, the better they
 * would look, until each is a cell. The silhouette takes each node's distance to a centre for that of its cell in
 * the square mean.
 */
#ifndef PROTOCOLS_KCAGC_COORDINATOR_MEASURE_H
#define PROTOCOLS_KCAGC_COORDINATOR_MEASURE_H

#include "common/cluster/selection.h"
#include "common/cluster/stability.h"
#include "protocols/kcagc/coordinator/joint.h"

enum { MEASURE_ITEMS = 2048 }; /* up to so many have coordinates: what that costs is cubic */
enum { MEASURE_DIMS = 256 };   /* of them, those of the largest eigenvalues */

/* Of j's best restart, after gram_lloyd(). within: m, the mean squared distance of each cell's nodes to their
 * mean. O(m^2 + K m). */
struct selection_point measure_joint(const struct joint *j, const struct mat *G,
				     const double *within);

/* Coordinates of items with the products G, for stability_of(): the rows of Z (m x d), initialised here; no rows
 * if there are more than MEASURE_ITEMS items. O(m^3). ERR_INPUT as la_eigen_top(). */
enum err measure_points(const struct mat *G, struct mat *Z) MUST_CHECK;

#endif
