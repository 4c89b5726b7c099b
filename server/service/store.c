#include "server/service/store.h"
#include "common/base/alloc.h"
#include "common/base/db.h"
#include "common/base/file.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MARK    0x434f5451 /* application_id of jobs.db: "COTQ" */
#define VERSION 1

const char *const store_state_name[] = { "queued", "waiting for parties", "running", "done",
					 "failed", "cancelled",           NULL };

struct store {
	struct db *db;
	char *path;
};

bool store_is_over(enum store_state state)
{
	return state >= STORE_DONE;
}

void store_job_release(struct store_job *j)
{
	free(j->text);
	j->text = NULL;
}

void store_rows_release(struct store_rows *rows)
{
	for (size_t i = 0; i < rows->n; i++)
		store_job_release(&rows->job[i]);
	free(rows->job);
	*rows = (struct store_rows){ 0 };
}

static const char schema[] =
    "BEGIN IMMEDIATE;"
    "CREATE TABLE job (id INTEGER PRIMARY KEY AUTOINCREMENT, state INTEGER NOT NULL, submitter "
    "TEXT NOT NULL,"
    " text TEXT NOT NULL, parties TEXT NOT NULL, submitted INTEGER NOT NULL, began INTEGER NOT "
    "NULL,"
    " ended INTEGER NOT NULL, attempts INTEGER NOT NULL, status INTEGER NOT NULL, job_id TEXT NOT "
    "NULL,"
    " directory TEXT NOT NULL, cause TEXT NOT NULL);"
    "CREATE INDEX job_state ON job (state);"
    "CREATE INDEX job_number ON job (job_id);"
    "CREATE TABLE party (name TEXT PRIMARY KEY, contact INTEGER NOT NULL, software TEXT NOT NULL);"
    "PRAGMA application_id = 1129272401;" /* the value of MARK */
    "PRAGMA user_version = 1;"
    "COMMIT";

static enum err ask_number(struct db *db, const char *sql, int64_t *value)
{
	struct db_rows *rows;
	bool found;
	enum err e = db_query(db, &rows, &found, sql, "");

	*value = e == ERR_OK && found ? db_int(rows, 0) : 0;
	db_end(rows);
	return e;
}

static enum err ask_sound(struct store *s)
{
	struct db_rows *rows;
	bool found;
	enum err e = db_query(s->db, &rows, &found, "PRAGMA quick_check(1)", "");

	if (e == ERR_OK && (!found || strcmp(db_text(rows, 0), "ok") != 0))
		e = err_set(ERR_INPUT, "%s: %s", s->path, found ? db_text(rows, 0) : "unreadable");
	db_end(rows);
	return e;
}

static enum err store_check(struct store *s, bool sound)
{
	int64_t tables = 0, mark = 0, version = 0;

	TRY(ask_number(s->db, "SELECT count(*) FROM sqlite_schema", &tables));
	TRY(ask_number(s->db, "PRAGMA application_id", &mark));
	TRY(ask_number(s->db, "PRAGMA user_version", &version));
	if (!tables && !mark)
		TRY(db_run(s->db, schema));
	else if (mark != MARK || version != VERSION)
		return err_set(ERR_INPUT,
			       "%s: this is no queue of jobs that this version of coordinator "
			       "knows (application %" PRId64 ", version %" PRId64 ")",
			       s->path, mark, version);
	if (sound)
		TRY(ask_sound(s));
	return db_log_ahead(s->db);
}

static enum err store_open_file(struct store **out, const char *path, bool sound)
{
	struct store *s = alloc(1, sizeof(*s));
	bool host;
	enum err e;

	s->path = alloc_copy(path);
	e = db_open(&s->db, path, true, STORE_BUSY_MS);
	if (e == ERR_OK)
		e = store_check(s, sound);
	host = s->db && db_host_failed(s->db);
	if (e != ERR_OK && s->db && !host)
		e = err_set(ERR_INPUT,
			    "%.600s: put a backup in its place, or move it away to begin with an "
			    "empty queue (results stay where they are)",
			    err_detail());
	*out = e == ERR_OK ? s : NULL;
	if (e != ERR_OK)
		store_close(s);
	return e;
}

