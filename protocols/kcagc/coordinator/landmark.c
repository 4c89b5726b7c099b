/* The coordinator's side of landmark projection: protocols/kcagc/landmark.h with the parties of a
 * run. */
#include "protocols/kcagc/coordinator/kcagc.h"
#include "common/base/alloc.h"
#include "protocols/kcagc/job.h"
#include "protocols/kcagc/landmark.h"
#include "server/run/parties.h"

void server_record_order(struct run *run, const struct sums_basis *basis)
{
	if (!basis->rule)
		return;
	run->record->order = basis->order;
	facts_number(&run->record->facts, "order_rule", basis->rule);
	facts_numbers(&run->record->facts, "order_shares", basis->share + 1, SLICE_ORDER_MAX);
	if (!basis->tried)
		return;
	facts_numbers(&run->record->facts, "orders_tried", (double[]){ basis->first, basis->tried },
		      2);
	facts_numbers(&run->record->facts, "orders_modularity", basis->fit, 2);
}

void server_record_degrees(struct run *run, const struct sums_basis *basis)
{
	if (kcagc_degrees(kcagc_job(&run->job)) != DEGREES_AUTO)
		return;
	facts_format(&run->record->facts, "degrees", "%s",
		     basis->degrees == DEGREES_ALONE ? "alone" : "off");
	facts_number(&run->record->facts, "degrees_explain", basis->explained);
	if (basis->degrees == DEGREES_ALONE)
		warnings_add(WARNING_DEGREES, basis->explained,
			     "degrees explain %.0f %% of the features' variance, and nodes are "
			     "clustered by degrees alone",
			     100 * basis->explained);
}

void server_record_rows(struct run *run, bool scaled, double modularity)
{
	facts_format(&run->record->facts, "clusters_of", "%s",
		     scaled ? "scaled rows" : "rows as they are");
	record_modularity(run->record, modularity, kcagc_communities(kcagc_job(&run->job)));
}

enum err server_landmark(struct run *run, uint32_t *label)
{
	struct landmark_report report;
	struct landmark_params p = landmark_params_of(kcagc_job(&run->job), run->threads);
	struct run_parties parties;
	enum err e;

	ALLOC(run->confidence, run->n);
	p.confidence = run->confidence;
	run_parties_open(&parties, run);
	e = landmark_run(&parties.parties, run->n, &p, label, &report);
	server_record_order(run, &report.basis);
	server_record_degrees(run, &report.basis);
	if (e == ERR_OK) {
		server_record_rows(run, report.scaled, report.modularity);
		record_sum(run->record, &(struct record_sum){ .group = parties.root->id,
							      .items = report.sets,
							      .merged = report.merged,
							      .inertia = report.inertia });
		record_selection(run->record, &report.selection);
		run->job.clusters = report.k;
		e = sums_result(&parties.parties, label, run->n, report.k);
	}
	run_parties_close(&parties);
	return e;
}
