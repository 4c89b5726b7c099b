#include "cli/report/report_page.h"

#include <stdio.h>
#include <string.h>

static struct shown show_ms(double x)
{
	return shown("%.2f", x * 1e3);
}

static struct shown show_s(double x)
{
	return shown(x < RUN_NUMBER_MAX / 1e3 ? "%.2f" : "%.3g", x);
}

static struct shown show_rtt(double x)
{
	return shown("%.3g ms", x);
}

void part_phases(struct report *r, struct buf *b)
{
	bool fast = run_number(r->main->run, "elapsed_s") < 10;
	struct shown (*show)(double) = fast ? show_ms : show_s;
	const char *unit = fast ? "ms" : "s";

	if (!run_first(r->main->run, "phases"))
		return;
	buf_printf(b, "<h3>Phases of %s</h3>\n", html_of(r->main->name).s);
	buf_printf(
	    b,
	    "<div class=\"scroll\"><table class=\"numbers\" id=\"phases\"><thead><tr>"
	    "<th>phase</th><th>from, %s</th><th>compute, %s</th><th>wait, %s</th>"
	    "<th>wire, %s</th><th>rounds</th><th>itera&shy;tions</th><th>round trips</th></tr>"
	    "</thead>\n<tbody>\n",
	    unit, unit, unit, unit);
	for (const struct json *p = run_first(r->main->run, "phases"); p; p = run_next(p)) {
		buf_printf(b, "<tr><th scope=\"row\">%s</th>", html_of(json_text(p, "name")).s);
		report_cell(b, p, "start_s", show);
		report_cell(b, p, "compute_s", show);
		report_cell(b, p, "wait_s", show);
		report_cell(b, p, "wire_s", show);
		report_cell(b, p, "rounds", show_count);
		report_cell(b, p, "iterations", show_count);
		report_cell(b, p, "round_trips", show_count);
		buf_printf(b, "</tr>\n");
	}
	buf_printf(b, "</tbody></table></div>\n");
}

static const struct json *report_peer_of(const struct json *run, const char *name)
{
	const struct json *p = run_first(run, "peers");

	while (p && name && strcmp(json_text(p, "name"), name) != 0)
		p = run_next(p);
	return p;
}

void part_processes(struct report *r, struct buf *b)
{
	buf_printf(
	    b,
	    "<h3>Processes</h3>\n<div class=\"scroll\"><table class=\"numbers\" id=\"processes\">"
	    "<thead><tr><th>process</th><th class=\"text\">status</th><th>seconds</th>"
	    "<th>rounds</th><th>round trips</th><th>TCP round trip, seen by coordi&shy;nator</th>"
	    "<th>seen by itself</th><th class=\"text\">conges&shy;tion "
	    "control</th></tr></thead>\n<tbody>\n");
	for (size_t i = 0; i < r->runs.n; i++) {
		const struct process *p = &r->runs.process[i];
		/* The same connection as measured by the coordinator and by the party. */
		const struct json *seen =
		    p == r->main ? NULL : report_peer_of(r->main->run, p->name);
		const struct json *own = p->leads ? NULL : report_peer_of(p->run, NULL);

		buf_printf(b, "<tr><th scope=\"row\">%s</th><td class=\"text\">%s</td>",
			   html_of(p->name).s, html_of(json_text(p->run, "status")).s);
		report_cell(b, p->run, "elapsed_s", show_seconds);
		report_cell(b, p->run, "rounds", show_count);
		report_cell(b, p->run, "round_trips", show_count);
		report_cell(b, seen, "rtt_ms", show_rtt);
		report_cell(b, own, "rtt_ms", show_rtt);
		buf_printf(b, "<td class=\"text\">%s</td></tr>\n",
			   html_of(json_text(own ? own : seen, "congestion")).s);
	}
	for (const struct json *p = run_first(r->main->run, "peers"); p; p = run_next(p)) {
		const char *name = json_text(p, "name");
		bool here = !r->main->leads;

		for (size_t i = 0; i < r->runs.n; i++)
			here |= !strcmp(r->runs.process[i].name, name);
		if (here)
			continue;
		buf_printf(b,
			   "<tr><th scope=\"row\">%s</th><td class=\"text\">not "
			   "here</td><td></td><td></td><td></td>",
			   html_of(name).s);
		report_cell(b, p, "rtt_ms", show_rtt);
		buf_printf(b, "<td></td><td class=\"text\">%s</td></tr>\n",
			   html_of(json_text(p, "congestion")).s);
	}
	buf_printf(
	    b,
	    "</tbody></table></div>\n<p class=\"note\">The TCP round trip is the kernel's smoothed "
	    "one at the end of the job, as each end of the connection has measured it.</p>\n");
	if (!run_first(r->main->run, "peers"))
		notes_add(&r->runs.missing, r->main->name,
			  "its run.json has no peers: no TCP round trips, no congestion control");
}

