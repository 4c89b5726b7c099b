#include "common/base/db.h"
#include "common/base/alloc.h"
#include "common/base/file.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct db_rows {
	sqlite3_stmt *stmt;
	bool kept, busy; /* kept: owned by db->kept. busy: its rows are being read. */
};

/* Number of prepared statements that are cached. A commit of the ledger needs fewer. */
enum { KEPT = 8 };

struct db {
	sqlite3 *handle;
	char *path;
	unsigned busy_ms;
	struct stat file; /* identity of the file, if opened for writing */
	struct db_rows kept[KEPT];
	unsigned next; /* slot of `kept` that is replaced next */
};

static sqlite3_stmt *of(struct db_rows *rows)
{
	return rows->stmt;
}

static enum err db_fail(struct db *db, const char *doing)
{
	int os = sqlite3_system_errno(db->handle);

	return err_set(ERR_JOB, "%s: %s: %s%s%s", db->path, doing, sqlite3_errmsg(db->handle),
		       os ? ": " : "", os ? strerror(os) : "");
}

static enum err open_handle(struct db *db, bool write)
{
	int fd, flags = write ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY;

	if (write) {
		fd = open(db->path, O_RDWR | O_CREAT | O_CLOEXEC, FILE_SECRET);
		if (fd < 0 || fstat(fd, &db->file) != 0) {
			enum err e = err_set(ERR_JOB, "%s: cannot be written: %s", db->path,
					     strerror(errno));

			if (fd >= 0)
				close(fd);
			return e;
		}
		close(fd);
	}
	if (sqlite3_open_v2(db->path, &db->handle, flags, NULL) != SQLITE_OK)
		return err_set(ERR_INPUT, "%s: %s", db->path,
			       db->handle ? sqlite3_errmsg(db->handle) : "out of memory");
	sqlite3_busy_timeout(db->handle, (int)db->busy_ms);
	sqlite3_db_config(db->handle, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	sqlite3_db_config(db->handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
	sqlite3_db_config(db->handle, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
	sqlite3_db_config(db->handle, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL);
	return ERR_OK;
}

enum err db_open(struct db **out, const char *path, bool write, unsigned busy_ms)
{
	struct db *db = alloc(1, sizeof(*db));
	enum err e;

	db->path = alloc_copy(path);
	db->busy_ms = busy_ms;
	e = open_handle(db, write);
	if (e != ERR_OK)
		db_close(db);
	*out = e == ERR_OK ? db : NULL;
	return e;
}

enum err db_check_there(const struct db *db)
{
	struct stat now;

	if (stat(db->path, &now) != 0 || now.st_dev != db->file.st_dev ||
	    now.st_ino != db->file.st_ino)
		return err_set(ERR_JOB, "%s was removed or replaced while it was in use", db->path);
	return ERR_OK;
}

void db_close(struct db *db)
{
	if (!db)
		return;
	for (int i = 0; i < KEPT; i++)
		sqlite3_finalize(db->kept[i].stmt);
	sqlite3_close(db->handle);
	free(db->path);
	free(db);
}

enum err db_log_ahead(struct db *db)
{
	int status = SQLITE_BUSY;

	/* SQLite returns SQLITE_BUSY at once if another process is making the same change, so this
	 * loop waits. */
	for (unsigned waited_ms = 0; status == SQLITE_BUSY && waited_ms <= db->busy_ms;
	     waited_ms += 20) {
		status = sqlite3_exec(db->handle, "PRAGMA journal_mode = WAL", NULL, NULL, NULL);
		if (status == SQLITE_BUSY)
			sqlite3_sleep(20);
	}
	return status == SQLITE_OK ? ERR_OK : db_fail(db, "cannot be written");
}

static bool ends(const char *sql)
{
	return !sql[strspn(sql, "; \t\r\n")];
}

/* Prepares the first statement of sql, or takes it from the cache; *rest becomes the remaining
 * text. The caller passes the result to db_end(). Returns NULL if the statement does not parse. */
static struct db_rows *prepare(struct db *db, const char *sql, const char **rest)
{
	sqlite3_stmt *stmt;
	struct db_rows *rows;

	for (int i = 0; i < KEPT; i++) {
		rows = &db->kept[i];
		if (rows->stmt && !rows->busy && !strcmp(sqlite3_sql(rows->stmt), sql)) {
			rows->busy = true;
			*rest = "";
			return rows;
		}
	}
	if (sqlite3_prepare_v2(db->handle, sql, -1, &stmt, rest) != SQLITE_OK)
		return NULL;
	rows = &db->kept[db->next % KEPT];
	if (!stmt || !ends(*rest) || rows->busy) {
		rows = alloc(1, sizeof(*rows));
	} else {
		db->next++;
		sqlite3_finalize(rows->stmt);
		rows->kept = rows->busy = true;
	}
	rows->stmt = stmt;
	return rows;
}

void db_end(struct db_rows *rows)
{
	if (!rows)
		return;
	if (rows->kept) {
		sqlite3_reset(rows->stmt);
		sqlite3_clear_bindings(rows->stmt);
		rows->busy = false;
		return;
	}
	sqlite3_finalize(rows->stmt);
	free(rows);
}

static void db_bind(sqlite3_stmt *stmt, const char *arguments, va_list ap)
{
	const void *p;

	for (int i = 1; *arguments; arguments++, i++) {
		switch (*arguments) {
		case 'i':
			sqlite3_bind_int64(stmt, i, va_arg(ap, int64_t));
			break;
		case 't':
			sqlite3_bind_text(stmt, i, va_arg(ap, const char *), -1, SQLITE_TRANSIENT);
			break;
		case 'h':
			sqlite3_bind_blob(stmt, i, va_arg(ap, const void *), 32, SQLITE_TRANSIENT);
			break;
		case 'b':
			p = va_arg(ap, const void *);
			sqlite3_bind_blob64(stmt, i, p, va_arg(ap, size_t), SQLITE_TRANSIENT);
			break;
		case 'd':
			sqlite3_bind_double(stmt, i, va_arg(ap, double));
			break;
		default:
			assert(false);
		}
	}
}

enum err db_next(struct db *db, struct db_rows *rows, bool *found)
{
	int status = sqlite3_step(of(rows));

	*found = status == SQLITE_ROW;
	return status == SQLITE_ROW || status == SQLITE_DONE ? ERR_OK : db_fail(db, "reading");
}

enum err db_query(struct db *db, struct db_rows **rows, bool *found, const char *sql,
		  const char *arguments, ...)
{
	const char *rest;
	va_list ap;

	*found = false;
	*rows = prepare(db, sql, &rest);
	if (!*rows)
		return db_fail(db, "reading");
	assert(of(*rows) && ends(rest));
	va_start(ap, arguments);
	db_bind(of(*rows), arguments, ap);
	va_end(ap);
	return db_next(db, *rows, found);
}

int64_t db_int(struct db_rows *rows, int column)
{
	return sqlite3_column_int64(of(rows), column);
}

double db_real(struct db_rows *rows, int column)
{
	return sqlite3_column_double(of(rows), column);
}

const char *db_text(struct db_rows *rows, int column)
{
	const unsigned char *text = sqlite3_column_text(of(rows), column);

	return text ? (const char *)text : "";
}

bool db_null(struct db_rows *rows, int column)
{
	return sqlite3_column_type(of(rows), column) == SQLITE_NULL;
}

const void *db_bytes(struct db_rows *rows, int column, size_t n)
{
	return (size_t)sqlite3_column_bytes(of(rows), column) == n
		   ? sqlite3_column_blob(of(rows), column)
		   : NULL;
}

/* Steps once, ignores any row, and ends the statement. */
static enum err db_finish(struct db *db, struct db_rows *rows)
{
	int status = sqlite3_step(of(rows));
	enum err e = status == SQLITE_DONE || status == SQLITE_ROW
			 ? ERR_OK
			 : db_fail(db, "cannot be written");

	db_end(rows);
	return e;
}

enum err db_change(struct db *db, const char *sql, const char *arguments, ...)
{
	const char *rest;
	struct db_rows *rows = prepare(db, sql, &rest);
	va_list ap;

	if (!rows)
		return db_fail(db, "cannot be written");
	va_start(ap, arguments);
	db_bind(of(rows), arguments, ap);
	va_end(ap);
	return db_finish(db, rows);
}

int64_t db_last_row(struct db *db)
{
	return sqlite3_last_insert_rowid(db->handle);
}

enum err db_run(struct db *db, const char *sql)
{
	const char *rest;
	struct db_rows *rows = prepare(db, sql, &rest);

	if (rows && of(rows) && ends(rest))
		return db_finish(db, rows);
	db_end(rows);
	return sqlite3_exec(db->handle, sql, NULL, NULL, NULL) == SQLITE_OK
		   ? ERR_OK
		   : db_fail(db, "cannot be written");
}

enum err db_undo(struct db *db, enum err e)
{
	sqlite3_exec(db->handle, "ROLLBACK", NULL, NULL, NULL);
	return e;
}

bool db_host_failed(const struct db *db)
{
	switch (sqlite3_errcode(db->handle) & 0xff) {
	case SQLITE_IOERR:
	case SQLITE_FULL:
	case SQLITE_CANTOPEN:
	case SQLITE_BUSY:
	case SQLITE_NOMEM:
		return true;
	}
	return false;
}

const char *db_why(const struct db *db)
{
	return sqlite3_errmsg(db->handle);
}
