/* Writes a ledger. ledger_count.c counts in it, ledger_verify.c reads it. */
#include "crypto/ledger_own.h"
#include "common/base/alloc.h"
#include "common/base/file.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { LEDGER_VERSION = 1, BUSY_MS = 10000 };

#define APPLICATION "1129075794" /* "CLDR" */

static const char schema[] =
    "PRAGMA application_id = " APPLICATION ";"
    "CREATE TABLE meta (name TEXT NOT NULL, version INTEGER NOT NULL, count INTEGER NOT NULL,"
    "  hash BLOB NOT NULL);"
    "CREATE TABLE job (entry INTEGER PRIMARY KEY, id TEXT NOT NULL, attempt INTEGER NOT NULL,"
    "  kind TEXT NOT NULL, coordinator TEXT NOT NULL, key BLOB NOT NULL, data BLOB NOT NULL,"
    "  parties TEXT NOT NULL, submitter TEXT NOT NULL DEFAULT '');"
    "CREATE TABLE row (number INTEGER PRIMARY KEY, entry INTEGER NOT NULL, time_ms INTEGER NOT "
    "NULL,"
    "  step TEXT NOT NULL, purpose TEXT NOT NULL, type TEXT NOT NULL, bytes INTEGER NOT NULL,"
    "  sha256 BLOB NOT NULL, masked INTEGER NOT NULL, rounds INTEGER NOT NULL,"
    "  words INTEGER NOT NULL, eps REAL NOT NULL, delta REAL NOT NULL, previous BLOB NOT NULL,"
    "  hash BLOB NOT NULL);"
    "CREATE TABLE head (entry INTEGER NOT NULL, name TEXT NOT NULL, count INTEGER NOT NULL,"
    "  hash BLOB NOT NULL);"
    "CREATE INDEX row_entry ON row (entry);";

void ledger_column_hash(struct db_rows *rows, int column, uint8_t hash[static SHA256_LEN])
{
	const void *bytes = db_bytes(rows, column, SHA256_LEN);

	memset(hash, 0, SHA256_LEN);
	if (bytes)
		memcpy(hash, bytes, SHA256_LEN);
}

void ledger_hash_job(const struct ledger_job *job, uint8_t hash[static SHA256_LEN])
{
	struct sha256 *h = sha256_new();

	/* jobs before protocol 5 have no submitter */
	bool said = job->submitter && *job->submitter;
	bool named = job->set && *job->set;

	sha256_add_text(h, named  ? "coterie ledger job v3"
			   : said ? "coterie ledger job v2"
				  : "coterie ledger job v1");
	sha256_add(h, job->id, sizeof(job->id));
	sha256_add_u32(h, job->attempt);
	sha256_add_text(h, job->kind);
	sha256_add_text(h, job->coordinator);
	sha256_add(h, job->key, sizeof(job->key));
	sha256_add(h, job->data, sizeof(job->data));
	sha256_add_text(h, job->parties);
	if (said || named)
		sha256_add_text(h, said ? job->submitter : "");
	if (named)
		sha256_add_text(h, job->set);
	sha256_end(h, hash);
}

void ledger_hash_row(const uint8_t previous[static SHA256_LEN],
		     const uint8_t job[static SHA256_LEN], const struct ledger_row *row,
		     uint8_t hash[static SHA256_LEN])
{
	struct sha256 *h = sha256_new();
	uint64_t claim[3]; /* bit patterns of eps, delta and mu */
	bool unit = row->unit && *row->unit;

	sha256_add_text(h, unit ? "coterie ledger row v2" : "coterie ledger row v1");
	sha256_add(h, previous, SHA256_LEN);
	sha256_add(h, job, SHA256_LEN);
	sha256_add_u64(h, row->time_ms);
	sha256_add_text(h, row->step);
	sha256_add_text(h, row->purpose);
	sha256_add_text(h, row->type);
	sha256_add_u64(h, row->bytes);
	sha256_add(h, row->sha256, SHA256_LEN);
	sha256_add_u32(h, row->masked);
	sha256_add_u64(h, row->rounds);
	sha256_add_u64(h, row->words);
	memcpy(claim, (const double[]){ row->eps, row->delta, row->mu }, sizeof(claim));
	sha256_add_u64(h, claim[0]);
	sha256_add_u64(h, claim[1]);
	if (unit) {
		sha256_add_u64(h, claim[2]);
		sha256_add_text(h, row->unit);
	}
	sha256_end(h, hash);
}

