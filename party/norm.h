/* norm.h -- job.joint_norm: rows scaled by their length over all parties, not by each party's own. */
#ifndef PARTY_NORM_H
#define PARTY_NORM_H

#include "common/math/mat.h"
#include "party/work.h"

/* Z_i /= m (r_i/m)^power, where r_i^2 is the sum of ||Z_i||^2 over the members of node: one secure sum
 * of n words, and the coordinator tells the members r_i^2. *mean: m; 0: the mean of these r, which it
 * becomes. */
enum err party_joint_norm(struct work *work, const struct tree_node *node, double power,
			  struct mat *Z, double *mean) MUST_CHECK;

#endif
