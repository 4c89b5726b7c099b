#include "cli/report/report_page.h"

#include <stdio.h>
#include <string.h>

enum { NAMES_MOST = 16 };

static void put_count(struct buf *b, double x, const char *one, const char *many)
{
	buf_printf(b, "%s %s", html_data(x, show_count).s, x == 1 ? one : many);
}

static void headline(const struct report *r, struct buf *b)
{
	const struct json *run = r->main->run, *result = run_object(run, "result");
	const struct json *job = run_object(run, "job");
	const struct json *facts = run_object(run, "facts");
	const struct json *names = run_list(run, "parties");
	double parties = names ? (double)json_count(names) : 0;
	/* For a range of k: the chosen one. */
	const struct json *of = run_has(job, "clusters") ? job : result;

	buf_printf(b, "<h1>");
	if (run_is_embedding(run) && run_has(facts, "vertices")) {
		put_count(b, run_number(facts, "vertices"), "vertex", "vertices");
		buf_printf(b, parties > 0 ? ", " : "");
	}
	if (run_has(result, "rows")) {
		put_count(b, run_number(result, "rows"), run_things(run, true),
			  run_things(run, false));
		buf_printf(b, " in ");
	}
	if (run_has(of, "clusters")) {
		put_count(b, run_number(of, "clusters"), "cluster", "clusters");
		buf_printf(b, parties > 0 ? ", " : "");
	}
	if (parties > 0)
		buf_printf(b, "%.0f part%s", parties, parties == 1 ? "y" : "ies");
	else if (!run_has(of, "clusters"))
		buf_printf(b, "A run");
	buf_printf(b, "</h1>\n");
}

static void subline(const struct report *r, struct buf *b)
{
	const struct json *run = r->main->run, *job = run_object(run, "job");
	const struct json *parties = run_list(run, "parties");
	const char *status = json_text(run, "status"), *utc = json_text(run, "started");
	size_t named = 0;

	buf_printf(b, "<p class=\"sub\"><span class=\"status%s\">%s</span>",
		   strcmp(status, "done") ? " failed" : "",
		   html_brief(*status ? status : "status unknown", 40).s);
	if (*json_text(job, "kind"))
		html_textf(b, " \xc2\xb7 %s", run_job_words(job).s);
	if (strlen(utc) == 24)
		html_textf(b, " \xc2\xb7 %.10s %.8s UTC", utc, utc + 11);
	else if (*utc)
		html_textf(b, " \xc2\xb7 %s", utc);
	if (*json_text(run, "software"))
		html_textf(b, " \xc2\xb7 %.80s", json_text(run, "software"));
	if (*json_text(r->runs.network, "network"))
		html_textf(b, " \xc2\xb7 network %.40s", json_text(r->runs.network, "network"));
	buf_printf(b, "</p>\n<p class=\"sub\">");
	if (r->runs.alone)
		html_textf(b, "as recorded by %s %.64s",
			   r->main->leads ? "the coordinator" : "the party", r->main->name);
	else
		html_textf(b, "%.64s", r->main->name);
	for (const struct json *v = parties ? json_first(parties) : NULL; v && named < NAMES_MOST;
	     v = json_next(v), named++)
		buf_printf(b, " \xc2\xb7 <span class=\"whole\">%s</span>",
			   html_brief(json_type(v) == JSON_STRING ? json_string(v) : "?", 64).s);
	if (parties && json_count(parties) > named)
		buf_printf(b, " and %zu more", json_count(parties) - named);
	buf_printf(b, "</p>\n");
}

/* Lists parties that dropped out; the result is that of the others. */
static void without(const struct report *r, struct buf *b)
{
	size_t named = 0;

	for (const struct json *v = run_first(r->main->run, "left_out"); v && named < NAMES_MOST;
	     v = run_next(v), named++) {
		const char *step = json_text(v, "step");

		buf_printf(b,
			   "<p class=\"sub without\">Left out since attempt %.0f, after a dropout: "
			   "<span class=\"whole\">%s</span>",
			   run_number(v, "attempt"), html_brief(json_text(v, "name"), 64).s);
		if (*step)
			buf_printf(b, "; the attempt before was cut short in %s",
				   html_brief(step, 24).s);
		buf_printf(b, "</p>\n");
	}
}

void report_cell(struct buf *b, const struct json *o, const char *key, struct shown (*show)(double))
{
	buf_printf(b, "<td>%s</td>", run_has(o, key) ? html_data(run_number(o, key), show).s : "");
}

void report_tile(struct buf *b, const char *name, double x, struct shown (*show)(double),
		 double bound)
{
	buf_printf(b, "<div class=\"tile\"><dt>%s</dt><dd>%s", name, html_data(x, show).s);
	if (bound > 0)
		buf_printf(b, " <small>bound %s</small>", html_data(bound, show_count).s);
	buf_printf(b, "</dd></div>\n");
}

