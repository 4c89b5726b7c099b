#include "cli/report/picture.h"
#include "cli/report/explore.h"
#include "cli/args/args.h"
#include "common/base/alloc.h"
#include "common/base/file.h"
#include "common/base/json.h"
#include "common/data/cut.h"
#include "common/data/embeddings.h"
#include "common/data/labels.h"
#include "common/data/npy.h"
#include "common/data/standard.h"
#include "common/data/tu.h"
#include "protocols/fedgcn/file.h"
#include "protocols/fedsc/job.h"
#include "protocols/kcagc/columns.h"
#include "common/job/daemon.h"
#include "common/job/record.h"
#include "common/cluster/kmeans.h"
#include "protocols/kcagc/job.h"
#include "cli/report/pca.h"
#include "cli/run/report_read.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EMBEDDING_GROUPS = 8 };

struct source {
	const struct picture_params *params;
	char *run_path, *labels_path;
	struct json *run;
	struct job job;
	struct labels labels;       /* from labels.csv, later in the order of the party's files */
	struct dataset_files files; /* input files; its `labels` is unused */
	struct party_config config; /* read if params names a configuration */
	/* fedgcn: path of the set of graphs; only data.n is then used. */
	char *graphs;
	struct dataset data;
	struct mat points; /* total x d points, in the order of the party's files */
};

/* Returns true if the points are rows, as given or standardised, without graph or filter. */
static bool of_rows(const struct source *s)
{
	return s->job.kind->needs == NEEDS_FEATURES;
}

/* Returns true if features are standardised. The picture always uses the means of the party's own
 * rows. */
static bool standardized(const struct source *s)
{
	if (s->job.kind->split == SPLIT_ROWS)
		return fedsc_job(&s->job)->how.standardize != STANDARDIZE_NONE;
	return s->job.kind->split == SPLIT_COLUMNS &&
	       kcagc_job(&s->job)->standardize != STANDARDIZE_NONE;
}

/* Returns true if the job clusters whole graphs. The network of the run then computes the points.
 */
static bool of_graphs(const struct source *s)
{
	return s->job.kind->split == SPLIT_GRAPHS;
}

static enum err picture_read_job(struct source *s)
{
	const struct json *job = json_get_as(s->run, "job", JSON_OBJECT);
	struct buf text = { 0 };
	double x;
	enum err err;

	if (!job)
		return err_set(ERR_INPUT, "%s: no job in it: the run ended before it had one",
			       s->run_path);
	json_write(job, &text);
	err = job_parse(&s->job, (struct bytes){ text.p, text.n }, s->run_path, NULL);
	buf_release(&text);
	TRY(err);
	if (!s->job.kind->pictured)
		return err_set(ERR_INPUT,
			       "%s: a job of kind %s has no picture: its points cannot be made "
			       "again from what a party has",
			       s->run_path, s->job.kind->name);
	/* Uses the filter order that the run chose. */
	if (s->job.kind->split == SPLIT_COLUMNS &&
	    kcagc_job(&s->job)->filter_order == KCAGC_ORDER_AUTO) {
		x = json_number_of(s->run, "filter_order", 0);
		if (!(x >= 1 && x <= KCAGC_ORDER_MAX && x == floor(x)))
			return err_set(ERR_INPUT,
				       "%s does not say what filter.order \"auto\" became "
				       "(filter_order), so its points cannot be made again",
				       s->run_path);
		kcagc_job(&s->job)->filter_order = (unsigned)x;
	}
	return ERR_OK;
}

static enum err read_run(struct source *s)
{
	TRY(json_read(s->run_path, JSON_TEXT_MAX, &s->run));
	if (json_number_of(s->run, "schema_version", -1) != RECORD_SCHEMA)
		return err_set(ERR_INPUT, "%s: expected schema_version %d", s->run_path,
			       RECORD_SCHEMA);
	if (strcmp(json_text(s->run, "role"), "party") != 0)
		return err_set(ERR_INPUT,
			       "%s: not a party's run: only a party, in its own directory, has "
			       "points to show",
			       s->run_path);
	if (strcmp(json_text(s->run, "status"), "done") != 0)
		return err_set(ERR_INPUT, "%s: the run failed, so its points have no clusters",
			       s->run_path);
	return picture_read_job(s);
}

/* Finds the files that run.json or the configuration names. */
static enum err find_named(struct source *s)
{
	const struct json *said = json_get(s->run, "data");
	const char *config = s->params->config;
	char **to[] = { &s->graphs, &s->files.features, &s->files.edges, &s->files.ids };
	const char *from[] = { json_text(said, "graphs"), json_text(said, "features"),
			       json_text(said, "edges"), json_text(said, "ids") };

