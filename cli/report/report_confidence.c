/* Label confidence of each process that has one per row: a party for its own rows, the
 * coordinator for all. */
#include "cli/report/report_page.h"

enum { PARTIES_MOST = 8 };

void part_confidence(struct report *r, struct buf *b)
{
	static const struct report_curve how = { "Rows by confidence", "tenth", 1, 0 };
	size_t n = 0;

	for (size_t i = 0; i < r->runs.n; i++) {
		const struct process *p = &r->runs.process[i];
		const struct json *facts = run_object(p->run, "facts");
		const struct json *tenths = run_list(facts, "confidence_tenths");

		if (!tenths || json_count(tenths) < 2 || n++ >= PARTIES_MOST)
			continue;
		if (n == 1) {
			html_section(b, "confidence", "Label confidence");
			buf_printf(b, "<div class=\"sums\">\n");
		}
		buf_printf(
		    b, "<figure class=\"sum\"><figcaption><b>%s</b> %s on average</figcaption>\n",
		    html_of(p->name).s, html_data(run_number(facts, "confidence"), show_number).s);
		report_curve(b, tenths, &how);
		buf_printf(b, "</figure>\n");
	}
	if (!n)
		return;
	buf_printf(b, "</div>\n<p class=\"note\">The share of the rows that a process knows in "
		      "each tenth of confidence, from 0, between two clusters, to 1, at a centre: "
		      "1 less the distance to the nearest centre over that to the next.");
	if (n > PARTIES_MOST)
		buf_printf(b, " The first %d of %zu.", PARTIES_MOST, n);
	buf_printf(b, "</p>\n</section>\n");
}
