/* gram.h -- the joint k-means of a tree level from one secure sum of inner products each.
 *
 * exchange "gram": the members sum the m (m + 1) / 2 inner products of their virtual nodes, once.
 * Squared distances to any weighted mean of items follow from those, so seeding, restarts and Lloyd
 * need no party: one round for a level in place of 1 + Q. It shows the coordinator every distance
 * of two virtual nodes, which is why a job must ask for it.
 */
#ifndef SERVER_KCAGC_GRAM_H
#define SERVER_KCAGC_GRAM_H

#include "server/kcagc/joint.h"

enum { GRAM_ITEMS_MAX = 1 << 14 }; /* a triangle of 1 GiB, a matrix of 2 */

/* Like joint_kmeans, with the same labels from the same starts but for rounding. For a group O(R
 * m^2), and O(m) for each item that moves in an iteration; 8 (m^2 + 2 R K m) bytes. ERR_JOB if a
 * group has more than GRAM_ITEMS_MAX items. */
enum err gram_kmeans(struct run *run, struct joint *groups, size_t count) MUST_CHECK;

#endif