	if (config) {
		TRY(party_config_read(&s->config, config, NULL));
		from[0] = s->config.data.graphs;
		from[1] = s->config.data.features;
		from[2] = s->config.data.edges;
		from[3] = s->config.data.ids;
	}
	for (size_t i = 0; i < 4; i++)
		*to[i] = from[i] && *from[i] ? alloc_copy(from[i]) : NULL;
	if (!config && !of_graphs(s) && s->files.features && !file_exists(s->files.features))
		return err_set(ERR_INPUT,
			       "%s says that the party's features are %s, which is not there any "
			       "more: give --data DIR or --config PARTY.json",
			       s->run_path, s->files.features);
	return ERR_OK;
}

/* Finds the party's files. If the kind reads no graph, ignores edges in the directory. */
static enum err find_files(struct source *s)
{
	const char *data = s->params->data, *config = s->params->config;

	if (data && config)
		return err_set(ERR_INPUT,
			       "data directory %s and configuration %s: expected one of them", data,
			       config);
	if (data && of_graphs(s))
		s->graphs = alloc_copy(data);
	else if (data)
		TRY(dataset_find(data, of_rows(s) ? DATASET_FEATURES : DATASET_BOTH, &s->files));
	else
		TRY(find_named(s));
	if (of_graphs(s) ? !s->graphs : !s->files.features || (!s->files.edges && !of_rows(s)))
		return err_set(ERR_INPUT,
			       "%s does not say where the party's %s are: give --data DIR or "
			       "--config PARTY.json",
			       config ? config : s->run_path,
			       of_graphs(s) ? "graphs"
			       : of_rows(s) ? "features"
					    : "features and edges");
	if (of_rows(s)) {
		free(s->files.edges);
		s->files.edges = NULL;
	}
	return ERR_OK;
}

/* Returns the row of the dataset that has the id of entry r of labels.csv, or SIZE_MAX if there is
 * none. */
static size_t picture_row_of(const struct source *s, size_t r)
{
	const struct word id = { s->labels.id[r], strlen(s->labels.id[r]) };
	uint64_t row;

	if (s->data.has_ids)
		return ids_find(&s->data.ids, id);
	if (!word_whole(id, &row) || (of_graphs(s) && row-- == 0)) /* graph ids count from 1 */
		return SIZE_MAX;
	return row < s->data.n ? (size_t)row : SIZE_MAX;
}

/* Returns the position of a dataset's row in the party's files or, after dataset_cut(), in
 * labels.csv. */
static size_t picture_own(const struct source *s, size_t row)
{
	return s->data.has_ids ? s->data.ids.row[row] : row;
}

/* Brings the labels into the order of the party's files, by id. If the job used only rows that all
 * parties have, does the reverse: reduces the data to the rows of labels.csv, in its order. */
static enum err picture_match_labels(struct source *s)
{
	const char *named = of_graphs(s)   ? s->graphs
			    : s->files.ids ? s->files.ids
					   : s->files.features;
	bool some = s->job.align != ALIGN_SAME && s->data.has_ids;
	struct labels *l = &s->labels, own = { .n = l->n };
	uint32_t *row;
	bool *seen;
	enum err err = ERR_OK;

	if (!some && l->n != s->data.n)
		return err_set(ERR_INPUT, "%s has %zu rows and %s has %zu: not of the same run",
			       s->labels_path, l->n, named, s->data.n);
	ALLOC(row, l->n);
	ALLOC(own.label, l->n);
	own.confidence = l->confidence ? alloc(l->n, sizeof(double)) : NULL;
	ALLOC(seen, s->data.n);
	for (size_t r = 0; r < l->n && !err; r++) {
		size_t i = picture_row_of(s, r), to;

		if (i == SIZE_MAX || seen[i]) {
			err = err_set(ERR_INPUT,
				      i == SIZE_MAX ? "%s has the id %s, which %s has not"
						    : "%s has the id %s twice, %s has it once",
				      s->labels_path, l->id[r], named);
			break;
		}
		if (l->label[r] >= s->job.clusters)
			err = err_set(ERR_INPUT,
				      "%s: label %u of the id %s, expected one below %u, the "
				      "clusters of %s",
				      s->labels_path, l->label[r], l->id[r], s->job.clusters,
				      s->run_path);
		seen[i] = true;
		row[r] = (uint32_t)i;
		to = some ? r : picture_own(s, i);
		own.label[to] = l->label[r];
		if (own.confidence)
			own.confidence[to] = l->confidence[r];
	}
	if (!err && some)
		(void)dataset_cut(&s->data, row, l->n);
	free(seen);
	free(row);
	labels_release(l);
	*l = own;
	return err;
}

