#include "server/fedgcn/kind.h"
#include "common/fedgcn/kind.h"
#include "proto/msg.h"
#include "server/fedgcn/fedgcn.h"

/* Attributes count where features are made of them. */
static enum err compare_attributes(struct run *run, const struct msg_accept *accept)
{
	if (run->job.fedgcn.features == GRAPHS_STRUCTURE)
		return ERR_OK;
	for (size_t l = 0; l < run->L; l++)
		if (accept[l].columns != accept[0].columns)
			return err_set(ERR_INPUT,
				       "%s has graphs with %u attributes of a node and %s with %u: "
				       "with job.features \"%s\" all parties must have the same",
				       run->name[0], accept[0].columns, run->name[l],
				       accept[l].columns,
				       fedgcn_features_names[run->job.fedgcn.features]);
	run->columns = accept[0].columns;
	return ERR_OK;
}

/* Each party has the labels of its own graphs. */
static enum err train(struct run *run, uint32_t **label)
{
	(void)label;
	return server_fedgcn(run);
}

const struct server_kind server_kind_fedgcn = {
	.kind = &kind_fedgcn,
	.compare = compare_attributes,
	.run = train,
	.keep = server_keep_labels,
};
