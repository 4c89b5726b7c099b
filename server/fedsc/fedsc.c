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
	facts_number(&r->facts, "rows", report->n);
	facts_number(&r->facts, "scale", report->scale);
	facts_number(&r->facts, "dims", (double)report->dims);
	facts_number(&r->facts, "landmarks_dropped", (double)report->dropped);
	if (report->dropped)
		log_info("%zu landmarks had fewer than %g rows and were dropped", report->dropped,
			 p->least);
	if (learned) {
		facts_number(&r->facts, "r", report->r);
		facts_number(&r->facts, "stage_1_rounds", report->rounds);
		facts_number(&r->facts, "stage_1_change", report->change);
	}
	if (p->variant == FEDSC_BY_KMEANS)
		facts_number(&r->facts, "lloyd_rounds", report->rounds);
	if (report->value)
		facts_numbers(&r->facts, "eigenvalues", report->value, p->k);
}

/* An error found only from the sums of all rows is a failed job, not wrong input. */
static enum err within_the_run(enum err e)
{
	return e == ERR_INPUT ? ERR_JOB : e;
}

enum err server_fedsc(struct run *run, uint32_t **label)
{
	struct fedsc_report report = { 0 };
	struct fedsc_noise noise;
	struct fedsc_params p;
	struct fedsc_pool pool;
	struct row_questions rows;
	enum err e;

	/* Parties draw the members of a round by themselves. */
	TRY(fedsc_params_of(&run->job.fedsc, run->L, 0, run->threads, &p));
	TRY(fedsc_noise_of(&run->job.fedsc, &noise));
	fedsc_noise_record(&run->job.fedsc, &noise, &run->record->facts);
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
