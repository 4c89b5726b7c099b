/* The estimated cost of each way to run the job, and cells that were merged as too small. */
#include "cli/report/report_page.h"

#include <stdio.h>

enum { WAYS_MOST = 64, MERGED_MOST = 64 };

static struct shown show_rate(double x)
{
	return shown("%.30s/s", show_bytes(x).s);
}

static struct shown show_rtt(double ms)
{
	return show_seconds(ms / 1e3);
}

static void way_row(const struct json *w, struct buf *b)
{
	bool taken = run_true(w, "taken");

	buf_printf(b, "<tr%s><th scope=\"row\">", taken ? " class=\"taken\"" : "");
	html_short(b, run_string(w, "method"), 40);
	buf_printf(b, "</th><td class=\"text\">");
	html_short(b, run_string(w, "exchange"), 40);
	buf_printf(b, "</td>");
	report_cell(b, w, "rounds", show_count);
	report_cell(b, w, "round_trips", show_count);
	report_cell(b, w, "words", show_count);
	report_cell(b, w, "bytes", show_bytes);
	report_cell(b, w, "seconds", show_seconds);
	buf_printf(b, "<td class=\"text\">%s", taken ? "<b>taken</b>" : "");
	if (*run_string(w, "why_not")) {
		buf_printf(b, "not taken: ");
		html_text(b, run_string(w, "why_not"));
	}
	if (run_true(w, "guessed"))
		buf_printf(b, "%scells guessed", taken || *run_string(w, "why_not") ? "; " : "");
	buf_printf(b, "</td></tr>\n");
}

void part_plan(struct report *r, struct buf *b)
{
	const struct json *plan = run_object(r->main->run, "plan");
	size_t n = 0;

	if (!plan)
		return;
	html_section(b, "plan", "What each way was going to cost");
	buf_printf(b, "<div class=\"scroll\"><table class=\"numbers\" id=\"ways\"><thead><tr>"
		      "<th>method</th><th class=\"text\">exchange</th><th>rounds</th>"
		      "<th>round trips</th><th>words</th><th>bytes</th><th>on this link</th>"
		      "<th class=\"text\"></th></tr></thead>\n<tbody>\n");
	for (const struct json *w = run_first(plan, "ways"); w && n < WAYS_MOST;
	     w = run_next(w), n++)
		way_row(w, b);
	buf_printf(b, "</tbody></table></div>\n<p class=\"note\">From the parties' local clusters, "
		      "before the rest was done: what it takes if Lloyd never settles early. Words "
		      "and bytes are those of all parties' sums. The link was measured at ");
	html_data(b, run_number(plan, "rtt_ms"), show_rtt);
	buf_printf(b, " there and back and ");
	html_data(b, run_number(plan, "bytes_per_s"), show_rate);
	buf_printf(b, "; computing is not counted. ");
	if (run_is_plan_only(r->main->run))
		buf_printf(b, "The job ended with this plan, as it was asked to: there are no "
			      "labels.");
	buf_printf(b, "</p>\n</section>\n");
}

/* ---- min_cell ---- */

void part_merged(struct report *r, struct buf *b)
{
	const struct json *result = run_object(r->main->run, "result");
	const struct json *job = run_object(r->main->run, "job");
	size_t n = 0;

	for (const struct json *s = run_first(result, "sums"); s; s = run_next(s)) {
		if (!(run_number(s, "merged") > 0) || n == MERGED_MOST)
			continue;
		if (!n++) {
			html_section(b, "merged", "Cells that were merged");
			buf_printf(b, "<div class=\"scroll\"><table class=\"numbers\"><thead><tr>"
				      "<th>phase</th><th>group</th><th>merged</th><th>left</th>"
				      "</tr></thead>\n<tbody>\n");
		}
		html_element(b, "<tr><th scope=\"row\">", report_phase(r, run_number(s, "phase")),
			     "</th>");
		report_cell(b, s, "group", show_count);
		report_cell(b, s, "merged", show_count);
		report_cell(b, s, "items", show_count);
		buf_printf(b, "</tr>\n");
	}
	if (!n)
		return;
	buf_printf(b, "</tbody></table></div>\n<p class=\"note\">They had fewer than ");
	html_data(b, run_number(job, "min_cell"), show_count);
	buf_printf(b, " nodes (min_cell), and joined larger ones.</p>\n</section>\n");
}
