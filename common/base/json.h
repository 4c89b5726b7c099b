/* json.h -- reads and builds JSON; with json_parse.c the only user of cJSON.
 *
 * cJSON accepts more than RFC 8259: "01", raw control characters, \u0000, broken UTF-8, numbers too
 * large for a double. json_parse.c refuses these, as well as text after the value, duplicate keys
 * in an object, and more than JSON_TEXT_MAX bytes or JSON_DEPTH_MAX levels. Syntax errors name line
 * and column.
 */
#ifndef COMMON_BASE_JSON_H
#define COMMON_BASE_JSON_H

#include "common/base/buf.h"
#include "common/base/err.h"

#include <stdbool.h>
#include <stddef.h>

enum {
	JSON_DEPTH_MAX = 32,      /* nested arrays and objects */
	JSON_TEXT_MAX = 16 << 20, /* bytes */
};

/* A value. An array or object owns its members; the caller that parsed or made a root owns it. */
struct json;

enum json_type { JSON_NULL, JSON_BOOL, JSON_NUMBER, JSON_STRING, JSON_ARRAY, JSON_OBJECT };

/* where: source in errors. *root is NULL on failure. ERR_INPUT. O(bytes log keys). */
enum err json_parse(struct bytes text, const char *where, struct json **root) MUST_CHECK;
enum err json_read(const char *path, size_t max_bytes, struct json **root) MUST_CHECK;
/* Applies utf8_make_harmless() to all strings and keys. */
void json_make_harmless(struct json *root);
void json_free(struct json *root); /* accepts NULL */

enum json_type json_type(const struct json *v);
const char *json_type_name(enum json_type type);
bool json_bool(const struct json *v); /* asserts the type, like json_number() and json_string() */
double json_number(const struct json *v);
const char *json_string(const struct json *v); /* lives as long as v */

/* Members keep the order that they have in the JSON text. */
const struct json *json_get(const struct json *object, const char *key); /* NULL if absent */
/* Like json_get(), but accepts any value, also NULL. Returns NULL unless v is an object whose
 * member has the given type. */
const struct json *json_get_as(const struct json *v, const char *key, enum json_type type);
/* Return a member's value, found as by json_get_as(). Without such a member, json_text() returns
 * "", and json_number_of() returns `otherwise`. */
const char *json_text(const struct json *v, const char *key);
double json_number_of(const struct json *v, const char *key, double otherwise);
const struct json *json_first(const struct json *array_or_object); /* NULL if empty */
const struct json *json_next(const struct json *member);           /* NULL after the last */
const char *json_key(const struct json *member);                   /* NULL if not in an object */
size_t json_count(const struct json *array_or_object);

/* Build JSON. Invalid UTF-8 becomes U+FFFD; a number that is not finite becomes null. json_put()
 * and json_append() take ownership of value; json_put() replaces a member of the same key in place.
 * Each returns the value. */
struct json *json_object(void);
struct json *json_array(void);
struct json *json_put(struct json *object, const char *key, struct json *value);
struct json *json_put_string(struct json *object, const char *key, const char *text);
struct json *json_put_number(struct json *object, const char *key, double number);
/* Rounds s to microseconds. */
struct json *json_put_seconds(struct json *object, const char *key, double s);
struct json *json_put_bool(struct json *object, const char *key, bool value);
struct json *json_put_object(struct json *object, const char *key);
struct json *json_put_array(struct json *object, const char *key);
/* Removes a member and returns it; the caller owns it. NULL if absent. */
struct json *json_take(struct json *object, const char *key);
struct json *json_append(struct json *array, struct json *value);
struct json *json_append_string(struct json *array, const char *text);
struct json *json_append_number(struct json *array, double number);
struct json *json_append_object(struct json *array);
/* Mutable member of an object under construction; NULL if absent. */
struct json *json_member(struct json *object, const char *key);

/* Appends the text: on one line, or indented with a final line feed. */
void json_write(const struct json *v, struct buf *out);
void json_write_pretty(const struct json *v, struct buf *out);

#endif
