#include "cli/report/report_html.h"

#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- text ---- */

/* The length of the UTF-8 character at p (RFC 3629), whose code goes to *code; 0 if it is none.
 * The terminator ends every bad sequence. */
static size_t character(const unsigned char *p, uint32_t *code)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	size_t n = *p < 0x80         ? 1
		   : (*p >> 5) == 6  ? 2
		   : (*p >> 4) == 14 ? 3
		   : (*p >> 3) == 30 ? 4
				     : 0;

	if (n <= 1) {
		*code = *p;
		return n;
	}
	*code = *p & (0x7fu >> n);
	for (size_t i = 1; i < n; i++) {
		if ((p[i] >> 6) != 2)
			return 0;
		*code = *code << 6 | (p[i] & 0x3f);
	}
	return *code < least[n] || *code > 0x10ffff || (*code >> 11) == 27 ? 0 : n;
}

/* Control characters, and those that change the direction of what follows them. */
static bool harmful(uint32_t c)
{
	return (c < 0x20 && c != '\n' && c != '\t') || (c >= 0x7f && c < 0xa0) ||
	       (c >= 0x200e && c <= 0x200f) || (c >= 0x2028 && c <= 0x202e) ||
	       (c >= 0x2066 && c <= 0x2069) || (c & 0xfffe) == 0xfffe;
}

static const char *entity(uint32_t c)
{
	switch (c) {
	case '&':
		return "&amp;";
	case '<':
		return "&lt;";
	case '>':
		return "&gt;";
	case '"':
		return "&quot;";
	case '\'':
		return "&#39;";
	default:
		return NULL;
	}
}

void html_short(struct buf *b, const char *text, size_t most)
{
	const unsigned char *p = (const unsigned char *)text;

	for (size_t i = 0; *p && i < most; i++) {
		uint32_t code;
		size_t n = character(p, &code);

		if (!n || harmful(code))
			buf_printf(b, "\xef\xbf\xbd");
		else if (entity(code))
			buf_printf(b, "%s", entity(code));
		else
			buf_add(b, p, n);
		p += n ? n : 1;
	}
	if (*p)
		buf_printf(b, "\xe2\x80\xa6");
}

void html_text(struct buf *b, const char *text)
{
	html_short(b, text, HTML_TEXT_MAX);
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

/* ---- numbers ---- */

struct shown show_plain(double x)
{
	struct shown t;

	snprintf(t.s, sizeof(t.s), "%.15g", x);
	if (strtod(t.s, NULL) != x)
		snprintf(t.s, sizeof(t.s), "%.17g", x);
	return t;
}

struct shown show_count(double x)
{
	struct shown plain, t = { "" };
	size_t n, at = 0;

	if (x < 0 || x >= 1e15 || x != floor(x))
		return show_number(x);
	snprintf(plain.s, sizeof(plain.s), "%.0f", x);
	n = strlen(plain.s);
	for (size_t i = 0; i < n; i++) {
		if (i && n > 4 && (n - i) % 3 == 0) {
			memcpy(t.s + at, "\xe2\x80\xaf",
			       3); /* a narrow space that does not break */
			at += 3;
		}
		t.s[at++] = plain.s[i];
	}
	return t;
}

struct shown show_number(double x)
{
	struct shown t;

	if (fabs(x) >= 1e4 && fabs(x) < 1e9)
		snprintf(t.s, sizeof(t.s), "%.0f", x);
	else
		snprintf(t.s, sizeof(t.s), "%.5g", x);
	return t;
}

struct shown show_score(double x)
{
	struct shown t;

	snprintf(t.s, sizeof(t.s), "%.4f", x);
	return t;
}

struct shown show_bytes(double x)
{
	struct shown t;

	if (x < 1e3)
		snprintf(t.s, sizeof(t.s), "%.0f B", x);
	else if (x < 1e6)
		snprintf(t.s, sizeof(t.s), "%.1f kB", x / 1e3);
	else if (x < 1e9)
		snprintf(t.s, sizeof(t.s), "%.1f MB", x / 1e6);
	else if (x < 1e12)
		snprintf(t.s, sizeof(t.s), "%.1f GB", x / 1e9);
	else
		snprintf(t.s, sizeof(t.s), "%.4g TB", x / 1e12);
	return t;
}

struct shown show_seconds(double x)
{
	struct shown t;

	if (x <= 0)
		snprintf(t.s, sizeof(t.s), "0 s");
	else if (x < 0.01)
		snprintf(t.s, sizeof(t.s), "%.2f ms", x * 1e3);
	else if (x < 0.1)
		snprintf(t.s, sizeof(t.s), "%.1f ms", x * 1e3);
	else if (x < 1)
		snprintf(t.s, sizeof(t.s), "%.0f ms", x * 1e3);
	else if (x < 100)
		snprintf(t.s, sizeof(t.s), "%.2f s", x);
	else if (x < 1e6)
		snprintf(t.s, sizeof(t.s), "%.0f s", x);
	else
		snprintf(t.s, sizeof(t.s), "%.3g s", x);
	return t;
}

void html_data(struct buf *b, double x, struct shown shown)
{
	buf_printf(b, "<data value=\"%s\">%s</data>", show_plain(x).s, shown.s);
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
