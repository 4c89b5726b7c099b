/* Maintains the ledger's table of totals, computes the privacy spent on a data set, and upgrades
 * files of older versions. */
#include "crypto/ledger_own.h"
#include "common/base/alloc.h"
#include "common/privacy/account.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Makes the table of spent budgets. It has a line for each combination of a coordinator's key, a
 * data set's name, a hash of data and a list of parties. It is small, so that the check of an offer
 * need not sum over all rows or jobs. It is derived from the rows. If it does not cover all rows,
 * because an older version has added some, it is rebuilt. */
static const char totals[] =
    "BEGIN IMMEDIATE;"
    "DROP TABLE IF EXISTS total;"
    "DROP TABLE IF EXISTS spent;"
    "DROP TABLE IF EXISTS had;"
    "CREATE TABLE had (key BLOB NOT NULL, dataset TEXT NOT NULL, data BLOB NOT NULL,"
    "  parties TEXT NOT NULL, lines INTEGER NOT NULL, jobs INTEGER NOT NULL,"
    "  rounds INTEGER NOT NULL, words INTEGER NOT NULL,"
    "  PRIMARY KEY (key, dataset, data, parties));"
    "INSERT INTO had SELECT key, dataset, data, parties, count(*),"
    "  count(DISTINCT CASE WHEN words > 0 THEN entry END), sum(rounds), sum(words)"
    "  FROM row JOIN job USING (entry) GROUP BY key, dataset, data, parties;"
    "CREATE INDEX IF NOT EXISTS job_id ON job (id);"
    "CREATE INDEX IF NOT EXISTS row_eps ON row (entry) WHERE eps > 0;"
    "COMMIT;";

static enum err ledger_is_there(struct ledger *l, const char *sql, bool *yes)
{
	struct db_rows *rows = NULL;
	enum err e = db_query(l->db, &rows, yes, sql, "");

	*yes = e == ERR_OK && *yes && db_int(rows, 0) == 1;
	db_end(rows);
	return e;
}

static enum err bring_totals(struct ledger *l)
{
	bool whole;
	enum err e =
	    ledger_is_there(l, "SELECT count(*) FROM sqlite_master WHERE name = 'had'", &whole);

	if (e == ERR_OK && whole)
		e = ledger_is_there(l,
				    "SELECT (SELECT coalesce(sum(lines), 0) FROM had) ="
				    "  (SELECT coalesce(max(number), 0) FROM row)",
				    &whole);
	if (e != ERR_OK || whole)
		return e;
	e = db_run(l->db, totals);
	return e == ERR_OK ? e : db_undo(l->db, e);
}

enum err ledger_look(struct ledger *l)
{
	TRY(ledger_is_there(l, "SELECT 1 FROM pragma_table_info('job') WHERE name = 'submitter'",
			    &l->submitters));
	return ledger_is_there(l, "SELECT 1 FROM pragma_table_info('job') WHERE name = 'dataset'",
			       &l->claims);
}

/* Adds the columns `submitter` and `dataset` and the table `claim`, which ledgers from before
 * protocol 5 lack. */
static enum err bring_columns(struct ledger *l)
{
	enum err e = ledger_look(l);

	if (e != ERR_OK || (l->submitters && l->claims))
		return e;
	TRY(db_run(l->db, "BEGIN IMMEDIATE"));
	e = ledger_look(l); /* another process may have upgraded it first */
	if (e == ERR_OK && !l->submitters)
		e = db_run(l->db, "ALTER TABLE job ADD COLUMN submitter TEXT NOT NULL DEFAULT ''");
	if (e == ERR_OK && !l->claims)
		e = db_run(l->db,
			   "ALTER TABLE job ADD COLUMN dataset TEXT NOT NULL DEFAULT '';"
			   "CREATE TABLE claim (number INTEGER PRIMARY KEY, unit TEXT NOT NULL,"
			   "  mu REAL NOT NULL);");
	if (e == ERR_OK)
		e = db_run(l->db, "COMMIT");
	l->submitters = l->claims = true;
	return e == ERR_OK ? e : db_undo(l->db, e);
}

enum err ledger_bring(struct ledger *l)
{
	bool there;

	TRY(bring_columns(l));
	TRY(ledger_is_there(l, "SELECT count(*) FROM sqlite_master WHERE name = 'question'",
			    &there));
	if (!there)
		TRY(ledger_bring_questions(l));
	return bring_totals(l);
}

