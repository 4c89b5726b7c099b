#include "cli/report/page.h"
#include "cli/run/report_read.h"
#include "common/base/embed.h"
#include "crypto/hash.h"

#include <stdio.h>
#include <string.h>

EMBED(report_html, "cli/report/page/page.html")
EMBED(report_css, "cli/report/page/page.css")
EMBED(report_uplot_css, "cli/report/page/uplot/uPlot.min.css")
EMBED(report_uplot_license, "cli/report/page/uplot/LICENSE")
EMBED(report_uplot_js, "cli/report/page/uplot/uPlot.iife.min.js")
EMBED(report_dom, "cli/report/page/dom.js")
EMBED(report_charts, "cli/report/page/charts.js")
EMBED(report_result, "cli/report/page/result.js")
EMBED(report_rows, "cli/report/page/rows.js")
EMBED(report_telemetry, "cli/report/page/telemetry.js")
EMBED(report_compare, "cli/report/page/compare.js")
EMBED(report_main, "cli/report/page/main.js")

enum { HUES = 12, SIZES_MOST = 64 };

static void page_add(struct buf *b, struct bytes text)
{
	buf_add(b, text.p, text.n);
}

static void page_text(struct buf *b, const char *text)
{
	for (; *text; text++) {
		if (strchr("<>&\"'", *text))
			buf_printf(b, "&#%d;", *text);
		else
			buf_add(b, text, 1);
	}
}

/* Writes JSON for a script element. A string may have any text, so '<' is escaped; otherwise a text
 * could end the element. */
static void page_data(struct buf *b, const struct json *data)
{
	struct buf text = { 0 };

	json_write(data, &text);
	for (size_t i = 0; i < text.n; i++) {
		if (text.p[i] == '<')
			buf_printf(b, "\\u003c");
		else
			buf_add(b, text.p + i, 1);
	}
	buf_release(&text);
}

static void page_script(struct buf *b)
{
	static struct bytes (*const part[])(void) = {
		text_of_report_uplot_js, text_of_report_dom,  text_of_report_charts,
		text_of_report_result,   text_of_report_rows, text_of_report_telemetry,
		text_of_report_compare,  text_of_report_main,
	};

	buf_printf(b, "/*\n");
	page_add(b, text_of_report_uplot_license());
	buf_printf(b, "\n*/\n");
	for (size_t i = 0; i < sizeof(part) / sizeof(*part); i++)
		page_add(b, part[i]());
}

/* Writes the script's SHA-256 in base64, as a content security policy names it. */
static void page_hash(struct buf *b)
{
	static const char digit[] =
	    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	uint8_t hash[SHA256_LEN + 1] = { 0 };
	struct buf script = { 0 };

	page_script(&script);
	sha256_of(script.p, script.n, hash);
	buf_release(&script);
	for (unsigned bit = 0; bit < 8 * SHA256_LEN; bit += 6) {
		unsigned two = hash[bit / 8] * 256U + hash[bit / 8 + 1];

		buf_add(b, &digit[two >> (10 - bit % 8) & 63], 1);
	}
	buf_add(b, "=", 1);
}

static void still_picture(struct buf *b, const struct picture *p)
{
	unsigned radius = p->n <= 400 ? 80 : p->n <= 4000 ? 55 : 35;

	buf_printf(b,
		   "<section id=\"picture\">\n<h2>Points in the plane</h2>\n"
		   "<svg class=\"still\" role=\"img\" aria-label=\"Points in two dimensions, "
		   "coloured by cluster\" viewBox=\"-150 -150 %d %d\">\n",
		   PICTURE_SIDE + 300, PICTURE_SIDE + 300);
	for (size_t i = 0; i < p->n; i++)
		buf_printf(b, "<circle class=\"pt k%u\" cx=\"%u\" cy=\"%u\" r=\"%u\"/>\n",
			   p->label[i] % HUES, p->place[2 * i], PICTURE_SIDE - p->place[2 * i + 1],
			   radius);
	buf_printf(b, "</svg>\n<p class=\"note\">");
	page_text(b, p->caption);
	buf_printf(b, "</p>\n</section>\n");
}

static void still_sizes(struct buf *b, const struct json *sizes)
{
	unsigned n = 0;

	buf_printf(b, "<section id=\"sizes\">\n<h2>Clusters</h2>\n<table>\n");
	for (const struct json *v = json_first(sizes); v && n < SIZES_MOST; v = json_next(v), n++)
		buf_printf(b, "<tr><th scope=\"row\">cluster %u</th><td>%.0f</td></tr>\n", n,
			   run_element(v) < 0 ? 0 : run_element(v));
	buf_printf(b, "</table>\n</section>\n");
}

static void page_still(struct buf *b, const struct page *p)
{
	buf_printf(b, "<main>\n<h1>");
	page_text(b, p->title);
	buf_printf(b, "</h1>\n<p class=\"note\">A script draws this page, and none may run here: "
		      "what remains is below.</p>\n");
	if (p->picture && p->picture->n)
		still_picture(b, p->picture);
	if (p->sizes && json_first(p->sizes))
		still_sizes(b, p->sizes);
	buf_printf(b, "</main>\n");
}

/* Writes page.html, and replaces each "@x" in it. */
void page_write(const struct page *p, struct buf *html)
{
	struct bytes t = text_of_report_html();

	for (size_t i = 0; i < t.n; i++) {
		if (t.p[i] != '@') {
			buf_add(html, t.p + i, 1);
			continue;
		}
		switch (t.p[++i]) {
		case 't':
			page_text(html, p->title);
			break;
		case 'h':
			page_hash(html);
			break;
		case 'c':
			page_add(html, text_of_report_uplot_css());
			page_add(html, text_of_report_css());
			break;
		case 's':
			page_still(html, p);
			break;
		case 'd':
			page_data(html, p->data);
			break;
		default: /* case "@j" */
			page_script(html);
		}
	}
}
