#include "common/base/json_scan.h"
#include "common/base/utf8.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* The error is sticky: the first one is kept, and the cursor stays there. */
struct scan {
	const unsigned char *p, *end;
	int depth;
	const char *wrong;
};

static void value(struct scan *s);

static bool fail(struct scan *s, const char *wrong)
{
	if (!s->wrong)
		s->wrong = s->p < s->end ? wrong : "the text ends too early";
	return false;
}

static int peek(const struct scan *s)
{
	return s->p < s->end ? *s->p : -1;
}

static void space(struct scan *s)
{
	while (s->p < s->end && (*s->p == ' ' || *s->p == '\t' || *s->p == '\n' || *s->p == '\r'))
		s->p++;
}

static bool take(struct scan *s, char c, const char *wrong)
{
	if (s->wrong || peek(s) != c)
		return fail(s, wrong);
	s->p++;
	return true;
}

static bool is_digit(int c)
{
	return c >= '0' && c <= '9';
}

static bool digits(struct scan *s)
{
	if (!is_digit(peek(s)))
		return fail(s, "expected a digit");
	while (is_digit(peek(s)))
		s->p++;
	return true;
}

static void number(struct scan *s)
{
	const unsigned char *start = s->p;
	char text[64];
	size_t n;

	if (peek(s) == '-')
		s->p++;
	if (peek(s) == '0')
		s->p++;
	else if (!digits(s))
		return;
	if (peek(s) == '.') {
		s->p++;
		if (!digits(s))
			return;
	}
	if (peek(s) == 'e' || peek(s) == 'E') {
		s->p++;
		if (peek(s) == '+' || peek(s) == '-')
			s->p++;
		if (!digits(s))
			return;
	}
	n = (size_t)(s->p - start);
	if (n < sizeof(text)) { /* cJSON itself reads no more than 63 characters of a number */
		memcpy(text, start, n);
		text[n] = 0;
		if (isfinite(strtod(text, NULL)))
			return;
	}
	s->p = start;
	fail(s, "the number is too large or too long");
}

static bool hex4(struct scan *s, unsigned *code)
{
	*code = 0;
	for (int i = 0; i < 4; i++) {
		int c = peek(s);

		if (is_digit(c))
			c -= '0';
		else if ((c | 32) >= 'a' && (c | 32) <= 'f')
			c = (c | 32) - 'a' + 10;
		else
			return fail(s, "expected four hexadecimal digits after \\u");
		*code = *code << 4 | (unsigned)c;
		s->p++;
	}
	return true;
}

static void escape(struct scan *s)
{
	const unsigned char *start = s->p - 1;
	unsigned code, low;
	int c = peek(s);

	if (c > 0 && strchr("\"\\/bfnrt", c)) {
		s->p++;
		return;
	}
	if (!take(s, 'u', "unknown escape in a string") || !hex4(s, &code))
		return;
	if (code >= 0xd800 && code < 0xdc00) {
		if (take(s, '\\', "half a surrogate pair") &&
		    take(s, 'u', "half a surrogate pair") && hex4(s, &low) &&
		    (low < 0xdc00 || low > 0xdfff))
			fail(s, "half a surrogate pair");
	} else if (code == 0 || (code >= 0xdc00 && code < 0xe000)) {
		s->p = start;
		fail(s, code ? "half a surrogate pair" : "a zero character in a string");
	}
}

static void string(struct scan *s)
{
	take(s, '"', "expected a string");
	while (!s->wrong && peek(s) != '"') {
		size_t len;

		if (s->p == s->end) {
			fail(s, "");
		} else if (*s->p == '\\') {
			s->p++;
			escape(s);
		} else if (*s->p < 0x20) {
			fail(s, "a control character in a string");
		} else if ((len = utf8_length(s->p, (size_t)(s->end - s->p)))) {
			s->p += len;
		} else {
			fail(s, "a byte that is not UTF-8");
		}
	}
	if (!s->wrong)
		s->p++;
}

static void members(struct scan *s, char close, bool keys)
{
	if (--s->depth < 0) {
		fail(s, "nested too deeply");
		return;
	}
	s->p++;
	space(s);
	if (peek(s) == close) {
		s->p++;
		s->depth++;
		return;
	}
	do {
		space(s);
		if (keys) {
			string(s);
			space(s);
			take(s, ':', "expected ':'");
			space(s);
		}
		value(s);
		space(s);
	} while (!s->wrong && peek(s) == ',' && s->p++);
	take(s, close, keys ? "expected ',' or '}'" : "expected ',' or ']'");
	s->depth++;
}

static void word(struct scan *s, const char *w)
{
	while (*w && take(s, *w, "expected a value"))
		w++;
}

static void value(struct scan *s)
{
	if (s->wrong)
		return;
	switch (peek(s)) {
	case '{':
		members(s, '}', true);
		break;
	case '[':
		members(s, ']', false);
		break;
	case '"':
		string(s);
		break;
	case 't':
		word(s, "true");
		break;
	case 'f':
		word(s, "false");
		break;
	case 'n':
		word(s, "null");
		break;
	default:
		if (peek(s) == '-' || is_digit(peek(s)))
			number(s);
		else
			fail(s, "expected a value");
	}
}

const char *json_scan(struct bytes text, int depth_max, size_t *at)
{
	const unsigned char *p = text.n ? text.p : (const unsigned char *)"";
	struct scan s = { .p = p, .end = p + text.n, .depth = depth_max };

	space(&s);
	value(&s);
	if (!s.wrong) {
		space(&s);
		if (s.p < s.end)
			fail(&s, "more text after the value");
	}
	*at = (size_t)(s.p - p);
	return s.wrong;
}
