#include "cli/split/split.h"
#include "cli/args/args.h"
#include "cli/split/split_cut.h"
#include "cli/split/split_graph.h"
#include "cli/split/split_graphs.h"
#include "cli/split/split_parties.h"
#include "cli/split/split_vertices.h"
#include "common/base/alloc.h"
#include "common/base/file.h"
#include "common/data/dataset.h"
#include "common/data/edges.h"
#include "common/data/ids.h"
#include "common/data/labels.h"
#include "common/data/limits.h"
#include "common/data/mtx.h"
#include "common/data/npy.h"
#include "common/data/skew.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const split_by_names[] = { "columns", "rows", "edges", "vertices", "graphs", NULL };

/* The data to split, read once. Rows stay in the files' order: ids do not sort them here. */
struct source {
	struct dataset_files files;
	struct features X;
	size_t n;
	struct ids ids;       /* if files.ids */
	char **id;            /* of each row; NULL without ids. Borrows from ids */
	struct csr adjacency; /* if files.edges */
	struct labels labels; /* if files.labels */
};

static void source_release(struct source *s)
{
	dataset_files_release(&s->files);
	features_release(&s->X);
	ids_release(&s->ids);
	csr_release(&s->adjacency);
	labels_release(&s->labels);
	free(s->id);
}

/* Edges between rows as the files have them, whatever they are called. */
static enum err read_edges(struct source *s)
{
	struct edges_dropped dropped;
	struct csr sorted;
	struct triple *t;
	size_t count = 0;

	TRY(edges_read(s->files.edges, s->n, s->files.ids ? &s->ids : NULL, &sorted, &dropped));
	ALLOC(t, sorted.start[s->n]);
	for (size_t u = 0; u < s->n; u++) {
		for (size_t e = sorted.start[u]; e < sorted.start[u + 1]; e++) {
			uint32_t v = sorted.index[e];

			t[count++] = (struct triple){ s->id ? s->ids.row[u] : (uint32_t)u,
						      s->id ? s->ids.row[v] : v,
						      sorted.value ? sorted.value[e] : 1 };
		}
	}
	csr_from_triples(&s->adjacency, s->n, s->n, t, count);
	if (!sorted.value) {
		free(s->adjacency.value);
		s->adjacency.value = NULL;
	}
	csr_release(&sorted);
	free(t);
	return ERR_OK;
}

static enum err read_ids(struct source *s)
{
	TRY(ids_read(s->files.ids, &s->ids));
	if (s->ids.n != s->n)
		return err_set(ERR_INPUT, "%s: %zu ids, expected %zu as %s has that many rows",
			       s->files.ids, s->ids.n, s->n, s->files.features);
	ALLOC(s->id, s->n);
	for (size_t i = 0; i < s->n; i++)
		s->id[s->ids.row[i]] = s->ids.id[i];
	return ERR_OK;
}

static enum err source_read(struct source *s, const char *dir, enum kind_split by)
{
	TRY(dataset_find(dir, by == SPLIT_ROWS ? DATASET_FEATURES : DATASET_BOTH, &s->files));
	TRY(features_read(s->files.features, &s->X));
	s->n = features_rows(&s->X);
	if (s->files.ids)
		TRY(read_ids(s));
	if (s->files.edges)
		TRY(read_edges(s));
	if (s->files.labels) {
		TRY(labels_read(s->files.labels, &s->labels));
		if (s->labels.n != s->n)
			return err_set(ERR_INPUT,
				       "%s: %zu labels, expected %zu as %s has that many rows",
				       s->files.labels, s->labels.n, s->n, s->files.features);
	}
	return ERR_OK;
}

/* ---- files of a party ---- */

/* The same bytes under the same name. */
static enum err copy(const char *from, const char *dir)
{
	const char *slash = strrchr(from, '/');
	struct buf text = { 0 };

	TRY(file_read(from, DATA_FILE_MAX, &text));
	return args_write(dir, slash ? slash + 1 : from, &text);
}

static enum err write_features(const char *dir, const struct features *X, size_t rows,
			       const uint32_t *row_of, size_t cols, const uint32_t *col_of)
{
	struct buf text = { 0 };
	struct features cut;

	split_cut(X, rows, row_of, cols, col_of, &cut);
	if (cut.is_sparse)
		mtx_print(&cut.sparse, &text);
	else
		npy_print(&cut.dense, &text);
	features_release(&cut);
	return args_write(dir, X->is_sparse ? "features.mtx" : "features.npy", &text);
}

