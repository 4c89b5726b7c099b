#include "common/data/columns.h"
#include "common/base/alloc.h"
#include "common/base/file.h"
#include "common/base/json.h"

#include <stdlib.h>
#include <string.h>

static const char *const type_name[] = { "number", "category", "date" };
enum { TYPES = sizeof(type_name) / sizeof(*type_name) };

const char *column_type_name(enum column_type type)
{
	return type_name[type];
}

/* ---- reading ---- */

/* Reads a text of an entry; *text stays "" if the entry lacks it. */
static enum err columns_read_text(const struct json *v, const char *key, const char *where,
				  size_t number, const char **text)
{
	const struct json *member = json_get(v, key);
	size_t n;

	*text = "";
	if (!member)
		return ERR_OK;
	if (json_type(member) != JSON_STRING)
		return err_set(ERR_INPUT, "%s: column %zu: \"%s\" is %s, expected a string", where,
			       number, key, json_type_name(json_type(member)));
	n = strlen(json_string(member));
	if (n < 1 || n > COLUMN_NAME_MAX)
		return err_set(ERR_INPUT, "%s: column %zu: \"%s\" has %zu bytes, expected 1 to %d",
			       where, number, key, n, COLUMN_NAME_MAX);
	*text = json_string(member);
	return ERR_OK;
}

static enum err check_keys(const struct json *v, const char *where, size_t number)
{
	for (const struct json *m = json_first(v); m; m = json_next(m)) {
		const char *key = json_key(m);

		if (key[0] != '#' && strcmp(key, "name") != 0 && strcmp(key, "type") != 0 &&
		    strcmp(key, "unit") != 0 && strcmp(key, "from") != 0)
			return err_set(ERR_INPUT,
				       "%s: column %zu: no key \"%.40s\" is known here, expected "
				       "\"name\", \"type\", \"unit\" and \"from\"",
				       where, number, key);
	}
	return ERR_OK;
}

static enum err read_column(const struct json *v, const char *where, struct columns *c)
{
	size_t number = c->n + 1, type = 0;
	const char *name, *said, *unit, *from;

	if (json_type(v) != JSON_OBJECT)
		return err_set(ERR_INPUT, "%s: column %zu is %s, expected an object", where, number,
			       json_type_name(json_type(v)));
	TRY(check_keys(v, where, number));
	TRY(columns_read_text(v, "name", where, number, &name));
	TRY(columns_read_text(v, "type", where, number, &said));
	TRY(columns_read_text(v, "unit", where, number, &unit));
	TRY(columns_read_text(v, "from", where, number, &from));
	if (!*name)
		return err_set(ERR_INPUT, "%s: column %zu has no \"name\"", where, number);
	while (type < TYPES && strcmp(said, type_name[type]) != 0)
		type++;
	if (type == TYPES)
		return err_set(ERR_INPUT,
			       "%s: column %zu, \"%s\": the type is \"%.40s\", expected "
			       "\"number\", \"category\" or \"date\"",
			       where, number, name, said);
	columns_add(c, name, (enum column_type)type, unit, from);
	return ERR_OK;
}

static int columns_by_name(const void *a, const void *b)
{
	return strcmp((*(const struct column *const *)a)->name,
		      (*(const struct column *const *)b)->name);
}

enum err columns_check(const struct columns *c, const char *where)
{
	const struct column **sorted;
	enum err err = ERR_OK;

	ALLOC(sorted, c->n);
	for (size_t i = 0; i < c->n; i++)
		sorted[i] = &c->column[i];
	qsort(sorted, c->n, sizeof(*sorted), columns_by_name);
	for (size_t i = 1; i < c->n && !err; i++)
		if (!strcmp(sorted[i - 1]->name, sorted[i]->name))
			err = err_set(ERR_INPUT, "%s: two columns are called \"%s\"", where,
				      sorted[i]->name);
	free(sorted);
	return err;
}

enum err columns_parse(struct bytes text, const char *where, struct columns *c)
{
	const struct json *list = NULL;
	struct json *root;
	enum err err = ERR_OK;

	*c = (struct columns){ 0 };
	TRY(json_parse(text, where, &root));
	if (json_type(root) == JSON_OBJECT)
		list = json_get(root, "columns");
	if (!list || json_type(list) != JSON_ARRAY || !json_count(list))
		err = err_set(ERR_INPUT,
			      "%s: expected {\"columns\": [...]}, an entry for each column", where);
	for (const struct json *v = err ? NULL : json_first(list); v && !err; v = json_next(v))
		err = read_column(v, where, c);
	if (!err)
		err = columns_check(c, where);
	json_free(root);
	if (err)
		columns_release(c);
	return err;
}

enum err columns_beside(const char *features, size_t cols, struct columns *c)
{
	char *dir = file_dir(features), *path = file_join(dir, "columns.json");
	struct buf text = { 0 };
	enum err err = ERR_OK;

	*c = (struct columns){ 0 };
	if (file_exists(path)) {
		err = file_read_text(path, JSON_TEXT_MAX, &text);
		if (!err)
			err = columns_parse((struct bytes){ text.p, text.n }, path, c);
		if (!err && c->n != cols)
			err =
			    err_set(ERR_INPUT, "%s: %zu columns, expected %zu as %s has that many",
				    path, c->n, cols, features);
	}
	buf_release(&text);
	free(path);
	free(dir);
	if (err)
		columns_release(c);
	return err;
}

/* ---- making ---- */

void columns_add(struct columns *c, const char *name, enum column_type type, const char *unit,
		 const char *from)
{
	ALLOC_ROOM(c->column, c->n, c->room);
	c->column[c->n++] = (struct column){ .name = alloc_copy(name),
					     .type = type,
					     .unit = alloc_copy(unit ? unit : ""),
					     .from = alloc_copy(from ? from : "") };
}

void columns_print(const struct columns *c, struct buf *out)
{
	buf_printf(out, "{\"columns\": [");
	for (size_t i = 0; i < c->n; i++) {
		const struct column *k = &c->column[i];
		struct json *v = json_object();

		json_put_string(v, "name", k->name);
		json_put_string(v, "type", type_name[k->type]);
		if (*k->unit)
			json_put_string(v, "unit", k->unit);
		if (*k->from)
			json_put_string(v, "from", k->from);
		buf_printf(out, "%s\n  ", i ? "," : "");
		json_write(v, out);
		json_free(v);
	}
	buf_printf(out, "\n]}\n");
}

void columns_release(struct columns *c)
{
	for (size_t i = 0; i < c->n; i++) {
		free(c->column[i].name);
		free(c->column[i].unit);
		free(c->column[i].from);
	}
	free(c->column);
	*c = (struct columns){ 0 };
}
