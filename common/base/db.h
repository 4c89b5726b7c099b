/* db.h -- an SQLite database; the one door to SQLite.
 *
 * Opened so that nothing in the file runs and its schema is not written to: the file may not be what this
 * program wrote. Not for use by several threads at once; several processes may have it open.
 *
 * Errors: ERR_JOB, with the file's name and what SQLite says, where nothing else is told.
 */
#ifndef COMMON_BASE_DB_H
#define COMMON_BASE_DB_H

#include "common/base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct db;
struct db_rows; /* what a query found, a row at a time */

/* An existing file. write: with a write-ahead log (`PATH-wal`, `PATH-shm` while it is open), made with mode
 * 0600 if there is none. busy_ms: how long other processes that write are waited for. *db is NULL on failure.
 * ERR_INPUT: it cannot be opened to read; ERR_JOB: to write. */
enum err db_open(struct db **db, const char *path, bool write, unsigned busy_ms) MUST_CHECK;
void db_close(struct db *db); /* NULL is fine */
/* Changes wait from here on in a log beside the file: once, when it is known that the file is what it should be. */
enum err db_log_ahead(struct db *db) MUST_CHECK;

/* One statement with its arguments: i an int64_t, t a text, d a double; h 32 bytes; b a pointer and a size_t.
 * Steps to the first row: *found. *rows is to be ended by the caller, whatever came of it. */
enum err db_query(struct db *db, struct db_rows **rows, bool *found, const char *sql,
		  const char *arguments, ...) MUST_CHECK;
enum err db_next(struct db *db, struct db_rows *rows, bool *found) MUST_CHECK;
void db_end(struct db_rows *rows); /* NULL is fine */
/* Columns from 0, of the row that was found. Text is never NULL, and borrowed until the next row. */
int64_t db_int(struct db_rows *rows, int column);
double db_real(struct db_rows *rows, int column);
const char *db_text(struct db_rows *rows, int column);
bool db_null(struct db_rows *rows, int column);
/* The bytes, if there are exactly n of them; NULL otherwise. */
const void *db_bytes(struct db_rows *rows, int column, size_t n);

/* A statement that changes something, with arguments as above. */
enum err db_change(struct db *db, const char *sql, const char *arguments, ...) MUST_CHECK;
int64_t db_last_row(struct db *db); /* the number of the row that the last INSERT made */
/* Statements without arguments; */
enum err db_run(struct db *db, const char *sql) MUST_CHECK;
/* and back to BEGIN. Returns e, whose sentence stays. */
enum err db_undo(struct db *db, enum err e);
/* ERR_JOB: the file that was opened to write is no longer at its path, so nobody would find what is
 * written. */
enum err db_check_there(const struct db *db) MUST_CHECK;
/* Was the last error the host's: disk, memory, locks? Then the same file will do later. */
bool db_host_failed(const struct db *db);
const char *db_why(const struct db *db); /* the last error, as SQLite says it */

#endif
