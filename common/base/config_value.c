#include "common/base/config_value.h"
#include "common/base/alloc.h"
#include "common/base/file.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TIMES_MAX = 64, SHOWN_MAX = 80 };

static void names_list(const struct config_row *r, struct buf *text)
{
	buf_printf(text, "one of ");
	for (size_t i = 0; r->names[i]; i++)
		buf_printf(text, "%s\"%s\"", i ? ", " : "", r->names[i]);
}

void config_value_expected(const struct config_row *r, struct buf *text)
{
	switch (r->type) {
	case CONFIG_BOOL:
		if (r->names)
			names_list(r, text);
		else
			buf_printf(text, "true or false");
		break;
	case CONFIG_UNSIGNED:
	case CONFIG_U64:
		buf_printf(text, "a whole number from %.0f to %.0f", r->min, r->max);
		if (r->names)
			buf_printf(text, ", or \"%s\"", r->names[0]);
		break;
	case CONFIG_BYTES:
		buf_printf(text,
			   "bytes, a whole number from %.0f to %.0f, or with K, M, G or T, such as "
			   "\"8G\"",
			   r->min, r->max);
		break;
	case CONFIG_ID:
		buf_printf(text, "%d hexadecimal digits, 0-9 and a-f, not all 0",
			   2 * CONFIG_ID_LEN);
		break;
	case CONFIG_DOUBLE:
		buf_printf(text, "a number from %g to %g", r->min, r->max);
		break;
	case CONFIG_STRING:
		if (r->max == 1)
			buf_printf(text, "one character");
		else
			buf_printf(text, "a string of %.0f to %.0f bytes", r->min, r->max);
		break;
	case CONFIG_PATH:
		buf_printf(text, "a path");
		break;
	case CONFIG_ENUM:
	case CONFIG_CHOICE:
		names_list(r, text);
		break;
	case CONFIG_STRINGS:
		buf_printf(text, "a string, or a list of %.0f to %.0f, none twice", r->min, r->max);
		break;
	case CONFIG_MAP:
		buf_printf(text, "an object of %.0f to %.0f names with a string each", r->min,
			   r->max);
		if (r->names)
			buf_printf(text, ", or an object with \"%s\" and \"%s\"", r->names[0],
				   r->names[1]);
		break;
	case CONFIG_COUNT:
		buf_printf(
		    text,
		    "a whole number from %.0f to %.0f, or a multiple of k from \"k\" to \"%dk\"",
		    r->min, r->max, TIMES_MAX);
		if (r->names)
			buf_printf(text, ", or \"%s\"", r->names[0]);
		break;
	case CONFIG_RANGE:
		buf_printf(text,
			   "a whole number from %.0f to %.0f, or {\"from\": .., \"to\": ..} of two "
			   "such numbers, the second larger by 1 to %d",
			   r->min, r->max, CONFIG_RANGE_MAX);
		break;
	}
}

/* Sets the error "job.clusters is 1, expected ...". expected NULL: takes the row's expectation. */
static enum err wrong(const struct config_row *r, const char *name, const char *inner,
		      const struct json *v, const char *expected)
{
	struct buf shown = { 0 }, text = { 0 };
	enum err err;

	json_write(v, &shown);
	if (expected)
		buf_printf(&text, "%s", expected);
	else
		config_value_expected(r, &text);
	err = err_set(ERR_INPUT, "%s.%s%s is %.*s%s, expected %.*s", name, r->path, inner,
		      (int)(shown.n < SHOWN_MAX ? shown.n : SHOWN_MAX), (char *)shown.p,
		      shown.n > SHOWN_MAX ? "..." : "", (int)text.n, (char *)text.p);
	buf_release(&shown);
	buf_release(&text);
	return err;
}

static bool whole_number(const struct config_row *r, const struct json *v, double *x)
{
	if (json_type(v) != JSON_NUMBER)
		return false;
	*x = json_number(v);
	return *x >= r->min && *x <= r->max && *x == floor(*x);
}

static size_t name_index(const struct config_row *r, const struct json *v)
{
	if (json_type(v) != JSON_STRING)
		return SIZE_MAX;
	for (size_t i = 0; r->names[i]; i++) {
		if (!strcmp(r->names[i], json_string(v)))
			return i;
	}
	return SIZE_MAX;
}

static enum err read_string(const struct config_row *r, const char *name, const struct json *v,
			    const char *dir, char **field)
{
	const char *expected;
	size_t n;

	if (json_type(v) != JSON_STRING)
		return wrong(r, name, "", v, NULL);
	n = strlen(json_string(v));
	if (r->type == CONFIG_PATH ? n == 0 : (double)n < r->min || (double)n > r->max)
		return wrong(r, name, "", v, NULL);
	expected = r->check ? r->check(json_string(v)) : NULL;
	if (expected)
		return wrong(r, name, "", v, expected);
	*field = r->type == CONFIG_PATH && dir ? file_join(dir, json_string(v))
					       : alloc_copy(json_string(v));
	return ERR_OK;
}

