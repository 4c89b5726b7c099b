#include "party/daemon/data.h"
#include "common/base/log.h"

static void feed(void *hash, const void *p, size_t n)
{
	sha256_add(hash, p, n);
}

static void add_csr(struct sha256 *h, const struct csr *s)
{
	size_t count = s->start ? s->start[s->rows] : 0;

	sha256_add_u64(h, s->rows);
	sha256_add_u64(h, s->cols);
	sha256_add_u64(h, count);
	if (!count)
		return;
	sha256_add(h, s->start, (s->rows + 1) * sizeof(*s->start));
	sha256_add(h, s->index, count * sizeof(*s->index));
	sha256_add_u32(h, s->value != NULL);
	if (s->value)
		sha256_add(h, s->value, count * sizeof(*s->value));
}

static void add_mat(struct sha256 *h, const struct mat *m)
{
	sha256_add_u64(h, m->rows);
	sha256_add_u64(h, m->cols);
	if (m->rows && m->cols)
		sha256_add(h, m->a, m->rows * m->cols * sizeof(*m->a));
}

void data_fingerprint(const struct dataset *d, const struct graphs *graphs,
		      uint8_t hash[static SHA256_LEN])
{
	struct sha256 *h = sha256_new();

	sha256_add_text(h, "coterie data v1");
	sha256_add_u64(h, d->n);
	sha256_add_u32(h, d->X.is_sparse);
	if (d->X.is_sparse)
		add_csr(h, &d->X.sparse);
	else
		add_mat(h, &d->X.dense);
	add_csr(h, &d->g.adjacency);
	sha256_add_u32(h, d->has_ids);
	if (d->has_ids)
		dataset_feed_ids(d, feed, h);
	if (d->hosted)
		sha256_add(h, d->hosted, d->n * sizeof(*d->hosted));
	if (graphs && graphs->count) {
		sha256_add_u64(h, graphs->count);
		sha256_add(h, graphs->first, (graphs->count + 1) * sizeof(*graphs->first));
		add_csr(h, &graphs->A);
		add_mat(h, &graphs->attribute);
	}
	sha256_end(h, hash);
}

enum err party_data_load(struct party_data *d, const struct party_config *config)
{
	const char *features = config->data.features, *edges = config->data.edges;
	const char *graphs = config->data.graphs;
	struct dataset *set = &d->dataset;
	struct tu *tu = &d->tu;

	party_data_drop(d);
	if (graphs && !tu->graphs.count) {
		TRY(tu_read(graphs, tu));
		log_info("%zu graphs, %zu nodes, %zu edges, %zu attributes", tu->graphs.count,
			 graphs_nodes(&tu->graphs), tu->graphs.A.start[tu->graphs.A.rows] / 2,
			 tu->graphs.attribute.cols);
		if (tu->loops || tu->twice)
			log_warn("%s: dropped %zu self-loops and %zu lines that repeat an edge",
				 graphs, tu->loops, tu->twice);
		if (tu->edgeless)
			log_warn("%s: %zu graphs have no edges", graphs, tu->edgeless);
	}
	*set = (struct dataset){ 0 };
	if (config->data.vertices)
		TRY(dataset_load_vertices(set, edges, config->data.vertices));
	else if (features || edges)
		TRY(dataset_load(set, features, edges, config->data.ids));
	if (features || edges)
		log_info("%zu %s, %zu features, %zu edges", set->n, edges ? "nodes" : "rows",
			 features ? features_cols(&set->X) : 0,
			 edges ? set->g.adjacency.start[set->n] / 2 : 0);
	d->loaded = true;
	data_fingerprint(set, &tu->graphs, d->data_hash);
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
