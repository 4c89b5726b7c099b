#include "common/base/config.h"
#include "common/base/alloc.h"
#include "common/base/config_value.h"
#include "common/base/nearest.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *config_map_get(const struct config_map *m, const char *key)
{
	for (size_t i = 0; i < m->count; i++)
		if (!strcmp(m->item[i].key, key))
			return m->item[i].value;
	return NULL;
}

bool config_strings_has(const struct config_strings *s, const char *text)
{
	for (size_t i = 0; i < s->count; i++) {
		if (!strcmp(s->item[i], text))
			return true;
	}
	return false;
}

static void *field_of(const struct config_row *r, void *out)
{
	return (char *)out + r->offset;
}

static const void *field_in(const struct config_row *r, const void *in)
{
	return (const char *)in + r->offset;
}

static const struct json *lookup(const struct json *root, const char *path)
{
	char part[CONFIG_PATH_LEN];

	while (root) {
		size_t n = strcspn(path, ".");

		assert(n < sizeof(part));
		memcpy(part, path, n);
		part[n] = 0;
		if (json_type(root) != JSON_OBJECT)
			return NULL;
		root = json_get(root, part);
		if (!path[n])
			return root;
		path += n + 1;
	}
	return NULL;
}

/* Finds the object that holds the last part of path, and creates missing objects. Copies the last
 * part to `part`. Returns NULL if a part of the path is not an object. */
static struct json *holder(struct json *root, const char *path, char part[static CONFIG_PATH_LEN])
{
	for (;;) {
		size_t n = strcspn(path, ".");
		struct json *next;

		memcpy(part, path, n);
		part[n] = 0;
		if (!path[n])
			return root;
		next = json_member(root, part);
		if (!next)
			next = json_put_object(root, part);
		if (json_type(next) != JSON_OBJECT)
			return NULL;
		root = next;
		path += n + 1;
	}
}

/* Adds the value of a setting "path=TEXT" to the object: the parsed text if it is JSON, otherwise a
 * string. */
static void put_text(struct json *object, const char *key, const char *text)
{
	struct bytes bytes = { (const uint8_t *)text, strlen(text) };
	struct json *parsed;

	if (json_parse(bytes, "", &parsed) == ERR_OK)
		json_put(object, key, parsed);
	else
		json_put_string(object, key, text);
}

enum err config_set(struct json *root, char *const *set)
{
	char path[CONFIG_PATH_LEN], part[CONFIG_PATH_LEN];

	if (json_type(root) != JSON_OBJECT)
		return ERR_OK; /* config_read() reports it, with the source */
	for (; set && *set; set++) {
		const char *eq = strchr(*set, '=');
		struct json *at;

		if (!eq || eq == *set || (size_t)(eq - *set) >= sizeof(path))
			return err_set(ERR_INPUT, "--set %.80s: expected path=value", *set);
		memcpy(path, *set, (size_t)(eq - *set));
		path[eq - *set] = 0;
		at = holder(root, path, part);
		if (!at)
			return err_set(
			    ERR_INPUT,
			    "--set %.80s: a part of the path has a value that is no object", *set);
		put_text(at, part, eq + 1);
	}
	return ERR_OK;
}

/* ---- unknown and removed keys ---- */

static bool begins(const char *path, const char *with, size_t n)
{
	return !strncmp(path, with, n) && path[n] == '.';
}

static bool config_is_of(const struct config_table *t, const struct config_removed *r,
			 const char *path)
{
	size_t n = strlen(t->name);
	bool had = !r->kinds[0];

	for (size_t i = 0; i < sizeof(r->kinds) / sizeof(*r->kinds); i++)
		had |= t->kind && r->kinds[i] && !strcmp(t->kind, r->kinds[i]);
	return had && begins(r->path, t->name, n) && !strcmp(r->path + n + 1, path);
}

/* True if value or one of its items equals text. */
static bool says(const struct json *value, const char *text)
{
	struct buf written = { 0 };
	bool same;

	if (json_type(value) == JSON_STRING)
		return !strcmp(json_string(value), text);
	for (const struct json *i = json_type(value) == JSON_ARRAY ? json_first(value) : NULL; i;
	     i = json_next(i))
		if (says(i, text))
			return true;
	json_write(value, &written);
	same = written.n == strlen(text) && !memcmp(written.p, text, written.n);
	buf_release(&written);
	return same;
}

/* True if this value of a removed key describes today's behaviour. The key may then be ignored. */
static bool still_holds(const struct config_table *t, const char *path, const struct json *value)
{
	for (const struct config_removed *r = t->removed; r && r->path; r++)
		if (!r->use && config_is_of(t, r, path) && says(value, r->value))
			return true;
	return false;
}

/* Returns ERR_INPUT if the key at path was removed (value NULL), or if this value of the key was
 * removed. */
