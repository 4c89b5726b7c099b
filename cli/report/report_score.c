#include "cli/report/report_page.h"
#include "common/base/alloc.h"
#include "common/cluster/metrics.h"

#include <math.h>
#include <stdlib.h>

struct side { /* labels that occur, ascending */
	uint32_t label[CONFUSION_MAX];
	size_t n; /* CONFUSION_MAX + 1 if there are more */
};

static struct side side_of(const uint32_t *label, size_t n)
{
	struct side s = { .n = 0 };
	uint8_t *seen;

	ALLOC(seen, METRICS_LABEL_END);
	for (size_t i = 0; i < n; i++)
		seen[label[i]] = 1;
	for (uint32_t v = 0; v < METRICS_LABEL_END && s.n <= CONFUSION_MAX; v++) {
		if (seen[v] && s.n < CONFUSION_MAX)
			s.label[s.n] = v;
		s.n += seen[v];
	}
	free(seen);
	return s;
}

static size_t report_score_place_of(const struct side *s, uint32_t label)
{
	size_t i = 0;

	while (s->label[i] != label)
		i++;
	return i;
}

static void put_labels(struct json *o, const char *key, const struct side *s, const size_t *order)
{
	struct json *list = json_put_array(o, key);

	for (size_t i = 0; i < s->n; i++)
		json_append_number(list, s->label[order ? order[i] : i]);
}

void evaluation_confusion(struct json *evaluation, const uint32_t *truth, const uint32_t *label,
			  size_t n)
{
	struct side classes = side_of(truth, n), clusters = side_of(label, n);
	size_t size = classes.n > clusters.n ? classes.n : clusters.n, *match, *column, columns = 0;
	struct json *rows;
	double *count, *cost;

	if (size > CONFUSION_MAX)
		return;
	ALLOC(count, size * size);
	ALLOC(cost, size * size);
	ALLOC(match, size);
	ALLOC(column, size);
	for (size_t i = 0; i < n; i++)
		count[report_score_place_of(&classes, truth[i]) * size +
		      report_score_place_of(&clusters, label[i])]++;
	/* Columns: the cluster matched to each class, then unmatched clusters. */
	for (size_t i = 0; i < size * size; i++)
		cost[i] = -count[i];
	hungarian(cost, size, match);
	for (size_t i = 0; i < size; i++) {
		if (match[i] < clusters.n)
			column[columns++] = match[i];
	}
	put_labels(evaluation, "classes", &classes, NULL);
	put_labels(evaluation, "clusters", &clusters, column);
	rows = json_put_array(evaluation, "confusion");
	for (size_t c = 0; c < classes.n; c++) {
		struct json *row = json_append(rows, json_array());

		for (size_t u = 0; u < clusters.n; u++)
			json_append_number(row, count[c * size + column[u]]);
	}
	free(count);
	free(cost);
	free(match);
	free(column);
}

enum err evaluation_make(const char *truth_path, struct label_files files, struct json **evaluation)
{
	struct labels truth, l;
	struct json *e;
	enum err err;

	*evaluation = NULL;
	TRY(score_read(truth_path, files, &truth, &l));
	e = json_object();
	json_put_string(e, "truth", truth_path);
	json_put_number(e, "rows", (double)truth.n);
	err = score_rows(truth.label, l.label, truth.n, e);
	if (err) {
		json_free(e);
	} else {
		evaluation_confusion(e, truth.label, l.label, truth.n);
		*evaluation = e;
	}
	labels_release(&truth);
	labels_release(&l);
	return err;
}

static double element_number(const struct json *list, size_t i)
{
	const struct json *v = list ? json_first(list) : NULL;

	while (v && i--)
		v = json_next(v);
	return v ? run_element(v) : -1;
}

static void heading(struct buf *b, const char *scope, double label)
{
	buf_printf(b, "<th scope=\"%s\">%s</th>", scope,
		   label >= 0 ? html_data(label, show_count).s : "");
}

static void matrix_row(struct buf *b, const struct json *row, size_t columns)
{
	double all = 0;

	for (size_t u = 0; u < columns; u++)
		all += fmax(0, element_number(row, u));
	for (size_t u = 0; u < columns; u++) {
		double x = element_number(row, u), part = all > 0 ? fmax(0, x) / all : 0;

		buf_printf(b, "<td class=\"cell%s\" style=\"--part:%.3f\">%s</td>",
			   part > 0.5    ? " full"
			   : !(part > 0) ? " none"
					 : "",
			   part, x >= 0 ? html_data(x, show_count).s : "");
	}
}