/* Distinguishes a bad file (ERR_INPUT) from a failure of the host (ERR_JOB), after which the
 * same file may work later. */
static enum err unreadable(struct ledger *l)
{
	if (db_host_failed(l->db))
		return err_set(ERR_JOB, "%s: cannot be opened: %s", l->path, db_why(l->db));
	return err_set(ERR_INPUT, "%s is no ledger that can be read: %s", l->path, db_why(l->db));
}

/* Checks that the file is a ledger and reads its owner's name. *version is 0 if the file is
 * empty. */
static enum err read_meta(struct ledger *l, int64_t *version)
{
	struct db_rows *rows = NULL;
	bool found;
	enum err e = db_query(l->db, &rows, &found, "SELECT count(*) FROM sqlite_master", "");
	bool empty = e == ERR_OK && found && db_int(rows, 0) == 0;

	db_end(rows);
	rows = NULL;
	*version = 0;
	if (e != ERR_OK || empty)
		return e == ERR_OK ? e : unreadable(l);
	e = db_query(l->db, &rows, &found, "SELECT name, version FROM meta", "");
	if (e == ERR_OK && found) {
		const char *name = db_text(rows, 0);

		free(l->name);
		l->name = alloc_copy(name);
		*version = db_null(rows, 0) ? 0 : db_int(rows, 1);
	}
	db_end(rows);
	if (e != ERR_OK || *version != LEDGER_VERSION)
		return err_set(
		    ERR_INPUT,
		    "%s is no ledger that this program reads (version %lld, expected %d)", l->path,
		    (long long)*version, LEDGER_VERSION);
	return ERR_OK;
}

static enum err ledger_make_tables(struct ledger *l, const char *name)
{
	static const uint8_t zero[SHA256_LEN];
	int64_t version = 0;
	enum err e;

	TRY(db_run(l->db, "BEGIN IMMEDIATE"));
	e = read_meta(l, &version);
	if (e == ERR_OK && version) /* another process has made the file first */
		return db_undo(l->db, e);
	if (e == ERR_OK)
		e = db_run(l->db, schema);
	if (e == ERR_OK)
		e = db_change(l->db, "INSERT INTO meta VALUES (?, ?, 0, ?)", "tih", name,
			      (int64_t)LEDGER_VERSION, zero);
	if (e == ERR_OK)
		e = db_run(l->db, "COMMIT");
	return e == ERR_OK ? e : db_undo(l->db, e);
}

static enum err open_write(struct ledger *l, const char *name)
{
	int64_t version;

	TRY(db_open(&l->db, l->path, true, BUSY_MS));
	TRY(read_meta(l, &version));
	if (version && strcmp(l->name, name) != 0)
		return err_set(ERR_INPUT, "%s is the ledger of %s, not of %s", l->path, l->name,
			       name);
	TRY(db_log_ahead(l->db));
	/* Checkpoints only every 32 MB, since a checkpoint waits for the disk. */
	TRY(db_run(l->db, "PRAGMA wal_autocheckpoint = 8192"));
	TRY(ledger_durable(l, true));
	if (!version) {
		TRY(ledger_make_tables(l, name));
		free(l->name);
		l->name = alloc_copy(name);
	}
	TRY(ledger_bring(l));
	return ERR_OK;
}

enum err ledger_open(struct ledger **out, const char *path, const char *name)
{
	struct ledger *l = alloc(1, sizeof(*l));
	enum err e;

