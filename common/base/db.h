/* db.h -- an SQLite database; the only module that uses SQLite.
 *
 * The file may have been manipulated: triggers and views are off, and the schema is not trusted or
 * writable. One thread at a time may use a handle; several processes may open the file.
 *
 * Errors: ERR_JOB with the file's name and SQLite's reason, unless stated otherwise.
 */
#ifndef COMMON_BASE_DB_H
#define COMMON_BASE_DB_H

#include "common/base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct db;
struct db_rows; /* a query's result, one row at a time */

/* Opens a file. write: creates it with mode 0600 if absent; db_log_ahead() then adds `PATH-wal` and
 * `PATH-shm`. busy_ms: longest wait for other writers, in milliseconds. *db is NULL on failure. If
 * the file cannot be opened: ERR_INPUT for reading, ERR_JOB for writing. */
enum err db_open(struct db **db, const char *path, bool write, unsigned busy_ms) MUST_CHECK;
void db_close(struct db *db); /* accepts NULL */
/* Switches to a write-ahead log. Call it once, after checking that the file is the expected one. */
enum err db_log_ahead(struct db *db) MUST_CHECK;

/* Runs one statement. arguments has one letter for each argument: i int64_t, t text, d double, h 32
 * bytes, b pointer and size_t. Steps to the first row; *found is false if there is none. The caller
 * ends *rows, also after an error. */
enum err db_query(struct db *db, struct db_rows **rows, bool *found, const char *sql,
		  const char *arguments, ...) MUST_CHECK;
enum err db_next(struct db *db, struct db_rows *rows, bool *found) MUST_CHECK;
void db_end(struct db_rows *rows); /* accepts NULL */
/* Return a column of the current row, numbered from 0. Text is never NULL. It is borrowed until the
 * next row. */
int64_t db_int(struct db_rows *rows, int column);
double db_real(struct db_rows *rows, int column);
const char *db_text(struct db_rows *rows, int column);
bool db_null(struct db_rows *rows, int column);
/* Returns a column of exactly n bytes; NULL if the column has another length. */
const void *db_bytes(struct db_rows *rows, int column, size_t n);

/* Runs a statement that changes data; arguments as for db_query(). */
enum err db_change(struct db *db, const char *sql, const char *arguments, ...) MUST_CHECK;
int64_t db_last_row(struct db *db); /* row id of the last INSERT */
/* Runs statements without arguments. */
enum err db_run(struct db *db, const char *sql) MUST_CHECK;
/* Rolls back to BEGIN. Returns e and keeps its message. */
enum err db_undo(struct db *db, enum err e);
/* ERR_JOB if the file opened for writing is no longer at its path. Rows written to it would be
 * lost. */
enum err db_check_there(const struct db *db) MUST_CHECK;
/* True if the host caused the last error (disk, memory, locks): the same file may work later. */
bool db_host_failed(const struct db *db);
const char *db_why(const struct db *db); /* SQLite's message for the last error */

#endif
