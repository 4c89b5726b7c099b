/* norm.h -- the coordinator's half of job.joint_norm. */
#ifndef SERVER_NORM_H
#define SERVER_NORM_H

#include "common/job/tree.h"
#include "server/run.h"

/* One secure sum over the members of node: the square of each node's length, which they are told. */
enum err server_joint_norm(struct run *run, const struct tree_node *node,
			   uint64_t *round) MUST_CHECK;

#endif
