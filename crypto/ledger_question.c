/* Stores the questions that were answered with noise, so that repeated ones are recognised. */
#include "crypto/ledger_own.h"
#include "common/base/alloc.h"

static const char table[] = "CREATE TABLE IF NOT EXISTS question (entry INTEGER NOT NULL, release "
			    "INTEGER NOT NULL,  hash BLOB NOT NULL, PRIMARY KEY (entry, release));";

enum err ledger_bring_questions(struct ledger *l)
{
	return db_run(l->db, table);
}

enum err ledger_asked(struct ledger *l, const struct ledger_job *job,
		      const struct ledger_question *q, struct ledger_asked *asked)
{
	struct db_rows *rows = NULL;
	char id[LEDGER_JOB_TEXT];
	bool found;
	enum err e;

	hex_write(job->id, LEDGER_JOB_LEN, id);
	e = db_query(l->db, &rows, &found,
		     "SELECT count(DISTINCT hash), coalesce(max(hash = ?), 0) FROM question"
		     " JOIN job USING (entry) WHERE id = ? AND key = ? AND release = ?",
		     "hthi", q->hash, id, job->key, (int64_t)q->release);
	*asked = (struct ledger_asked){ 0 };
	if (e == ERR_OK && found) {
		asked->others = (uint64_t)db_int(rows, 0);
		asked->same = db_int(rows, 1) != 0;
		asked->others -= asked->same;
	}
	db_end(rows);
	return e;
}

void ledger_ask(struct ledger *l, const struct ledger_question *q)
{
	l->question = alloc_again(l->question, l->questions + 1, sizeof(*l->question));
	l->question[l->questions++] = *q;
}

enum err ledger_write_questions(struct ledger *l, int64_t entry)
{
	for (size_t i = 0; i < l->questions; i++)
		TRY(db_change(l->db, "INSERT OR REPLACE INTO question VALUES (?, ?, ?)", "iih",
			      entry, (int64_t)l->question[i].release, l->question[i].hash));
	return ERR_OK;
}

enum err ledger_other_data(struct ledger *l, const struct ledger_job *job, uint32_t *attempt)
{
	struct db_rows *rows = NULL;
	char id[LEDGER_JOB_TEXT];
	bool found;
	enum err e;

	hex_write(job->id, LEDGER_JOB_LEN, id);
	e = db_query(l->db, &rows, &found,
		     "SELECT attempt FROM job JOIN row USING (entry)"
		     " WHERE id = ? AND key = ? AND data <> ? AND words > 0 LIMIT 1",
		     "thh", id, job->key, job->data);
	*attempt = e == ERR_OK && found ? (uint32_t)db_int(rows, 0) : 0;
	db_end(rows);
	return e;
}
