/* The coordinator's half of FedSC: common/fedsc/coordinator.h's, with parties to ask. */
#include "server/fedsc/fedsc.h"
#include "common/base/log.h"
#include "common/fedsc/job.h"
#include "common/fedsc/noise.h"
#include "server/fedsc/row_questions.h"

#include <stdio.h>

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

/* What only the sums of all rows can tell is not wrong input any more, it is a job that fails. */
static enum err within_the_run(enum err e)
{
	char why[ERR_DETAIL_MAX];

	if (e != ERR_INPUT)
		return e;
	snprintf(why, sizeof(why), "%s", err_detail());
	return err_set(ERR_JOB, "%s", why);
}

enum err server_fedsc(struct run *run, uint32_t **label)
{
	struct fedsc_report report = { 0 };
	struct job_noise_numbers noise;
	struct fedsc_params p;
	struct fedsc_pool pool;
	struct row_questions rows;
	enum err e;

	/* Who takes part in a round the parties draw by themselves. */
	TRY(job_fedsc_params(&run->job, run->L, 0, run->threads, &p));
	TRY(job_noise(&run->job, &noise));
	job_noise_record(&run->job, &noise, run->record);
	row_questions_open(&rows, run, &pool);
	e = within_the_run(fedsc_run(&pool, &p, &report));
	if (e == ERR_OK)
		e = row_questions_end(&rows);
	if (e == ERR_OK) {
		keep_record(run, &p, &report);
		*label = row_questions_take_labels(&rows);
	}
	fedsc_report_release(&report);
	row_questions_close(&rows);
	return e;
}
