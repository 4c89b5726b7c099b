#include "common/base/json.h"
#include "common/base/alloc.h"
#include "common/base/file.h"
#include "common/base/utf8.h"

#include <assert.h>
#include <cJSON.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A struct json is a cJSON; these two functions hold the only casts. */
static cJSON *json_to_cjson(const struct json *v)
{
	return (cJSON *)(uintptr_t)v;
}

static struct json *json_from_cjson(cJSON *v)
{
	return (struct json *)v;
}

/* cJSON reports a failed allocation as a syntax error; this allocator does not fail. */
__attribute__((constructor)) static void set_hooks(void)
{
	cJSON_Hooks hooks = { .malloc_fn = alloc_bytes, .free_fn = free };

	cJSON_InitHooks(&hooks);
}

enum err json_read(const char *path, size_t max_bytes, struct json **root)
{
	struct buf text = { 0 };
	enum err err;

	*root = NULL;
	TRY(file_read_text(path, max_bytes, &text));
	err = json_parse((struct bytes){ text.p, text.n }, path, root);
	buf_release(&text);
	return err;
}

static void make_harmless(cJSON *v)
{
	if (v->valuestring)
		utf8_make_harmless(v->valuestring);
	if (v->string)
		utf8_make_harmless(v->string);
	for (cJSON *m = v->child; m; m = m->next)
		make_harmless(m);
}

void json_make_harmless(struct json *root)
{
	make_harmless(json_to_cjson(root));
}

void json_free(struct json *root)
{
	cJSON_Delete(json_to_cjson(root));
}

enum json_type json_type(const struct json *v)
{
	switch (json_to_cjson(v)->type & 0xff) {
	case cJSON_False:
	case cJSON_True:
		return JSON_BOOL;
	case cJSON_Number:
		return JSON_NUMBER;
	case cJSON_String:
		return JSON_STRING;
	case cJSON_Array:
		return JSON_ARRAY;
	case cJSON_Object:
		return JSON_OBJECT;
	default:
		return JSON_NULL;
	}
}

const char *json_type_name(enum json_type type)
{
	static const char *const name[] = { "null",     "true or false", "a number",
					    "a string", "an array",      "an object" };

	return name[type];
}

bool json_bool(const struct json *v)
{
	assert(json_type(v) == JSON_BOOL);
	return cJSON_IsTrue(json_to_cjson(v));
}

double json_number(const struct json *v)
{
	assert(json_type(v) == JSON_NUMBER);
	return json_to_cjson(v)->valuedouble;
}

const char *json_string(const struct json *v)
{
	assert(json_type(v) == JSON_STRING);
	return json_to_cjson(v)->valuestring;
}

struct json *json_member(struct json *object, const char *key)
{
	assert(json_type(object) == JSON_OBJECT);
	return json_from_cjson(cJSON_GetObjectItemCaseSensitive(json_to_cjson(object), key));
}

const struct json *json_get(const struct json *object, const char *key)
{
	assert(json_type(object) == JSON_OBJECT);
	return json_from_cjson(cJSON_GetObjectItemCaseSensitive(json_to_cjson(object), key));
}

const struct json *json_get_as(const struct json *v, const char *key, enum json_type type)
{
	const struct json *m = v && json_type(v) == JSON_OBJECT ? json_get(v, key) : NULL;

	return m && json_type(m) == type ? m : NULL;
}

const char *json_text(const struct json *v, const char *key)
{
	const struct json *m = json_get_as(v, key, JSON_STRING);

	return m ? json_string(m) : "";
}

double json_number_of(const struct json *v, const char *key, double otherwise)
{
	const struct json *m = json_get_as(v, key, JSON_NUMBER);

	return m ? json_number(m) : otherwise;
}

const struct json *json_first(const struct json *array_or_object)
{
	return json_from_cjson(json_to_cjson(array_or_object)->child);
}

const struct json *json_next(const struct json *member)
{
	return json_from_cjson(json_to_cjson(member)->next);
}

const char *json_key(const struct json *member)
{
	return json_to_cjson(member)->string;
}

size_t json_count(const struct json *array_or_object)
{
	return (size_t)cJSON_GetArraySize(json_to_cjson(array_or_object));
}

struct json *json_object(void)
{
	return json_from_cjson(cJSON_CreateObject());
}

struct json *json_array(void)
{
	return json_from_cjson(cJSON_CreateArray());
}

/* Makes a string and replaces invalid UTF-8, so that all text in a tree is valid UTF-8. */
static cJSON *string_of(const char *text)
{
	const unsigned char *p = (const unsigned char *)text;
	struct buf clean = { 0 };
	size_t n = strlen(text), len;
	cJSON *v;

	for (size_t i = 0; i < n; i += len ? len : 1) {
		len = utf8_length(p + i, n - i);
		if (len)
			buf_add(&clean, p + i, len);
		else
			buf_add(&clean, "\xef\xbf\xbd", 3);
	}
	buf_add(&clean, "", 1);
	v = cJSON_CreateString((const char *)clean.p);
	buf_release(&clean);
	return v;
}

