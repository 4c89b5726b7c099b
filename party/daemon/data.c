#include "party/daemon/data.h"
#include "common/base/alloc.h"
#include "common/base/clock.h"
#include "common/base/file.h"
#include "common/base/log.h"
#include "common/data/cut.h"
#include "party/ranks/workers.h"

#include <glob.h>
#include <stdlib.h>
#include <string.h>

/* -- the fingerprint ------------------------------------------------------------------------ */

static void party_data_feed_hash(void *hash, const void *p, size_t n)
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

	sha256_add_text(h, DATA_FINGERPRINT);
	sha256_add_u64(h, d->n);
	sha256_add_u32(h, d->X.is_sparse);
	if (d->X.is_sparse)
		add_csr(h, &d->X.sparse);
	else
		add_mat(h, &d->X.dense);
	add_csr(h, &d->g.adjacency);
	sha256_add_u32(h, d->has_ids);
	if (d->has_ids)
		dataset_feed_ids(d, party_data_feed_hash, h);
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

/* -- reading -------------------------------------------------------------------------------- */

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
	if (!c->data.features && !c->data.edges && !c->data.ids) {
		*d = (struct dataset){ 0 };
		return ERR_OK;
	}
	if (c->data.vertices)
		TRY(dataset_load_vertices(d, &c->data.read, c->data.edges, c->data.vertices));
	else
		TRY(dataset_load_as(d, &c->data.read, c->data.features, c->data.edges,
				    c->data.ids));
	log_info("%zu %s, %zu features, %zu edges", d->n, c->data.edges ? "nodes" : "rows",
		 c->data.features ? features_cols(&d->X) : 0,
		 c->data.edges ? d->g.adjacency.start[d->n] / 2 : 0);
	return ERR_OK;
}

/* -- files and their state ------------------------------------------------------------------ */

static void add_file(struct party_data *d, const char *key, const char *path)
{
	if (path && d->files < RECORD_FILES_MAX)
		d->file[d->files++] = (struct data_file){ .key = key, .path = alloc_copy(path) };
}

/* Adds columns.json, which is optional. It is watched even if it does not exist, because the
 * columns' names change if it appears while the features are read. */
static void add_columns(struct party_data *d, const char *features)
{
	char *dir = features ? file_dir(features) : NULL;
	char *path = dir ? file_join(dir, "columns.json") : NULL;

	add_file(d, "columns", path);
	free(path);
	free(dir);
}

static void add_graph_files(struct party_data *d, const char *dir)
{
	static const char *const part[] = { "*_A.txt", "*_graph_indicator.txt",
					    "*_node_attributes.txt", "*_graph_labels.txt" };

	for (size_t i = 0; i < sizeof(part) / sizeof(*part); i++) {
		char *pattern = file_join(dir, part[i]);
		glob_t found;

		if (glob(pattern, GLOB_NOSORT, NULL, &found) == 0) {
			add_file(d, "graphs", found.gl_pathv[0]);
			globfree(&found);
		}
		free(pattern);
	}
}

static void list_files(struct party_data *d, const struct party_config *c)
{
	add_file(d, "features", c->data.features);
	add_columns(d, c->data.features);
	add_file(d, "edges", c->data.edges);
	add_file(d, "vertices", c->data.vertices);
	add_file(d, "ids", c->data.ids);
	if (c->data.graphs)
		add_graph_files(d, c->data.graphs);
	for (size_t i = 0; i < d->files; i++)
		if (stat(d->file[i].path, &d->file[i].stat) != 0)
			/* The error appears when the file is read. */
			d->file[i].stat = (struct stat){ 0 };
}

static bool party_data_is_there(const struct data_file *f)
{
	return f->stat.st_ino != 0;
}

/* Returns true if the file is unchanged. If it is replaced or its content changes, one of the
 * compared values differs. */
static bool same_stat(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino && a->st_size == b->st_size &&
	       a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec &&
	       a->st_ctim.tv_sec == b->st_ctim.tv_sec && a->st_ctim.tv_nsec == b->st_ctim.tv_nsec;
}

static const char *changed(const struct party_data *d)
{
	for (size_t i = 0; i < d->files; i++) {
		struct stat now = { 0 };

		if (stat(d->file[i].path, &now) != 0)
			now = (struct stat){ 0 };
		if (!same_stat(&now, &d->file[i].stat))
			return d->file[i].path;
	}
	return NULL;
}

static enum err hash_files(struct party_data *d)
{
	for (size_t i = 0; i < d->files; i++) {
		struct data_file *f = &d->file[i];
		char hex[17], when[32];

		if (!party_data_is_there(f))
			continue;
		TRY(sha256_of_file(f->path, f->sha256));
		hex_write(f->sha256, 8, hex);
		clock_utc_of(f->stat.st_mtim.tv_sec, when, sizeof(when));
		log_info("%s: %s, %lld bytes of %s, sha256 %s...", f->key, f->path,
			 (long long)f->stat.st_size, when, hex);
	}
	return ERR_OK;
}