/* Computes the points as the party does (protocols/kcagc/party/kcagc.c), in the order of its files.
 * If points are rows, they are the features as given or standardised, before any noise. */
static enum err make_points(struct source *s, unsigned threads)
{
	struct embed_params how;
	struct mat Z;

	if (!of_rows(s)) {
		if (standardized(s))
			TRY(standard_features(&s->data.X, &s->data.columns));
		how = kcagc_embed_params(kcagc_job(&s->job), threads);
		TRY(embed(&s->data.X, &s->data.g, &how, &Z));
	} else {
		TRY(columns_points(&s->data.X, standardized(s), &s->data.columns, &Z, NULL));
	}
	mat_init(&s->points, Z.rows, Z.cols);
	for (size_t i = 0; i < Z.rows; i++)
		memcpy(ROW(&s->points, picture_own(s, i)), ROW(&Z, i), Z.cols * sizeof(*Z.a));
	mat_release(&Z);
	return ERR_OK;
}

/* Embeds the graphs with the network that the run stored, in the order of the set. */
static enum err embed_graphs(struct source *s, unsigned threads)
{
	char *path = file_join(s->params->run, "model.fedgcn");
	struct fedgcn_model m = { 0 };
	struct tu tu = { 0 };
	enum err err = fedgcn_file_read(path, &m);

	if (!err)
		err = tu_read(s->graphs, &tu);
	if (!err)
		err = fedgcn_embed(&m, &tu.graphs, threads, &s->points);
	tu_release(&tu);
	fedgcn_model_release(&m);
	free(path);
	return err;
}

/* Reads the embeddings of own vertices from the run's directory. They have no clusters; k-means
 * groups only provide colours. */
static enum err load_embeddings(struct source *s, unsigned threads)
{
	struct kmeans_params groups = { .restarts = 5, .iterations = 50, .threads = threads };
	struct embeddings e;

	TRY(embeddings_read(s->params->run, &e));
	s->data.n = e.ids.n;
	s->data.has_ids = true;
	s->data.ids = e.ids;
	s->points = e.X;
	s->job.clusters = e.ids.n < EMBEDDING_GROUPS ? (unsigned)e.ids.n : EMBEDDING_GROUPS;
	groups.k = s->job.clusters;
	groups.seed = s->job.seed;
	s->labels.n = e.ids.n;
	ALLOC(s->labels.label, e.ids.n);
	kmeans(&s->points, NULL, &groups, s->labels.label, NULL, NULL);
	return ERR_OK;
}

static enum err source_load(struct source *s, unsigned threads)
{
	s->run_path = file_join(s->params->run, "run.json");
	s->labels_path = file_join(s->params->run, "labels.csv");
	TRY(read_run(s));
	if (s->params->by && (s->job.kind->embeds || of_graphs(s)))
		return err_set(ERR_INPUT, "--by %s: a job of kind %s has no columns", s->params->by,
			       s->job.kind->name);
	if (s->job.kind->embeds)
		return load_embeddings(s, threads);
	TRY(labels_read(s->labels_path, &s->labels));
	TRY(find_files(s));
	if (of_graphs(s)) {
		TRY(embed_graphs(s, threads));
		s->data.n = s->points.rows;
	} else if (s->params->config) {
		TRY(dataset_load_as(&s->data, &s->config.data.read, s->files.features,
				    s->files.edges, s->files.ids));
	} else {
		TRY(dataset_load(&s->data, s->files.features, s->files.edges, s->files.ids));
	}
	return picture_match_labels(s);
}

/* Adds the data of explore.h. Call before make_points(), which uses up the features. */
static enum err picture_explore(struct source *s, struct picture *p)
{
	struct explored e = { &s->data.X, &s->data.columns, NULL, s->job.clusters, NULL, p->n };
	uint32_t *label = alloc(s->data.n, sizeof(*label));
	size_t *row = alloc(s->data.n, sizeof(*row)), *shown = alloc(p->n, sizeof(*shown));
	enum err err = ERR_OK;

	for (size_t i = 0; i < s->data.n; i++) {
		label[i] = s->labels.label[picture_own(s, i)];
		row[picture_own(s, i)] = i;
	}
	for (size_t i = 0; i < p->n; i++)
		shown[i] = row[p->row[i]];
	e.label = label;
	e.shown = shown;
	explore_columns(&e, p->more);
	if (s->params->by)
		err = explore_by(&e, s->params->by, p->more);
	free(label);
	free(row);
	free(shown);
	return err;
}