static enum err read_strings(const struct config_row *r, const char *name, const struct json *v,
			     struct config_strings *field)
{
	bool one = json_type(v) == JSON_STRING; /* a single string counts as a list of one item */
	size_t count = one ? 1 : json_type(v) == JSON_ARRAY ? json_count(v) : 0;
	char inner[32];

	if ((!one && json_type(v) != JSON_ARRAY) || (double)count < r->min ||
	    (double)count > r->max)
		return wrong(r, name, "", v, NULL);
	ALLOC(field->item, count);
	for (const struct json *m = one ? v : json_first(v); m; m = one ? NULL : json_next(m)) {
		const char *expected = "a string";

		snprintf(inner, sizeof(inner), "[%zu]", field->count);
		if (json_type(m) == JSON_STRING)
			expected = r->check ? r->check(json_string(m)) : NULL;
		if (!expected && config_strings_has(field, json_string(m)))
			expected = "each string once";
		if (expected)
			return wrong(r, name, inner, m, expected);
		field->item[field->count++] = alloc_copy(json_string(m));
	}
	return ERR_OK;
}

/* ERR_INPUT if a member of v is neither one of the two known members nor a comment. */
static enum err config_value_check_members(const struct config_row *r, const char *name,
					   const char *inner, const struct json *v,
					   const char *const *known)
{
	for (const struct json *m = json_first(v); m; m = json_next(m))
		if (strcmp(json_key(m), known[0]) && strcmp(json_key(m), known[1]) &&
		    json_key(m)[0] != '#')
			return err_set(ERR_INPUT,
				       "%s.%s%s.%.80s is unknown, expected one of: %s, %s", name,
				       r->path, inner, json_key(m), known[0], known[1]);
	return ERR_OK;
}

/* Reads a map value, a string or an object of a string and a path, into `pair`. The caller has set
 * the key of `pair`. */
static enum err read_pair(const struct config_row *r, const char *name, const struct json *v,
			  const char *dir, struct config_pair *pair)
{
	bool with_path = r->names && json_type(v) == JSON_OBJECT;
	const char *expected = r->names ? "a string, or an object" : "a string";
	const struct json *path = NULL;
	char inner[160];

	snprintf(inner, sizeof(inner), ".%.64s", pair->key);
	if (with_path) {
		TRY(config_value_check_members(r, name, inner, v, r->names));
		path = json_get(v, r->names[1]);
		v = json_get(v, r->names[0]);
		if (!v)
			return err_set(ERR_INPUT, "%s.%s%s.%s is missing", name, r->path, inner,
				       r->names[0]);
		expected = "a string";
		snprintf(inner, sizeof(inner), ".%.64s.%s", pair->key, r->names[0]);
	}
	if (json_type(v) == JSON_STRING)
		expected = r->check ? r->check(json_string(v)) : NULL;
	if (expected)
		return wrong(r, name, inner, v, expected);
	pair->value = alloc_copy(json_string(v));
	if (!path)
		return ERR_OK;
	snprintf(inner, sizeof(inner), ".%.64s.%s", pair->key, r->names[1]);
	if (json_type(path) != JSON_STRING || !*json_string(path))
		return wrong(r, name, inner, path, "a path");
	pair->path = dir ? file_join(dir, json_string(path)) : alloc_copy(json_string(path));
	return ERR_OK;
}

static enum err read_map(const struct config_row *r, const char *name, const struct json *v,
			 const char *dir, struct config_map *field)
{

	if (json_type(v) != JSON_OBJECT)
		return wrong(r, name, "", v, NULL);
	ALLOC(field->item, json_count(v));
	for (const struct json *m = json_first(v); m; m = json_next(m)) {
		const char *key = json_key(m);
		struct config_pair *pair = &field->item[field->count];

		if (key[0] == '#')
			continue;
		if (r->check_key && r->check_key(key))
			return err_set(ERR_INPUT,
				       "%s.%s: the key \"%.80s\" is not right, expected %s", name,
				       r->path, key, r->check_key(key));
		pair->key = alloc_copy(key);
		field->count++;
		TRY(read_pair(r, name, m, dir, pair));
	}
	if ((double)field->count < r->min || (double)field->count > r->max)
		return wrong(r, name, "", v, NULL);
	return ERR_OK;
}

static enum err read_count(const struct config_row *r, const char *name, const struct json *v,
			   struct config_count *field)
{
	const char *text;
	unsigned times = 0;
	double x;

