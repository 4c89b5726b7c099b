#include "common/data/dataset.h"
#include "common/base/alloc.h"
#include "common/base/file.h"
#include "common/base/log.h"
#include "common/base/machine.h"
#include "common/data/cut.h"
#include "common/data/edges.h"
#include "common/data/labels.h"
#include "common/data/limits.h"
#include "common/data/mtx.h"
#include "common/data/npy.h"
#include "common/data/sheet.h"
#include "common/data/value.h"

#include <endian.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- features ---- */

static bool is_table(const char *path)
{
	return file_ends(path, ".csv") || file_ends(path, ".tsv");
}

/* Reads a table of features. `names` and `ids` receive the names and the ids in the table; ids->n
 * is 0 if the table has no ids. */
static enum err dataset_read_table(const char *path, const struct reading *how, struct features *X,
				   struct columns *names, struct ids *ids)
{
	struct buf file = { 0 };
	struct sheet_said said;
	struct sheet t = { 0 };
	enum err err;

	TRY(file_read(path, DATA_FILE_MAX, &file));
	err = sheet_parse(&t, (struct bytes){ file.p, file.n }, path, how, &said);
	if (!err && !t.X.cols)
		err = err_set(ERR_INPUT, "%s: no column is left that becomes a feature", path);
	if (!err) {
		X->dense = t.X;
		t.X = (struct mat){ 0 };
		if (said.heading) {
			*names = t.out;
			t.out = (struct columns){ 0 };
		}
		*ids = t.ids;
		t.ids = (struct ids){ 0 };
	}
	sheet_release(&t);
	buf_release(&file);
	return err;
}

static enum err read_features(const char *path, const struct reading *how, struct features *X,
			      struct columns *names, struct ids *ids)
{
	struct mtx m;

	*X = (struct features){ 0 };
	if (is_table(path)) {
		TRY(dataset_read_table(path, how, X, names, ids));
		/* columns.json names the columns of a table that has no heading */
		return names->n ? ERR_OK : columns_beside(path, features_cols(X), names);
	}
	if (file_ends(path, ".npy")) {
		TRY(npy_read(path, &X->dense));
	} else if (file_ends(path, ".mtx")) {
		TRY(mtx_read(path, &m));
		mtx_features(&m, X);
	} else {
		return err_set(ERR_INPUT,
			       "%s: expected features in a file .npy, .mtx, .csv or .tsv; python3 "
			       "-m coterie.convert makes one of other files",
			       path);
	}
	return columns_beside(path, features_cols(X), names);
}

enum err features_read_named(const char *path, struct features *X, struct columns *names)
{
	struct reading standard;
	struct ids none = { 0 };
	enum err err;

	*names = (struct columns){ 0 };
	reading_init(&standard);
	err = read_features(path, &standard, X, names, &none);
	reading_release(&standard);
	if (err) {
		columns_release(names);
		features_release(X);
	}
	return err;
}

enum err features_read(const char *path, struct features *X)
{
	struct columns names;

	TRY(features_read_named(path, X, &names));
	columns_release(&names);
	return ERR_OK;
}

/* ---- loading ---- */

/* Reads the edges. named: no other file lists the nodes, so the nodes are those that the edges
 * name. */
static enum err dataset_read_edges(struct dataset *d, const struct reading *how, const char *edges,
				   bool named, struct csr *s)
{
	struct edges_dropped dropped = { 0 };

	if (named) {
		TRY(how ? edges_read_named_as(edges, how, &d->ids, s, &dropped)
			: edges_read_named(edges, &d->ids, s, &dropped));
		d->has_ids = true;
		d->n = d->ids.n;
	} else {
		TRY(edges_read_as(edges, how, d->n, d->has_ids ? &d->ids : NULL, s, &dropped));
		d->first_row = file_ends(edges, ".mtx");
	}
	if (dropped.loops || dropped.repeated)
		log_warn("%s: dropped %zu self-loops and %zu lines that repeat an edge", edges,
			 dropped.loops, dropped.repeated);
	return ERR_OK;
}

static enum err dataset_load_files(struct dataset *d, const struct reading *how,
				   const char *features, const char *edges, const char *ids)
{
	struct csr s;

	if (!is_table(features) && !is_table(edges) && !reading_is_default(how))
		return err_set(ERR_INPUT,
			       "%s: how a table is read (read) is said, but neither features nor "
			       "edges are a file .csv or .tsv",
			       features ? features
			       : edges  ? edges
					: ids);
	if (how->id && ids)
		return err_set(ERR_INPUT,
			       "%s: ids are said to be in column \"%s\" (read.id) too, expected "
			       "one of the two",
			       ids, how->id);
	if (features) {
		TRY(read_features(features, how, &d->X, &d->columns, &d->ids));
		d->has_ids = d->ids.n;
		d->n = features_rows(&d->X);
		/* kCAGC makes one dense copy */
		TRY(machine_fits(features, "its dense matrix",
				 8.0 * (double)d->n * (double)features_cols(&d->X)));
	}
	if (ids) {
		TRY(ids_read(ids, &d->ids));
		d->has_ids = true;
		if (features && d->ids.n != d->n)
			return err_set(ERR_INPUT,
				       "%s: %zu ids, expected %zu as %s has that many rows", ids,
				       d->ids.n, d->n, features);
		d->n = d->ids.n;
	}
	if (features && d->has_ids)
		features_cut(&d->X, d->ids.row, d->n);
	if (edges) {
		TRY(dataset_read_edges(d, how, edges, !features && !ids, &s));
		graph_init(&d->g, &s);
	}
	return ERR_OK;
}

