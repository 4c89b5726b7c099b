/* prepare.h -- a party's half of what kCAGC agrees on before anyone clusters; see server/kcagc/prepare.h.
 */
#ifndef PARTY_KCAGC_PREPARE_H
#define PARTY_KCAGC_PREPARE_H

#include "common/kind/tree.h"
#include "common/linalg/mat.h"
#include "party/work/work.h"

/* filter.order "auto". Sets work->job.filter_order, from 1 to ORDER_CAP. The features stay. */
enum err party_prepare_order(struct work *work, const struct tree_node *root) MUST_CHECK;

/* joint_norm: norm (n) becomes the length of each row over all parties, and *mean their mean. Z is
 * this party's part, its rows not scaled yet. ERR_PEER if a joint norm is shorter than the party's
 * own. */
enum err party_prepare_norms(struct work *work, const struct tree_node *root, const struct mat *Z,
			     double *norm, double *mean) MUST_CHECK;

#endif
