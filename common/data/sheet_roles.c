#include "common/base/alloc.h"
#include "common/data/sheet.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct sheet_column *sheet_roles_find_column(const struct sheet *t, const char *name,
						    size_t n)
{
	char *end, copy[24];
	unsigned long at;

	for (size_t i = 0; i < t->columns; i++)
		if (strlen(t->column[i].name) == n && !memcmp(t->column[i].name, name, n))
			return &t->column[i];
	if (n < 2 || n >= sizeof(copy) || name[0] != '#')
		return NULL;
	memcpy(copy, name, n);
	copy[n] = 0;
	at = strtoul(copy + 1, &end, 10);
	return *end || at < 1 || at > t->columns || copy[1] < '0' || copy[1] > '9'
		   ? NULL
		   : &t->column[at - 1];
}

/* Finds the column of a setting "NAME" or "NAME=VALUE". A name may itself contain '='. *value
 * becomes VALUE, or NULL. */
static struct sheet_column *find_said(const struct sheet *t, const char *said, const char **value)
{
	struct sheet_column *c = sheet_roles_find_column(t, said, strlen(said));

	*value = NULL;
	for (const char *p = said; !c && (p = strchr(p, '=')); p++) {
		c = sheet_roles_find_column(t, said, (size_t)(p - said));
		*value = c ? p + 1 : NULL;
	}
	return c;
}

/* Reports a column that does not exist, with the names of as many columns as fit. */
static enum err no_column(const struct sheet *t, const char *option, const char *said)
{
	char names[400] = "";
	size_t n = 0;

	for (size_t i = 0; i < t->columns && n < sizeof(names) - 40; i++) {
		int put = snprintf(names + n, sizeof(names) - n, "%s\"%.60s\"", i ? ", " : "",
				   t->column[i].name);

		n += put > 0 ? min_size((size_t)put, sizeof(names) - n - 1) : 0;
		if (n >= sizeof(names) - 40 && i + 1 < t->columns)
			snprintf(names + n, sizeof(names) - n, ", ..");
	}
	return err_set(ERR_INPUT, "%s: %s is \"%.100s\", which is none of the %zu columns: %s",
		       t->where, option, said, t->columns, names);
}

/* Sets a column's role; a column has only one. */
static enum err give_role(struct sheet *t, struct sheet_column *c, enum role role)
{
	if (c->role != ROLE_NUMBER)
		return err_set(ERR_INPUT,
			       "%s: column \"%s\" is said to be %s and %s, expected one of them",
			       t->where, c->name, role_names[c->role], role_names[role]);
	c->role = role;
	return ERR_OK;
}

static enum err role_of_one(struct sheet *t, const char *name, enum role role)
{
	struct sheet_column *c = name ? sheet_roles_find_column(t, name, strlen(name)) : NULL;

	if (!name)
		return ERR_OK;
	return c ? give_role(t, c, role) : no_column(t, role_names[role], name);
}

/* Sets the values of a category from a list such as "red|green|blue". */
static enum err take_values(struct sheet *t, struct sheet_column *c, const char *list)
{
	size_t n;

	c->values_said = true;
	for (const char *p = list;; p += n + 1) {
		n = strcspn(p, "|");
		if (n < 1 || n > COLUMN_NAME_MAX - 1 - strlen(c->name))
			return err_set(ERR_INPUT,
				       "%s: category \"%.60s=%.100s\" has a value of %zu bytes, "
				       "expected 1 to %zu",
				       t->where, c->name, list, n,
				       COLUMN_NAME_MAX - 1 - strlen(c->name));
		if (names_number(&c->values, (struct word){ p, n }) + 1 != c->values.n)
			return err_set(ERR_INPUT,
				       "%s: category \"%.60s=%.100s\" has \"%.*s\" twice", t->where,
				       c->name, list, (int)n, p);
		if (!p[n])
			return ERR_OK;
	}
}