	if (whole_number(r, v, &x)) {
		*field = (struct config_count){ .fixed = (unsigned)x };
		return ERR_OK;
	}
	if (json_type(v) != JSON_STRING)
		return wrong(r, name, "", v, NULL);
	text = json_string(v);
	if (r->names && !strcmp(text, r->names[0])) {
		*field = (struct config_count){ 0 };
		return ERR_OK;
	}
	if (!strcmp(text, "k"))
		times = 1;
	else if (*text != '0')
		for (; *text >= '0' && *text <= '9' && times <= TIMES_MAX; text++)
			times = 10 * times + (unsigned)(*text - '0');
	if (times < 1 || times > TIMES_MAX || strcmp(text, "k"))
		return wrong(r, name, "", v, NULL);
	*field = (struct config_count){ .times_k = times };
	return ERR_OK;
}

static enum err read_range(const struct config_row *r, const char *name, const struct json *v,
			   unsigned *field)
{
	static const char *const ends[] = { "from", "to" };
	double from = 0, to;

	if (json_type(v) == JSON_OBJECT) {
		TRY(config_value_check_members(r, name, "", v, ends));
		for (size_t i = 0; i < 2; i++)
			if (!json_get(v, ends[i]))
				return err_set(ERR_INPUT, "%s.%s.%s is missing", name, r->path,
					       ends[i]);
		if (!whole_number(r, json_get(v, "from"), &from) ||
		    !whole_number(r, json_get(v, "to"), &to) || from >= to ||
		    to - from > CONFIG_RANGE_MAX)
			return wrong(r, name, "", v, NULL);
	} else if (!whole_number(r, v, &to)) {
		return wrong(r, name, "", v, NULL);
	}
	field[0] = (unsigned)to;
	field[1] = (unsigned)from;
	return ERR_OK;
}

/* Accepts 8589934592, "8589934592" and "8G". */
static bool read_bytes(const struct config_row *r, const struct json *v, uint64_t *field)
{
	static const char units[] = "KMGT";
	const char *text, *unit;
	double x = 0;

	if (json_type(v) == JSON_NUMBER) {
		if (!whole_number(r, v, &x))
			return false;
	} else {
		text = json_type(v) == JSON_STRING ? json_string(v) : "";
		if (!strchr("123456789", *text))
			return false;
		for (; *text >= '0' && *text <= '9' && x <= r->max; text++)
			x = 10 * x + (*text - '0');
		unit = *text ? strchr(units, *text) : NULL;
		if (unit)
			x = ldexp(x, 10 * (int)(unit - units + 1));
		if (text[unit != NULL] || x < r->min || x > r->max)
			return false;
	}
	*field = (uint64_t)x;
	return true;
}

static enum err config_value_read_named(const struct config_row *r, const char *name,
					const struct json *v, void *field)
{
	size_t i = name_index(r, v);

	if (i == SIZE_MAX)
		return wrong(r, name, "", v, NULL);
	if (r->type == CONFIG_BOOL)
		*(bool *)field = i == 1;
	else
		memcpy(field, &(unsigned){ r->type == CONFIG_CHOICE ? r->values[i] : (unsigned)i },
		       sizeof(unsigned));
	return ERR_OK;
}

enum err config_value_read(const struct config_row *r, const char *name, const struct json *v,
			   const char *dir, void *field)
{
	const char *text = json_type(v) == JSON_STRING ? json_string(v) : "";
	double x;

	switch (r->type) {
	case CONFIG_BOOL:
		if (r->names)
			return config_value_read_named(r, name, v, field);
		if (json_type(v) != JSON_BOOL)
			return wrong(r, name, "", v, NULL);
		*(bool *)field = json_bool(v);
		return ERR_OK;
	case CONFIG_UNSIGNED:
		if (r->names && name_index(r, v) == 0)
			x = CONFIG_WORD;
		else if (!whole_number(r, v, &x))
			return wrong(r, name, "", v, NULL);
		*(unsigned *)field = (unsigned)x;
		return ERR_OK;
	case CONFIG_ID:
		if (!hex_read(text, field, CONFIG_ID_LEN) || strspn(text, "0") == strlen(text))
			return wrong(r, name, "", v, NULL);
		return ERR_OK;
	case CONFIG_U64:
		if (!whole_number(r, v, &x))
			return wrong(r, name, "", v, NULL);
		*(uint64_t *)field = (uint64_t)x;
		return ERR_OK;
	case CONFIG_BYTES:
		return read_bytes(r, v, field) ? ERR_OK : wrong(r, name, "", v, NULL);
	case CONFIG_DOUBLE:
		if (json_type(v) != JSON_NUMBER || json_number(v) < r->min ||
		    json_number(v) > r->max)
			return wrong(r, name, "", v, NULL);
		*(double *)field = json_number(v);
		return ERR_OK;
	case CONFIG_STRING:
	case CONFIG_PATH:
		return read_string(r, name, v, dir, field);
	case CONFIG_ENUM:
	case CONFIG_CHOICE:
		return config_value_read_named(r, name, v, field);
	case CONFIG_STRINGS:
		return read_strings(r, name, v, field);
	case CONFIG_MAP:
		return read_map(r, name, v, dir, field);
	case CONFIG_COUNT:
		return read_count(r, name, v, field);
	case CONFIG_RANGE:
		return read_range(r, name, v, field);
	}
	assert(!"a type without a reader");
	return ERR_INTERNAL;
}

