#include "cli/split.h"
#include "cli/args.h"
#include "cli/split_cut.h"
#include "common/base/alloc.h"
#include "common/base/file.h"
#include "common/data/dataset.h"
#include "common/data/edges.h"
#include "common/data/ids.h"
#include "common/data/labels.h"
#include "common/data/limits.h"
#include "common/data/mtx.h"
#include "common/data/npy.h"
#include "common/job/tree.h"
#include "common/math/skew.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const by_names[] = { "columns", "rows", "edges" };

/* What is split, read once. Rows stand as in the files: ids, if there are any, do not sort here. */
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

static enum err source_read(struct source *s, const char *dir, enum split_by by)
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

static enum err by_columns(const struct source *s, const struct split_params *p, const char *dir,
			   const uint32_t *part, uint32_t l)
{
	size_t m = features_cols(&s->X), count;
	uint32_t *col_of;
	enum err err;

	ALLOC(col_of, m);
	count = split_places(part, m, l, col_of);
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
			const uint32_t *part, uint32_t l)
{
	uint32_t *row_of;
	size_t count;
	enum err err;

	(void)p;
	ALLOC(row_of, s->n);
	count = split_places(part, s->n, l, row_of);
	err = rows_of_part(s, dir, row_of, count);
	free(row_of);
	return err;
}

static enum err by_edges(const struct source *s, const struct split_params *p, const char *dir,
			 const uint32_t *part, uint32_t l)
{
	size_t edges = s->adjacency.start[s->n] / 2;
	bool *kept;
	enum err err;

	(void)p;
	TRY(copy(s->files.features, dir));
	if (s->files.ids)
		TRY(copy(s->files.ids, dir));
	ALLOC(kept, edges);
	for (size_t e = 0; e < edges; e++)
		kept[e] = part[e] == l;
	err = write_edges(s, dir, kept);
	free(kept);
	return err;
}

static enum err write_split_json(const struct split_params *p, size_t items, size_t edges)
{
	struct json *root = json_object();
	struct buf text = { 0 };

	json_put_string(root, "by", by_names[p->by]);
	json_put_number(root, "parties", (double)p->parties);
	json_put_number(root, "seed", (double)p->seed);
	json_put_number(root, by_names[p->by], (double)items);
	if (p->shared_edges > 0) {
		json_put_number(root, "shared_edges", p->shared_edges);
		json_put_number(root, "edges_of_each",
				(double)split_shared_count(edges, p->shared_edges));
	}
	if (p->skew > 0)
		json_put_number(root, "skew", p->skew);
	json_write_pretty(root, &text);
	json_free(root);
	return args_write(p->out, "split.json", &text);
}

static enum err write_parts(const struct split_params *p, const struct source *s)
{
	size_t edges = s->files.edges ? s->adjacency.start[s->n] / 2 : 0;
	size_t items = p->by == SPLIT_COLUMNS ? features_cols(&s->X)
		       : p->by == SPLIT_ROWS  ? s->n
					      : edges;
	uint32_t *part;
	enum err err = ERR_OK;

	if (items < p->parties)
		return err_set(ERR_INPUT,
			       "%s has %zu %s, expected at least one for each of %zu parties",
			       p->data, items, by_names[p->by], p->parties);
	if (p->skew > 0 && !s->files.labels)
		return err_set(ERR_INPUT,
			       "%s: no labels.txt there, which a skew needs: it goes by class",
			       p->data);
	ALLOC(part, items);
	if (p->skew > 0)
		skew_parts(s->labels.label, items, p->parties, p->skew, p->seed, part);
	else
		split_parts(items, p->parties, p->seed, part);
	for (uint32_t l = 0; l < p->parties && !err; l++) {
		char name[32], *dir;

		snprintf(name, sizeof(name), "party-%02u", l);
		dir = file_join(p->out, name);
		err = file_make_dirs(dir);
		if (!err)
			err = (p->by == SPLIT_COLUMNS ? by_columns
			       : p->by == SPLIT_ROWS  ? by_rows
						      : by_edges)(s, p, dir, part, l);
		free(dir);
	}
	free(part);
	return err ? err : write_split_json(p, items, edges);
}