enum err dataset_load_as(struct dataset *d, const struct reading *how, const char *features,
			 const char *edges, const char *ids)
{
	enum err err;

	*d = (struct dataset){ 0 };
	err = dataset_load_files(d, how, features, edges, ids);
	if (err)
		dataset_release(d);
	return err;
}

enum err dataset_load(struct dataset *d, const char *features, const char *edges, const char *ids)
{
	struct reading standard;
	enum err err;

	reading_init(&standard);
	err = dataset_load_as(d, &standard, features, edges, ids);
	reading_release(&standard);
	return err;
}

/* ---- vertices and their ties ---- */

static size_t dataset_place_of(const struct ids *ids, const char *id)
{
	return ids_find(ids, (struct word){ id, strlen(id) });
}

/* Adds the vertices that no edge names, if there are any. Then renumbers all nodes in the order of
 * their ids. */
static enum err add_vertices(struct dataset *d, const struct ids *own, const char *where,
			     struct csr *s)
{
	struct buf text = { 0 };
	uint32_t *place;
	size_t *start;
	struct ids all;
	enum err err;

	for (size_t i = 0; i < own->n; i++)
		if (dataset_place_of(&d->ids, own->id[i]) == SIZE_MAX)
			buf_printf(&text, "%s\n", own->id[i]);
	if (!text.n)
		return ERR_OK;
	for (size_t i = 0; i < d->n; i++)
		buf_printf(&text, "%s\n", d->ids.id[i]);
	err = ids_parse((struct bytes){ text.p, text.n }, where, &all);
	buf_release(&text);
	TRY(err);
	ALLOC(place, d->n);
	ALLOC(start, all.n + 1);
	for (size_t i = 0; i < d->n; i++) {
		place[i] = (uint32_t)dataset_place_of(&all, d->ids.id[i]);
		start[place[i] + 1] = s->start[i + 1] - s->start[i];
	}
	for (size_t i = 0; i < all.n; i++) {
		start[i + 1] += start[i];
		all.row[i] = (uint32_t)i; /* no file has the nodes in this order */
	}
	/* Neighbours stay ascending, since the old and the new order are both by id. */
	for (size_t e = 0; e < s->start[d->n]; e++)
		s->index[e] = place[s->index[e]];
	free(place);
	free(s->start);
	s->start = start;
	s->rows = s->cols = d->n = all.n;
	ids_release(&d->ids);
	d->ids = all;
	return ERR_OK;
}

enum err dataset_load_vertices(struct dataset *d, const struct reading *how, const char *edges,
			       const char *vertices)
{
	struct csr s = { 0 };
	struct ids own;
	enum err err;

	*d = (struct dataset){ 0 };
	TRY(ids_read(vertices, &own));
	if (file_ends(edges, ".mtx"))
		err =
		    err_set(ERR_INPUT, "%s: expected edges.tsv beside %s: ids, not numbers of rows",
			    edges, vertices);
	else
		err = dataset_read_edges(d, how, edges, true, &s);
	if (!err && s.value)
		err = err_set(
		    ERR_INPUT,
		    "%s: ties have weights, which walks do not read: expected two ids in a line",
		    edges);
	if (!err)
		err = add_vertices(d, &own, vertices, &s);
	if (!err)
		ALLOC(d->hosted, d->n);
	for (size_t i = 0; i < own.n && !err; i++)
		d->hosted[dataset_place_of(&d->ids, own.id[i])] = true;
	for (size_t u = 0; u < d->n && !err; u++) {
		for (size_t e = s.start[u]; e < s.start[u + 1] && !err; e++) {
			const char *from = d->ids.id[u], *to = d->ids.id[s.index[e]];

			if (!d->hosted[u] && !d->hosted[s.index[e]])
				err = err_set(ERR_INPUT,
					      "%s: the tie of %s and %s has neither end in %s, "
					      "expected ties of this party's own vertices",
					      edges, value_text(from, strlen(from)).s,
					      value_text(to, strlen(to)).s, vertices);
		}
	}
	graph_init(&d->g, &s);
	ids_release(&own);
	if (err)
		dataset_release(d);
	return err;
}

void dataset_release(struct dataset *d)
{
	free(d->hosted);
	features_release(&d->X);
	graph_release(&d->g);
	ids_release(&d->ids);
	columns_release(&d->columns);
	*d = (struct dataset){ 0 };
}

/* ---- fingerprints ---- */

static void feed_u64(dataset_feed *feed, void *arg, uint64_t x)
{
	x = htole64(x);
	feed(arg, &x, sizeof(x));
}