static void tiles(const struct report *r, struct buf *b)
{
	const struct json *run = r->main->run, *e = run_object(run, "evaluation");
	double bytes = report_bytes(r);

	buf_printf(b, "<dl class=\"tiles\">\n");
	if (run_has(run, "elapsed_s"))
		report_tile(b, "job, offer to result", run_number(run, "elapsed_s"), show_seconds,
			    0);
	if (bytes >= 0)
		report_tile(b, r->runs.alone ? "bytes on its links" : "bytes on all links", bytes,
			    show_bytes, 0);
	if (run_has(run, "rounds"))
		report_tile(b, "rounds of secure sums", run_number(run, "rounds"), show_count, 0);
	if (run_has(run, "round_trips"))
		report_tile(b, "round trips", run_number(run, "round_trips"), show_count,
			    run_number(run, "round_trips_bound"));
	if (run_has(e, "acc"))
		report_tile(b, "accuracy", run_number(e, "acc"), show_score, 0);
	buf_printf(b, "</dl>\n");
}

static void warning(void *html, const char *code, const char *sentence, const char *names)
{
	struct buf *b = html;

	if (!b->n)
		buf_printf(b, "<ul>\n");
	buf_printf(b, "<li><b>%s</b>: %s", html_of(names).s, html_of(sentence).s);
	buf_printf(b, " <code>%s</code></li>\n", html_brief(code, 40).s);
}

static void warnings(const struct report *r, struct buf *html)
{
	struct buf list = { 0 };

	run_dir_warnings(&r->runs, warning, &list);
	if (list.n) {
		html_section(html, "warnings", "Warnings");
		buf_add(html, list.p, list.n);
		buf_printf(html, "</ul>\n</section>\n");
	}
	buf_release(&list);
}

static void body(struct report *r, struct buf *b)
{
	buf_printf(b, "<div class=\"halves\">");
	part_evaluation(r, b);
	part_profile(r, b);
	buf_printf(b, "<div class=\"column\">");
	part_sizes(r, b);
	part_round_trips(r, b);
	buf_printf(b, "</div></div>\n");
	part_selection(r, b);
	part_confidence(r, b);
	part_picture(r, b);
	part_facts(r, b);
	part_timeline(r, b);
	part_links(r, b);
	part_objective(r, b);
	part_merged(r, b);
	part_leaks(r, b);
	part_job(r, b);
}

/* The policy lets no script run and fetches nothing, even if text escapes the escaping. */
void report_head(struct buf *html, const char *title, const char *eyebrow)
{
	buf_printf(html,
		   "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
		   "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
		   "style-src 'unsafe-inline'\">\n"
		   "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
		   "<meta name=\"generator\" content=\"coterie " COTERIE_VERSION
		   "\">\n<title>%s</title>\n"
		   "<style>\n%s</style>\n</head>\n"
		   "<body>\n<main>\n<header>\n<p class=\"eyebrow\">Coterie, %s</p>\n",
		   html_of(title).s, report_style, eyebrow);
}

void report_page(struct report *r, struct buf *html)
{
	const char *error = json_text(r->main->run, "error");
	const struct notes *missing = &r->runs.missing;
	struct buf parts = { 0 };
	char title[80];

	body(r, &parts); /* first, since it finds out what is missing */
	snprintf(title, sizeof(title), "%.64s: report", r->main->name);
	report_head(html, title, "report of a run");
	headline(r, html);
	subline(r, html);
	without(r, html);
	buf_printf(html, "</header>\n");
	if (*error)
		buf_printf(html, "<p class=\"error\"><b>The job failed.</b> %s</p>\n",
			   html_of(error).s);
	tiles(r, html);
	warnings(r, html);
	if (missing->n) {
		html_section(html, "missing", "Missing parts");
		buf_printf(html, "<ul>\n");
		for (size_t i = 0; i < missing->n; i++)
			buf_printf(html, "<li><b>%s</b>: %s</li>\n",
				   html_of(missing->item[i].subject).s,
				   html_of(missing->item[i].text).s);
		buf_printf(html, "</ul>\n</section>\n");
	}
	buf_add(html, parts.p, parts.n);
	buf_printf(html,
		   "<footer>Every number here is in the run's run.json, or a sum of numbers there; "
		   "it stands in this page exactly, as a value of what shows it. Made by "
		   "coterie " COTERIE_VERSION " from %s</footer>\n</main>\n</body>\n</html>\n",
		   html_of(r->runs.out).s);
	buf_release(&parts);
}
