#include "server/kcagc/prepare.h"
#include "common/base/alloc.h"
#include "common/base/log.h"
#include "common/kcagc/order.h"
#include "server/run/sum.h"

#include <math.h>
#include <stdlib.h>

enum err server_prepare_order(struct run *run, const struct tree_node *root, uint64_t *round)
{
	double intra[ORDER_CAP];
	unsigned order = 0;

	run_phase(run, "order");
	for (size_t known = ORDER_BLOCK; !order; known += ORDER_BLOCK) {
		TRY(secure_sum_wide(run, root, round, intra + known - ORDER_BLOCK, ORDER_BLOCK));
		TRY(order_decide(intra, known, &order));
		for (size_t l = 0; l < run->L; l++)
			TRY(channel_send_choice(run->channel[l], CHOICE_ORDER, order));
		run_progress(run, (unsigned)(known / ORDER_BLOCK), known);
	}
	log_info("filter.order \"auto\" is %u", order);
	run->job.kcagc.filter_order = run->record->order = order;
	return ERR_OK;
}

enum err server_prepare_norms(struct run *run, const struct tree_node *root, uint64_t *round)
{
	double *norm = alloc(run->n, sizeof(*norm));
	enum err e;

	run_phase(run, "norms");
	e = secure_sum_wide(run, root, round, norm, run->n);
	for (size_t i = 0; i < run->n; i++)
		norm[i] = sqrt(fmax(norm[i], 0));
	for (size_t l = 0; l < run->L && e == ERR_OK; l++)
		e = channel_send_reals(run->channel[l], MSG_MATRIX, root->id, norm, run->n);
	free(norm);
	return e;
}