void dataset_feed_ids(const struct dataset *d, dataset_feed *feed, void *arg)
{
	feed(arg, d->has_ids ? "ids" : "row", 3);
	feed_u64(feed, arg, d->n);
	for (size_t i = 0; d->has_ids && i < d->n; i++) {
		feed_u64(feed, arg, strlen(d->ids.id[i]));
		feed(arg, d->ids.id[i], strlen(d->ids.id[i]));
	}
}

void dataset_feed_graph(size_t nodes, size_t neighbours, dataset_feed *feed, void *arg)
{
	feed_u64(feed, arg, nodes);
	feed_u64(feed, arg, neighbours);
}

void dataset_feed_neighbour(size_t u, size_t v, double weight, dataset_feed *feed, void *arg)
{
	uint64_t edge[DATASET_EDGE_LEN / sizeof(uint64_t)];

	if (v < u)
		return;
	memcpy(&edge[2], &weight, sizeof(weight));
	edge[0] = htole64(u);
	edge[1] = htole64(v);
	edge[2] = htole64(edge[2]);
	feed(arg, edge, sizeof(edge));
}

void dataset_feed_edges(const struct dataset *d, dataset_feed *feed, void *arg)
{
	const struct csr *s = &d->g.adjacency;

	dataset_feed_graph(s->rows, s->start[s->rows], feed, arg);
	for (size_t u = 0; u < s->rows; u++)
		for (size_t e = s->start[u]; e < s->start[u + 1]; e++)
			dataset_feed_neighbour(u, s->index[e], s->value ? s->value[e] : 1, feed,
					       arg);
}

/* ---- labels ---- */

uint32_t *dataset_own_order(const struct dataset *d, const uint32_t *label)
{
	uint32_t *own;

	ALLOC(own, d->n);
	for (size_t i = 0; i < d->n; i++)
		own[d->has_ids ? d->ids.row[i] : i] = label[i];
	return own;
}

char **dataset_own_ids(const struct dataset *d)
{
	char **id;

	if (!d->has_ids)
		return NULL;
	ALLOC(id, d->n);
	for (size_t i = 0; i < d->n; i++)
		id[d->ids.row[i]] = d->ids.id[i];
	return id;
}

double *dataset_own_values(const struct dataset *d, const double *x)
{
	double *own;

	if (!x)
		return NULL;
	ALLOC(own, d->n);
	for (size_t i = 0; i < d->n; i++)
		own[d->has_ids ? d->ids.row[i] : i] = x[i];
	return own;
}

enum err dataset_write_labels(const char *csv, const char *npy, const struct dataset *d,
			      const uint32_t *label, const double *confidence)
{
	uint32_t *own = dataset_own_order(d, label);
	double *sure = dataset_own_values(d, confidence);
	char **id = dataset_own_ids(d);
	enum err err = labels_write(csv, npy, id, own, sure, d->n);

	free(sure);
	free(id);
	free(own);
	return err;
}

/* ---- a data directory ---- */

/* Finds the file NAME.SUFFIX; at most one may exist. suffix: up to three suffixes, the rest
 * NULL. */
static enum err find_one(const char *dir, const char *name, const char *const suffix[3],
			 char **found)
{
	enum err err = ERR_OK;
	char file[32];

	for (int i = 0; i < 3 && suffix[i] && !err; i++) {
		char *path;

		snprintf(file, sizeof(file), "%s.%s", name, suffix[i]);
		path = file_join(dir, file);
		if (file_exists(path) && *found)
			err = err_set(ERR_INPUT, "%s and %s are both there, expected one of them",
				      *found, path);
		else if (file_exists(path))
			*found = alloc_copy(path);
		free(path);
	}
	return err;
}

static enum err find_all(const char *dir, unsigned needs, struct dataset_files *f)
{
	static const char *const features[3] = { "mtx", "npy", "csv" };
	static const char *const edges[3] = { "tsv", "mtx", "csv" }, *const txt[3] = { "txt" };

	TRY(find_one(dir, "features", features, &f->features));
	TRY(find_one(dir, "edges", edges, &f->edges));
	TRY(find_one(dir, "ids", txt, &f->ids));
	TRY(find_one(dir, "labels", txt, &f->labels));
	if (needs & DATASET_FEATURES && !f->features)
		return err_set(ERR_INPUT, "%s: no features.mtx, features.npy or features.csv there",
			       dir);
	if (needs & DATASET_EDGES && !f->edges)
		return err_set(ERR_INPUT, "%s: no edges.tsv, edges.mtx or edges.csv there", dir);
	return ERR_OK;
}

enum err dataset_find(const char *dir, unsigned needs, struct dataset_files *f)
{
	enum err err;

	*f = (struct dataset_files){ 0 };
	err = find_all(dir, needs, f);
	if (err)
		dataset_files_release(f);
	return err;
}

void dataset_files_release(struct dataset_files *f)
{
	free(f->features);
	free(f->edges);
	free(f->ids);
	free(f->labels);
	*f = (struct dataset_files){ 0 };
}