enum err store_open(struct store **s, const char *path)
{
	return store_open_file(s, path, true);
}

enum err store_look(struct store **s, const char *path)
{
	*s = NULL;
	if (!file_exists(path)) /* opening would create the file */
		return err_set(ERR_JOB, "%s is not there", path);
	return store_open_file(s, path, false);
}

void store_close(struct store *s)
{
	if (!s)
		return;
	db_close(s->db);
	free(s->path);
	free(s);
}

enum err store_there(struct store *s)
{
	if (db_check_there(s->db) == ERR_OK)
		return ERR_OK;
	return err_set(ERR_JOB,
		       "%.700s: put it back, or end this coordinator, and the next one begins with "
		       "an empty queue",
		       err_detail());
}

static void join_parties(const struct store_job *j, struct buf *text)
{
	for (size_t l = 0; l < j->parties; l++)
		buf_printf(text, "%s%s", l ? " " : "", j->party[l]);
	buf_add(text, "", 1);
}

static bool split_parties(const char *text, struct store_job *j)
{
	for (; *text && j->parties < PARTIES_MAX; j->parties++) {
		size_t n = strcspn(text, " ");

		if (!n || n > STORE_TEXT_MAX)
			return false;
		memcpy(j->party[j->parties], text, n);
		text += n + (text[n] == ' ');
	}
	return !*text && j->parties;
}

enum err store_add(struct store *s, struct store_job *j)
{
	struct buf parties = { 0 };
	enum err e = store_there(s);

	join_parties(j, &parties);
	if (e == ERR_OK)
		e = db_change(
		    s->db,
		    "INSERT INTO job (state, submitter, text, parties, submitted, began, ended, "
		    "attempts, status, job_id, directory, cause) VALUES "
		    "(?, ?, ?, ?, ?, 0, 0, 0, 0, '', '', '')",
		    "ittti", (int64_t)j->state, j->submitter, j->text, (const char *)parties.p,
		    (int64_t)j->submitted);
	buf_release(&parties);
	if (e == ERR_OK)
		j->id = db_last_row(s->db);
	return e;
}

enum err store_change(struct store *s, const struct store_job *j)
{
	TRY(store_there(s));
	return db_change(
	    s->db,
	    "UPDATE job SET state = ?, began = ?, ended = ?, attempts = ?, status = ?, "
	    "job_id = ?, directory = ?, cause = ? WHERE id = ?",
	    "iiiiittti", (int64_t)j->state, (int64_t)j->began, (int64_t)j->ended,
	    (int64_t)j->attempts, (int64_t)j->status, j->job_id, j->directory, j->cause, j->id);
}

#define COLUMNS                                                                                    \
	"SELECT id, state, submitter, text, parties, submitted, began, ended, attempts, status, "  \
	"job_id, directory, cause FROM job "

/* Checks the row, because another program may have written it. */
static enum err store_read_row(const struct store *s, struct db_rows *rows, struct store_job *j)
{
	int64_t state = db_int(rows, 1), status = db_int(rows, 9);
	bool good;

	*j = (struct store_job){ .id = db_int(rows, 0),
				 .submitted = (time_t)db_int(rows, 5),
				 .began = (time_t)db_int(rows, 6),
				 .ended = (time_t)db_int(rows, 7),
				 .attempts = (unsigned)db_int(rows, 8) };
	good = state >= 0 && state <= STORE_CANCELLED && status >= 0 && status <= ERR_CANCELLED &&
	       split_parties(db_text(rows, 4), j) && !strchr(db_text(rows, 11), '/') &&
	       *db_text(rows, 11) != '.';
	if (!good)
		return err_set(ERR_INPUT, "%s: job %" PRId64 " is damaged", s->path, j->id);
	j->state = (enum store_state)state;
	j->status = (enum err)status;
	snprintf(j->submitter, sizeof(j->submitter), "%s", db_text(rows, 2));
	j->text = alloc_copy(db_text(rows, 3));
	snprintf(j->job_id, sizeof(j->job_id), "%s", db_text(rows, 10));
	snprintf(j->directory, sizeof(j->directory), "%s", db_text(rows, 11));
	snprintf(j->cause, sizeof(j->cause), "%s", db_text(rows, 12));
	return ERR_OK;
}

