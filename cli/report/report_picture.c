#include "cli/report/report_page.h"
#include "common/base/sort.h"
#include "common/base/alloc.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

/* SIDE: of the drawing. Tooltips are omitted beyond TOOLTIPS_MOST points, to limit the page's
 * size; cluster numbers beyond NAMES_MOST clusters. */
enum { SIDE = 640, MARGIN = 14, TOOLTIPS_MOST = 3000, NAMES_MOST = 64 };

/* The first REPORT_HUES clusters differ by colour; further ones have other marks: circle,
 * square, triangle, diamond, cross, inverted triangle. */
void report_mark(struct buf *b, unsigned cluster, double x, double y, double r)
{
	unsigned hue = cluster % REPORT_HUES, mark = cluster / REPORT_HUES % REPORT_MARKS;
	double s = r * 0.89, t = r * 1.2, u = r * 0.6, v = t - u / 2;

	if (mark == 0) {
		buf_printf(b, "<circle class=\"k%u\" cx=\"%.1f\" cy=\"%.1f\" r=\"%g\"/>", hue, x, y,
			   r);
		return;
	}
	buf_printf(b, "<path class=\"k%u\" d=\"", hue);
	if (mark == 1)
		buf_printf(b, "M%.1f %.1fh%gv%gh-%gz", x - s, y - s, 2 * s, 2 * s, 2 * s);
	else if (mark == 2)
		buf_printf(b, "M%.1f %.1fl%g %gh-%gz", x, y - t, t, 1.8 * t, 2 * t);
	else if (mark == 3)
		buf_printf(b, "M%.1f %.1fl%g %gl-%g %gl-%g -%gz", x, y - t, t, t, t, t, t, t);
	else if (mark == 4)
		buf_printf(b, "M%.1f %.1fh%gv%gh%gv%gh-%gv%gh-%gv-%gh-%gv-%gh%gz", x - u / 2, y - t,
			   u, v, v, u, v, v, u, v, v, u, v);
	else
		buf_printf(b, "M%.1f %.1fl%g -%gh-%gz", x, y + t, t, 1.8 * t, 2 * t);
	buf_printf(b, "\"/>");
}

void report_key(struct buf *b, unsigned cluster)
{
	buf_printf(b, "<svg class=\"mark\" width=\"12\" height=\"12\" aria-hidden=\"true\">");
	report_mark(b, cluster, 6, 6, 5);
	buf_printf(b, "</svg>");
}

struct frame { /* centre, and one scale for both directions */
	double x0, y0, scale;
};

static double place_x(const struct frame *f, double x)
{
	return SIDE / 2.0 + (x - f->x0) * f->scale;
}

static double place_y(const struct frame *f, double y)
{
	return SIDE / 2.0 - (y - f->y0) * f->scale;
}

/* Medians of a cluster's points, robust against outliers. x: scratch for n values. False if it
 * has no points. */
static bool middle_of(const struct picture *p, unsigned cluster, double *x, double middle[static 2])
{
	for (size_t axis = 0; axis < 2; axis++) {
		size_t n = 0;

		for (size_t i = 0; i < p->n; i++) {
			if (p->label[i] == cluster)
				x[n++] = p->xy[2 * i + axis];
		}
		if (!n)
			return false;
		sort_reals(x, n);
		middle[axis] = x[n / 2];
	}
	return true;
}

/* Writes cluster numbers at the centre of their points, moved slightly up or down to avoid
 * others. Those without space appear only in the legend. */
static void draw_names(const struct picture *p, const struct frame *f, struct buf *b)
{
	static const double shift[] = { 0, 20, -20, 40, -40 };
	double taken[NAMES_MOST][2], *room, middle[2];
	size_t n = 0;

	ALLOC(room, p->n);
	for (unsigned c = 0; c < p->clusters && p->clusters <= NAMES_MOST; c++) {
		bool free_place = false;

		if (!middle_of(p, c, room, middle))
			continue;
		for (size_t s = 0; s < sizeof(shift) / sizeof(*shift) && !free_place; s++) {
			double x = place_x(f, middle[0]), y = place_y(f, middle[1]) + 7 + shift[s];

			free_place = x > 20 && x < SIDE - 20 && y > 20 && y < SIDE - 6;
			for (size_t i = 0; i < n; i++)
				free_place &=
				    fabs(taken[i][0] - x) >= 27 || fabs(taken[i][1] - y) >= 20;
			taken[n][0] = x;
			taken[n][1] = y;
		}
		if (free_place) {
			buf_printf(b, "<text x=\"%.1f\" y=\"%.1f\">%u</text>", taken[n][0],
				   taken[n][1], c);
			n++;
		}
	}
	free(room);
}

static void draw_legend(const struct picture *p, struct buf *b)
{
	size_t *count;

	ALLOC(count, p->clusters);
	for (size_t i = 0; i < p->n; i++)
		count[p->label[i]]++;
	buf_printf(b, "<p class=\"legend marks\">");
	for (size_t c = 0; c < p->clusters; c++) {
		if (!count[c])
			continue;
		buf_printf(b, "<span>");
		report_key(b, (unsigned)c);
		buf_printf(b, "cluster %zu</span>\n", c);
	}
	buf_printf(b, "</p>\n");
	free(count);
}

void part_picture(struct report *r, struct buf *b)
{
	const struct picture *p = &r->picture;
	double low[2] = { INFINITY, INFINITY }, high[2] = { -INFINITY, -INFINITY }, range;
	double radius = p->n <= 400 ? 5 : p->n <= 4000 ? 3.6 : 2.4;
	struct frame f;

	if (!p->n)
		return;
	for (size_t i = 0; i < 2 * p->n; i++) {
		low[i % 2] = fmin(low[i % 2], p->xy[i]);
		high[i % 2] = fmax(high[i % 2], p->xy[i]);
	}
	range = fmax(high[0] - low[0], high[1] - low[1]);
	f = (struct frame){ (low[0] + high[0]) / 2, (low[1] + high[1]) / 2,
			    range > 0 ? (SIDE - 2 * MARGIN) / range : 0 };
	html_section(b, "picture", "Points in the plane");
	buf_printf(b, "<p class=\"note\">The %s of ", run_things(r->main->run, false));
	html_text(b, r->picture_of);
	buf_printf(b, ", by ");
	html_text(b, p->method);
	buf_printf(b,
		   ".</p>\n<figure><svg class=\"picture\" viewBox=\"0 0 %d %d\" "
		   "role=\"img\" aria-label=\"Points in two dimensions, coloured by cluster\">\n",
		   SIDE, SIDE);
	for (size_t i = 0; i < p->n; i++) {
		buf_printf(b, "<g class=\"pt\">");
		report_mark(b, p->label[i], place_x(&f, p->xy[2 * i]),
			    place_y(&f, p->xy[2 * i + 1]), radius);
		if (p->n <= TOOLTIPS_MOST) {
			buf_printf(b, "<title>");
			html_textf(b, "%.100s, cluster %u", p->id[i], p->label[i]);
			buf_printf(b, "</title>");
		}
		buf_printf(b, "</g>\n");
	}
	buf_printf(b, "<g class=\"names\">");
	draw_names(p, &f, b);
	buf_printf(b, "</g></svg>\n");
	draw_legend(p, b);
	buf_printf(b, "<figcaption class=\"note\">%s</figcaption></figure>\n</section>\n",
		   html_of(p->caption).s);
}
