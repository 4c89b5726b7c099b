#include "common/data/text.h"
#include "common/base/progress.h"
#include "common/data/value.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NUMBER_MAX = 63, TEXT_LOOK = 1 << 16 };

struct text text_open(struct bytes bytes, const char *where)
{
	const char *p = bytes.n ? (const char *)bytes.p : "";

	return (struct text){ .p = p, .end = p + bytes.n, .line = 1, .where = where };
}

struct text text_of_line(struct word line, size_t byte, const char *where)
{
	return (struct text){ .p = line.p, .end = line.p + line.n, .byte = byte, .where = where };
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

static void skip_blanks(struct text *t)
{
	while (t->p < t->end && is_blank(*t->p))
		t->p++;
}

void text_next(struct text *t)
{
	const char *nl = t->p < t->end ? memchr(t->p, '\n', (size_t)(t->end - t->p)) : NULL;

	t->p = nl ? nl + 1 : t->end;
	t->line++;
}

bool text_at_end(struct text *t)
{
	skip_blanks(t);
	return t->p == t->end || *t->p == '\n';
}

bool text_line(struct text *t, char comment)
{
	while (t->p < t->end) {
		if (!text_at_end(t) && !(comment && *t->p == comment))
			return true;
		if (t->p == t->end)
			return false;
		text_next(t);
	}
	return false;
}

enum err text_wanted(const struct text *t)
{
	return t->line % TEXT_LOOK ? ERR_OK : progress_check();
}

struct word text_word(struct text *t)
{
	struct word w;

	skip_blanks(t);
	w.p = t->p;
	while (t->p < t->end && !is_blank(*t->p) && *t->p != '\n')
		t->p++;
	w.n = (size_t)(t->p - w.p);
	return w;
}

enum err text_error(const struct text *t, const char *fmt, ...)
{
	char text[ERR_DETAIL_MAX];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (!t->line)
		return err_set(ERR_INPUT, "%s: the line at byte %zu: %s", t->where, t->byte, text);
	return err_set(ERR_INPUT, "%s:%zu: %s", t->where, t->line, text);
}

/* Converts words of up to 15 digits by one division, of the digits by a power of ten. Both are
 * exact doubles, so the division rounds correctly (Clinger 1990). Other words go to strtod. */
bool word_number(struct word w, double *x)
{
	static const double power[] = { 1e0, 1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
					1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15 };
	size_t i = 0, digits = 0, behind = 0;
	bool minus = w.n && w.p[0] == '-', point = false;
	char copy[NUMBER_MAX + 1], *end;
	uint64_t value = 0;

	for (i = minus; i < w.n && digits <= 15; i++) {
		unsigned d = (unsigned)(unsigned char)w.p[i] - '0';

		if (d <= 9) {
			value = 10 * value + d;
			digits++;
			behind += point;
		} else if (w.p[i] == '.' && !point) {
			point = true;
		} else {
			break;
		}
	}
	if (i == w.n && digits >= 1 && digits <= 15) {
		*x = (double)value / power[behind];
		if (minus)
			*x = -*x;
		return true;
	}
	if (w.n == 0 || w.n > NUMBER_MAX)
		return false;
	memcpy(copy, w.p, w.n);
	copy[w.n] = 0;
	if (copy[strspn(copy, "0123456789+-.eE")]) /* no hexadecimal, no "nan", no "inf" */
		return false;
	*x = strtod(copy, &end);
	return end == copy + w.n && isfinite(*x);
}

bool word_whole(struct word w, uint64_t *x)
{
	*x = 0;
	if (w.n == 0 || w.n > 18)
		return false;
	for (size_t i = 0; i < w.n; i++) {
		if (w.p[i] < '0' || w.p[i] > '9')
			return false;
		*x = 10 * *x + (uint64_t)(w.p[i] - '0');
	}
	return true;
}

enum err text_number(struct text *t, double *x)
{
	struct word w = text_word(t);

	if (w.n == 0)
		return text_error(t, "the line ends where a number is expected");
	if (!word_number(w, x))
		return text_error(t, "%s is not a finite number", value_text(w.p, w.n).s);
	return ERR_OK;
}

enum err text_whole(struct text *t, uint64_t min, uint64_t max, const char *what, uint64_t *x)
{
	struct word w = text_word(t);

	if (w.n == 0)
		return text_error(t, "the line ends where %s is expected", what);
	if (!word_whole(w, x) || *x < min || *x > max)
		return text_error(t, "%s is %s, expected a whole number from %ju to %ju", what,
				  value_text(w.p, w.n).s, (uintmax_t)min, (uintmax_t)max);
	return ERR_OK;
}

enum err text_end(struct text *t)
{
	struct word w = text_word(t);

	if (w.n)
		return text_error(t, "%s is more than expected on this line",
				  value_text(w.p, w.n).s);
	text_next(t);
	return ERR_OK;
}
