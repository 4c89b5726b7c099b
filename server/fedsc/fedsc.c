/* The coordinator's half of FedSC: common/fedsc/coordinator.h's, with the parties of a run. */
#include "server/fedsc/fedsc.h"
#include "common/base/log.h"
#include "common/fedsc/job.h"
#include "common/fedsc/noise.h"
#include "server/run/parties.h"

static void keep_record(struct run *run, const struct fedsc_params *p,
			const struct fedsc_report *report)
{
	struct record *r = run->record;
	bool learned = p->variant == FEDSC_BY_DENSE || p->variant == FEDSC_BY_PAPER;

	record_sizes(r, report->size, p->k);
	record_fact(r, "rows", report->n);
	record_fact(r, "scale", report->scale);
	record_fact(r, "dims", (double)report->dims);
	record_fact(r, "landmarks_dropped", (double)report->dropped);
	if (report->dropped)
		log_info("%zu landmarks had fewer than %g rows and were dropped", report->dropped,
			 p->least);
	if (learned) {
		record_fact(r, "r", report->r);
		record_fact(r, "stage_1_rounds", report->rounds);
		record_fact(r, "stage_1_change", report->change);
	}
	if (p->variant == FEDSC_BY_KMEANS)
		record_fact(r, "lloyd_rounds", report->rounds);
	if (report->value)
		record_facts(r, "eigenvalues", report->value, p->k);
}

enum err server_fedsc(struct run *run, uint32_t **label)
{
	struct fedsc_report report = { 0 };
	struct job_noise_numbers noise;
	struct run_parties parties;
	struct fedsc_params p;
	enum err e;

	/* Who takes part in a round the parties draw by themselves. */
	TRY(job_fedsc_params(&run->job, run->L, 0, run->threads, &p));
	TRY(job_noise(&run->job, &noise));
	job_noise_record(&run->job, &noise, run->record);
	if (p.variant == FEDSC_BY_PAPER)
		log_warn("variant \"paper\": parties upload the coefficients C of their rows in "
			 "clear, and with the dictionary Z every row can be computed from them");
	run_parties_open(&parties, run);
	e = run_parties_error(fedsc_run(&parties.parties, run->columns, &p, &report));
	run_parties_close(&parties);
	run->n = (size_t)report.n;
	if (e == ERR_OK) {
		keep_record(run, &p, &report);
		*label = report.label;
		report.label = NULL;
	}
	fedsc_report_release(&report);
	return e;
}
