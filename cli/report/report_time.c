/* Timeline: a lane per process, with steps split into compute, wait and wire. */
#include "cli/report/report_page.h"
#include "common/base/alloc.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Above STEPS_DRAWN steps in all, lanes show phases, to limit the page's size. WIDE and NARROW:
 * widths in pixels for the layout of phase labels. */
enum { STEPS_DRAWN = 20000, WIDE = 980, NARROW = 330, LABEL_ROW = 15, NAME_MOST = 28 };
static const double letter = 6.8; /* pixels per letter of a phase label */

struct lane {
	const struct process *process;
	double offset_s; /* start relative to the coordinator's */
	bool moved;      /* the recorded start was implausible */
};

struct span {
	double from, to;
};

struct timeline {
	const struct report *r;
	struct lane *lane;
	size_t n;
	const char *list; /* "steps" or "phases" */
	struct span all;
};

const char *report_phase(const struct report *r, double number)
{
	const struct json *p = run_first(r->main->run, "phases");

	for (; p && number >= 1; number--)
		p = run_next(p);
	return p ? json_text(p, "name") : "";
}

static double end_of(const struct json *step)
{
	return run_number(step, "start_s") + run_number(step, "compute_s") +
	       run_number(step, "wait_s") + run_number(step, "wire_s");
}

static double length_of(const struct json *run, const char *list)
{
	double end = run_number(run, "elapsed_s");

	for (const struct json *s = run_first(run, list); s; s = run_next(s))
		end = fmax(end, end_of(s));
	return end;
}

/* A lane starts at the recorded time, but not before the offer or after the end. */
static struct lane lane_of(const struct process *p, const struct process *first)
{
	double base = axis_utc(json_text(first->run, "started"));
	double own = axis_utc(json_text(p->run, "started"));
	struct lane lane = { .process = p };

	if (p == first)
		return lane;
	lane.offset_s = own - base;
	if (base < 0 || own < 0 || lane.offset_s < 0 ||
	    lane.offset_s > length_of(first->run, "steps")) {
		lane.moved = base < 0 || own < 0 || fabs(lane.offset_s) > 0.01;
		lane.offset_s = 0;
	}
	return lane;
}

static double at(const struct span *span, double t)
{
	return axis_percent(t, span->from, span->to);
}

static double block(struct buf *b, const struct span *span, const char *class, double from,
		    double length, double y, double height)
{
	double x0 = at(span, from), x1 = at(span, from + length);

	if (x1 > x0)
		buf_printf(
		    b, "<rect class=\"%s\" x=\"%.3f%%\" y=\"%g\" width=\"%.3f%%\" height=\"%g\"/>",
		    class, x0, y, x1 - x0, height);
	return from + length;
}

static void draw_lane(const struct timeline *t, const struct lane *lane, const struct span *span,
		      double y, double pitch, struct buf *b)
{
	double height = pitch > 34 ? 14 : 8, top = y + pitch - height - 7;
	double elapsed = run_number(lane->process->run, "elapsed_s");

	buf_printf(b, "<g class=\"lane\"><text class=\"name\" x=\"0\" y=\"%g\">%s</text>", top - 5,
		   html_brief(lane->process->name, NAME_MOST).s);
	if (elapsed > 0) {
		buf_printf(b, "<text class=\"num\" x=\"100%%\" y=\"%g\"", top - 5);
		html_values(b, &elapsed, 1);
		buf_printf(b, ">%s</text>", show_seconds(elapsed).s);
	}
	buf_printf(b, "<rect class=\"track\" x=\"0\" y=\"%g\" width=\"100%%\" height=\"%g\"/>", top,
		   height);
	for (const struct json *s = run_first(lane->process->run, t->list); s; s = run_next(s)) {
		double v[] = { run_number(s, "start_s"), run_number(s, "compute_s"),
			       run_number(s, "wait_s"), run_number(s, "wire_s"),
			       run_number(s, "round_trips") };
		double from = lane->offset_s + v[0];
		const char *name = json_text(s, "name");

		if (from > span->to || lane->offset_s + end_of(s) < span->from)
			continue;
		buf_printf(b, "<g class=\"step\"");
		html_values(b, v, 5);
		buf_printf(b, "><title>");
		html_textf(b, "%.64s, %.40s at %s: compute %s, wait %s, wire %s, %.0f round trip%s",
			   lane->process->name,
			   *name ? name : report_phase(t->r, run_number(s, "phase")),
			   show_seconds(v[0]).s, show_seconds(v[1]).s, show_seconds(v[2]).s,
			   show_seconds(v[3]).s, v[4], v[4] == 1 ? "" : "s");
		buf_printf(b, "</title>");
		from = block(b, span, "compute", from, v[1], top, height);
		from = block(b, span, "wait", from, v[2], top, height);
		block(b, span, "wire", from, v[3], top, height);
		buf_printf(b, "</g>");
	}
	buf_printf(b, "</g>\n");
}

