/* For a range of k: the curves measured, and the chosen k. */
#include "cli/report/report_page.h"
#include "common/cluster/selection.h"

static void figure(struct buf *b, const struct json *facts, const char *fact, const char *title,
		   unsigned first, unsigned chosen)
{
	struct report_curve how = { title, "k =", first, chosen };
	const struct json *values = run_list(facts, fact);

	if (!values || !json_first(values))
		return;
	buf_printf(b, "<figure class=\"sum\"><figcaption><b>%s</b></figcaption>\n", title);
	report_curve(b, values, &how);
	buf_printf(b, "</figure>\n");
}

void part_selection(struct report *r, struct buf *b)
{
	const struct json *facts = run_object(r->main->run, "facts");
	const struct json *silhouette = run_list(facts, "selection_silhouette");
	unsigned first = (unsigned)run_number(facts, "selection_from");
	unsigned k = (unsigned)run_number(facts, "selection_k"), last;

	if (!silhouette || !json_first(silhouette) || !k)
		return;
	last = first + (unsigned)json_count(silhouette) - 1;
	html_section(b, "selection", "How many clusters");
	buf_printf(b, "<div class=\"sums\">\n");
	figure(b, facts, "selection_silhouette", "Silhouette", first, k);
	figure(b, facts, "selection_inertia", "Inertia", first, k);
	figure(b, facts, "selection_ratio", "Calinski and Harabasz", first, k);
	figure(b, facts, "selection_stability", "Stability over halves", first, k);
	figure(b, facts, "selection_eigengap", "Eigengap", first, k);
	buf_printf(
	    b,
	    "</div>\n<p class=\"note\">Of %u to %u clusters these are %u: of all whose stability, "
	    "where it is known, is at least %g of the highest, they have the largest simplified "
	    "silhouette, %s above the next of these. The other curves decide nothing.%s</p>\n"
	    "</section>\n",
	    first, last, k, SELECTION_STABLE,
	    html_data(run_number(facts, "selection_margin"), show_number).s,
	    k == first || k == last ? " It is the range's end: a wider one may have better." : "");
}