enum err split_data(const struct split_params *p)
{
	struct source s = { 0 };
	enum err err = source_read(&s, p->data, p->by);

	if (!err)
		err = write_parts(p, &s);
	source_release(&s);
	return err;
}

/* ---- the command ---- */

enum { KEY_SKEW = 256 };

static const struct argp_option options[] = {
	{ "data", 'd', "DIR", 0,
	  "features.mtx|npy|csv, edges.tsv|mtx (not needed by rows); ids.txt and labels.txt if "
	  "there "
	  "are any",
	  0 },
	{ "out", 'o', "DIR", 0, "gets party-00, party-01, ... and split.json", 0 },
	{ "parties", 'l', "L", 0, "how many", 0 },
	{ "by", 'b', "WHAT", 0, "columns (default), rows or edges", 0 },
	{ "shared-edges", 'e', "F", 0,
	  "with columns: each party gets this part of the edges, 0.5 to 1, instead of all", 0 },
	{ "skew", KEY_SKEW, "S", 0,
	  "with rows: this part of them, 0 to 1, goes by class in labels.txt, so that parties have "
	  "few classes each; default 0",
	  0 },
	{ "seed", 's', "S", 0, "default 1", 0 },
	{ 0 },
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct split_params *p = state->input;

	switch (key) {
	case 'd':
		p->data = arg;
		return 0;
	case 'o':
		p->out = arg;
		return 0;
	case 'l':
		p->parties = args_whole(state, "parties", arg, 1, PARTIES_MAX);
		return 0;
	case 's':
		p->seed = args_whole(state, "seed", arg, 0, SEED_MAX);
		return 0;
	case 'b':
		for (p->by = SPLIT_COLUMNS; p->by <= SPLIT_EDGES; p->by++) {
			if (!strcmp(by_names[p->by], arg))
				return 0;
		}
		argp_error(state, "--by is \"%s\", expected columns, rows or edges", arg);
		return 0;
	case 'e':
		p->shared_edges = args_number(state, "shared-edges", arg, SPLIT_SHARED_MIN, 1);
		return 0;
	case KEY_SKEW:
		p->skew = args_number(state, "skew", arg, 0, 1);
		return 0;
	case ARGP_KEY_ARG:
		argp_error(state, "unexpected argument: %s", arg);
		return 0;
	case ARGP_KEY_END:
		if (!p->data || !p->out || !p->parties)
			argp_error(state, "--data, --out and --parties are needed");
		if (p->shared_edges > 0 && p->by != SPLIT_COLUMNS)
			argp_error(state, "--shared-edges is for --by columns, not for %s",
				   by_names[p->by]);
		if (p->shared_edges > 0 && p->parties < 2)
			argp_error(state, "--shared-edges is for two or more parties");
		if (p->skew > 0 && p->by != SPLIT_ROWS)
			argp_error(state, "--skew is for --by rows, not for %s", by_names[p->by]);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static enum err run(void *arguments)
{
	const struct split_params *p = arguments;

	TRY(split_data(p));
	printf("%s: split by %s over %zu parties, seed %ju", p->out, by_names[p->by], p->parties,
	       (uintmax_t)p->seed);
	if (p->skew > 0)
		printf(", %g of the rows by class", p->skew);
	printf("\n");
	return ERR_OK;
}

int split_main(int argc, char **argv)
{
	static const struct argp argp = {
		options,
		parse,
		NULL,
		"Splits a data directory over parties, at random and equally: by columns (same "
		"nodes and graph, "
		"different features), by rows (different rows, same features) or by edges.\v"
		"Ids are kept; by rows, where there are none, a row's id is its number in the "
		"whole. columns.txt in a party's directory says which columns of the whole "
		"it has. By rows each party has the labels of its own rows.\n\n"
		"With --shared-edges the parties' graphs differ, and a job over them says "
		"\"graphs\": \"own\". The edges are put into a random order, as on a circle, and "
		"party l of L takes F of them on from the place l/L. So two parties have a half "
		"each "
		"at F = 0.5, and all that they have then they keep as F grows.",
		NULL,
		NULL,
		NULL
	};
	struct split_params p = { .seed = 1 };

	return (int)args_run("split", &argp, argc, argv, &p, run);
}