	l->path = alloc_copy(path);
	e = open_write(l, name);
	if (e != ERR_OK)
		ledger_close(l);
	*out = e == ERR_OK ? l : NULL;
	return e;
}

enum err ledger_open_read(struct ledger **out, const char *path)
{
	struct ledger *l = alloc(1, sizeof(*l));
	int64_t version = 0;
	enum err e = ERR_OK;

	l->path = alloc_copy(path);
	if (!file_exists(path))
		e = err_set(ERR_INPUT, "%s: there is no such file", path);
	if (e == ERR_OK)
		e = db_open(&l->db, path, false, BUSY_MS);
	if (e == ERR_OK)
		e = read_meta(l, &version);
	if (e == ERR_OK && !version)
		e = err_set(ERR_INPUT, "%s is empty, and no ledger", path);
	if (e == ERR_OK)
		e = ledger_look(l);
	if (e != ERR_OK)
		ledger_close(l);
	*out = e == ERR_OK ? l : NULL;
	return e;
}

enum err ledger_durable(struct ledger *l, bool yes)
{
	enum err e = ERR_OK;

	if (l->durable != yes)
		e = db_run(l->db,
			   yes ? "PRAGMA synchronous = FULL" : "PRAGMA synchronous = NORMAL");
	if (e == ERR_OK)
		l->durable = yes;
	return e;
}

static void free_job(struct ledger_job *job)
{
	free((char *)job->kind);
	free((char *)job->coordinator);
	free((char *)job->parties);
	free((char *)job->submitter);
	free((char *)job->set);
}

void ledger_close(struct ledger *l)
{
	if (!l)
		return;
	ledger_forget(l);
	free(l->noted);
	free(l->question);
	free_job(&l->job);
	db_close(l->db);
	free(l->path);
	free(l->name);
	free(l);
}

const char *ledger_name(const struct ledger *l)
{
	return l->name;
}

void ledger_begin(struct ledger *l, const struct ledger_job *job)
{
	assert(l->count == 0);
	free_job(&l->job);
	l->job = *job;
	l->job.kind = alloc_copy(job->kind);
	l->job.coordinator = alloc_copy(job->coordinator);
	l->job.parties = alloc_copy(job->parties);
	l->job.submitter = alloc_copy(job->submitter ? job->submitter : "");
	l->job.set = alloc_copy(job->set ? job->set : "");
	l->entry = 0;
	l->got = false;
	ledger_hash_job(job, l->job_hash);
}