struct json *json_put(struct json *object, const char *key, struct json *value)
{
	assert(json_type(object) == JSON_OBJECT);
	if (cJSON_GetObjectItemCaseSensitive(json_to_cjson(object), key))
		cJSON_ReplaceItemInObjectCaseSensitive(json_to_cjson(object), key,
						       json_to_cjson(value));
	else
		cJSON_AddItemToObject(json_to_cjson(object), key, json_to_cjson(value));
	return value;
}

struct json *json_put_string(struct json *object, const char *key, const char *text)
{
	return json_put(object, key, json_from_cjson(string_of(text)));
}

struct json *json_put_number(struct json *object, const char *key, double number)
{
	return json_put(object, key, json_from_cjson(cJSON_CreateNumber(number)));
}

struct json *json_put_seconds(struct json *object, const char *key, double s)
{
	return json_put_number(object, key, round(1e6 * s) / 1e6);
}

struct json *json_put_bool(struct json *object, const char *key, bool value)
{
	return json_put(object, key, json_from_cjson(cJSON_CreateBool(value)));
}

struct json *json_put_object(struct json *object, const char *key)
{
	return json_put(object, key, json_object());
}

struct json *json_put_array(struct json *object, const char *key)
{
	return json_put(object, key, json_array());
}

struct json *json_take(struct json *object, const char *key)
{
	return json_from_cjson(cJSON_DetachItemFromObjectCaseSensitive(json_to_cjson(object), key));
}

struct json *json_append(struct json *array, struct json *value)
{
	assert(json_type(array) == JSON_ARRAY);
	cJSON_AddItemToArray(json_to_cjson(array), json_to_cjson(value));
	return value;
}

struct json *json_append_string(struct json *array, const char *text)
{
	return json_append(array, json_from_cjson(string_of(text)));
}

struct json *json_append_number(struct json *array, double number)
{
	return json_append(array, json_from_cjson(cJSON_CreateNumber(number)));
}

struct json *json_append_object(struct json *array)
{
	return json_append(array, json_object());
}

/* ---- writing: cJSON prints 15 digits, which loses the end of large numbers ---- */

static void write_string(const char *text, struct buf *out)
{
	static const char escaped[] = "\"\\\b\f\n\r\t", letter[] = "\"\\bfnrt";

	buf_add(out, "\"", 1);
	for (; *text; text++) {
		const char *e = strchr(escaped, *text);

		if (e)
			buf_printf(out, "\\%c", letter[e - escaped]);
		else if ((unsigned char)*text < 0x20)
			buf_printf(out, "\\u%04x", (unsigned)*text);
		else
			buf_add(out, text, 1);
	}
	buf_add(out, "\"", 1);
}

/* indent < 0 writes the value on one line. */
static void write_value(const cJSON *v, int indent, struct buf *out);

static void new_line(int indent, struct buf *out)
{
	if (indent >= 0)
		buf_printf(out, "\n%*s", 2 * indent, "");
}

static void write_members(const cJSON *v, const char *brackets, int indent, struct buf *out)
{
	int inner = indent < 0 ? indent : indent + 1;

	buf_add(out, &brackets[0], 1);
	for (const cJSON *m = v->child; m; m = m->next) {
		new_line(inner, out);
		if (brackets[0] == '{') {
			write_string(m->string, out);
			buf_printf(out, indent < 0 ? ":" : ": ");
		}
		write_value(m, inner, out);
		if (m->next)
			buf_add(out, ",", 1);
	}
	if (v->child)
		new_line(indent, out);
	buf_add(out, &brackets[1], 1);
}

static void write_value(const cJSON *v, int indent, struct buf *out)
{
	double x = v->valuedouble;
	char text[32];

	switch (v->type & 0xff) {
	case cJSON_False:
		buf_printf(out, "false");
		break;
	case cJSON_True:
		buf_printf(out, "true");
		break;
	case cJSON_Number:
		if (!isfinite(x)) {
			buf_printf(out, "null");
			break;
		}
		for (int digits = 15; digits <= 17; digits++) {
			snprintf(text, sizeof(text), "%.*g", digits, x);
			if (strtod(text, NULL) == x)
				break;
		}
		if (x == floor(x) && fabs(x) < 1e18)
			snprintf(text, sizeof(text), "%.0f", x);
		buf_printf(out, "%s", text);
		break;
	case cJSON_String:
		write_string(v->valuestring, out);
		break;
	case cJSON_Array:
		write_members(v, "[]", indent, out);
		break;
	case cJSON_Object:
		write_members(v, "{}", indent, out);
		break;
	default:
		buf_printf(out, "null");
	}
}

void json_write(const struct json *v, struct buf *out)
{
	write_value(json_to_cjson(v), -1, out);
}

void json_write_pretty(const struct json *v, struct buf *out)
{
	write_value(json_to_cjson(v), 0, out);
	buf_add(out, "\n", 1);
}