static enum err party_data_load(struct party_data *d, const struct party_config *config)
{
	const char *other;

	list_files(d, config);
	if (config->data.graphs)
		TRY(load_graphs(&d->tu, config->data.graphs));
	if (config->ranks.n)
		TRY(party_data_on_ranks(d, config));
	else
		TRY(load_dataset(&d->dataset, config));
	d->loaded = true;
	TRY(hash_files(d));
	other = changed(d);
	if (other)
		return err_set(ERR_INPUT,
			       "%s: changed while it was read; put a new version in its place by "
			       "renaming it",
			       other);
	if (!d->workers)
		data_fingerprint(&d->dataset, &d->tu.graphs, d->data_hash);
	return ERR_OK;
}

enum err party_data_bring(struct party_data *d, const struct party_config *config)
{
	struct err_saved end;

	if (d->loaded && !changed(d) && !workers_died(d->workers))
		return ERR_OK;
	if (d->loaded && changed(d))
		log_info("%s has changed: reading the data again", changed(d));
	party_data_release(d);
	end = err_save(party_data_load(d, config));
	if (end.code != ERR_OK)
		party_data_release(d);
	return err_restore(&end);
}

/* Moves to X the rows of `all` that are also in `of`, in the order of `of`. */
static enum err party_data_take_rows(struct dataset *all, const struct dataset *of,
				     struct features *X)
{
	uint32_t *row = alloc(of->n, sizeof(*row));
	enum err e = ERR_OK;

	for (size_t i = 0; i < of->n && e == ERR_OK; i++) {
		size_t at = i;

		if (of->has_ids)
			at = ids_find(&all->ids,
				      (struct word){ of->ids.id[i], strlen(of->ids.id[i]) });
		if (at >= all->n)
			e = err_set(ERR_INPUT, "the data have no row %zu any more", i);
		row[i] = (uint32_t)at;
	}
	if (e == ERR_OK) {
		features_cut(&all->X, row, of->n);
		*X = all->X;
		all->X = (struct features){ 0 };
	}
	free(row);
	return e;
}

enum err party_data_features(const struct party_data *d, const struct party_config *config,
			     const struct dataset *of, struct features *X)
{
	struct party_config rows = *config;
	struct dataset all;
	enum err e = ERR_OK;

	rows.data.edges = NULL;
	TRY(load_dataset(&all, &rows));
	if (changed(d))
		e = err_set(ERR_INPUT, "%s has changed since the job began", changed(d));
	else
		e = party_data_take_rows(&all, of, X);
	dataset_release(&all);
	return e;
}

/* Returns true if the features are a regular .npy file: it can be read again, some rows at a
 * time. */
static bool in_panels(const struct party_data *d)
{
	for (size_t i = 0; i < d->files; i++) {
		const struct data_file *f = &d->file[i];

		if (!strcmp(f->key, "features"))
			return file_ends(f->path, ".npy") && S_ISREG(f->stat.st_mode);
	}
	return false;
}

bool party_data_comes_again(const struct party_data *d)
{
	return !d->workers && in_panels(d);
}

void party_data_record(const struct party_data *d, struct record *r)
{
	for (size_t i = 0; i < d->files; i++) {
		const struct data_file *f = &d->file[i];

		if (!party_data_is_there(f))
			continue;
		record_file(r, f->key, f->path, (uint64_t)f->stat.st_size, f->stat.st_mtim.tv_sec,
			    f->sha256);
	}
}

struct kind_sizes party_data_sizes(const struct party_data *d, const struct kind *kind)
{
	const struct features *X = &d->dataset.X;
	const struct csr *A = &d->dataset.g.adjacency;
	struct kind_sizes s = { .n = (double)d->dataset.n, .columns = (double)features_cols(X) };

	if (kind->split == SPLIT_GRAPHS) {
		s.n = (double)d->tu.graphs.count;
		s.columns = (double)d->tu.graphs.attribute.cols;
		A = &d->tu.graphs.A;
	}
	if (d->workers)
		s.edges = (double)workers_sizes(d->workers).neighbours / 2;
	else
		s.edges = A->start ? (double)A->start[A->rows] / 2 : 0;
	s.dense = d->workers ? !workers_sizes(d->workers).is_sparse : X->dense.rows > 0;
	s.again = s.dense && in_panels(d);
	s.entries = X->is_sparse ? (double)X->sparse.start[X->sparse.rows]
				 : (double)X->dense.rows * (double)X->dense.cols;
	return s;
}

void party_data_release(struct party_data *d)
{
	dataset_release(&d->dataset);
	workers_end(d->workers);
	tu_release(&d->tu);
	for (size_t i = 0; i < d->files; i++)
		free(d->file[i].path);
	*d = (struct party_data){ 0 };
}