void ledger_note(struct ledger *l, const struct ledger_row *row, struct bytes body)
{
	struct ledger_row *own;
	struct timespec now;

	ALLOC_ROOM(l->noted, l->count, l->cap);
	own = &l->noted[l->count++];
	*own = *row;
	own->step = alloc_copy(row->step);
	own->purpose = alloc_copy(row->purpose);
	own->type = alloc_copy(row->type);
	own->unit = alloc_copy(row->unit ? row->unit : "");
	clock_gettime(CLOCK_REALTIME, &now);
	if (!own->time_ms)
		own->time_ms = (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
	own->bytes = body.n;
	sha256_of(body.p, body.n, own->sha256);
}

void ledger_forget(struct ledger *l)
{
	for (size_t i = 0; i < l->count; i++) {
		free((char *)l->noted[i].step);
		free((char *)l->noted[i].purpose);
		free((char *)l->noted[i].type);
		free((char *)l->noted[i].unit);
	}
	l->count = l->questions = 0;
}

enum err ledger_head(struct ledger *l, struct ledger_head *head)
{
	struct db_rows *rows = NULL;
	bool found;
	enum err e = db_query(l->db, &rows, &found, "SELECT count, hash FROM meta", "");

	*head = (struct ledger_head){ 0 };
	if (e == ERR_OK && found) {
		head->count = (uint64_t)db_int(rows, 0);
		ledger_column_hash(rows, 1, head->hash);
	}
	db_end(rows);
	return e;
}

static enum err write_entry(struct ledger *l, int64_t *entry)
{
	const struct ledger_job *j = &l->job;
	char id[LEDGER_JOB_TEXT];

	hex_write(j->id, LEDGER_JOB_LEN, id);
	*entry = l->entry;
	if (*entry)
		return ERR_OK;
	TRY(db_change(l->db,
		      "INSERT INTO job (id, attempt, kind, coordinator, key, data, parties, "
		      "submitter, dataset) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
		      "titthhttt", id, (int64_t)j->attempt, j->kind, j->coordinator, j->key,
		      j->data, j->parties, j->submitter, j->set));
	*entry = db_last_row(l->db);
	return ERR_OK;
}

static enum err write_rows(struct ledger *l, int64_t *entry, bool *got)
{
	struct ledger_head head;
	uint64_t rounds = 0, words = 0;

	TRY(ledger_head(l, &head));
	if (l->check)
		TRY(l->check(l->arg, head.count != l->seen));
	TRY(write_entry(l, entry));
	for (size_t i = 0; i < l->count; i++) {
		const struct ledger_row *r = &l->noted[i];
		uint8_t hash[SHA256_LEN];

		ledger_hash_row(head.hash, l->job_hash, r, hash);
		TRY(db_change(
		    l->db, "INSERT INTO row VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
		    "iiitttihiiiddhh", (int64_t)++head.count, *entry, (int64_t)r->time_ms, r->step,
		    r->purpose, r->type, (int64_t)r->bytes, r->sha256, (int64_t)r->masked,
		    (int64_t)r->rounds, (int64_t)r->words, r->eps, r->delta, head.hash, hash));
		if (*r->unit)
			TRY(db_change(l->db, "INSERT INTO claim VALUES (?, ?, ?)", "itd",
				      (int64_t)head.count, r->unit, r->mu));
		memcpy(head.hash, hash, SHA256_LEN);
		rounds += r->rounds;
		words += r->words;
	}
	if (words)
		TRY(ledger_write_questions(l, *entry));
	l->wrote = head.count;
	TRY(ledger_total(l, rounds, words));
	*got = l->got || words;
	return db_change(l->db, "UPDATE meta SET count = ?, hash = ?", "ih", (int64_t)head.count,
			 head.hash);
}

enum err ledger_commit(struct ledger *l)
{
	int64_t entry = 0;
	size_t unanswered = l->questions;
	bool got = false;
	enum err e;

	if (!l->count)
		return ERR_OK;
	assert(l->job.kind);
	/* If the file was moved while a job runs, new rows would go to a file that no program
	 * finds. */
	if (db_check_there(l->db) != ERR_OK)
		return err_set(ERR_JOB, "%.900s: nothing more leaves", err_detail());
	TRY(db_run(l->db, "BEGIN IMMEDIATE"));
	e = write_rows(l, &entry, &got);
	if (e == ERR_OK)
		e = db_run(l->db, "COMMIT");
	if (e != ERR_OK)
		return db_undo(l->db, e);
	/* If a noted row has numbers derived from data, the transaction has written the questions.
	 * Otherwise they wait for the next commit. */
	for (size_t i = 0; i < l->count; i++)
		if (l->noted[i].words)
			unanswered = 0;
	l->entry = entry;
	l->got = got;
	l->seen = l->wrote;
	ledger_forget(l);
	l->questions = unanswered;
	return ERR_OK;
}

enum err ledger_keep_heads(struct ledger *l, const char *const *name,
			   const struct ledger_head *head, size_t count)
{
	int64_t entry;
	enum err e;

	TRY(db_run(l->db, "BEGIN IMMEDIATE"));
	e = write_entry(l, &entry);
	for (size_t i = 0; i < count && e == ERR_OK; i++)
		e = db_change(l->db, "INSERT INTO head VALUES (?, ?, ?, ?)", "itih", entry, name[i],
			      (int64_t)head[i].count, head[i].hash);
	if (e == ERR_OK)
		e = db_run(l->db, "COMMIT");
	if (e != ERR_OK)
		return db_undo(l->db, e);
	l->entry = entry;
	return ERR_OK;
}
