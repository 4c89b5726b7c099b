/* The coordinator's half of federated GCC: common/kcagc/gcc.h's, with the parties of a run. */
#include "server/kcagc/gcc.h"
#include "common/kcagc/gcc.h"
#include "server/run/parties.h"

enum err server_gcc(struct run *run, uint32_t *label)
{
	struct run_parties parties;
	struct gcc_report report;
	struct gcc_params p;
	enum err e;

	gcc_defaults(&p, run->job.clusters, run->job.seed, run->threads);
	p.order = run->job.kcagc.filter_order == KCAGC_ORDER_AUTO ? 0 : run->job.kcagc.filter_order;
	run_parties_open(&parties, run);
	e = gcc_run(&parties.parties, run->n, &p, label, &report);
	if (!p.order)
		run->record->order = report.basis.order;
	if (e == ERR_OK) {
		record_sum(run->record, &(struct record_sum){ .group = parties.root->id,
							      .items = run->n,
							      .iterations = report.iterations,
							      .inertia = report.loss,
							      .objective = report.losses,
							      .objectives = report.iterations });
		e = sums_result(&parties.parties, label, run->n, p.k);
	}
	run_parties_close(&parties);
	return e;
}
