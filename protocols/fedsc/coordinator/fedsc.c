/* The coordinator's side of FedSC: calls fedsc_run() with the parties of a run, and records its
 * results. */
#include "protocols/fedsc/coordinator/fedsc.h"
#include "common/base/log.h"
#include "protocols/fedsc/coordinator.h"
#include "protocols/fedsc/job.h"
#include "protocols/fedsc/noise.h"
#include "server/run/parties.h"
#include "server/run/relay.h"

/* Runs fedsc or kmeans. Needs run->columns and sets run->n. In variants "paper" and "pairwise",
 * *label becomes the labels of all rows, in the order of the parties. In other cases *label stays
 * NULL, and the record has the sizes of the clusters. */
static enum err run_fedsc(struct run *run, uint32_t **label)
{
	struct facts *to = &run->record->facts;
	struct fedsc_report report = { 0 };
	struct fedsc_noise noise;
	struct run_parties parties;
	struct fedsc_params p;
	enum err e;

	TRY(fedsc_params_of(fedsc_job(&run->job), run->L, run->threads, &p));
	TRY(fedsc_noise_of(fedsc_job(&run->job), &noise));
	fedsc_noise_record(fedsc_job(&run->job), &noise, to);
	if (p.variant == FEDSC_BY_PAPER)
		log_warn("variant \"paper\": parties upload the coefficients C of their rows "
			 "unmasked; every row can be computed from C and the dictionary Z");
	if (p.variant == FEDSC_BY_PAIRWISE)
		log_warn("variant \"pairwise\": the coordinator receives the similarity of any "
			 "two rows; a party can compute all other parties' rows from "
			 "similarities with its own");
	run_parties_open(&parties, run);
	TRY(relay_key(run, SEALED_GROUP_KEY));
	TRY(relay_all(run, SEALED_COLUMNS));
	e = run_parties_error(fedsc_run(&parties.parties, run->columns, &p, &report));
	run_parties_close(&parties);
	run->n = (size_t)report.n;
	if (e == ERR_OK) {
		record_sizes(run->record, report.size, report.k);
		record_selection(run->record, &report.selection);
		facts_number(to, "rows", report.n);
		facts_number(to, "scale", report.scale);
		facts_number(to, "dims", (double)report.dims);
		facts_number(to, "landmarks_dropped", (double)report.dropped);
		if (report.dropped)
			log_info("%zu landmarks had fewer than %u rows and were dropped",
				 report.dropped, p.least);
		if (fedsc_learns(p.variant)) {
			facts_number(to, "r", report.r);
			facts_number(to, "stage_1_rounds", report.rounds);
			facts_number(to, "stage_1_change", report.change);
		}
		if (p.variant == FEDSC_BY_KMEANS)
			facts_number(to, "lloyd_rounds", report.rounds);
		if (report.value)
			facts_numbers(to, "eigenvalues", report.value, report.values);
		*label = report.label;
		report.label = NULL;
	}
	fedsc_report_release(&report);
	return e;
}

const struct server_kind server_kind_fedsc = {
	.compare = server_compare_columns,
	.run = run_fedsc,
	.keep = server_keep_labels,
};

const struct server_kind server_kind_kmeans = {
	.compare = server_compare_columns,
	.run = run_fedsc,
	.keep = server_keep_labels,
};