static enum err store_read_rows(struct store *s, const char *sql, int64_t most,
				struct store_rows *out)
{
	struct db_rows *rows;
	bool found;
	enum err e = db_query(s->db, &rows, &found, sql, "i", most);

	*out = (struct store_rows){ 0 };
	while (e == ERR_OK && found) {
		out->job = alloc_again(out->job, out->n + 1, sizeof(*out->job));
		e = store_read_row(s, rows, &out->job[out->n]);
		if (e == ERR_OK) {
			out->n++;
			e = db_next(s->db, rows, &found);
		}
	}
	db_end(rows);
	if (e != ERR_OK)
		store_rows_release(out);
	return e;
}

enum err store_open_jobs(struct store *s, struct store_rows *rows)
{
	return store_read_rows(s, COLUMNS "WHERE state < ? ORDER BY id", STORE_DONE, rows);
}

enum err store_last_jobs(struct store *s, size_t most, struct store_rows *rows)
{
	return store_read_rows(s, "SELECT * FROM (" COLUMNS "ORDER BY id DESC LIMIT ?) ORDER BY id",
			       (int64_t)most, rows);
}

static enum err store_read_one(struct store *s, struct db_rows *rows, bool *found,
			       struct store_job *j, enum err e)
{
	if (e == ERR_OK && *found)
		e = store_read_row(s, rows, j);
	*found = *found && e == ERR_OK;
	db_end(rows);
	return e;
}

enum err store_get(struct store *s, int64_t id, struct store_job *j, bool *found)
{
	struct db_rows *rows;
	enum err e = db_query(s->db, &rows, found, COLUMNS "WHERE id = ?", "i", id);

	return store_read_one(s, rows, found, j, e);
}

enum err store_get_by_job_id(struct store *s, const char *job_id, struct store_job *j, bool *found)
{
	struct db_rows *rows;
	enum err e = db_query(s->db, &rows, found, COLUMNS "WHERE job_id = ?", "t", job_id);

	return store_read_one(s, rows, found, j, e);
}

enum err store_count(struct store *s, size_t count[static STORE_CANCELLED + 1])
{
	struct db_rows *rows;
	bool found;
	enum err e =
	    db_query(s->db, &rows, &found, "SELECT state, count(*) FROM job GROUP BY state", "");

	memset(count, 0, (STORE_CANCELLED + 1) * sizeof(*count));
	while (e == ERR_OK && found) {
		if (db_int(rows, 0) >= 0 && db_int(rows, 0) <= STORE_CANCELLED)
			count[db_int(rows, 0)] = (size_t)db_int(rows, 1);
		e = db_next(s->db, rows, &found);
	}
	db_end(rows);
	return e;
}

enum err store_saw_party(struct store *s, const char *name, const struct store_party *p)
{
	TRY(store_there(s));
	return db_change(s->db,
			 "INSERT INTO party (name, contact, software) VALUES (?, ?, ?) "
			 "ON CONFLICT (name) DO UPDATE SET contact = excluded.contact, "
			 "software = excluded.software",
			 "tit", name, (int64_t)p->contact, p->software);
}

enum err store_get_party(struct store *s, const char *name, struct store_party *p)
{
	struct db_rows *rows;
	bool found;
	enum err e = db_query(s->db, &rows, &found,
			      "SELECT contact, software FROM party WHERE name = ?", "t", name);

	*p = (struct store_party){ 0 };
	if (e == ERR_OK && found) {
		p->contact = (time_t)db_int(rows, 0);
		snprintf(p->software, sizeof(p->software), "%s", db_text(rows, 1));
	}
	db_end(rows);
	return e;
}