/* Draws phase names above the lanes, with a line down to each start. Drawn for wide and for
 * narrow pages; the style sheet shows one. */
static void draw_phases(const struct timeline *t, const struct span *span, bool wide, struct buf *b)
{
	enum { MOST = 64 };
	double from[MOST], to[MOST], x[MOST], width = wide ? WIDE : NARROW, height;
	const char *name[MOST];
	unsigned row[MOST], rows;
	bool left[MOST];
	size_t n = 0;

	for (const struct json *p = run_first(t->r->main->run, "phases"); p && n < MOST;
	     p = run_next(p)) {
		double start = run_number(p, "start_s"), label;

		if (start < span->from - 1e-9 || start > span->to)
			continue;
		name[n] = json_text(p, "name");
		label = letter * (double)strnlen(name[n], 24) + 8;
		x[n] = at(span, start);
		left[n] = x[n] / 100 * width + label > width;
		from[n] = x[n] / 100 * width - (left[n] ? label : 0);
		to[n] = from[n] + label;
		n++;
	}
	rows = axis_rows(from, to, n, row);
	height = rows * LABEL_ROW + 4;
	buf_printf(b,
		   "<svg class=\"phases %s\" width=\"100%%\" height=\"%g\" aria-hidden=\"true\">",
		   wide ? "wide" : "narrow", height);
	for (size_t i = 0; i < n; i++)
		buf_printf(b, "<line x1=\"%.3f%%\" x2=\"%.3f%%\" y1=\"%g\" y2=\"%g\"/>", x[i], x[i],
			   height - 15 - row[i] * LABEL_ROW, height);
	for (size_t i = 0; i < n; i++)
		buf_printf(b, "<text%s x=\"%.3f%%\" dx=\"%d\" y=\"%g\">%s</text>",
			   left[i] ? " class=\"end\"" : "", x[i], left[i] ? -4 : 4,
			   height - 6 - row[i] * LABEL_ROW, html_brief(name[i], 23).s);
	buf_printf(b, "</svg>\n");
}

static void report_time_draw(const struct timeline *t, const char *id, const struct span *span,
			     struct buf *b)
{
	double pitch = t->n <= 12 ? 40 : 29, bottom = (double)t->n * pitch;
	double step = axis_step(span->to - span->from, 4);

	buf_printf(b, "<div class=\"timeline\" id=\"%s\">\n", id);
	draw_phases(t, span, true, b);
	draw_phases(t, span, false, b);
	buf_printf(b,
		   "<svg class=\"lanes\" width=\"100%%\" height=\"%g\" role=\"img\" aria-label=\"A "
		   "lane for each process; seconds from left to right\">\n",
		   bottom + 24);
	for (const struct json *p = run_first(t->r->main->run, "phases"); p; p = run_next(p)) {
		double x = at(span, run_number(p, "start_s"));

		if (run_number(p, "start_s") >= span->from && x < 100)
			buf_printf(b,
				   "<line class=\"phase\" x1=\"%.3f%%\" x2=\"%.3f%%\" y1=\"0\" "
				   "y2=\"%g\"/>",
				   x, x, bottom);
	}
	for (double k = ceil(span->from / step); k * step <= span->to; k++) {
		double x = at(span, k * step);

		buf_printf(b,
			   "<line class=\"tick\" x1=\"%.3f%%\" x2=\"%.3f%%\" y1=\"%g\" y2=\"%g\"/>"
			   "<text class=\"%s\" x=\"%.3f%%\" y=\"%g\">%s</text>\n",
			   x, x, bottom - 2, bottom + 4,
			   x < 8    ? "tick start"
			   : x > 92 ? "tick end"
				    : "tick",
			   x, bottom + 17,
			   step < 0.5 ? shown("%.6g ms", k * step * 1e3).s
				      : shown("%.6g s", k * step).s);
	}
	for (size_t i = 0; i < t->n; i++)
		draw_lane(t, &t->lane[i], span, (double)i * pitch, pitch, b);
	buf_printf(b, "</svg>\n</div>\n");
}