static enum err take_lists(struct sheet *t)
{
	const struct reading *how = t->how;
	const struct {
		const struct config_strings *s;
		enum role role;
	} list[] = { { &how->category, ROLE_CATEGORY },
		     { &how->date, ROLE_DATE },
		     { &how->ignore, ROLE_IGNORE } };

	for (size_t l = 0; l < sizeof(list) / sizeof(*list); l++) {
		for (size_t i = 0; i < list[l].s->count; i++) {
			const char *said = list[l].s->item[i], *value;
			struct sheet_column *c = find_said(t, said, &value);

			if (!c || (value && list[l].role != ROLE_CATEGORY))
				return no_column(t, role_names[list[l].role], said);
			TRY(give_role(t, c, list[l].role));
			if (value)
				TRY(take_values(t, c, value));
		}
	}
	return ERR_OK;
}

static enum err take_policies(struct sheet *t)
{
	const struct config_strings *s = &t->how->missing;

	for (size_t i = 0; i < s->count; i++) { /* settings for all columns, before those for one */
		for (unsigned m = 0; missing_names[m]; m++)
			for (size_t j = 0; j < t->columns && !strcmp(s->item[i], missing_names[m]);
			     j++)
				t->column[j].missing = (enum missing)m;
	}
	for (size_t i = 0; i < s->count; i++) {
		const char *policy = strrchr(s->item[i], '=');
		struct sheet_column *c;

		if (!policy)
			continue;
		c = sheet_roles_find_column(t, s->item[i], (size_t)(policy - s->item[i]));
		if (!c)
			return no_column(t, "missing", s->item[i]);
		c->missing_said = true;
		for (unsigned m = 0; missing_names[m]; m++)
			if (!strcmp(policy + 1, missing_names[m]))
				c->missing = (enum missing)m;
	}
	for (size_t i = 0; i < t->how->unit.count; i++) {
		const char *unit = strrchr(t->how->unit.item[i], '=');
		struct sheet_column *c = sheet_roles_find_column(
		    t, t->how->unit.item[i], (size_t)(unit - t->how->unit.item[i]));

		if (!c)
			return no_column(t, "unit", t->how->unit.item[i]);
		c->unit = unit + 1;
	}
	return ERR_OK;
}

/* If reading.only names columns, ignores all others, except those to which another setting gives a
 * role. */
static enum err keep_only(struct sheet *t)
{
	const struct config_strings *only = &t->how->only;
	bool *named;

	if (!only->count)
		return ERR_OK;
	ALLOC(named, t->columns);
	for (size_t i = 0; i < only->count; i++) {
		const struct sheet_column *c =
		    sheet_roles_find_column(t, only->item[i], strlen(only->item[i]));

		if (!c) {
			free(named);
			return no_column(t, "only", only->item[i]);
		}
		named[c - t->column] = true;
	}
	for (size_t i = 0; i < t->columns; i++)
		if (!named[i] && t->column[i].role == ROLE_NUMBER)
			t->column[i].role = ROLE_IGNORE;
	free(named);
	return ERR_OK;
}

enum err sheet_roles(struct sheet *t)
{
	TRY(role_of_one(t, t->how->id, ROLE_ID));
	TRY(role_of_one(t, t->how->label, ROLE_LABEL));
	TRY(take_lists(t));
	TRY(keep_only(t));
	TRY(take_policies(t));
	for (size_t i = 0; i < t->columns; i++) {
		struct sheet_column *c = &t->column[i];

		if (c->unnamed && c->role != ROLE_ID && c->role != ROLE_IGNORE)
			return err_set(ERR_INPUT,
				       "%s: column %zu has no name: say that it has the ids (id "
				       "\"#%zu\"), or is to be "
				       "ignored (ignore \"#%zu\"), or give it a name",
				       t->where, i + 1, i + 1, i + 1);
		t->has_ids |= c->role == ROLE_ID;
		if (c->role == ROLE_NUMBER || c->role == ROLE_DATE)
			c->place = t->numbers++;
		else if (c->role == ROLE_CATEGORY)
			c->place = t->codes++;
	}
	return ERR_OK;
}
