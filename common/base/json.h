/* json.h -- reading and building JSON; with json_parse.c the one door to cJSON.
 *
 * cJSON takes more than RFC 8259 allows: "01", raw control characters, \u0000, broken UTF-8, numbers
 * too large for a double. These are refused (json_parse.c), as are text after the value, a key twice
 * in one object, and more than JSON_TEXT_MAX bytes or JSON_DEPTH_MAX levels. Errors of
 * the text name line and column.
 */
#ifndef COMMON_BASE_JSON_H
#define COMMON_BASE_JSON_H

#include "common/base/buf.h"
#include "common/base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	JSON_DEPTH_MAX = 32,      /* nested arrays and objects */
	JSON_TEXT_MAX = 16 << 20, /* bytes */
};

/* A value. It belongs to the array or object it is in; a root belongs to whoever parsed or made it. */
struct json;

enum json_type { JSON_NULL, JSON_BOOL, JSON_NUMBER, JSON_STRING, JSON_ARRAY, JSON_OBJECT };

/* where names the source in messages. *root is NULL on failure. ERR_INPUT. O(bytes log keys). */
enum err json_parse(struct bytes text, const char *where, struct json **root) MUST_CHECK;
enum err json_read(const char *path, size_t max_bytes, struct json **root) MUST_CHECK;
/* utf8_make_harmless() for all strings and keys in it. */
void json_make_harmless(struct json *root);
void json_free(struct json *root); /* NULL is fine */

enum json_type json_type(const struct json *v);
const char *json_type_name(enum json_type type); /* "an object" */
bool json_bool(const struct json *v);            /* each asserts the type */
double json_number(const struct json *v);
const char *json_string(const struct json *v); /* lives as long as v */

/* Members in the order of the text. */
const struct json *json_get(const struct json *object, const char *key); /* NULL: absent */
/* The text of a member; "": v is no object, or has no text of this key. */
const char *json_text(const struct json *v, const char *key);
const struct json *json_first(const struct json *array_or_object);       /* NULL: empty */
const struct json *json_next(const struct json *member);                 /* NULL: the last */
const char *json_key(const struct json *member); /* NULL: not of an object */
size_t json_count(const struct json *array_or_object);

/* Building. Text that is not UTF-8 has U+FFFD in place of the bad bytes; a number that is not
 * finite becomes null. json_put and json_append take the value over; json_put replaces a member
 * of the same key, in its place. Each returns the value put. */
struct json *json_object(void);
struct json *json_array(void);
struct json *json_put(struct json *object, const char *key, struct json *value);
struct json *json_put_string(struct json *object, const char *key, const char *text);
struct json *json_put_number(struct json *object, const char *key, double number);
struct json *json_put_seconds(struct json *object, const char *key, double s); /* to the microsecond */
struct json *json_put_bool(struct json *object, const char *key, bool value);
struct json *json_put_object(struct json *object, const char *key);
struct json *json_put_array(struct json *object, const char *key);
struct json *json_append(struct json *array, struct json *value);
struct json *json_append_string(struct json *array, const char *text);
struct json *json_append_number(struct json *array, double number);
struct json *json_append_object(struct json *array);
/* The member of an object that is being built, to be changed; NULL: absent. */
struct json *json_member(struct json *object, const char *key);

/* Appends the text: in one line, or indented for people and ending in a line feed. */
void json_write(const struct json *v, struct buf *out);
void json_write_pretty(const struct json *v, struct buf *out);

#endif
