/* prepare.h -- what kCAGC agrees on before anyone clusters: the filter's order and joint row norms.
 *
 * Both are sums over all parties, whatever the tree, and both are left out unless the job asks for
 * them. The other half is party/kcagc/local.c. */
#ifndef SERVER_KCAGC_PREPARE_H
#define SERVER_KCAGC_PREPARE_H

#include "common/kind/tree.h"
#include "server/run/run.h"

/* filter.order "auto": AGC's rule on the summed intra-cluster distances, ORDER_BLOCK orders a
 * round. Sets run->job.filter_order. ERR_JOB if there is no rise up to ORDER_CAP. */
enum err server_prepare_order(struct run *run, const struct tree_node *root,
			      uint64_t *round) MUST_CHECK;

/* joint_norm: one sum of n squared norms; the parties are told the norms. */
enum err server_prepare_norms(struct run *run, const struct tree_node *root,
			      uint64_t *round) MUST_CHECK;

#endif
