#include "cli/report/report_page.h"
#include "common/base/alloc.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* GAP: between the two lines of a link. */
enum { LINKS_MAX = 1024, GAP = 2 };

/* Directions are relative to the coordinator. */
enum { BYTES_IN, BYTES_OUT, MESSAGES_IN, MESSAGES_OUT, FLOWS };
struct flow {
	double v[FLOWS];
};

struct link {
	const char *party;
	const struct json *traffic; /* first traffic entry of the run.json used */
	bool turned;                /* the run.json is the party's: its sent bytes are incoming */
	struct flow sum;
};

struct links {
	struct link *link;
	size_t n;
	double most;
};

static struct flow flow_of(const struct link *l, const struct json *t)
{
	double received = run_number(t, "bytes_received"), sent = run_number(t, "bytes_sent");
	double in = run_number(t, "messages_received"), out = run_number(t, "messages_sent");

	return l->turned ? (struct flow){ { sent, received, out, in } }
			 : (struct flow){ { received, sent, in, out } };
}

static void flow_add(struct flow *sum, const struct flow *f)
{
	for (size_t i = 0; i < FLOWS; i++)
		sum->v[i] += f->v[i];
}

/* A coordinator's entry belongs to the link of its peer; a party's entries all belong to its
 * own. */
static bool on_link(const struct link *l, const struct json *t)
{
	return l->turned || !strcmp(json_text(t, "peer"), l->party);
}

static void add_link(struct links *links, const struct link *l)
{
	struct link *own;

	links->link = alloc_again(links->link, links->n + 1, sizeof(*links->link));
	own = &links->link[links->n++];
	*own = *l;
	for (const struct json *t = l->traffic; t; t = run_next(t)) {
		struct flow f = flow_of(l, t);

		if (on_link(l, t))
			flow_add(&own->sum, &f);
	}
	links->most = fmax(links->most, fmax(own->sum.v[BYTES_IN], own->sum.v[BYTES_OUT]));
}

/* Takes all links from the coordinator; without it, each party's own. */
static struct links links_of(const struct report *r)
{
	const struct process *hub = run_dir_hub(&r->runs);
	const struct json *first = hub ? run_first(hub->run, "traffic") : NULL;
	struct links links = { 0 };

	for (const struct json *t = first; t && links.n < LINKS_MAX; t = run_next(t)) {
		const char *peer = json_text(t, "peer");
		bool known = false;

		for (size_t i = 0; i < links.n; i++)
			known |= !strcmp(links.link[i].party, peer);
		if (!known)
			add_link(&links, &(struct link){ .party = peer, .traffic = first });
	}
	for (size_t i = 0; i < r->runs.n && !first; i++) {
		const struct process *p = &r->runs.process[i];
		const struct json *own = run_first(p->run, "traffic");

		if (own && p != hub)
			add_link(&links, &(struct link){
					     .party = p->name, .traffic = own, .turned = true });
	}
	return links;
}

double report_bytes(const struct report *r)
{
	struct links links = links_of(r);
	double bytes = links.n ? 0 : -1;

	for (size_t i = 0; i < links.n; i++)
		bytes += links.link[i].sum.v[BYTES_IN] + links.link[i].sum.v[BYTES_OUT];
	free(links.link);
	return bytes;
}

static double line_width(const struct links *links, double bytes)
{
	return links->most > 0 ? fmax(1, 11 * bytes / links->most) : 1;
}

/* Draws two curves from the coordinator's bar to the party's, with widths proportional to bytes. */
static void draw_link(const struct links *links, const struct link *l, double hub, double y,
		      bool roomy, struct buf *b)
{
	const double *v = l->sum.v;
	double in = line_width(links, v[BYTES_IN]), out = line_width(links, v[BYTES_OUT]);
	double up = (out + GAP) / 2, down = (in + GAP) / 2; /* from the centre line between them */

	buf_printf(b, "<g class=\"link\"");
	html_values(b, v, FLOWS);
	buf_printf(b, "><title>");
	html_textf(b, "%.64s: to the coordinator %s in %.0f messages, from it %s in %.0f messages",
		   l->party, show_bytes(v[BYTES_IN]).s, v[MESSAGES_IN], show_bytes(v[BYTES_OUT]).s,
		   v[MESSAGES_OUT]);
	buf_printf(
	    b,
	    "</title><path class=\"in\" stroke-width=\"%.1f\" d=\"M22 %gC95 %g 95 %g 168 "
	    "%g\"/><path class=\"out\" stroke-width=\"%.1f\" d=\"M22 %gC95 %g 95 %g 168 %g\"/>",
	    in, hub - up, hub - up, y - up, y - up, out, hub + down, hub + down, y + down,
	    y + down);
	buf_printf(b,
		   "<rect class=\"node\" x=\"168\" y=\"%g\" width=\"5\" height=\"%g\"/><text "
		   "class=\"name\" x=\"181\" y=\"%g\">%s</text>",
		   y - (roomy ? 14 : 9), roomy ? 28.0 : 18.0, roomy ? y - 2 : y + 4,
		   html_brief(l->party, 17).s);
	if (roomy)
		buf_printf(b,
			   "<text class=\"small\" x=\"181\" y=\"%g\"><tspan class=\"in\">%s "
			   "\xe2\x86\x90</tspan> <tspan class=\"out\" dx=\"6\">\xe2\x86\x92 "
			   "%s</tspan></text>",
			   y + 13, show_bytes(v[BYTES_IN]).s, show_bytes(v[BYTES_OUT]).s);
	buf_printf(b, "</g>\n");
}

