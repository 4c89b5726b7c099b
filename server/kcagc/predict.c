/* The coordinator's half of prediction. It has no model: what it gets are k summed squared
 * distances for each node, of which it takes the least. */
#include "server/kcagc/predict.h"
#include "common/base/alloc.h"
#include "common/kcagc/predict.h"
#include "common/kind/tree.h"
#include "common/cluster/kmeans.h"
#include "server/kcagc/prepare.h"
#include "server/run/sum.h"

#include <stdlib.h>

/* One sum after the other: words of one are all that there is at a time. */
static enum err assign(struct run *run, const struct tree_node *all, uint64_t *round,
		       uint32_t *label, double *inertia)
{
	size_t k = run->job.clusters, step = predict_rows(k), n = run->n;
	double *D = alloc((n < step ? n : step) * k, sizeof(*D));
	enum err e = ERR_OK;

	for (size_t i = 0; i < n && e == ERR_OK; i += step) {
		size_t rows = n - i < step ? n - i : step;

		e = secure_sum_reals(run, all, round, D, rows * k);
		if (e == ERR_OK)
			kmeans_assign(D, NULL, rows, k, label + i, inertia);
	}
	free(D);
	return e;
}

enum err server_predict(struct run *run, uint32_t *label)
{
	const struct tree_node *all;
	struct record_sum kept = { .items = run->n };
	struct tree tree;
	uint64_t round = 0;

	tree_build(&tree, run->L, job_is_flat(&run->job));
	all = &tree.node[tree.count - 1];
	kept.group = all->id;
	if (run->job.kcagc.joint_norm)
		TRY(server_prepare_norms(run, all, &round));
	run_phase(run, "predict");
	TRY(assign(run, all, &round, label, &kept.inertia));
	record_sum(run->record, &kept);
	run_phase(run, "result");
	return run_broadcast_labels(run, 0, run->L, MSG_RESULT, all->id, run->job.clusters, label,
				    run->n);
}