static enum err check_removed(const struct config_table *t, const char *path,
			      const struct json *value)
{
	for (const struct config_removed *r = t->removed; r && r->path; r++) {
		if (!r->use || !config_is_of(t, r, path))
			continue;
		if (!value && !r->value)
			return err_set(ERR_INPUT, "%s was removed after %s: %s", r->path, r->last,
				       r->use);
		if (value && r->value && says(value, r->value))
			return err_set(ERR_INPUT, "%s \"%s\" was removed after %s: %s", r->path,
				       r->value, r->last, r->use);
	}
	return ERR_OK;
}

static enum err unknown(const struct config_table *t, const char *prefix, const char *key,
			char *fault)
{
	struct buf known = { 0 };
	size_t n = strlen(prefix), last_len = 0;
	char meant[NEAREST_LEN + 20];
	const char *last = "";
	struct nearest near;
	enum err err;

	nearest_begin(&near, key);
	snprintf(fault, CONFIG_PATH_LEN, "%s%s%s", prefix, n ? "." : "", key);
	TRY(check_removed(t, fault, NULL));
	for (size_t i = 0; i < t->count; i++) {
		const char *rest = t->row[i].path;

		if (n && !begins(rest, prefix, n))
			continue;
		rest += n ? n + 1 : 0;
		if (strcspn(rest, ".") == last_len && !strncmp(rest, last, last_len))
			continue; /* the previous row already named this object */
		last = rest;
		last_len = strcspn(rest, ".");
		nearest_offer(&near, last, last_len);
		buf_printf(&known, "%s%.*s", known.n ? ", " : "", (int)last_len, last);
	}
	err = err_set(ERR_INPUT, "%s%s%s.%.80s is unknown%s, expected one of: %.*s", t->name,
		      n ? "." : "", prefix, key, nearest_describe(&near, meant), (int)known.n,
		      (char *)known.p);
	buf_release(&known);
	return err;
}

static enum err check_known(const struct config_table *t, const struct json *object,
			    const char *prefix, char *fault)
{
	char path[CONFIG_PATH_LEN];

	for (const struct json *m = json_first(object); m; m = json_next(m)) {
		const char *key = json_key(m);
		bool is_row = false, is_object = false;
		int n;

		if (key[0] == '#')
			continue;
		n = snprintf(path, sizeof(path), "%s%s%s", prefix, *prefix ? "." : "", key);
		if (n < 0 || (size_t)n >= sizeof(path) || strchr(key, '.'))
			return unknown(t, prefix, key, fault);
		for (size_t i = 0; i < t->count; i++) {
			is_row |= !strcmp(t->row[i].path, path);
			is_object |= begins(t->row[i].path, path, strlen(path));
		}
		if (!is_row && !is_object && still_holds(t, path, m))
			continue;
		if (!is_row && !is_object)
			return unknown(t, prefix, key, fault);
		if (is_object && json_type(m) != JSON_OBJECT) {
			memcpy(fault, path, (size_t)n + 1);
			return err_set(ERR_INPUT, "%s.%s is %s, expected an object", t->name, path,
				       json_type_name(json_type(m)));
		}
		if (is_object)
			TRY(check_known(t, m, path, fault));
	}
	return ERR_OK;
}

/* Returns the preset of a row, else the row's default. */
static const char *row_standard(const struct config_row *r, const struct config_preset *presets)
{
	for (; presets && presets->path; presets++)
		if (!strcmp(presets->path, r->path))
			return presets->value;
	return r->standard;
}

static enum err config_read_row(const struct config_table *t, const struct config_row *r,
				const struct json *root, const char *dir,
				const struct config_preset *presets, void *out)
{
	const struct json *v = lookup(root, r->path);
	const char *standard = row_standard(r, presets);
	struct json *holding;
	enum err err;

	if (v) {
		err = config_value_read(r, t->name, v, dir, field_of(r, out));
		if (err)
			TRY(check_removed(t, r->path, v));
		return err;
	}
	if (!standard) {
		struct buf text = { 0 };

		config_value_expected(r, &text);
		err = err_set(ERR_INPUT, "%s.%s is missing, expected %.*s (%s)", t->name, r->path,
			      (int)text.n, (char *)text.p, r->help);
		buf_release(&text);
		return err;
	}
	if (!*standard)
		return ERR_OK;
	holding = json_object();
	put_text(holding, "v", standard);
	err = config_value_read(r, t->name, json_get(holding, "v"), dir, field_of(r, out));
	json_free(holding);
	return err;
}

