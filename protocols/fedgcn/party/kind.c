#include "protocols/fedgcn/party/fedgcn.h"
#include "common/base/file.h"
#include "common/data/labels.h"
#include "protocols/fedgcn/job.h"
#include "common/graph/graphs.h"

#include <stdio.h>
#include <stdlib.h>

/* Checks the job's min_cluster against the policy. The party itself withholds prototypes that stand
 * for fewer graphs. */
static enum err party_fedgcn_allow(const struct party_config *config, const struct work *work)
{
	char things[48];

	snprintf(things, sizeof(things), "prototypes of %u graphs",
		 fedgcn_job(&work->job)->how.min_cluster);
	return party_allow_clusters(config, fedgcn_job(&work->job)->how.min_cluster, things);
}

static enum err party_fedgcn_check_data(struct work *work)
{
	const struct graphs *g = work->graphs;
	const char *name = work->name[work->own];

	if (g->count < work->job.clusters)
		return err_set(ERR_INPUT, "%s has %zu graphs, expected at least job.clusters, %u",
			       name, g->count, work->job.clusters);
	if (fedgcn_job(&work->job)->how.features != GRAPHS_STRUCTURE && g->attribute.cols < 2)
		return err_set(ERR_INPUT,
			       "%s has graphs with %zu attributes of a node, expected at least 2, "
			       "coordinates, with job.features \"%s\"",
			       name, g->attribute.cols,
			       fedgcn_features_names[fedgcn_job(&work->job)->how.features]);
	return ERR_OK;
}

static enum err party_fedgcn_describe(const struct work *work, struct msg_accept *a)
{
	a->columns = (uint32_t)work->graphs->attribute.cols;
	return ERR_OK;
}

static enum err party_fedgcn_keep_labels(struct work *work, const uint32_t *label)
{
	char *csv = file_join(work->output, "labels.csv"),
	     *npy = file_join(work->output, "labels.npy");
	enum err e = file_make_dirs(work->output);

	record_result(work->record, label, work->n, work->job.clusters);
	if (e == ERR_OK)
		e = graph_labels_write(csv, npy, label, work->n);
	free(csv);
	free(npy);
	return e;
}

const struct party_kind party_kind_fedgcn = {
	.allow = party_fedgcn_allow,
	.accept = ", number of attributes",
	.check_data = party_fedgcn_check_data,
	.describe = party_fedgcn_describe,
	.run = party_fedgcn,
	.keep = party_fedgcn_keep_labels,
};