static void put_pair(const struct config_row *r, const struct config_pair *pair, struct json *map)
{
	struct json *o;

	if (!pair->path) {
		json_put_string(map, pair->key, pair->value);
		return;
	}
	o = json_put_object(map, pair->key);
	json_put_string(o, r->names[0], pair->value);
	json_put_string(o, r->names[1], pair->path);
}

static void put_range(const unsigned *range, struct json *object, const char *key)
{
	struct json *o;

	if (!range[1]) {
		json_put_number(object, key, range[0]);
		return;
	}
	o = json_put_object(object, key);
	json_put_number(o, "from", range[1]);
	json_put_number(o, "to", range[0]);
}

void config_value_put(const struct config_row *r, const void *field, struct json *object,
		      const char *key)
{
	const struct config_strings *s = field;
	const struct config_map *m = field;
	const struct config_count *c = field;
	unsigned u = 0;
	char text[2 * CONFIG_ID_LEN + 1];
	struct json *v;

	switch (r->type) {
	case CONFIG_BOOL:
		if (r->names)
			json_put_string(object, key, r->names[*(const bool *)field ? 1 : 0]);
		else
			json_put_bool(object, key, *(const bool *)field);
		break;
	case CONFIG_UNSIGNED:
		if (r->names && *(const unsigned *)field == CONFIG_WORD)
			json_put_string(object, key, r->names[0]);
		else
			json_put_number(object, key, *(const unsigned *)field);
		break;
	case CONFIG_ID:
		hex_write(field, CONFIG_ID_LEN, text);
		if (strspn(text, "0") != strlen(text))
			json_put_string(object, key, text);
		break;
	case CONFIG_U64:
	case CONFIG_BYTES:
		if (r->standard && !*r->standard && (double)*(const uint64_t *)field < r->min)
			break; /* 0 is out of bounds, so the field was absent */
		json_put_number(object, key, (double)*(const uint64_t *)field);
		break;
	case CONFIG_DOUBLE:
		if (r->standard && !*r->standard && *(const double *)field < r->min)
			break;
		json_put_number(object, key, *(const double *)field);
		break;
	case CONFIG_STRING:
	case CONFIG_PATH:
		if (*(char *const *)field)
			json_put_string(object, key, *(char *const *)field);
		break;
	case CONFIG_ENUM:
		memcpy(&u, field, sizeof(u));
		json_put_string(object, key, r->names[u]);
		break;
	case CONFIG_CHOICE:
		memcpy(&u, field, sizeof(u));
		for (size_t i = 0; r->names[i]; i++) {
			if (r->values[i] == u)
				json_put_string(object, key, r->names[i]);
		}
		break;
	case CONFIG_STRINGS:
		if (!s->count && r->standard && !*r->standard)
			break;
		v = json_put_array(object, key);
		for (size_t i = 0; i < s->count; i++)
			json_append_string(v, s->item[i]);
		break;
	case CONFIG_MAP:
		if (!m->count && r->standard && !*r->standard)
			break;
		v = json_put_object(object, key);
		for (size_t i = 0; i < m->count; i++)
			put_pair(r, &m->item[i], v);
		break;
	case CONFIG_COUNT:
		snprintf(text, sizeof(text), "%uk", c->times_k);
		if (c->times_k)
			json_put_string(object, key, c->times_k == 1 ? "k" : text);
		else if (c->fixed || !r->names)
			json_put_number(object, key, c->fixed);
		else
			json_put_string(object, key, r->names[0]);
		break;
	case CONFIG_RANGE:
		put_range(field, object, key);
		break;
	}
}

void config_value_release(const struct config_row *r, void *field)
{
	struct config_strings *s = field;
	struct config_map *m = field;

	switch (r->type) {
	case CONFIG_STRING:
	case CONFIG_PATH:
		free(*(char **)field);
		break;
	case CONFIG_STRINGS:
		for (size_t i = 0; i < s->count; i++)
			free(s->item[i]);
		free(s->item);
		break;
	case CONFIG_MAP:
		for (size_t i = 0; i < m->count; i++) {
			free(m->item[i].key);
			free(m->item[i].value);
			free(m->item[i].path);
		}
		free(m->item);
		break;
	default:
		break;
	}
}