/* Chooses rows: sorts them by cluster, divides them into `most` nearly equal stretches, and takes
 * the first row of each. Each cluster keeps its share, and within a cluster all parts of the files
 * are covered. row: ascending. */
static size_t picture_choose_rows(const struct source *s, size_t most, uint32_t *row)
{
	const size_t total = s->data.n, n = most < total ? most : total;
	size_t *next = alloc(s->job.clusters + 1, sizeof(*next)), count = 0;
	uint32_t *by_cluster = alloc(total, sizeof(*by_cluster));
	bool *chosen = alloc(total, sizeof(*chosen));

	for (size_t i = 0; i < total; i++)
		next[s->labels.label[i] + 1]++;
	for (size_t c = 1; c <= s->job.clusters; c++)
		next[c] += next[c - 1];
	for (size_t i = 0; i < total; i++)
		by_cluster[next[s->labels.label[i]]++] = (uint32_t)i;
	for (size_t b = 0; b < n; b++)
		chosen[by_cluster[b * total / n]] = true;
	for (size_t i = 0; i < total; i++)
		if (chosen[i])
			row[count++] = (uint32_t)i;
	free(chosen);
	free(by_cluster);
	free(next);
	return count;
}

static void picture_take_rows(const struct mat *from, const uint32_t *row, size_t n, struct mat *to)
{
	mat_init(to, n, from->cols);
	for (size_t i = 0; i < n; i++)
		memcpy(ROW(to, i), ROW(from, row[i]), from->cols * sizeof(*from->a));
}

/* Describes the points: "the party's own features, filtered (half, order 4) and projected on 9
 * dimensions". Features of params.data may be those of all parties. */
static void picture_describe_points(const struct source *s, const struct picture *p, struct buf *b)
{
	const char *given = s->params->data, *of = given ? " of " : "";
	const char *own = given ? "" : "the party's own ", *dir = given ? given : "";

	if (s->job.kind->embeds)
		buf_printf(b,
			   "embeddings of the party's own vertices, %zu numbers each. Colours are "
			   "groups that k-means finds in them, for the eye",
			   p->dims);
	else if (of_graphs(s))
		buf_printf(b, "%sgraphs%s%s, in the %zu dimensions of the network's embedding", own,
			   of, dir, p->dims);
	else if (of_rows(s))
		buf_printf(b, "%sfeatures%s%s, %zu of them, %s%s", own, of, dir, p->dims,
			   standardized(s) ? "standardised" : "as they are",
			   s->job.kind->split == SPLIT_ROWS &&
				   fedsc_job(&s->job)->noise != NOISE_NONE
			       ? ", without the job's noise"
			       : "");
	else
		buf_printf(b,
			   "%sfeatures%s%s, %sfiltered (%s, order %u) and projected on %zu "
			   "dimensions%s%s",
			   own, of, dir, standardized(s) ? "standardised, " : "",
			   kcagc_job(&s->job)->filter_kind == FILTER_HALF ? "half" : "spectral",
			   kcagc_job(&s->job)->filter_order, p->dims,
			   given ? "" : ", in which they were clustered",
			   kcagc_job(&s->job)->joint_norm
			       ? " once their rows were scaled by joint norms"
			       : "");
}

static void picture_describe(const struct source *s, struct picture *p)
{
	struct buf text = { 0 };

	if (p->n < p->total)
		buf_printf(&text,
			   "A sample of %zu of %zu points, of each cluster its share: ", p->n,
			   p->total);
	else
		buf_printf(&text, "%zu points: ", p->n);
	picture_describe_points(s, p, &text);
	if (s->params->layout.path)
		buf_printf(&text,
			   ". Laid out by %s outside of this program: near points are near in the "
			   "data, but sizes of groups and distances between them mean nothing.",
			   p->method);
	else
		buf_printf(&text,
			   ". Shown along their two principal components, which hold %.1f %% and "
			   "%.1f %% of the variance.",
			   100 * p->share[0], 100 * p->share[1]);
	buf_add(&text, "", 1);
	p->caption = (char *)text.p;
}

