/* The coordinator's side of FedSpectral: aligns the nodes, runs protocols/fedspectral/coordinator.h
 * with the parties of a run, and sends each party the labels of its own nodes. */
#include "protocols/fedspectral/coordinator/fedspectral.h"
#include "common/base/alloc.h"
#include "common/base/log.h"
#include "protocols/fedspectral/job.h"
#include "protocols/fedspectral/private.h"
#include "server/run/align.h"
#include "server/run/parties.h"
#include "server/run/relay.h"

#include <stdio.h>
#include <stdlib.h>

static void record_report(struct run *run, const struct fedspectral_report *r)
{
	struct record *to = run->record;
	char text[ERR_DETAIL_MAX] = "";
	size_t at = 0;

	facts_number(&to->facts, "nodes", (double)run->n);
	facts_number(&to->facts, "isolated", (double)r->isolated);
	if (r->isolated)
		log_info("%zu of %zu nodes have no edges: they are cluster %u", r->isolated, run->n,
			 r->k);
	facts_number(&to->facts, "clusters", r->k);
	if (fedspectral_job(&run->job)->variant == FEDSPECTRAL_PLAIN)
		return;
	facts_number(&to->facts, "rounds", r->rounds);
	if (fedspectral_job(&run->job)->variant == FEDSPECTRAL_PLUS || !r->values)
		return;
	facts_number(&to->facts, "residual", r->residual);
	facts_numbers(&to->facts, "eigenvalues", r->value, r->values);
	facts_number(&to->facts, "eigengap", r->gap);
	for (size_t i = 0; i < r->values && at < sizeof(text) - 16; i++)
		at += (size_t)snprintf(text + at, sizeof(text) - at, " %.6f", r->value[i]);
	log_info("leading eigenvalues%s; number %u is followed by a gap of %.6f", text, r->k,
		 r->gap);
	if (!r->near_1)
		return;
	facts_number(&to->facts, "eigenvalues_near_1", (double)r->near_1);
	log_info("eigenvalues within 1e-5 of 1: %zu%s", r->near_1,
		 r->near_1 == r->values ? " or more" : "");
}

/* Runs variant "exact". Before that, relays the parties' group key, by which they verify the sum of
 * degrees. */
static enum err server_fedspectral_exact(struct run *run, struct run_parties *parties,
					 const struct fedspectral_params *p, uint32_t *label,
					 struct fedspectral_report *report)
{
	TRY(relay_key(run, SEALED_GROUP_KEY));
	return fedspectral_exact(&parties->parties, run->n, p, label, report);
}

/* Runs all steps, from the alignment of nodes to the labels of each party's own nodes. Sets
 * run->job.clusters to the number of clusters found, plus one if there are nodes without edges.
 * *label: run->n labels below that number; NULL on failure. */
static enum err server_fedspectral_run(struct run *run, uint32_t **label)
{
	struct fedspectral_params p =
	    fedspectral_params_of(fedspectral_job(&run->job), run->threads);
	struct fedspectral_report report;
	struct run_parties parties;
	struct align align;
	enum err e;

	TRY(server_align(run, &align));
	e = server_agree_rows(run);
	if (e != ERR_OK) {
		align_release(&align);
		return e;
	}
	ALLOC(*label, run->n);
	run_parties_open(&parties, run);
	switch (fedspectral_job(&run->job)->variant) {
	case FEDSPECTRAL_PLUS:
		e = fedspectral_plus(&parties.parties, run->n, &p, *label, &report);
		break;
	case FEDSPECTRAL_PLAIN:
		e = fedspectral_plain(&parties.parties, run->n, &p, *label, &report);
		break;
	default:
		fedspectral_record_noise(fedspectral_job(&run->job), &run->record->facts);
		e = p.product > 0
			? fedspectral_private(&parties.parties, run->n, &p, *label, &report)
			: server_fedspectral_exact(run, &parties, &p, *label, &report);
	}
	if (e == ERR_OK) {
		record_report(run, &report);
		parties_phase(&parties.parties, "result");
		run->job.clusters = report.clusters;
		e = parties_broadcast_choice(&parties.parties, CHOICE_CLUSTERS, report.clusters);
	}
	if (e == ERR_OK)
		e = server_own_labels(run, &align, MSG_RESULT, parties.root->id,
				      report.clusters - 1, *label);
	run_parties_close(&parties);
	align_release(&align);
	if (e != ERR_OK) {
		free(*label);
		*label = NULL;
	}
	return e;
}

const struct server_kind server_kind_fedspectral = {
	.run = server_fedspectral_run,
	.keep = server_keep_labels,
};