enum err ledger_total(struct ledger *l, uint64_t rounds, uint64_t words)
{
	return db_change(l->db,
			 "INSERT INTO had VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
			 " ON CONFLICT (key, dataset, data, parties) DO UPDATE SET"
			 " lines = lines + excluded.lines, jobs = jobs + excluded.jobs,"
			 " rounds = rounds + excluded.rounds, words = words + excluded.words",
			 "hthtiiii", l->job.key, l->job.set, l->job.data, l->job.parties,
			 (int64_t)l->count, (int64_t)(words && !l->got), (int64_t)rounds,
			 (int64_t)words);
}

enum err ledger_watch(struct ledger *l, ledger_check_commit *check, void *arg)
{
	struct ledger_head head;

	TRY(ledger_head(l, &head));
	l->seen = head.count;
	l->check = check;
	l->arg = arg;
	return ERR_OK;
}

/* Matches rows of the data set with data ?1 and name ?2. If ?2 is not empty, also matches all data
 * under the name ?2, and the same data under another name or no name. */
#define OF_SET                                                                                     \
	"(data = ?1 OR (?2 <> '' AND (dataset = ?2 OR"                                             \
	" data IN (SELECT data FROM had WHERE dataset = ?2))))"

static const char *set_of(const struct ledger_job *job)
{
	return job->set ? job->set : "";
}

enum err ledger_spent(struct ledger *l, const struct ledger_job *job, struct ledger_spent *s)
{
	struct db_rows *rows = NULL;
	char id[LEDGER_JOB_TEXT];
	bool found;
	uint64_t own;
	enum err e = db_query(l->db, &rows, &found,
			      "SELECT coalesce(sum(jobs), 0), coalesce(sum(rounds), 0),"
			      "  coalesce(sum(words), 0) FROM had WHERE " OF_SET " AND key = ?3",
			      "hth", job->data, set_of(job), job->key);

	hex_write(job->id, LEDGER_JOB_LEN, id);
	*s = (struct ledger_spent){ 0 };
	if (e == ERR_OK && found)
		*s = (struct ledger_spent){ (uint64_t)db_int(rows, 0), (uint64_t)db_int(rows, 1),
					    (uint64_t)db_int(rows, 2), 0, 0 };
	db_end(rows);
	TRY(e);
	rows = NULL;
	e = db_query(l->db, &rows, &found,
		     "SELECT count(DISTINCT CASE WHEN attempt = ?4 AND words > 0 THEN entry END),"
		     "  coalesce(sum(eps), 0)"
		     " FROM job JOIN row USING (entry) WHERE id = ?5 AND key = ?3 AND " OF_SET,
		     "hthit", job->data, set_of(job), job->key, (int64_t)job->attempt, id);
	own = e == ERR_OK && found ? (uint64_t)db_int(rows, 0) : 0;
	s->jobs -= own < s->jobs ? own : s->jobs;
	db_end(rows);
	TRY(e);
	rows = NULL; /* counts only identical data, for which attempts repeat the same noise */
	e = db_query(l->db, &rows, &found,
		     "SELECT coalesce(sum(eps), 0), coalesce(sum(eps > 0), 0)"
		     " FROM job JOIN row USING (entry)"
		     " WHERE id = ? AND key = ? AND data = ?",
		     "thh", id, job->key, job->data);
	if (e == ERR_OK && found) {
		s->eps_of_job = db_real(rows, 0);
		s->claims_of_job = (uint64_t)db_int(rows, 1);
	}
	db_end(rows);
	return e;
}

enum err ledger_other_parties(struct ledger *l, const struct ledger_job *job, char **other)
{
	struct db_rows *rows = NULL;
	char id[LEDGER_JOB_TEXT];
	bool found;
	enum err e;

	hex_write(job->id, LEDGER_JOB_LEN, id);
	if (job->left)
		e = db_query(l->db, &rows, &found,
			     "SELECT parties FROM job JOIN row USING (entry) WHERE " OF_SET
			     " AND parties <> ?3 AND words > 0 AND NOT (id = ?4 AND key = ?5)"
			     " LIMIT 1",
			     "httth", job->data, set_of(job), job->parties, id, job->key);
	else
		e = db_query(l->db, &rows, &found,
			     "SELECT parties FROM had WHERE " OF_SET
			     " AND parties <> ?3 AND words > 0 LIMIT 1",
			     "htt", job->data, set_of(job), job->parties);

	*other = NULL;
	if (e == ERR_OK && found) {
		const char *text = db_text(rows, 0);

		*other = alloc_copy(*text ? text : "(a damaged list)");
	}
	db_end(rows);
	return e;
}

enum err ledger_read_spent(struct ledger *l, ledger_spent_reader *f, void *arg)
{
	struct db_rows *rows = NULL;
	bool found;
	enum err e;

