/* Parses JSON with cJSON, and refuses input beyond RFC 8259. */
#include "common/base/alloc.h"
#include "common/base/sort.h"
#include "common/base/json.h"
#include "common/base/utf8.h"

#include <cJSON.h>
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct scan {
	const char *p, *end;
	const char *wrong; /* fault at p */
};

static int peek(const struct scan *s, int ahead)
{
	return s->end - s->p > ahead ? (unsigned char)s->p[ahead] : -1;
}

static void parse_fail(struct scan *s, const char *wrong)
{
	s->wrong = s->p < s->end ? wrong : "the text ends too early";
}

/* Scans the four digits after \u. Refuses \u0000 and an invalid \u, at which cJSON would end the
 * string. */
static void scan_code(struct scan *s)
{
	for (int i = 0, code = 0; i < 4 && !s->wrong; i++) {
		code |= peek(s, 0) != '0';
		if (!isxdigit(peek(s, 0)) || (i == 3 && !code))
			parse_fail(s, "expected four hexadecimal digits after \\u, not all 0");
		else
			s->p++;
	}
}

static void scan_string(struct scan *s)
{
	while (!s->wrong && peek(s, 0) != '"') {
		size_t n = 0;

		if (peek(s, 0) < ' ')
			parse_fail(s, "a control character in a string");
		else if (!(n = utf8_length((const unsigned char *)s->p, (size_t)(s->end - s->p))))
			parse_fail(s, "a byte that is not UTF-8");
		else if (*s->p == '\\' && s->end - s->p > 1)
			n = 2; /* cJSON checks the escaped character */
		s->p += n;
		if (n == 2 && s->p[-2] == '\\' && s->p[-1] == 'u')
			scan_code(s);
	}
	s->p += !s->wrong;
}

/* Refuses 01, 1. and -.5, which cJSON accepts. */
static void scan_number(struct scan *s)
{
	s->p += *s->p == '-';
	if (!isdigit(peek(s, 0)) || (*s->p == '0' && isdigit(peek(s, 1))))
		parse_fail(s, "expected a digit, and no 0 in front of others");
	while (!s->wrong && peek(s, 0) > 0 && strchr("0123456789eE+-.", peek(s, 0)))
		if (*s->p++ == '.' && !isdigit(peek(s, 0)))
			parse_fail(s, "expected a digit");
}

static void scan(struct scan *s)
{
	int depth = 0;

	while (!s->wrong && s->p < s->end) {
		int c = peek(s, 0);

		depth += (c == '[' || c == '{') - (c == ']' || c == '}');
		if (c == '-' || isdigit(c))
			scan_number(s);
		else if ((c < ' ' && !memchr("\t\n\r", c, 3)) || c > '~')
			parse_fail(s, "expected a value");
		else if (depth > JSON_DEPTH_MAX)
			parse_fail(s, "nested too deeply");
		else if (s->p++, c == '"')
			scan_string(s);
	}
	if (!s->wrong && depth > 0)
		parse_fail(s, "");
}

/* Refuses duplicate keys in an object, and numbers too large for a double. */
static enum err check_tree(const cJSON *v, const char *where)
{
	size_t n = (size_t)cJSON_GetArraySize(v), at = 0;
	const char **keys = NULL;
	enum err err = ERR_OK;

	if (cJSON_IsNumber(v) && !isfinite(v->valuedouble))
		return err_set(ERR_INPUT, "%s: a number is too large", where);
	if (cJSON_IsObject(v) && n > 1) {
		ALLOC(keys, n);
		for (const cJSON *m = v->child; m; m = m->next)
			keys[at++] = m->string;
		sort_texts(keys, n);
	}
	for (size_t i = 1; i < at && !err; i++)
		if (!strcmp(keys[i - 1], keys[i]))
			err = err_set(ERR_INPUT,
				      "%s: the key \"%.100s\" is there twice in one object", where,
				      keys[i]);
	free(keys);
	for (const cJSON *m = v->child; m && !err; m = m->next)
		err = check_tree(m, where);
	return err;
}

enum err json_parse(struct bytes text, const char *where, struct json **root)
{
	const char *p = text.n ? (const char *)text.p : "";
	struct scan s = { .p = p, .end = p + text.n };
	size_t line = 1, column = 1;
	cJSON *v = NULL;
	enum err err;

	*root = NULL;
	if (text.n > JSON_TEXT_MAX)
		return err_set(ERR_INPUT, "%s: %zu bytes of JSON, at most %d are read", where,
			       text.n, JSON_TEXT_MAX);
	scan(&s);
	if (!s.wrong) {
		v = cJSON_ParseWithLengthOpts(p, text.n, &s.p, false);
		while (v && isspace(peek(&s, 0)))
			s.p++;
		if (!v || s.p < s.end)
			parse_fail(&s,
				   v ? "more text after the value" : "no JSON here or just before");
	}
	for (; p < s.p; p++, column++)
		if (*p == '\n')
			line++, column = 0;
	err = s.wrong
		  ? err_set(ERR_INPUT, "%s: line %zu, column %zu: %s", where, line, column, s.wrong)
		  : check_tree(v, where);
	*root = err ? NULL : (struct json *)v;
	if (err)
		cJSON_Delete(v);
	return err;
}
