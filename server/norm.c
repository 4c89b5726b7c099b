#include "server/norm.h"
#include "common/base/alloc.h"
#include "server/sum.h"

#include <stdlib.h>

enum err server_joint_norm(struct run *run, const struct tree_node *node, uint64_t *round)
{
	double *square = alloc(run->n, sizeof(*square));
	enum err e = secure_sum_reals(run, node, round, square, run->n);

	for (size_t l = node->first; l < node->last && e == ERR_OK; l++)
		e = channel_send_reals(run->channel[l], MSG_MATRIX, node->id, square, run->n);
	free(square);
	return e;
}
