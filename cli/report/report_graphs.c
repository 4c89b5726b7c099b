/* Of a job of kind fedgcn: each party's scores, and those of its baselines. */
#include "cli/report/report_page.h"

#include <math.h>

static const char *const ways[] = {
	"result", "majority", "size", "log-size", "untrained", "alone"
};
static const char *const scores[] = { "acc", "nmi", "ari", "f1" };
static const char *const score_titles[] = { "ACC", "NMI", "ARI", "macro-F1" };
enum { WAYS = 6, SCORES = 4 };

/* ARI may be below 0. */
static void cell(struct buf *b, const struct json *way, const char *key)
{
	const struct json *v = way ? json_get(way, key) : NULL;

	buf_printf(b, "<td>");
	if (v && json_type(v) == JSON_NUMBER && fabs(json_number(v)) <= 1)
		html_data(b, json_number(v), show_score(json_number(v)));
	buf_printf(b, "</td>");
}

static void head(struct buf *b, const char *id, const char *first, const char *second)
{
	buf_printf(b,
		   "<div class=\"scroll\"><table class=\"numbers\" id=\"%s\"><thead><tr><th>%s</th>"
		   "<th>%s</th>",
		   id, first, second);
	for (unsigned w = 0; w < WAYS; w++)
		buf_printf(b, "<th>%s</th>", ways[w]);
	buf_printf(b, "</tr></thead>\n<tbody>\n");
}

static void party_row(struct buf *b, const struct json *p)
{
	buf_printf(b, "<tr><th scope=\"row\">");
	html_text(b, run_string(p, "party"));
	buf_printf(b, "</th><td>");
	html_data(b, run_number(p, "graphs"), show_count(run_number(p, "graphs")));
	buf_printf(b, "</td>");
	for (unsigned w = 0; w < WAYS; w++)
		cell(b, run_object(run_object(p, "ways"), ways[w]), "acc");
	buf_printf(b, "</tr>\n");
}

static void mean_rows(struct buf *b, const struct json *e, const char *key, const char *title)
{
	const struct json *mean = run_object(e, key);

	for (unsigned i = 0; i < SCORES; i++) {
		buf_printf(b, "<tr><th scope=\"row\">%s</th><td>%s</td>", i ? "" : title,
			   score_titles[i]);
		for (unsigned w = 0; w < WAYS; w++)
			cell(b, run_object(mean, ways[w]), scores[i]);
		buf_printf(b, "</tr>\n");
	}
}

void part_graph_scores(struct buf *b, const struct json *e)
{
	buf_printf(b, "<h3>Each party's ACC</h3>\n");
	head(b, "graph-scores", "party", "graphs");
	for (const struct json *p = run_first(e, "parties"); p; p = run_next(p))
		party_row(b, p);
	buf_printf(b, "</tbody></table></div>\n<h3>Means over the parties</h3>\n");
	head(b, "graph-means", "mean", "score");
	mean_rows(b, e, "mean", "plain");
	mean_rows(b, e, "weighted", "by graphs");
	buf_printf(
	    b,
	    "</tbody></table></div>\n<p class=\"note\">Beside the result what each party finds by "
	    "itself: all graphs in one cluster (majority), k-means on the number of nodes, a "
	    "Gaussian mixture on its logarithm, the network before any training, and training on "
	    "the party's own graphs alone.</p>\n");
}
