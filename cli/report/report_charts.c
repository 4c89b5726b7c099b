#include "cli/report/report_page.h"

#include <math.h>

enum { BARS_MAX = 64, CURVES_MAX = 48 };

void part_round_trips(struct report *r, struct buf *b)
{
	double bound = run_number(r->main->run, "round_trips_bound"), most = bound, end;
	size_t shown = r->runs.n <= 32 ? r->runs.n : 1;

	if (!run_has(r->main->run, "round_trips")) {
		notes_add(&r->runs.missing, r->main->name,
			  "its run.json does not count round trips");
		return;
	}
	for (size_t i = 0; i < shown; i++)
		most = fmax(most, run_number(r->runs.process[i].run, "round_trips"));
	end = most * 1.02;
	html_section(b, "trips", "Round trips");
	buf_printf(b, "<table class=\"bars\">\n");
	for (size_t i = 0; i < shown; i++) {
		const struct process *p = &r->runs.process[i];

		if (!run_has(p->run, "round_trips"))
			continue;
		buf_printf(b, "<tr><th scope=\"row\">%s</th>", html_of(p->name).s);
		buf_printf(b,
			   "<td class=\"bar\"><svg width=\"100%%\" height=\"22\" "
			   "aria-hidden=\"true\"><rect class=\"compute\" x=\"0\" y=\"4\" "
			   "width=\"%.3f%%\" height=\"14\" rx=\"1\"/>",
			   axis_percent(run_number(p->run, "round_trips"), 0, end));
		if (bound > 0)
			buf_printf(b,
				   "<line class=\"bound\" x1=\"%.3f%%\" x2=\"%.3f%%\" y1=\"0\" "
				   "y2=\"22\"/>",
				   axis_percent(bound, 0, end), axis_percent(bound, 0, end));
		buf_printf(b, "</svg></td>");
		report_cell(b, p->run, "round_trips", show_count);
		buf_printf(b, "</tr>\n");
	}
	buf_printf(b, "</table>\n<p class=\"note\">");
	if (bound > 0) {
		buf_printf(b,
			   "<span class=\"key bound\"></span>The line is the bound, %s: what the "
			   "method's rounds cost when each takes one round trip. It counts 3.5 for "
			   "offer, keys, local clusters and result, 2 and the iterations for each "
			   "level or joint phase, 1 for each step of the polish. ",
			   html_data(bound, show_count).s);
	}
	buf_printf(b, "Counted is how often a process had sent and then waited for an "
		      "answer.</p>\n</section>\n");
}

void part_sizes(struct report *r, struct buf *b)
{
	const struct json *result = run_object(r->main->run, "result");
	const struct json *list = run_list(result, "cluster_sizes");
	double most = 0;
	size_t n = 0;

	for (const struct json *v = list ? json_first(list) : NULL; v; v = json_next(v))
		most = fmax(most, run_element(v));
	if (!(most > 0) && run_is_embedding(r->main->run))
		return;
	if (!(most > 0)) {
		notes_add(&r->runs.missing, r->main->name,
			  "its run.json has no result: no cluster sizes");
		return;
	}
	html_section(b, "sizes", "Clusters");
	buf_printf(b,
		   "<table class=\"bars\"><thead class=\"quiet\"><tr><th>cluster</th><td></td>"
		   "<th>%s</th></tr></thead>\n",
		   run_things(r->main->run, false));
	for (const struct json *v = json_first(list); v && n < BARS_MAX; v = json_next(v), n++) {
		double size = fmax(0, run_element(v));

		buf_printf(b, "<tr><th scope=\"row\">");
		report_key(b, (unsigned)n);
		buf_printf(b,
			   " %zu</th><td class=\"bar\"><svg width=\"100%%\" height=\"18\" "
			   "aria-hidden=\"true\"><rect class=\"k%zu\" x=\"0\" y=\"2\" "
			   "width=\"%.3f%%\" height=\"14\" rx=\"1\"/></svg></td><td>%s</td></tr>\n",
			   n, n % REPORT_HUES, axis_percent(size, 0, most),
			   html_data(size, show_count).s);
	}
	buf_printf(b, "</table>\n");
	if (json_count(list) > n)
		buf_printf(b, "<p class=\"note\">The first %zu of %zu clusters.</p>\n", n,
			   json_count(list));
	buf_printf(b, "</section>\n");
}

struct point {
	double x, y, value;
};