enum { MERGED_MOST = 64 };

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
		buf_printf(b, "<tr><th scope=\"row\">%s</th>",
			   html_of(report_phase(r, run_number(s, "phase"))).s);
		report_cell(b, s, "group", show_count);
		report_cell(b, s, "merged", show_count);
		report_cell(b, s, "items", show_count);
		buf_printf(b, "</tr>\n");
	}
	if (!n)
		return;
	buf_printf(b,
		   "</tbody></table></div>\n<p class=\"note\">They had fewer than %s nodes "
		   "(min_cell), and joined larger ones.</p>\n</section>\n",
		   html_data(run_number(job, "min_cell"), show_count).s);
}

enum { FACTS_MOST = 64, FACT_VALUES_MOST = 32, FACT_TEXT_MOST = 1000 };

static void fact_number(struct buf *b, const struct json *v)
{
	if (json_type(v) == JSON_NUMBER)
		buf_printf(b, "%s", html_data(json_number(v), show_number).s);
	else
		buf_printf(b, "none");
}

static void fact_list(struct buf *b, const struct json *v)
{
	size_t n = 0;

	for (const struct json *e = json_first(v); e && n < FACT_VALUES_MOST; e = json_next(e)) {
		buf_printf(b, "%s", n++ ? " \xc2\xb7 " : "");
		fact_number(b, e);
	}
	if (json_count(v) > n)
		buf_printf(b, " and %zu more", json_count(v) - n);
}

void part_facts(struct report *r, struct buf *b)
{
	const struct json *facts = run_object(r->main->run, "facts");
	unsigned n = 0;

	if (!facts || !json_first(facts))
		return;
	html_section(b, "facts", "Facts of the job");
	buf_printf(b, "<dl class=\"facts\">\n");
	for (const struct json *f = json_first(facts); f && n < FACTS_MOST; f = json_next(f), n++) {
		buf_printf(b, "<dt>%s</dt><dd>", html_of(json_key(f)).s);
		if (json_type(f) == JSON_STRING)
			html_short(b, json_string(f), FACT_TEXT_MOST);
		else if (json_type(f) == JSON_ARRAY)
			fact_list(b, f);
		else
			fact_number(b, f);
		buf_printf(b, "</dd>\n");
	}
	buf_printf(b, "</dl>\n</section>\n");
}

void part_leaks(struct report *r, struct buf *b)
{
	const struct json *list = run_list(r->main->run, "leaks");
	const struct json *v = list ? json_first(list) : NULL;

	if (!v) {
		notes_add(&r->runs.missing, r->main->name,
			  "its run.json has no disclosures (leaks)");
		return;
	}
	html_section(b, "leaks", "Disclosures");
	buf_printf(b, "<ul class=\"leaks\">\n");
	for (; v; v = json_next(v)) {
		if (json_type(v) != JSON_STRING)
			continue;
		buf_printf(b, "<li>%s</li>\n", html_of(json_string(v)).s);
	}
	buf_printf(b, "</ul>\n</section>\n");
}

/* Nested members are named "a.b". *left bounds their number, since a file may be hostile. */
static void fields(struct buf *b, const struct json *v, const char *prefix, unsigned *left)
{
	char name[160];
	unsigned number = 0;

	for (const struct json *m = json_first(v); m && *left; m = json_next(m)) {
		if (json_key(m))
			snprintf(name, sizeof(name), "%.80s%s%.60s", prefix, *prefix ? "." : "",
				 json_key(m));
		else
			snprintf(name, sizeof(name), "%.80s %u", prefix, ++number);
		if (json_type(m) == JSON_OBJECT || json_type(m) == JSON_ARRAY) {
			fields(b, m, name, left);
			continue;
		}
		(*left)--;
		buf_printf(b, "<div><dt>%s</dt><dd>", html_of(name).s);
		if (json_type(m) == JSON_NUMBER)
			buf_printf(b, "%s", html_data(json_number(m), show_plain).s);
		else if (json_type(m) == JSON_STRING)
			html_text(b, json_string(m));
		else if (json_type(m) == JSON_BOOL)
			buf_printf(b, "%s", json_bool(m) ? "yes" : "no");
		else
			buf_printf(b, "none");
		buf_printf(b, "</dd></div>\n");
	}
}

static void field_list(struct buf *b, const struct json *v)
{
	unsigned left = 200;

	buf_printf(b, "<dl class=\"fields\">\n");
	fields(b, v, "", &left);
	buf_printf(b, "</dl>\n");
	if (!left)
		buf_printf(b, "<p class=\"note\">There is more; only so much is shown.</p>\n");
}

void part_job(struct report *r, struct buf *b)
{
	const struct json *job = run_object(r->main->run, "job");

	if (r->runs.network && json_type(r->runs.network) == JSON_OBJECT) {
		if (run_true(r->runs.network, "discarded"))
			notes_add(&r->runs.missing, "network",
				  "packets were late in the lab and the run was discarded: its "
				  "seconds are meaningless");
		html_section(b, "network", "The network");
		buf_printf(b, "<p class=\"note\">As network.json says: what the links were set to, "
			      "and what was measured on them before the run.</p>\n");
		field_list(b, r->runs.network);
		buf_printf(b, "</section>\n");
	}
	if (!job) {
		notes_add(&r->runs.missing, r->main->name, "its run.json does not hold the job");
		return;
	}
	html_section(b, "job", "The job in full");
	field_list(b, job);
	buf_printf(b, "</section>\n");
}