	if (!l->claims)
		return err_set(ERR_INPUT,
			       "%s: an older version has written it, which kept no such totals; a "
			       "party that starts makes them",
			       l->path);
	e = db_query(
	    l->db, &rows, &found,
	    "SELECT coordinator, key, max(data), name FROM"
	    " (SELECT *, CASE WHEN dataset <> '' THEN dataset ELSE coalesce((SELECT min(dataset)"
	    "    FROM had AS h WHERE h.data = had.data AND h.dataset <> ''), '') END AS name FROM "
	    "had)"
	    " JOIN (SELECT coordinator, key AS k, max(entry) FROM job GROUP BY key) ON k = key"
	    " GROUP BY name, CASE WHEN name = '' THEN data END, key"
	    " ORDER BY name, CASE WHEN name = '' THEN data END, coordinator",
	    "");
	while (e == ERR_OK && found) {
		struct ledger_job job = { .coordinator = db_text(rows, 0),
					  .set = db_text(rows, 3) };
		struct ledger_spent s;

		ledger_column_hash(rows, 1, job.key);
		ledger_column_hash(rows, 2, job.data);
		e = ledger_spent(l, &job, &s);
		if (e == ERR_OK)
			e = f(arg, &job, &s);
		if (e == ERR_OK)
			e = db_next(l->db, rows, &found);
	}
	db_end(rows);
	return e;
}

static struct ledger_unit *unit_of(struct ledger_account *a, const char *name)
{
	size_t u = 0;

	while (u < a->units && strcmp(a->unit[u].name, name) != 0)
		u++;
	if (u == LEDGER_UNITS || strlen(name) >= LEDGER_UNIT_TEXT)
		return NULL;
	if (u == a->units) {
		a->unit[a->units++] = (struct ledger_unit){ 0 };
		snprintf(a->unit[u].name, LEDGER_UNIT_TEXT, "%s", name);
	}
	return &a->unit[u];
}

static enum err add_claims(struct ledger *l, struct ledger_account *a, struct db_rows *rows)
{
	struct ledger_unit *unit = unit_of(a, db_text(rows, 0));
	double mu = db_real(rows, 1);
	uint64_t times = (uint64_t)db_int(rows, 4);

	if (!unit)
		return err_set(ERR_JOB,
			       "%s: claims of differential privacy of \"%.40s\" and %d more units: "
			       "the file is damaged",
			       l->path, db_text(rows, 0), LEDGER_UNITS);
	if (!(mu > 0) && account_mu(db_real(rows, 2), db_real(rows, 3), &mu) != ERR_OK)
		mu = INFINITY;
	unit->claims += times;
	unit->square += (double)times * mu * mu;
	return ERR_OK;
}

enum err ledger_account(struct ledger *l, const struct ledger_job *job, struct ledger_account *a)
{
	struct db_rows *rows = NULL;
	bool found;
	enum err e = db_query(l->db, &rows, &found,
			      "SELECT coalesce(unit, 'row'), coalesce(mu, 0), eps, delta, count(*)"
			      " FROM row JOIN job USING (entry) LEFT JOIN claim USING (number) "
			      "WHERE eps > 0 AND " OF_SET " GROUP BY 1, 2, 3, 4",
			      "ht", job->data, set_of(job));

	*a = (struct ledger_account){ 0 };
	while (e == ERR_OK && found) {
		e = add_claims(l, a, rows);
		if (e == ERR_OK)
			e = db_next(l->db, rows, &found);
	}
	db_end(rows);
	return e;
}

double ledger_square(const struct ledger_account *a, const char *unit)
{
	for (size_t u = 0; u < a->units; u++)
		if (!strcmp(a->unit[u].name, unit))
			return a->unit[u].square;
	return 0;
}

enum err ledger_bare(struct ledger *l, const struct ledger_job *job, uint64_t *attempts)
{
	struct db_rows *rows = NULL;
	bool found;
	/* Excludes jobs with a claim, because their further attempts repeat the answers of the
	 * first. */
	enum err e =
	    db_query(l->db, &rows, &found,
		     "SELECT count(DISTINCT entry) FROM row JOIN job USING (entry)"
		     " WHERE words > 0 AND " OF_SET " AND id NOT IN"
		     " (SELECT id FROM row JOIN job USING (entry) WHERE eps > 0 AND " OF_SET ")",
		     "ht", job->data, set_of(job));

	*attempts = e == ERR_OK && found ? (uint64_t)db_int(rows, 0) : 0;
	db_end(rows);
	return e;
}