void report_curve(struct buf *b, const struct json *values, const struct report_curve *how)
{
	double low = INFINITY, high = 0, span = (double)json_count(values) - 1;
	struct point p = { 0 }, before = { 0 };
	unsigned i = 0;

	for (const struct json *v = json_first(values); v; v = json_next(v)) {
		low = fmin(low, fmax(0, run_element(v)));
		high = fmax(high, run_element(v));
	}
	buf_printf(
	    b,
	    "<svg class=\"curve\" width=\"100%%\" height=\"118\" role=\"img\" aria-label=\"%s\">",
	    how->label);
	for (const struct json *v = json_first(values); v; v = json_next(v)) {
		unsigned number = how->first + i;

		p.value = fmax(0, run_element(v));
		p.x = span > 0 ? 3 + 94 * i / span : 50;
		p.y = high > low ? 88 - 62 * (p.value - low) / (high - low) : 60;
		if (!i)
			buf_printf(b, "<text class=\"%s\" x=\"%.2f%%\" y=\"%.1f\">%s</text>",
				   span > 0 ? "start" : "middle", p.x, p.y - 9,
				   show_number(p.value).s);
		else
			buf_printf(b, "<line x1=\"%.2f%%\" y1=\"%.1f\" x2=\"%.2f%%\" y2=\"%.1f\"/>",
				   before.x, before.y, p.x, p.y);
		buf_printf(b, "<circle cx=\"%.2f%%\" cy=\"%.1f\" r=\"%d\"", p.x, p.y,
			   number == how->marked ? 6 : 3);
		html_values(b, &p.value, 1);
		buf_printf(b, "><title>%s %u: %s</title></circle>", how->thing, number,
			   show_number(p.value).s);
		i++;
		before = p;
	}
	if (span > 0)
		buf_printf(b,
			   "<text class=\"end\" x=\"97%%\" y=\"%.1f\">%s</text>"
			   "<text class=\"tick end\" x=\"97%%\" y=\"114\">%u</text>",
			   p.y - 9, show_number(p.value).s, how->first + i - 1);
	buf_printf(b,
		   "<line class=\"base\" x1=\"0\" x2=\"100%%\" y1=\"99\" y2=\"99\"/>"
		   "<text class=\"tick %s\" x=\"%d%%\" y=\"114\">%u</text></svg>\n",
		   span > 0 ? "start" : "middle", span > 0 ? 3 : 50, how->first);
}

static bool has_curve(const struct json *sum)
{
	const struct json *objective = run_list(sum, "objective");

	return objective && json_first(objective);
}

void part_objective(struct report *r, struct buf *b)
{
	static const struct report_curve how = { .label = "Objective at each iteration",
						 .thing = "iteration",
						 .first = 1 };
	const struct json *result = run_object(r->main->run, "result");
	const char *phase;
	size_t n = 0, skipped;

	for (const struct json *s = run_first(result, "sums"); s; s = run_next(s))
		n += has_curve(s);
	if (!n) {
		/* Runs on different rows need no objective. */
		if (r->main->leads && !run_rows_apart(r->main->run))
			notes_add(&r->runs.missing, r->main->name,
				  "its run.json has no objective of any k-means");
		return;
	}
	html_section(b, "objective", "Objective per iteration");
	buf_printf(b, "<div class=\"sums\">\n");
	skipped = n > CURVES_MAX ? n - CURVES_MAX : 0;
	n = 0;
	for (const struct json *s = run_first(result, "sums"); s; s = run_next(s)) {
		if (!has_curve(s) || n++ < skipped)
			continue;
		phase = run_has(s, "phase") ? report_phase(r, run_number(s, "phase")) : "";
		buf_printf(
		    b,
		    "<figure class=\"sum\"><figcaption><b>%s</b> group %s, %s items</figcaption>\n",
		    html_of(phase).s, html_data(run_number(s, "group"), show_count).s,
		    html_data(run_number(s, "items"), show_count).s);
		report_curve(b, run_list(s, "objective"), &how);
		buf_printf(b, "</figure>\n");
	}
	buf_printf(b, "</div>\n<p class=\"note\">Of each k-means on secure sums, the sum of "
		      "squared distances to the assigned centres, at the chosen start; the scale "
		      "is each drawing's own.");
	if (skipped)
		buf_printf(b, " The last %d of %zu.", CURVES_MAX, n);
	buf_printf(b, "</p>\n</section>\n");
}