/* The ids of the part's rows; without ids, the rows' numbers in the whole. */
static enum err write_ids(const char *dir, const struct source *s, const uint32_t *row_of)
{
	struct buf text = { 0 };

	for (size_t i = 0; i < s->n; i++) {
		if (row_of[i] == UINT32_MAX)
			continue;
		if (s->id)
			buf_printf(&text, "%s\n", s->id[i]);
		else
			buf_printf(&text, "%zu\n", i);
	}
	return args_write(dir, "ids.txt", &text);
}

/* Columns: which of the whole's each is. */
static enum err write_columns(const char *dir, const uint32_t *col_of, size_t cols)
{
	struct buf text = { 0 };

	for (size_t j = 0; j < cols; j++) {
		if (col_of[j] != UINT32_MAX)
			buf_printf(&text, "%zu\n", j);
	}
	return args_write(dir, "columns.txt", &text);
}

/* ---- the three ways ---- */

/* Those edges u <= v that are kept, by their place among all of them. */
static enum err write_edges(const struct source *s, const char *dir, const bool *kept)
{
	struct buf text = { 0 };
	struct csr mine;

	split_keep_edges(&s->adjacency, kept, &mine);
	edges_print_tsv(&mine, s->id, &text);
	csr_release(&mine);
	return args_write(dir, "edges.tsv", &text);
}

/* The whole graph, or what the party has of it. */
static enum err write_graph(const struct source *s, const struct split_params *p, const char *dir,
			    uint32_t l)
{
	bool *kept;
	enum err err;

	if (!(p->shared_edges > 0))
		return copy(s->files.edges, dir);
	ALLOC(kept, s->adjacency.start[s->n] / 2);
	split_shared_edges(s->adjacency.start[s->n] / 2, p->parties, p->shared_edges, p->seed, l,
			   kept);
	err = write_edges(s, dir, kept);
	free(kept);
	return err;
}

/* Columns and rows are dealt out, one part for each party; edges get holders. */
struct parts {
	uint32_t *part;
	struct split_holders holders;
};

static enum err by_columns(const struct source *s, const struct split_params *p, const char *dir,
			   const struct parts *parts, uint32_t l)
{
	size_t m = features_cols(&s->X), count;
	uint32_t *col_of;
	enum err err;

	ALLOC(col_of, m);
	count = split_places(parts->part, m, l, col_of);
	err = write_features(dir, &s->X, s->n, NULL, count, col_of);
	if (!err)
		err = write_columns(dir, col_of, m);
	free(col_of);
	if (!err)
		err = write_graph(s, p, dir, l);
	if (!err && s->files.ids)
		err = copy(s->files.ids, dir);
	return err;
}

/* Those inside the part, by id, as there is an ids.txt. */
static enum err edges_of_part(const struct source *s, const char *dir, const uint32_t *row_of,
			      size_t count)
{
	char **name, *numbers = NULL;
	struct buf text = { 0 };
	struct csr inside;

	split_cut_sparse(&s->adjacency, count, row_of, count, row_of, &inside);
	ALLOC(name, count);
	if (!s->id)
		numbers = alloc(count, 16);
	for (size_t i = 0; i < s->n; i++) {
		if (row_of[i] == UINT32_MAX)
			continue;
		name[row_of[i]] = s->id ? s->id[i] : numbers + (size_t)16 * row_of[i];
		if (!s->id)
			snprintf(name[row_of[i]], 16, "%u", (unsigned)i);
	}
	edges_print_tsv(&inside, name, &text);
	csr_release(&inside);
	free(numbers);
	free(name);
	return args_write(dir, "edges.tsv", &text);
}

static enum err rows_of_part(const struct source *s, const char *dir, const uint32_t *row_of,
			     size_t count)
{
	struct buf text = { 0 };

	TRY(write_features(dir, &s->X, count, row_of, features_cols(&s->X), NULL));
	TRY(write_ids(dir, s, row_of));
	if (s->files.labels) {
		for (size_t i = 0; i < s->n; i++) {
			if (row_of[i] != UINT32_MAX)
				buf_printf(&text, "%u\n", s->labels.label[i]);
		}
		TRY(args_write(dir, "labels.txt", &text));
	}
	return s->files.edges ? edges_of_part(s, dir, row_of, count) : ERR_OK;
}