static enum err config_read_all(const struct config_table *t, const struct json *root,
				const char *where, const char *dir,
				const struct config_preset *presets, void *out, char *fault)
{
	enum err err = ERR_OK;

	memset(out, 0, t->size);
	*fault = 0;
	if (json_type(root) != JSON_OBJECT)
		return err_set(ERR_INPUT, "%s: %s is %s, expected an object", where, t->name,
			       json_type_name(json_type(root)));
	err = check_known(t, root, "", fault);
	for (size_t i = 0; i < t->count && !err; i++) {
		err = config_read_row(t, &t->row[i], root, dir, presets, out);
		if (err)
			snprintf(fault, CONFIG_PATH_LEN, "%s", t->row[i].path);
	}
	if (err) {
		config_release(t, out);
		return err_prefix(err, "%s", where);
	}
	return ERR_OK;
}

enum err config_read(const struct config_table *t, const struct json *root, const char *where,
		     const char *dir, const struct config_preset *presets, void *out)
{
	char fault[CONFIG_PATH_LEN];

	return config_read_all(t, root, where, dir, presets, out, fault);
}

enum err config_read_fault(const struct config_table *t, const struct json *root, const char *where,
			   void *out, char fault[static CONFIG_PATH_LEN])
{
	return config_read_all(t, root, where, NULL, NULL, out, fault);
}

struct json *config_write(const struct config_table *t, const void *in)
{
	struct json *root = json_object();
	char part[CONFIG_PATH_LEN];

	for (const struct config_row *r = t->row; r < t->row + t->count; r++)
		config_value_put(r, field_in(r, in), holder(root, r->path, part), part);
	return root;
}

/* Appends a field as text, or "nothing" if it is not set. */
static void field_text(const struct config_row *r, const void *in, struct buf *text)
{
	struct json *object = json_object();

	config_value_put(r, field_in(r, in), object, "v");
	if (json_get(object, "v"))
		json_write(json_get(object, "v"), text);
	else
		buf_printf(text, "nothing");
	json_free(object);
}

bool config_difference(const struct config_table *t, const void *a, const char *a_name,
		       const void *b, const char *b_name, char *text, size_t len)
{
	bool differ = false;

	for (size_t i = 0; i < t->count && !differ; i++) {
		struct buf x = { 0 }, y = { 0 };

		field_text(&t->row[i], a, &x);
		field_text(&t->row[i], b, &y);
		differ = x.n != y.n || memcmp(x.p, y.p, x.n);
		if (differ)
			snprintf(text, len, "%s.%s: %.*s %s, %.*s %s", t->name, t->row[i].path,
				 (int)x.n, (char *)x.p, a_name, (int)y.n, (char *)y.p, b_name);
		buf_release(&x);
		buf_release(&y);
	}
	return differ;
}

/* True if the field has its row's default, or is optional and absent. False for a required field.
 * standard: a zeroed struct, used as scratch for the default. */
static bool is_standard(const struct config_table *t, const struct config_row *r, const void *in,
			void *standard)
{
	struct config_table one = { t->name, r, 1, t->size, NULL, NULL };
	struct json *nothing;
	char difference[1];
	bool same;

	if (!r->standard)
		return false;
	nothing = json_object();
	same = config_read_row(t, r, nothing, NULL, NULL, standard) == ERR_OK &&
	       !config_difference(&one, in, "", standard, "", difference, sizeof(difference));
	config_value_release(r, field_of(r, standard));
	json_free(nothing);
	return same;
}

struct json *config_write_given(const struct config_table *t, const void *in)
{
	void *standard = alloc(1, t->size);
	struct json *root = json_object();
	char part[CONFIG_PATH_LEN];

	for (const struct config_row *r = t->row; r < t->row + t->count; r++)
		if (!is_standard(t, r, in, standard))
			config_value_put(r, field_in(r, in), holder(root, r->path, part), part);
	free(standard);
	return root;
}

void config_describe_row(const struct config_table *t, const struct config_row *r,
			 const struct config_preset *presets, struct buf *out)
{
	const char *standard = row_standard(r, presets);

	buf_printf(out, "%s.%s: %s\n        ", t->name, r->path, r->help);
	config_value_expected(r, out);
	if (!standard)
		buf_printf(out, "; required");
	else if (!*standard)
		buf_printf(out, "; optional");
	else
		buf_printf(out, "; default %s", standard);
}

void config_describe(const struct config_table *t, struct buf *out)
{
	for (const struct config_row *r = t->row; r < t->row + t->count; r++) {
		config_describe_row(t, r, NULL, out);
		buf_printf(out, "\n");
	}
}

void config_release(const struct config_table *t, void *out)
{
	for (size_t i = 0; i < t->count; i++)
		config_value_release(&t->row[i], field_of(&t->row[i], out));
	memset(out, 0, t->size);
}

const char *config_check_name(const char *text)
{
	size_t n =
	    strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-");

	return n && n <= 64 && !text[n] ? NULL : "a name: 1 to 64 of A-Z a-z 0-9 . _ -";
}