static void report_links_draw(const struct report *r, const struct links *links, struct buf *b)
{
	bool roomy = links->n <= 16;
	double pitch = roomy ? 44 : 24, height = (double)links->n * pitch + 26;
	double middle = 22 + (height - 26) / 2, port = roomy ? 22 : 16;
	const struct process *p = run_dir_hub(&r->runs);

	buf_printf(b,
		   "<svg class=\"links\" viewBox=\"0 0 340 %g\" role=\"img\" aria-label=\"The "
		   "coordinator and its link to each party, as wide as its bytes\">\n"
		   "<text class=\"name\" x=\"8\" y=\"12\">%s</text>\n",
		   height, html_brief(p ? p->name : "coordinator", 36).s);
	for (size_t i = 0; i < links->n; i++) {
		double place = (double)i - (double)(links->n - 1) / 2;

		draw_link(links, &links->link[i], middle + place * port, middle + place * pitch,
			  roomy, b);
	}
	buf_printf(
	    b,
	    "<rect class=\"node\" x=\"8\" y=\"22\" width=\"14\" height=\"%g\" rx=\"2\"/></svg>\n",
	    height - 26);
}

static void flow_row(struct buf *b, const char *attributes, const char *name, const struct flow *f)
{
	static const int order[] = { BYTES_IN, MESSAGES_IN, BYTES_OUT, MESSAGES_OUT };

	buf_printf(b, "<tr%s><th scope=\"row\">%s</th>", attributes, html_of(name).s);
	for (int i = 0; i < FLOWS; i++)
		buf_printf(b, "<td>%s</td>",
			   html_data(f->v[order[i]], i % 2 ? show_count : show_bytes).s);
	buf_printf(b, "</tr>\n");
}

static void flow_head(struct buf *b, const char *what)
{
	buf_printf(
	    b,
	    "<div class=\"scroll\"><table class=\"numbers\"><thead><tr><th>%s</th>"
	    "<th class=\"in\">to coordinator</th><th>messages</th>"
	    "<th class=\"out\">from coordinator</th><th>messages</th></tr></thead>\n<tbody>\n",
	    what);
}

static void report_links_table(const struct links *links, struct buf *b)
{
	struct flow all = { 0 };

	flow_head(b, "link to");
	for (size_t i = 0; i < links->n; i++) {
		flow_row(b, "", links->link[i].party, &links->link[i].sum);
		flow_add(&all, &links->link[i].sum);
	}
	if (links->n > 1)
		flow_row(b, " class=\"all\"", "all", &all);
	buf_printf(b, "</tbody></table></div>\n");
}

void part_links(struct report *r, struct buf *b)
{
	struct links links = links_of(r);

	html_section(b, "links", "Traffic by link");
	if (links.n) {
		buf_printf(b, "<div class=\"pair\"><figure>");
		report_links_draw(r, &links, b);
		buf_printf(b,
			   "<figcaption class=\"note\"><span class=\"item\"><span class=\"key "
			   "in\"></span>to the coordinator</span> <span class=\"item\"><span "
			   "class=\"key out\"></span>from it.</span> A line is as wide as its "
			   "bytes, the widest %s, none below one pixel.</figcaption></figure>\n"
			   "<div>",
			   show_bytes(links.most).s);
		report_links_table(&links, b);
		for (size_t i = 0; i < links.n; i++) {
			const struct link *l = &links.link[i];

			buf_printf(b, "<details%s><summary>%s, by type of message</summary>\n",
				   links.n == 1 ? " open" : "", html_of(l->party).s);
			flow_head(b, "message");
			for (const struct json *t = l->traffic; t; t = run_next(t)) {
				struct flow f = flow_of(l, t);

				if (on_link(l, t))
					flow_row(b, "", json_text(t, "type"), &f);
			}
			buf_printf(b, "</tbody></table></div></details>\n");
		}
		buf_printf(b, "</div></div>\n");
	} else {
		notes_add(&r->runs.missing, r->main->name,
			  "its run.json has no traffic: no links, bytes and messages");
	}
	part_processes(r, b);
	buf_printf(b, "</section>\n");
	free(links.link);
}
