#include "party/daemon/data.h"
#include "common/base/log.h"
#include "party/daemon/fingerprint.h"

static enum err load_graphs(struct tu *tu, const char *path)
{
	TRY(tu_read(path, tu));
	log_info("%zu graphs, %zu nodes, %zu edges, %zu attributes", tu->graphs.count,
		 graphs_nodes(&tu->graphs), tu->graphs.A.start[tu->graphs.A.rows] / 2,
		 tu->graphs.attribute.cols);
	if (tu->loops || tu->twice)
		log_warn("%s: dropped %zu self-loops and %zu lines that repeat an edge", path,
			 tu->loops, tu->twice);
	if (tu->edgeless)
		log_warn("%s: %zu graphs have no edges", path, tu->edgeless);
	return ERR_OK;
}

static enum err load_dataset(struct dataset *d, const struct party_config *c)
{
	if (!c->data.features && !c->data.edges) {
		*d = (struct dataset){ 0 };
		return ERR_OK;
	}
	if (c->data.vertices)
		TRY(dataset_load_vertices(d, c->data.edges, c->data.vertices));
	else
		TRY(dataset_load(d, c->data.features, c->data.edges, c->data.ids));
	log_info("%zu %s, %zu features, %zu edges", d->n, c->data.edges ? "nodes" : "rows",
		 c->data.features ? features_cols(&d->X) : 0,
		 c->data.edges ? d->g.adjacency.start[d->n] / 2 : 0);
	return ERR_OK;
}

enum err party_data_load(struct party_data *d, const struct party_config *config)
{
	party_data_drop(d);
	if (config->data.graphs && !d->tu.graphs.count)
		TRY(load_graphs(&d->tu, config->data.graphs));
	TRY(load_dataset(&d->dataset, config));
	d->loaded = true;
	data_fingerprint(&d->dataset, &d->tu.graphs, d->data_hash);
	return ERR_OK;
}

void party_data_drop(struct party_data *d)
{
	if (d->loaded)
		dataset_release(&d->dataset);
	d->loaded = false;
}

void party_data_release(struct party_data *d)
{
	party_data_drop(d);
	tu_release(&d->tu);
}
