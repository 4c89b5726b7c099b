/* The coordinator's half of FedGCN: common/fedgcn/coordinator.h's, with the parties of a run. */
#include "server/fedgcn/fedgcn.h"
#include "common/base/file.h"
#include "common/base/log.h"
#include "common/fedgcn/coordinator.h"
#include "common/fedgcn/file.h"
#include "common/fedgcn/job.h"
#include "proto/msg.h"
#include "server/run/parties.h"

#include <stdio.h>
#include <stdlib.h>

static void keep_record(struct run *run, const struct fedgcn_report *r, bool ended)
{
	struct record *to = run->record;

	facts_number(&to->facts, "graphs", r->n);
	facts_number(&to->facts, "rounds", r->rounds);
	if (r->rounds) {
		facts_numbers(&to->facts, "loss_clusters", r->kl, r->rounds);
		facts_numbers(&to->facts, "loss_reconstruction", r->reconstruction, r->rounds);
		facts_numbers(&to->facts, "changed", r->changed, r->rounds);
		facts_number(&to->facts, "prototypes_withheld", (double)r->withheld);
	}
	if (ended)
		record_sizes(to, r->size, run->job.clusters);
}

/* The joint model without anybody's own last clustering: it assigns by the nearest prototype. Where
 * layers stay with their parties it is not whole. */
static enum err keep_model(const struct run *run, const struct fedgcn_params *p,
			   const struct fedgcn_report *r)
{
	struct fedgcn_model m = { .features = p->features,
				  .k = p->k,
				  .weights = fedgcn_down(p, FEDGCN_START),
				  .W = r->W,
				  .C = r->C };
	char *path;
	enum err e;

	if (!r->W || !r->C.a || p->sharing == FEDGCN_LOCAL || p->sharing == FEDGCN_PER)
		return ERR_OK;
	path = file_join(run->output, "model.fedgcn");
	e = fedgcn_file_write(path, &m);
	free(path);
	return e;
}

/* The run's own error counts, not that its last good model could not be kept. */
static enum err keep(struct run *run, const struct fedgcn_params *p, const struct fedgcn_report *r,
		     enum err e)
{
	struct err_saved saved = err_save(e);

	keep_record(run, r, e == ERR_OK);
	if (e == ERR_OK)
		return keep_model(run, p, r);
	if (keep_model(run, p, r) != ERR_OK)
		log_warn("the last good model could not be kept: %s", err_detail());
	return err_restore(&saved);
}

/* Labels are with the parties; the record has the clusters' sizes, losses and what else is in the
 * report. run->n becomes the number of all graphs. The joint model is left in
 * run->output/model.fedgcn, unless parties share none; of a run that breaks off, the last good one.
 */
static enum err train(struct run *run, uint32_t **label)
{
	struct fedgcn_report report = { 0 };
	struct run_parties parties;
	struct fedgcn_params p;
	enum err e;

	(void)label;
	TRY(fedgcn_params_of(&run->job.fedgcn, run->threads, &p));
	if (fedgcn_in_clear(&p))
		log_warn("prototypes \"%s\": parties upload each of their prototypes in clear",
			 fedgcn_prototypes_names[run->job.fedgcn.how.prototypes]);
	run_parties_open(&parties, run);
	e = run_parties_error(fedgcn_run(&parties.parties, &p, &report));
	run_parties_close(&parties);
	run->n = (size_t)report.n;
	e = keep(run, &p, &report, e);
	fedgcn_report_release(&report);
	return e;
}

/* Attributes count where features are made of them. */
static enum err compare_attributes(struct run *run, const struct msg_accept *accept)
{
	if (run->job.fedgcn.how.features == GRAPHS_STRUCTURE)
		return ERR_OK;
	for (size_t l = 0; l < run->L; l++)
		if (accept[l].columns != accept[0].columns)
			return err_set(ERR_INPUT,
				       "%s has graphs with %u attributes of a node and %s with %u: "
				       "with job.features \"%s\" all parties must have the same",
				       run->name[0], accept[0].columns, run->name[l],
				       accept[l].columns,
				       fedgcn_features_names[run->job.fedgcn.how.features]);
	run->columns = accept[0].columns;
	return ERR_OK;
}

const struct server_kind server_kind_fedgcn = {
	.kind = &kind_fedgcn,
	.compare = compare_attributes,
	.run = train,
	.keep = server_keep_labels,
};
