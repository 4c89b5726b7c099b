#include "cli/import/sources.h"
#include "common/base/db.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The only table that is there; otherwise their names in a sentence. */
static enum err only_table(struct db *db, const char *path, struct buf *query)
{
	struct buf names = { 0 };
	struct db_rows *rows;
	size_t n = 0;
	bool found;
	enum err err = db_query(db, &rows, &found,
				"SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT "
				"LIKE 'sqlite\\_%' ESCAPE '\\' "
				"ORDER BY name",
				"");

	for (; !err && found; n++) {
		buf_printf(&names, "%s%s", n ? ", " : "", db_text(rows, 0));
		err = db_next(db, rows, &found);
	}
	db_end(rows);
	buf_add(&names, "", 1);
	if (!err && n != 1)
		err = err_set(ERR_INPUT,
			      "%s: %zu tables%s%.400s: say which is meant (--part), or a SELECT",
			      path, n, n ? ": " : "", (char *)names.p);
	if (!err)
		import_select(query, (char *)names.p);
	buf_release(&names);
	return err;
}

void import_select(struct buf *query, const char *table)
{
	buf_printf(query, "SELECT * FROM \"");
	for (; *table; table++)
		buf_printf(query, "%s%c", *table == '"' ? "\"" : "", *table);
	buf_printf(query, "\"");
	buf_add(query, "", 1);
}

static enum err take_cell(struct db_rows *rows, int i, struct cell *c)
{
	enum db_type type = db_type(rows, i);

	*c = (struct cell){ .kind = CELL_QUOTED };
	if (type == DB_BLOB)
		return ERR_INPUT;
	if (type == DB_NULL) {
		c->kind = CELL_NULL;
	} else if (type == DB_REAL) {
		c->kind = CELL_NUMBER;
		c->x = db_real(rows, i);
	} else { /* whole numbers too, whatever their size, as they may be ids */
		c->p = db_text(rows, i);
		c->n = db_length(rows, i);
	}
	return ERR_OK;
}

static enum err take_rows(struct imported *in, const char *path, struct db *db,
			  struct db_rows *rows, bool found, const struct reading *how)
{
	int n = db_columns(rows);
	struct cell *cell = alloc((size_t)n, sizeof(*cell));
	enum err err;

	for (int i = 0; i < n; i++)
		cell[i] = (struct cell){ .p = db_name(rows, i),
					 .n = strlen(db_name(rows, i)),
					 .kind = CELL_QUOTED };
	err = sheet_begin(&in->sheet, how, path, "row", cell, (size_t)n);
	for (size_t at = 1; !err && found; at++) {
		for (int i = 0; i < n && !err; i++)
			if (take_cell(rows, i, &cell[i]) != ERR_OK)
				err = sheet_error(&in->sheet, at, &in->sheet.column[i],
						  "has bytes (a BLOB), expected a number or text");
		if (!err)
			err = sheet_row(&in->sheet, at, cell);
		if (!err)
			err = db_next(db, rows, &found);
	}
	free(cell);
	return err ? err : sheet_end(&in->sheet);
}

enum err import_sqlite(struct imported *in, const char *path, const struct import_request *r)
{
	struct db_rows *rows = NULL;
	struct buf query = { 0 };
	struct db *db;
	bool found;
	enum err err;

	in->is_table = in->said.heading = true;
	snprintf(in->said.why, sizeof(in->said.why), "as columns of a query have names");
	TRY(db_open(&db, path, false, 10000));
	if (!r->part)
		err = only_table(db, path, &query);
	else if (!strncasecmp(r->part, "select ", 7) || !strncasecmp(r->part, "with ", 5))
		buf_printf(&query, "%s%c", r->part, 0), err = ERR_OK;
	else
		import_select(&query, r->part), err = ERR_OK;
	if (!err)
		err = db_query(db, &rows, &found, (char *)query.p, "");
	if (!err)
		err = take_rows(in, path, db, rows, found, &r->how);
	db_end(rows);
	db_close(db);
	buf_release(&query);
	return err == ERR_JOB ? err_prefix(ERR_INPUT, "%s", "the query") : err;
}
