/* The coordinator's side of GCC and of prediction; tables of kcagc, kcagc.predict and
 * kmeans.columns. */
#include "common/base/alloc.h"
#include "common/cluster/kmeans.h"
#include "protocols/kcagc/gcc.h"
#include "protocols/kcagc/job.h"
#include "common/kind/tree.h"
#include "protocols/kcagc/coordinator/kcagc.h"
#include "server/run/bound.h"
#include "server/run/parties.h"
#include "server/run/relay.h"
#include "server/run/sum.h"

#include <math.h>
#include <stdlib.h>

/* Federated GCC: protocols/kcagc/gcc.h with the parties of a run. */
static enum err server_kcagc_by_gcc(struct run *run, uint32_t *label)
{
	struct run_parties parties;
	struct gcc_report report;
	struct gcc_params p;
	enum err e;

	gcc_defaults(&p, run->job.clusters, run->job.seed, run->threads);
	p.k_from = run->job.clusters_from;
	p.order = kcagc_job(&run->job)->filter_order == KCAGC_ORDER_AUTO
		      ? 0
		      : kcagc_job(&run->job)->filter_order;
	p.degrees = kcagc_degrees(kcagc_job(&run->job));
	ALLOC(run->confidence, run->n);
	p.confidence = run->confidence;
	run_parties_open(&parties, run);
	e = gcc_run(&parties.parties, run->n, &p, label, &report);
	server_record_order(run, &report.basis);
	server_record_degrees(run, &report.basis);
	if (e == ERR_OK) {
		server_record_rows(run, report.scaled, report.modularity);
		record_sum(run->record, &(struct record_sum){ .group = parties.root->id,
							      .items = run->n,
							      .iterations = report.iterations,
							      .inertia = report.loss,
							      .objective = report.losses,
							      .objectives = report.iterations });
		record_selection(run->record, &report.selection);
		run->job.clusters = report.k;
		e = sums_result(&parties.parties, label, run->n, report.k);
	}
	run_parties_close(&parties);
	return e;
}

/* Relays the sealed boxes by which parties compare edges between common nodes. */
static enum err relay_graphs(struct run *run)
{
	return kcagc_compares_later(kcagc_job(&run->job)) ? relay_all(run, SEALED_GRAPH) : ERR_OK;
}

static enum err server_kcagc_run_method(struct run *run, uint32_t **label)
{
	TRY(relay_graphs(run));
	ALLOC(*label, run->n);
	if (kcagc_job(&run->job)->method == METHOD_LANDMARK)
		return server_landmark(run, *label);
	if (kcagc_job(&run->job)->method == METHOD_GCC)
		return server_kcagc_by_gcc(run, *label);
	return server_kcagc(run, *label);
}

/* Agrees on the fraction bits of a prediction's sums, as party_predict_agree_words() in
 * protocols/kcagc/party/predict.c describes. */
static enum err server_kcagc_kind_agree_words(struct run *run, const struct tree_node *all,
					      uint64_t *round)
{
	int bound;

	if (run->job.fraction_bits != JOB_AUTO)
		return ERR_OK;
	TRY(run_bound(run, all, round, NULL, &bound));
	run->fraction =
	    fixed_fraction(run->job.modulus_bits, run->L, (4 + (double)run->L) * ldexp(1, bound));
	return ERR_OK;
}

/* Labels new nodes. The coordinator has no model: it sums k squared distances for each node, and
 * assigns the node to the cluster of least distance. Several sums follow each other, which bounds
 * the memory. */
static enum err predict(struct run *run, uint32_t **label)
{
	size_t k = run->job.clusters, step = predict_rows(k), n = run->n;
	struct record_sum kept = { .items = n };
	const struct tree_node *all;
	struct tree tree;
	uint64_t round = run->rounds_before;
	double *D;
	enum err e = ERR_OK;

	TRY(relay_graphs(run));
	ALLOC(*label, n);
	tree_build(&tree, run->L, job_is_flat(&run->job));
	all = &tree.node[tree.count - 1];
	kept.group = all->id;
	if (kcagc_job(&run->job)->joint_norm)
		TRY(server_prepare_norms(run, all, &round));
	run_phase(run, "predict");
	TRY(server_kcagc_kind_agree_words(run, all, &round));
	D = alloc((n < step ? n : step) * k, sizeof(*D));
	for (size_t i = 0; i < n && e == ERR_OK; i += step) {
		size_t rows = n - i < step ? n - i : step;

		e = secure_sum_reals(run, all, &round, D, rows * k);
		if (e == ERR_OK)
			kmeans_assign(D, NULL, rows, k, *label + i, &kept.inertia);
	}
	free(D);
	TRY(e);
	record_sum(run->record, &kept);
	run_phase(run, "result");
	return run_broadcast_labels(run, 0, run->L, MSG_RESULT, all->id, run->job.clusters, *label,
				    n);
}

/* Runs kcagc, then records inertia and silhouette from the last summed distances. If the distances
 * of rows were not summed, uses the distances of the cells' means. */
static enum err run_columns(struct run *run, uint32_t **label)
{
	const struct record_sum *last;
	bool cells;

	ALLOC(*label, run->n);
	TRY(server_kcagc(run, *label));
	last = run->record->sums ? &run->record->sum[run->record->sums - 1] : NULL;
	if (!last || !last->iterations)
		return ERR_OK;
	cells = last->items < run->n;
	facts_number(&run->record->facts, cells ? "inertia_of_cells" : "inertia", last->inertia);
	facts_number(&run->record->facts, cells ? "silhouette_of_cells" : "silhouette",
		     last->silhouette);
	return ERR_OK;
}

const struct server_kind server_kind_kcagc = {
	.compare = server_compare_nodes,
	.run = server_kcagc_run_method,
	.keep = server_keep_labels,
};

const struct server_kind server_kind_kcagc_predict = {
	.compare = server_compare_rows,
	.run = predict,
	.keep = server_keep_labels,
};

const struct server_kind server_kind_kmeans_columns_predict = {
	.compare = server_compare_rows,
	.run = predict,
	.keep = server_keep_labels,
};

const struct server_kind server_kind_kmeans_columns = {
	.compare = server_compare_nodes,
	.run = run_columns,
	.keep = server_keep_labels,
};
