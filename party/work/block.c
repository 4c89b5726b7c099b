#include "party/work/block.h"
#include "common/linalg/la.h"

#include <math.h>

static enum err check(const struct work *work, const struct mat *B)
{
	double n = (double)B->rows;
	bool good = true;
	struct mat G;

	la_gram_columns(B, work->threads, &G);
	for (size_t i = 0; i < G.rows; i++)
		for (size_t j = 0; j < G.cols; j++)
			good &= fabs(MAT(&G, i, j) / n - (i == j)) <= BLOCK_ROUNDING;
	mat_release(&G);
	if (good)
		return ERR_OK;
	return peer_fault(work->channel,
			  "sent a BLOCK whose columns are not orthogonal and of length sqrt(n)");
}

enum err block_recv(struct work *work, const struct tree_node *node, struct mat *B)
{
	TRY(channel_recv_reals(work->channel, MSG_BLOCK, node->id, B->a, B->rows * B->cols));
	return check(work, B);
}