/* Scales both coordinates of the points by the same factor. */
static void picture_place(struct picture *p)
{
	double low[2] = { INFINITY, INFINITY }, high[2] = { -INFINITY, -INFINITY }, range;

	for (size_t i = 0; i < 2 * p->n; i++) {
		low[i % 2] = fmin(low[i % 2], p->xy[i]);
		high[i % 2] = fmax(high[i % 2], p->xy[i]);
	}
	range = fmax(high[0] - low[0], high[1] - low[1]);
	ALLOC(p->place, 2 * p->n);
	for (size_t i = 0; i < 2 * p->n; i++) {
		double off = p->xy[i] - (low[i % 2] + high[i % 2]) / 2;

		p->place[i] = (uint32_t)(PICTURE_SIDE * (0.5 + (range > 0 ? off / range : 0)));
	}
}

static enum err write_points(const struct source *s, const struct picture *p)
{
	struct buf text = { 0 };
	struct mat some;
	enum err err;

	picture_take_rows(&s->points, p->row, p->n, &some);
	npy_print(&some, &text);
	err = file_write(s->params->points, (struct bytes){ text.p, text.n }, FILE_SECRET);
	buf_release(&text);
	mat_release(&some);
	return err;
}

/* Computes the layout xy (n x 2), which is initialised here. */
static enum err picture_lay_out(const struct source *s, unsigned threads, struct picture *p,
				struct mat *xy)
{
	const struct picture_layout *layout = &s->params->layout;
	struct mat all;

	/* The directions are those of all points, even if the picture shows only a sample. */
	if (!layout->path) {
		p->method = "PCA";
		TRY(pca_plane(&s->points, threads, &all, p->share));
		picture_take_rows(&all, p->row, p->n, xy);
		mat_release(&all);
		return ERR_OK;
	}
	p->method = layout->name;
	TRY(npy_read(layout->path, xy));
	if (xy->rows == p->n && xy->cols == 2)
		return ERR_OK;
	err_set(ERR_INPUT,
		"%s is %zu x %zu: expected %zu x 2, a row for each point that --points writes",
		layout->path, xy->rows, xy->cols, p->n);
	mat_release(xy);
	return ERR_INPUT;
}

static void picture_name(const struct source *s, struct picture *p)
{
	char number[24], **id = alloc(p->total, sizeof(*id)); /* text of each row number */
	struct json *confidence =
	    s->labels.confidence ? json_put_array(p->more, "confidence") : NULL;

	ALLOC(p->id, p->n);
	ALLOC(p->label, p->n);
	for (size_t i = 0; s->data.has_ids && i < p->total; i++)
		id[s->data.ids.row[i]] = s->data.ids.id[i];
	for (size_t i = 0; i < p->n; i++) {
		snprintf(number, sizeof(number), "%u", p->row[i] + of_graphs(s));
		p->id[i] = alloc_copy(s->data.has_ids ? id[p->row[i]] : number);
		p->label[i] = s->labels.label[p->row[i]];
		if (confidence)
			json_append_number(confidence, s->labels.confidence[p->row[i]]);
	}
	free(id);
}

static enum err picture_draw(struct source *s, unsigned threads, struct picture *p)
{
	struct mat xy;

	p->total = s->data.n;
	p->clusters = s->job.clusters;
	ALLOC(p->row, p->total);
	p->n = picture_choose_rows(s, s->params->most ? s->params->most : PICTURE_MOST, p->row);
	picture_name(s, p);
	if (!s->points.a) {
		TRY(picture_explore(s, p));
		TRY(make_points(s, threads));
	}
	p->dims = s->points.cols;
	if (s->params->points)
		TRY(write_points(s, p));
	TRY(picture_lay_out(s, threads, p, &xy));
	p->xy = xy.a;
	picture_place(p);
	picture_describe(s, p);
	if (!s->job.kind->embeds)
		explore_silhouette(&s->points, p->row, p->label, p->n, p->clusters, p->more);
	return ERR_OK;
}

enum err picture_make(const struct picture_params *params, struct picture *p)
{
	struct source s = { .params = params };
	unsigned threads = args_cores(params->threads);
	enum err err;

	*p = (struct picture){ .more = json_object() };
	err = source_load(&s, threads);
	if (!err)
		err = picture_draw(&s, threads, p);
	if (err)
		picture_release(p);
	free(s.run_path);
	free(s.labels_path);
	json_free(s.run);
	labels_release(&s.labels);
	if (params->config)
		party_config_release(&s.config);
	free(s.graphs);
	dataset_files_release(&s.files);
	dataset_release(&s.data);
	mat_release(&s.points);
	return err;
}

void picture_release(struct picture *p)
{
	for (size_t i = 0; p->id && i < p->n; i++)
		free(p->id[i]);
	free(p->id);
	free(p->xy);
	free(p->place);
	free(p->label);
	free(p->row);
	free(p->caption);
	json_free(p->more);
	*p = (struct picture){ 0 };
}