static enum err by_rows(const struct source *s, const struct split_params *p, const char *dir,
			const struct parts *parts, uint32_t l)
{
	uint32_t *row_of;
	size_t count;
	enum err err;

	(void)p;
	ALLOC(row_of, s->n);
	count = split_places(parts->part, s->n, l, row_of);
	err = rows_of_part(s, dir, row_of, count);
	free(row_of);
	return err;
}

static enum err by_edges(const struct source *s, const struct split_params *p, const char *dir,
			 const struct parts *parts, uint32_t l)
{
	bool *kept;
	enum err err;

	(void)p;
	TRY(copy(s->files.features, dir));
	if (s->files.ids)
		TRY(copy(s->files.ids, dir));
	ALLOC(kept, parts->holders.edges);
	split_held(&parts->holders, l, kept);
	err = write_edges(s, dir, kept);
	free(kept);
	return err;
}

static enum err write_split_json(const struct split_params *p, size_t items, size_t edges,
				 const struct parts *parts)
{
	struct json *root = split_json(p);

	json_put_number(root, split_by_names[p->by], (double)items);
	if (p->shared_edges > 0) {
		json_put_number(root, "shared_edges", p->shared_edges);
		json_put_number(root, "edges_of_each",
				(double)split_shared_count(edges, p->shared_edges));
	}
	if (p->skew > 0)
		json_put_number(root, "skew", p->skew);
	if (p->by == SPLIT_EDGES)
		split_put_holders(root, p, parts->holders.copies);
	return split_json_write(p, root);
}

/* The source of a party's part. */
struct task {
	const struct source *s;
	const struct split_params *p;
	const struct parts *parts;
};

static enum err write_party(const void *task, const char *dir, uint32_t l)
{
	const struct task *t = task;

	return (t->p->by == SPLIT_COLUMNS ? by_columns
		: t->p->by == SPLIT_ROWS  ? by_rows
					  : by_edges)(t->s, t->p, dir, t->parts, l);
}

static enum err write_parts(const struct split_params *p, const struct source *s)
{
	size_t edges = s->files.edges ? s->adjacency.start[s->n] / 2 : 0;
	size_t items = p->by == SPLIT_COLUMNS ? features_cols(&s->X)
		       : p->by == SPLIT_ROWS  ? s->n
					      : edges;
	const struct split_hold_params hold = split_hold_of(p);
	struct parts parts = { 0 };
	enum err err = ERR_OK;

	if (items < p->parties)
		return err_set(ERR_INPUT,
			       "%s has %zu %s, expected at least one for each of %zu parties",
			       p->data, items, split_by_names[p->by], p->parties);
	if (p->skew > 0 && !s->files.labels)
		return err_set(ERR_INPUT,
			       "%s: no labels.txt there, which a skew needs: it goes by class",
			       p->data);
	if (p->by == SPLIT_EDGES) {
		err = split_hold(&s->adjacency, &hold, &parts.holders);
	} else {
		ALLOC(parts.part, items);
		if (p->skew > 0)
			skew_parts(s->labels.label, items, p->parties, p->skew, p->seed,
				   parts.part);
		else
			split_parts(items, p->parties, p->seed, parts.part);
	}
	if (!err)
		err = split_each(p, write_party, &(struct task){ s, p, &parts });
	if (!err)
		err = write_split_json(p, items, edges, &parts);
	split_holders_release(&parts.holders);
	free(parts.part);
	return err;
}

/* A graph alone: what is asked for, or all that there is. */
static enum err is_graph(const struct split_params *p, bool *alone)
{
	struct dataset_files f;

	*alone = p->no_features;
	if (p->by != SPLIT_EDGES || p->no_features)
		return ERR_OK;
	TRY(dataset_find(p->data, DATASET_EDGES, &f));
	*alone = !f.features;
	dataset_files_release(&f);
	return ERR_OK;
}

enum err split_data(const struct split_params *p)
{
	struct source s = { 0 };
	bool alone;
	enum err err;

	if (p->by == SPLIT_VERTICES)
		return split_vertices(p);
	if (p->by == SPLIT_GRAPHS)
		return split_graphs(p);
	TRY(is_graph(p, &alone));
	if (alone)
		return split_graph(p);
	err = source_read(&s, p->data, p->by);
	if (!err)
		err = write_parts(p, &s);
	source_release(&s);
	return err;
}
