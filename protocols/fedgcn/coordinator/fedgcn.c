/* The coordinator's side of FedGCN: protocols/fedgcn/coordinator.h with the parties of a run. */
#include "protocols/fedgcn/coordinator/fedgcn.h"
#include "common/base/file.h"
#include "common/base/log.h"
#include "protocols/fedgcn/coordinator.h"
#include "protocols/fedgcn/file.h"
#include "protocols/fedgcn/job.h"
#include "proto/msg.h"
#include "server/run/parties.h"
#include "server/run/relay.h"

#include <stdlib.h>

/* Writes the joint model. It has no final clustering of any party, so it assigns a graph to the
 * nearest prototype. If layers stay with the parties, the joint model is incomplete, and no file is
 * written. */
static enum err server_fedgcn_keep_model(const struct run *run, const struct fedgcn_params *p,
					 const struct fedgcn_report *r)
{
	struct fedgcn_model m = { .features = p->features,
				  .k = p->k,
				  .weights = fedgcn_down(p, FEDGCN_START),
				  .W = r->W,
				  .C = r->C };
	char *path;
	enum err e;

	if (!r->W || !r->C.a || p->sharing == FEDGCN_PER)
		return ERR_OK;
	path = file_join(run->output, "model.fedgcn");
	e = fedgcn_file_write(path, &m);
	free(path);
	return e;
}

/* Runs FedGCN. Labels stay with the parties; the record has cluster sizes, losses and the rest of
 * the report. Sets run->n to the number of all graphs. Writes the joint model to
 * run->output/model.fedgcn, unless parties keep layers. If the run fails, writes the last good
 * model. */
static enum err server_fedgcn_train(struct run *run, uint32_t **label)
{
	struct fedgcn_report report = { 0 };
	struct facts *to = &run->record->facts;
	struct err_saved saved;
	struct run_parties parties;
	struct fedgcn_params p;
	enum err e;

	(void)label;
	TRY(fedgcn_params_of(fedgcn_job(&run->job), run->threads, &p));
	if (fedgcn_in_plaintext(&p))
		log_warn("parties upload all their prototypes unmasked");
	run_parties_open(&parties, run);
	TRY(relay_key(run, SEALED_GROUP_KEY));
	e = run_parties_error(fedgcn_run(&parties.parties, &p, &report));
	run_parties_close(&parties);
	run->n = (size_t)report.n;
	facts_number(to, "graphs", report.n);
	facts_number(to, "rounds", report.rounds);
	if (report.rounds) {
		facts_numbers(to, "loss_clusters", report.kl, report.rounds);
		facts_numbers(to, "loss_reconstruction", report.reconstruction, report.rounds);
		facts_numbers(to, "changed", report.changed, report.rounds);
		facts_number(to, "prototypes_withheld", (double)report.withheld);
	}
	if (e == ERR_OK) {
		record_sizes(run->record, report.size, run->job.clusters);
		e = server_fedgcn_keep_model(run, &p, &report);
	} else { /* return the error of the run, not an error of writing its model */
		saved = err_save(e);
		if (server_fedgcn_keep_model(run, &p, &report) != ERR_OK)
			log_warn("the last good model could not be stored: %s", err_detail());
		e = err_restore(&saved);
	}
	fedgcn_report_release(&report);
	return e;
}

/* Checks that all parties have the same number of attributes, if the features use attributes. */
static enum err compare_attributes(struct run *run, const struct msg_accept *accept)
{
	if (fedgcn_job(&run->job)->how.features == GRAPHS_STRUCTURE)
		return ERR_OK;
	for (size_t l = 0; l < run->L; l++)
		if (accept[l].columns != accept[0].columns)
			return err_set(ERR_INPUT,
				       "%s has graphs with %u attributes of a node and %s with %u: "
				       "with job.features \"%s\" all parties must have the same",
				       run->name[0], accept[0].columns, run->name[l],
				       accept[l].columns,
				       fedgcn_features_names[fedgcn_job(&run->job)->how.features]);
	run->columns = accept[0].columns;
	return ERR_OK;
}

const struct server_kind server_kind_fedgcn = {
	.compare = compare_attributes,
	.run = server_fedgcn_train,
	.keep = server_keep_labels,
};
