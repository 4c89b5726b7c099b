#include "cli/split/split.h"
#include "cli/args/args.h"
#include "cli/split/split_parties.h"
#include "common/base/alloc.h"
#include "common/base/file.h"
#include "common/data/columns.h"
#include "common/data/cut.h"
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

enum { NUMBER_ROOM = 12 };

const char *const split_by_names[] = { "columns", "rows", "edges", "vertices", "graphs", NULL };

/* The input, read once, and its partition. Columns and rows have parts, one per party; edges have
 * holders. Rows stay in the order of the files; they are not sorted by id. */
struct source {
	const struct split_params *params;
	struct dataset_files files;
	struct features X;
	size_t n;
	struct columns columns; /* columns of X, if they have names */
	struct ids ids;
	char **name; /* id of each row; its number as text if there are no ids (`numbers`) */
	char *numbers;
	struct csr adjacency;
	struct labels labels;
	uint32_t *part;
	struct split_holders holders;
};

/* Reads the edges. Replaces the ids of their ends by the positions of these rows in the file. */
static enum err split_read_edges(struct source *s)
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

			t[count++] = (struct triple){ s->files.ids ? s->ids.row[u] : (uint32_t)u,
						      s->files.ids ? s->ids.row[v] : v,
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

static enum err source_read(struct source *s)
{
	const struct split_params *p = s->params;
	bool edges = p->by == SPLIT_EDGES || p->shared_edges > 0;

	TRY(dataset_find(p->data, edges ? DATASET_BOTH : DATASET_FEATURES, &s->files));
	TRY(features_read_named(s->files.features, &s->X, &s->columns));
	s->n = features_rows(&s->X);
	s->numbers = alloc(s->n, NUMBER_ROOM);
	ALLOC(s->name, s->n);
	for (size_t i = 0; i < s->n; i++) {
		s->name[i] = s->numbers + NUMBER_ROOM * i;
		snprintf(s->name[i], NUMBER_ROOM, "%u", (unsigned)i);
	}
	if (s->files.ids) {
		TRY(ids_read(s->files.ids, &s->ids));
		if (s->ids.n != s->n)
			return err_set(ERR_INPUT,
				       "%s: %zu ids, expected %zu as %s has that many rows",
				       s->files.ids, s->ids.n, s->n, s->files.features);
		for (size_t i = 0; i < s->n; i++)
			s->name[s->ids.row[i]] = s->ids.id[i];
	}
	if (s->files.edges)
		TRY(split_read_edges(s));
	if (s->files.labels) {
		TRY(labels_read(s->files.labels, &s->labels));
		if (s->labels.n != s->n)
			return err_set(ERR_INPUT,
				       "%s: %zu labels, expected %zu as %s has that many rows",
				       s->files.labels, s->labels.n, s->n, s->files.features);
	}
	return ERR_OK;
}

static enum err split_copy_file(const char *from, const char *dir)
{
	const char *slash = strrchr(from, '/');
	struct buf text = { 0 };

	TRY(file_read_text(from, DATA_FILE_MAX, &text));
	return args_write(dir, slash ? slash + 1 : from, &text);
}

/* Writes features and releases X. */
static enum err write_features(const char *dir, struct features *X)
{
	bool sparse = X->is_sparse;
	struct buf text = { 0 };

	if (sparse)
		mtx_print(&X->sparse, &text);
	else
		npy_print(&X->dense, &text);
	features_release(X);
	return args_write(dir, sparse ? "features.mtx" : "features.npy", &text);
}

/* Writes columns.json for the columns that have a place in `col_of`; if it is NULL, for all
 * columns. If columns have no names, writes nothing. */
static enum err write_columns(const struct source *s, const char *dir, const uint32_t *col_of)
{
	struct columns part = { 0 };
	struct buf text = { 0 };

	if (!s->columns.n)
		return ERR_OK;
	for (size_t j = 0; j < s->columns.n; j++) {
		const struct column *c = &s->columns.column[j];

		if (!col_of || col_of[j] != UINT32_MAX)
			columns_add(&part, c->name, c->type, c->unit, c->from);
	}
	columns_print(&part, &text);
	columns_release(&part);
	return args_write(dir, "columns.json", &text);
}

/* Writes the edges u <= v for which kept is true. kept has one entry per edge of the source. */
static enum err write_edges(const struct source *s, const char *dir, const bool *kept)
{
	struct buf text = { 0 };
	struct csr mine;

	split_keep_edges(&s->adjacency, kept, &mine);
	edges_print_tsv(&mine, s->name, &text);
	csr_release(&mine);
	return args_write(dir, "edges.tsv", &text);
}

/* Sets kept to false for edges that have an end outside the given rows. */
static void keep_between(const struct csr *adjacency, const uint32_t *row, size_t rows, bool *kept)
{
	bool *here = alloc(adjacency->rows, sizeof(*here));
	size_t edge = 0;

	for (size_t i = 0; i < rows; i++)
		here[row[i]] = true;
	for (size_t u = 0; u < adjacency->rows; u++)
		for (size_t e = adjacency->start[u]; e < adjacency->start[u + 1]; e++)
			if (adjacency->index[e] >= u) {
				kept[edge] &= here[u] && here[adjacency->index[e]];
				edge++;
			}
	free(here);
}

static enum err write_ids(const struct source *s, const char *dir, const uint32_t *row, size_t rows)
{
	struct buf text = { 0 };

	for (size_t i = 0; i < rows; i++)
		buf_printf(&text, "%s\n", s->name[row[i]]);
	return args_write(dir, "ids.txt", &text);
}

static enum err by_columns(const void *source, const char *dir, uint32_t l)
{
	const struct source *s = source;
	const struct split_params *p = s->params;
	size_t m = features_cols(&s->X), count,
	       edges = s->files.edges ? s->adjacency.start[s->n] / 2 : 0;
	size_t rows = split_kept_count(s->n, p->keep);
	uint32_t *row = p->keep > 0 ? split_kept_rows(s->n, p->seed, l) : NULL;
	struct buf columns = { 0 };
	struct features X;
	uint32_t *col_of;
	bool *kept;
	enum err err;

	ALLOC(col_of, m);
	count = split_places(s->part, m, l, col_of);
	split_cut(&s->X, s->n, NULL, count, col_of, &X);
	if (row)
		features_cut(&X, row, rows);
	err = write_features(dir, &X);
	for (size_t j = 0; j < m; j++) {
		if (col_of[j] != UINT32_MAX)
			buf_printf(&columns, "%zu\n", j);
	}
	if (!err)
		err = args_write(dir, "columns.txt", &columns);
	if (!err)
		err = write_columns(s, dir, col_of);
	free(col_of);
	if (!err && s->files.edges && (row || p->shared_edges > 0)) {
		ALLOC(kept, edges);
		split_shared_edges(edges, p->parties, p->shared_edges > 0 ? p->shared_edges : 1,
				   p->seed, l, kept);
		if (row)
			keep_between(&s->adjacency, row, rows, kept);
		err = write_edges(s, dir, kept);
		free(kept);
	} else if (!err && s->files.edges) {
		err = split_copy_file(s->files.edges, dir);
	}
	if (!err && row)
		err = write_ids(s, dir, row, rows);
	else if (!err && s->files.ids)
		err = split_copy_file(s->files.ids, dir);
	buf_release(&columns);
	free(row);
	return err;
}

/* ids.txt has the ids of the part's rows. If there are no ids, it has the rows' numbers in the
 * input. */
static enum err split_by_rows(const void *source, const char *dir, uint32_t l)
{
	const struct source *s = source;
	struct buf ids = { 0 }, labels = { 0 }, edges = { 0 };
	struct features X;
	struct csr inside;
	char **name;
	uint32_t *row_of;
	size_t count;
	enum err err;

	ALLOC(row_of, s->n);
	count = split_places(s->part, s->n, l, row_of);
	ALLOC(name, count);
	for (size_t i = 0; i < s->n; i++) {
		if (row_of[i] == UINT32_MAX)
			continue;
		name[row_of[i]] = s->name[i];
		buf_printf(&ids, "%s\n", s->name[i]);
		if (s->files.labels)
			buf_printf(&labels, "%u\n", s->labels.label[i]);
	}
	split_cut(&s->X, count, row_of, features_cols(&s->X), NULL, &X);
	err = write_features(dir, &X);
	if (!err)
		err = write_columns(s, dir, NULL);
	if (!err)
		err = args_write(dir, "ids.txt", &ids);
	if (!err && s->files.labels)
		err = args_write(dir, "labels.txt", &labels);
	if (!err && s->files.edges) { /* edges inside the part, whose ends are given by id */
		split_cut_sparse(&s->adjacency, count, row_of, count, row_of, &inside);
		edges_print_tsv(&inside, name, &edges);
		csr_release(&inside);
		err = args_write(dir, "edges.tsv", &edges);
	}
	buf_release(&ids);
	buf_release(&labels);
	free(name);
	free(row_of);
	return err;
}

static enum err by_edges(const void *source, const char *dir, uint32_t l)
{
	const struct source *s = source;
	bool *kept;
	enum err err;

	TRY(split_copy_file(s->files.features, dir));
	TRY(write_columns(s, dir, NULL));
	if (s->files.ids)
		TRY(split_copy_file(s->files.ids, dir));
	ALLOC(kept, s->holders.edges);
	split_held(&s->holders, l, kept);
	err = write_edges(s, dir, kept);
	free(kept);
	return err;
}

static enum err write_parts(struct source *s)
{
	const struct split_params *p = s->params;
	size_t edges = s->files.edges ? s->adjacency.start[s->n] / 2 : 0;
	size_t items = p->by == SPLIT_COLUMNS ? features_cols(&s->X)
		       : p->by == SPLIT_ROWS  ? s->n
					      : edges;
	struct json *root;

	TRY(split_enough(p, items));
	if (p->skew > 0 && !s->files.labels)
		return err_set(ERR_INPUT,
			       "%s: no labels.txt there, which a skew needs: it goes by class",
			       p->data);
	if (p->by == SPLIT_EDGES)
		TRY(split_hold(&s->adjacency, p, &s->holders));
	else
		ALLOC(s->part, items);
	if (s->part && p->skew > 0)
		skew_parts(s->labels.label, items, p->parties, p->skew, p->seed, s->part);
	else if (p->contiguous)
		split_blocks(items, p->parties, s->part);
	else if (s->part)
		split_parts(items, p->parties, p->seed, s->part);
	TRY(split_each(p,
		       p->by == SPLIT_COLUMNS ? by_columns
		       : p->by == SPLIT_ROWS  ? split_by_rows
					      : by_edges,
		       s));
	root = split_json(p, items);
	if (p->shared_edges > 0) {
		json_put_number(root, "shared_edges", p->shared_edges);
		json_put_number(root, "edges_of_each",
				(double)split_shared_count(edges, p->shared_edges));
	}
	if (p->keep > 0) {
		json_put_number(root, "keep", p->keep);
		json_put_number(root, "rows_of_each", (double)split_kept_count(s->n, p->keep));
	}
	if (p->skew > 0)
		json_put_number(root, "skew", p->skew);
	if (p->contiguous)
		json_put_bool(root, "contiguous", true);
	if (p->by == SPLIT_EDGES)
		split_put_holders(root, p, s->holders.copies);
	return split_json_write(p, root);
}

enum err split_data(const struct split_params *p)
{
	struct source s = { .params = p };
	struct dataset_files f;
	bool graph_alone = p->no_features;
	enum err err;

	if (p->contiguous && p->by != SPLIT_COLUMNS)
		return err_set(ERR_INPUT, "--contiguous is for --by columns, not for %s",
			       split_by_names[p->by]);
	if (p->by == SPLIT_VERTICES)
		return split_vertices(p);
	if (p->by == SPLIT_GRAPHS)
		return split_graphs(p);
	if (p->by == SPLIT_EDGES && !graph_alone) {
		TRY(dataset_find(p->data, DATASET_EDGES, &f));
		graph_alone = !f.features;
		dataset_files_release(&f);
	}
	if (graph_alone)
		return split_graph(p);
	err = source_read(&s);
	if (!err)
		err = write_parts(&s);
	dataset_files_release(&s.files);
	features_release(&s.X);
	columns_release(&s.columns);
	ids_release(&s.ids);
	csr_release(&s.adjacency);
	labels_release(&s.labels);
	free(s.name);
	free(s.numbers);
	free(s.part);
	split_holders_release(&s.holders);
	return err;
}
