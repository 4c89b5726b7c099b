#include "cli/report/report_html.h"
#include "common/base/utf8.h"

#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

void html_short(struct buf *b, const char *text, size_t most)
{
	static const char *const entity[] = {
		['&'] = "&amp;", ['<'] = "&lt;", ['>'] = "&gt;", ['"'] = "&quot;", ['\''] = "&#39;"
	};
	const unsigned char *p = (const unsigned char *)text;

	for (size_t i = 0, left = strlen(text); left && i < most; i++) {
		size_t n = utf8_length(p, left);
		uint32_t code = n ? utf8_code(p, n) : 0;

		if (!n || (utf8_is_harmful(code) && code != '\n' && code != '\t'))
			buf_printf(b, "\xef\xbf\xbd");
		else if (code <= '>' && entity[code])
			buf_printf(b, "%s", entity[code]);
		else
			buf_add(b, p, n);
		p += n ? n : 1;
		left -= n ? n : 1;
	}
	if (*p)
		buf_printf(b, "\xe2\x80\xa6");
}

void html_text(struct buf *b, const char *text)
{
	html_short(b, text, HTML_TEXT_MAX);
}

struct html html_brief(const char *text, size_t most)
{
	struct buf b = { 0 };
	struct html h;

	html_short(&b, text, most < HTML_TEXT_MAX ? most : HTML_TEXT_MAX);
	buf_add(&b, "", 1);
	memcpy(h.s, b.p, b.n);
	buf_release(&b);
	return h;
}

struct html html_of(const char *text)
{
	return html_brief(text, HTML_TEXT_MAX);
}

void html_textf(struct buf *b, const char *fmt, ...)
{
	char text[HTML_TEXT_MAX + 8];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	html_text(b, text);
}

struct shown shown(const char *fmt, ...)
{
	struct shown t;
	va_list args;

	va_start(args, fmt);
	vsnprintf(t.s, sizeof(t.s), fmt, args);
	va_end(args);
	return t;
}

struct shown show_plain(double x)
{
	struct shown t = shown("%.15g", x);

	return strtod(t.s, NULL) == x ? t : shown("%.17g", x);
}

struct shown show_count(double x)
{
	struct shown plain = shown("%.0f", x), t = { "" };
	size_t n = strlen(plain.s), at = 0;

	if (x < 0 || x >= 1e15 || x != floor(x))
		return show_number(x);
	for (size_t i = 0; i < n; i++) {
		if (i && n > 4 && (n - i) % 3 == 0) {
			/* Narrow no-break space */
			memcpy(t.s + at, "\xe2\x80\xaf", 3);
			at += 3;
		}
		t.s[at++] = plain.s[i];
	}
	return t;
}

struct shown show_number(double x)
{
	return shown(fabs(x) >= 1e4 && fabs(x) < 1e9 ? "%.0f" : "%.5g", x);
}

struct shown show_score(double x)
{
	return shown("%.4f", x);
}

struct shown show_bytes(double x)
{
	if (x < 1e3)
		return shown("%.0f B", x);
	if (x < 1e6)
		return shown("%.1f kB", x / 1e3);
	if (x < 1e9)
		return shown("%.1f MB", x / 1e6);
	return x < 1e12 ? shown("%.1f GB", x / 1e9) : shown("%.4g TB", x / 1e12);
}

struct shown show_seconds(double x)
{
	if (x <= 0)
		return shown("0 s");
	if (x < 0.01)
		return shown("%.2f ms", x * 1e3);
	if (x < 0.1)
		return shown("%.1f ms", x * 1e3);
	if (x < 1)
		return shown("%.0f ms", x * 1e3);
	if (x < 100)
		return shown("%.2f s", x);
	return shown(x < 1e6 ? "%.0f s" : "%.3g s", x);
}

struct html html_data(double x, struct shown (*show)(double))
{
	struct html h;

	snprintf(h.s, sizeof(h.s), "<data value=\"%s\">%s</data>", show_plain(x).s, show(x).s);
	return h;
}

void html_values(struct buf *b, const double *x, size_t n)
{
	for (size_t i = 0; i < n; i++)
		buf_printf(b, "%s%s", i ? " " : " data-v=\"", show_plain(x[i]).s);
	buf_printf(b, "\"");
}

void html_section(struct buf *b, const char *id, const char *title)
{
	buf_printf(b, "<section id=\"%s\">\n<h2>%s</h2>\n", id, title);
}

/* ---- positions in drawings ---- */

double axis_step(double range, unsigned most)
{
	static const double round[] = { 1, 2, 5, 10 };
	double least = range / most, power = pow(10, floor(log10(least)));

	/* tolerance, as range / most may be 2.0000000000000004 */
	for (size_t i = 0; i < 4; i++) {
		if (round[i] * power >= least * (1 - 1e-9))
			return round[i] * power;
	}
	return 10 * power;
}

double axis_percent(double x, double from, double to)
{
	if (!(to > from))
		return 0;
	return fmin(100, fmax(0, 100 * ((x - from) / (to - from))));
}

unsigned axis_rows(const double *from, const double *to, size_t n, unsigned *row)
{
	unsigned rows = 0;

	for (size_t i = n; i-- > 0;) {
		bool taken = true;

		for (row[i] = 0; taken; row[i] += taken) {
			taken = false;
			for (size_t j = i + 1; j < n; j++)
				taken |= row[j] == row[i] && from[i] < to[j] && from[j] < to[i];
		}
		rows = row[i] + 1 > rows ? row[i] + 1 : rows;
	}
	return rows;
}

double axis_utc(const char *text)
{
	struct tm tm = { 0 };
	unsigned ms;
	int used = 0;

	if (sscanf(text, "%4d-%2d-%2dT%2d:%2d:%2d.%3uZ%n", &tm.tm_year, &tm.tm_mon, &tm.tm_mday,
		   &tm.tm_hour, &tm.tm_min, &tm.tm_sec, &ms, &used) != 7 ||
	    used != 24 || text[used])
		return -1;
	tm.tm_year -= 1900;
	tm.tm_mon -= 1;
	return (double)timegm(&tm) + ms / 1e3;
}