static void matrix(struct buf *b, const struct json *e)
{
	const struct json *rows = run_list(e, "confusion"), *clusters = run_list(e, "clusters");
	size_t n = rows ? json_count(rows) : 0, columns = clusters ? json_count(clusters) : 0,
	       c = 0;

	if (!n || !columns || n > CONFUSION_MAX || columns > CONFUSION_MAX) {
		buf_printf(b,
			   "<p class=\"note\">No confusion matrix: it is made for at most %d "
			   "classes and clusters.</p>\n",
			   CONFUSION_MAX);
		return;
	}
	buf_printf(
	    b,
	    "<div class=\"scroll\"><table class=\"matrix%s\" id=\"confusion\"><thead><tr><td></td>"
	    "<th class=\"over\" colspan=\"%zu\">cluster</th></tr>\n<tr><th "
	    "class=\"corner\">class</th>",
	    columns > 8 ? " big" : "", columns);
	for (size_t u = 0; u < columns; u++)
		heading(b, "col", element_number(clusters, u));
	buf_printf(b, "</tr></thead>\n<tbody>\n");
	for (const struct json *row = json_first(rows); row; row = json_next(row), c++) {
		buf_printf(b, "<tr>");
		heading(b, "row", element_number(run_list(e, "classes"), c));
		matrix_row(b, json_type(row) == JSON_ARRAY ? row : NULL, columns);
		buf_printf(b, "</tr>\n");
	}
	buf_printf(b, "</tbody></table></div>\n<p class=\"note\">Rows of each known class in each "
		      "cluster, clusters in the order of the best match, which stands on the "
		      "diagonal; shaded by the part of the class.</p>\n");
}

/* ARI may be negative. */
static bool has_score(const struct json *e, const char *key, double *x)
{
	*x = json_number_of(e, key, INFINITY);
	return fabs(*x) <= 1;
}

/* ---- kind fedgcn: scores of each party and of its baselines ---- */

static const char *const ways[] = {
	"result", "majority", "size", "log-size", "untrained", "alone"
};
static const char *const scores[] = { "acc", "nmi", "ari", "f1" };
static const char *const score_titles[] = { "ACC", "NMI", "ARI", "macro-F1" };
enum { WAYS = 6, SCORES = 4 };

static void graph_head(struct buf *b, const char *id, const char *first, const char *second)
{
	buf_printf(b,
		   "<div class=\"scroll\"><table class=\"numbers\" id=\"%s\"><thead><tr><th>%s</th>"
		   "<th>%s</th>",
		   id, first, second);
	for (unsigned w = 0; w < WAYS; w++)
		buf_printf(b, "<th>%s</th>", ways[w]);
	buf_printf(b, "</tr></thead>\n<tbody>\n");
}

static void graph_cells(struct buf *b, const struct json *of_ways, const char *score)
{
	double x;

	for (unsigned w = 0; w < WAYS; w++) {
		bool there = has_score(run_object(of_ways, ways[w]), score, &x);

		buf_printf(b, "<td>%s</td>", there ? html_data(x, show_score).s : "");
	}
	buf_printf(b, "</tr>\n");
}

static void graph_means(struct buf *b, const struct json *mean, const char *title)
{
	for (unsigned i = 0; i < SCORES; i++) {
		buf_printf(b, "<tr><th scope=\"row\">%s</th><td>%s</td>", i ? "" : title,
			   score_titles[i]);
		graph_cells(b, mean, scores[i]);
	}
}

void part_evaluation(struct report *r, struct buf *b)
{
	const struct json *e = run_object(r->main->run, "evaluation");
	double x;

	if (!e)
		return;
	html_section(b, "evaluation", "Against the truth");
	if (run_list(e, "parties")) {
		buf_printf(b, "<h3>Each party's ACC</h3>\n");
		graph_head(b, "graph-scores", "party", "graphs");
		for (const struct json *p = run_first(e, "parties"); p; p = run_next(p)) {
			buf_printf(b, "<tr><th scope=\"row\">%s</th><td>%s</td>",
				   html_of(json_text(p, "party")).s,
				   html_data(run_number(p, "graphs"), show_count).s);
			graph_cells(b, run_object(p, "ways"), "acc");
		}
		buf_printf(b, "</tbody></table></div>\n<h3>Means over the parties</h3>\n");
		graph_head(b, "graph-means", "mean", "score");
		graph_means(b, run_object(e, "mean"), "plain");
		graph_means(b, run_object(e, "weighted"), "by graphs");
		buf_printf(
		    b,
		    "</tbody></table></div>\n<p class=\"note\">Beside the result what each party "
		    "finds by itself: all graphs in one cluster (majority), k-means on the number "
		    "of nodes, a Gaussian mixture on its logarithm, the network before any "
		    "training, and training on the party's own graphs alone.</p>\n</section>\n");
		return;
	}
	buf_printf(b, "<p class=\"note\">%s, %s rows</p>\n<dl class=\"tiles\">\n",
		   html_of(json_text(e, "truth")).s,
		   html_data(run_number(e, "rows"), show_count).s);
	for (unsigned i = 0; i < SCORES; i++)
		if (has_score(e, scores[i], &x))
			report_tile(b, score_titles[i], x, show_score, 0);
	buf_printf(b, "</dl>\n");
	matrix(b, e);
	buf_printf(b, "</section>\n");
}