static void say_alignment(const struct timeline *t, struct buf *b)
{
	buf_printf(b, "<p class=\"note\">");
	if (t->n > 1)
		buf_printf(b,
			   "Time 0 is %s. The other lanes begin where their own clocks (UTC, to "
			   "the millisecond) put their start, never before it; clocks of different "
			   "hosts may differ. ",
			   t->r->main->leads ? "the coordinator&rsquo;s offer"
					     : "the first process&rsquo;s start");
	for (size_t i = 0; i < t->n; i++) {
		if (!t->lane[i].moved)
			continue;
		html_textf(b, "The clock of %.64s does not fit: its lane is drawn from 0. ",
			   t->lane[i].process->name);
	}
	buf_printf(b,
		   "Within one %s, what was measured is the sum of each kind; their order is the "
		   "drawing&rsquo;s. Steps are rounds of a phase. Hold the pointer over one for "
		   "its numbers.</p>\n",
		   strcmp(t->list, "steps") ? "phase" : "step");
}

/* Draws the rounds again, enlarged, if they take a small part of the time. */
static void draw_rounds(const struct timeline *t, struct buf *b)
{
	const struct json *p = run_first(t->r->main->run, "phases");
	struct span span = { 0, t->all.to };

	while (p && !run_number(p, "rounds"))
		p = run_next(p);
	if (!p)
		return;
	span.from = run_number(p, "start_s");
	if (!(span.to > span.from) || span.to - span.from > 0.4 * t->all.to)
		return;
	buf_printf(b, "<h3>From ");
	html_textf(b, "%.24s", json_text(p, "name"));
	buf_printf(b, " on, enlarged</h3>\n");
	report_time_draw(t, "timeline-rounds", &span, b);
}

void part_timeline(struct report *r, struct buf *b)
{
	struct timeline t = { .r = r, .list = "steps" };
	size_t steps = 0;

	ALLOC(t.lane, r->runs.n);
	for (size_t i = 0; i < r->runs.n; i++) {
		const struct process *p = &r->runs.process[i];
		const struct json *list = run_list(p->run, "steps");

		if (!run_first(p->run, "steps") && !run_first(p->run, "phases"))
			notes_add(&r->runs.missing, p->name,
				  "its run.json has no steps: no lane for it");
		else
			t.lane[t.n++] = lane_of(p, r->main);
		steps += list ? json_count(list) : 0;
	}
	for (size_t i = 0; i < t.n; i++) {
		if (steps > STEPS_DRAWN || !run_first(t.lane[i].process->run, "steps"))
			t.list = "phases";
	}
	for (size_t i = 0; i < t.n; i++)
		t.all.to =
		    fmax(t.all.to, t.lane[i].offset_s + length_of(t.lane[i].process->run, t.list));
	if (t.n && t.all.to > 0) {
		html_section(b, "time", "Timeline");
		buf_printf(
		    b, "<p class=\"legend\"><span class=\"item\"><span class=\"key "
		       "compute\"></span>compute</span> <span class=\"item\"><span class=\"key "
		       "wait\"></span>wait, while others compute</span> <span class=\"item\"><span "
		       "class=\"key wire\"></span>wire, while bytes travel</span></p>\n");
		report_time_draw(&t, "timeline", &t.all, b);
		draw_rounds(&t, b);
		say_alignment(&t, b);
		part_phases(r, b);
		buf_printf(b, "</section>\n");
	}
	free(t.lane);
}
