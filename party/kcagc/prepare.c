#include "party/kcagc/prepare.h"
#include "common/base/alloc.h"
#include "common/kcagc/order.h"
#include "party/work/secure.h"

#include <math.h>
#include <stdlib.h>

/* Blocks of terms until the coordinator says where their sum first rose. */
static enum err search_order(struct work *work, const struct tree_node *root,
			     struct order_search *search)
{
	uint64_t order = 0;

	for (unsigned block = 1; !order && block <= ORDER_BLOCKS; block++) {
		double intra[ORDER_BLOCK];

		TRY(order_next(search, intra));
		TRY(secure_send_wide(work, root, intra, ORDER_BLOCK));
		TRY(channel_recv_choice(work->channel, CHOICE_ORDER, block * ORDER_BLOCK, &order));
		work_progress(work, block, block * ORDER_BLOCK);
	}
	if (!order)
		return peer_fault(work->channel, "chose no filter order up to %d", ORDER_CAP);
	work->job.kcagc.filter_order = work->record->order = (unsigned)order;
	return ERR_OK;
}

enum err party_prepare_order(struct work *work, const struct tree_node *root)
{
	struct embed_params how = kcagc_embed_params(&work->job.kcagc, work->threads);
	struct kmeans_params clusters = { .k = work->job.clusters,
					  .restarts = work->job.kcagc.local_restarts,
					  .iterations = work->job.kcagc.iterations,
					  .seed = work->job.seed,
					  .threads = work->threads };
	struct order_search search;
	enum err e;

	work_phase(work, "order");
	work_group(work, root);
	e = order_begin(&search, work->features, work->graph, &how, &clusters);
	if (e != ERR_OK)
		return e;
	e = search_order(work, root, &search);
	order_end(&search);
	return e;
}

enum err party_prepare_norms(struct work *work, const struct tree_node *root, const struct mat *Z,
			     double *norm, double *mean)
{
	double *own = alloc(work->n, sizeof(*own)), sum = 0;
	const double rounding = ldexp((double)work->L, -JOB_WIDE_FRACTION);
	enum err e;

	work_phase(work, "norms");
	work_group(work, root);
	embed_norms(Z, own);
	for (size_t i = 0; i < work->n; i++)
		own[i] *= own[i];
	e = secure_send_wide(work, root, own, work->n);
	if (e == ERR_OK)
		e = channel_recv_reals(work->channel, MSG_MATRIX, root->id, norm, work->n);
	for (size_t i = 0; i < work->n && e == ERR_OK; i++) {
		if (norm[i] < 0 || norm[i] * norm[i] < own[i] * (1 - 1e-12) - rounding)
			e = peer_fault(
			    work->channel,
			    "sent a joint norm for row %zu that is shorter than this party's part",
			    i);
		sum += norm[i];
	}
	*mean = sum / (double)work->n;
	free(own);
	return e;
}
