/* Reads a ledger and finds manipulations. */
#include "crypto/ledger_own.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define COLUMNS                                                                                    \
	"SELECT number, time_ms, step, purpose, type, bytes, sha256, masked, rounds, words, eps,"  \
	"  delta, previous, hash, id, attempt, kind, coordinator, key, data, parties"
#define FROM " FROM row LEFT JOIN job USING (entry)"
/* Selects the columns of a line, from a file of this version or of an older version. */
#define LINE(l, rest)                                                                              \
	((l)->claims ? COLUMNS ", submitter, dataset, unit, mu" FROM                               \
			       " LEFT JOIN claim USING (number)" rest                              \
	 : (l)->submitters ? COLUMNS ", submitter, '', '', 0" FROM rest                            \
			   : COLUMNS ", '', '', '', 0" FROM rest)

static void ledger_verify_line_of(struct db_rows *s, struct ledger_line *l)
{
	*l = (struct ledger_line){
		.number = (uint64_t)db_int(s, 0),
		.row = { .time_ms = (uint64_t)db_int(s, 1),
			 .step = db_text(s, 2),
			 .purpose = db_text(s, 3),
			 .type = db_text(s, 4),
			 .bytes = (uint64_t)db_int(s, 5),
			 .masked = db_int(s, 7) != 0,
			 .rounds = (uint64_t)db_int(s, 8),
			 .words = (uint64_t)db_int(s, 9),
			 .eps = db_real(s, 10),
			 .delta = db_real(s, 11),
			 .unit = db_text(s, 23),
			 .mu = db_real(s, 24) },
		.job = { .attempt = (uint32_t)db_int(s, 15),
			 .kind = db_text(s, 16),
			 .coordinator = db_text(s, 17),
			 .parties = db_text(s, 20),
			 .submitter = db_text(s, 21),
			 .set = db_text(s, 22) },
	};
	ledger_column_hash(s, 6, l->row.sha256);
	ledger_column_hash(s, 12, l->previous);
	ledger_column_hash(s, 13, l->hash);
	if (!hex_read(db_text(s, 14), l->job.id, LEDGER_JOB_LEN))
		memset(l->job.id, 0, LEDGER_JOB_LEN); /* damaged */
	ledger_column_hash(s, 18, l->job.key);
	ledger_column_hash(s, 19, l->job.data);
}

enum err ledger_read(struct ledger *l, const char *job, uint64_t since_ms, ledger_reader *f,
		     void *arg)
{
	struct db_rows *rows = NULL;
	bool found;
	enum err e = db_query(
	    l->db, &rows, &found,
	    LINE(l, " WHERE substr(coalesce(id, ''), 1, ?) = ? AND time_ms >= ? ORDER BY number"),
	    "iti", (int64_t)strlen(job), job, (int64_t)since_ms);

	while (e == ERR_OK && found) {
		struct ledger_line line;

		ledger_verify_line_of(rows, &line);
		e = f(arg, &line);
		if (e == ERR_OK)
			e = db_next(l->db, rows, &found);
	}
	db_end(rows);
	return e;
}

enum err ledger_find(struct ledger *l, const char *words, uint64_t before, size_t most,
		     ledger_reader *f, void *arg, uint64_t *next)
{
	struct ledger_head head;
	struct db_rows *rows = NULL;
	uint64_t from;
	bool found;
	size_t n = 0;
	enum err e;

	*next = 0;
	TRY(ledger_head(l, &head));
	if (!before || before > head.count + 1)
		before = head.count + 1;
	from = before > LEDGER_SPAN ? before - LEDGER_SPAN : 1;
	e = db_query(
	    l->db, &rows, &found,
	    LINE(l,
		 " WHERE number >= ? AND number < ? AND instr(lower(id || ' ' || kind || ' ' ||"
		 "  coordinator || ' ' || parties || ' ' || step || ' ' || type || ' ' || purpose),"
		 "  lower(?)) ORDER BY number DESC LIMIT ?"),
	    "iiti", (int64_t)from, (int64_t)before, words, (int64_t)most);
	while (e == ERR_OK && found) {
		struct ledger_line line;

		ledger_verify_line_of(rows, &line);
		e = f(arg, &line);
		if (++n == most)
			from = line.number;
		if (e == ERR_OK)
			e = db_next(l->db, rows, &found);
	}
	db_end(rows);
	*next = from > 1 ? from : 0;
	return e;
}

enum err ledger_read_heads(struct ledger *l, ledger_head_reader *f, void *arg)
{
	struct db_rows *rows = NULL;
	bool found;
	enum err e = db_query(l->db, &rows, &found,
			      "SELECT name, count, hash FROM head ORDER BY rowid DESC", "");

	while (e == ERR_OK && found) {
		struct ledger_head head = { .count = (uint64_t)db_int(rows, 1) };

		ledger_column_hash(rows, 2, head.hash);
		e = f(arg, db_text(rows, 0), &head);
		if (e == ERR_OK)
			e = db_next(l->db, rows, &found);
	}
	db_end(rows);
	return e;
}

struct search {
	struct ledger *ledger;
	ledger_finding *say;
	void *arg;
	size_t faults;
	uint64_t count;
	uint8_t before[SHA256_LEN];
};

static void found_fault(struct search *s, const char *format, ...) PRINTF(2, 3);
static void found_fault(struct search *s, const char *format, ...)
{
	char sentence[LEDGER_SENTENCE];
	va_list ap;

	va_start(ap, format);
	vsnprintf(sentence, sizeof(sentence), format, ap);
	va_end(ap);
	s->say(s->arg, sentence);
	s->faults++;
}

/* Reports a row whose own hash is right, but whose `previous` is not the hash of the row before. */
static enum err ledger_verify_misplaced(struct search *s, const struct ledger_line *line)
{
	static const uint8_t zero[SHA256_LEN];
	struct db_rows *rows = NULL;
	bool there;
	enum err e;

	if (memcmp(line->previous, zero, SHA256_LEN) == 0) {
		found_fault(s, "row %" PRIu64 " is out of order: it was the first row",
			    line->number);
		return ERR_OK;
	}
	e = db_query(s->ledger->db, &rows, &there, "SELECT number FROM row WHERE hash = ? LIMIT 1",
		     "h", line->previous);
	if (e == ERR_OK && there)
		found_fault(s,
			    "row %" PRIu64
			    " is out of order: it was written behind what is now row %" PRIu64,
			    line->number, (uint64_t)db_int(rows, 0));
	else if (e == ERR_OK)
		found_fault(s,
			    "before row %" PRIu64 " a row is missing or was written anew: the one "
			    "it was written behind is not there",
			    line->number);
	db_end(rows);
	return e;
}

static enum err check_line(void *arg, const struct ledger_line *line)
{
	struct search *s = arg;
	uint8_t job[SHA256_LEN], hash[SHA256_LEN];
	bool gap = line->number != s->count + 1;
	enum err e = ERR_OK;

	if (line->number == s->count + 2)
		found_fault(s, "row %" PRIu64 " was removed", s->count + 1);
	else if (gap)
		found_fault(s, "rows %" PRIu64 " to %" PRIu64 " were removed", s->count + 1,
			    line->number - 1);
	ledger_hash_job(&line->job, job);
	ledger_hash_row(line->previous, job, &line->row, hash);
	if (memcmp(hash, line->hash, SHA256_LEN) != 0)
		found_fault(s, "row %" PRIu64 " (%s), or the entry of its job, was changed",
			    line->number, line->row.type);
	else if (!gap && memcmp(line->previous, s->before, SHA256_LEN) != 0)
		e = ledger_verify_misplaced(s, line);
	s->count = line->number;
	memcpy(s->before, line->hash, SHA256_LEN);
	return e;
}

enum err ledger_verify(struct ledger *l, ledger_finding *say, void *arg, size_t *faults)
{
	struct search s = { .ledger = l, .say = say, .arg = arg };
	struct ledger_head head;
	enum err e = ledger_head(l, &head);

	if (e == ERR_OK)
		e = ledger_read(l, "", 0, check_line, &s);
	if (e == ERR_OK && head.count > s.count)
		found_fault(&s, "the end was cut off: rows %" PRIu64 " to %" PRIu64 " were removed",
			    s.count + 1, head.count);
	else if (e == ERR_OK &&
		 (head.count != s.count || memcmp(head.hash, s.before, SHA256_LEN) != 0))
		found_fault(&s, "row %" PRIu64 " is not the last that was written", s.count);
	*faults = s.faults;
	return e;
}

enum err ledger_check(struct ledger *l, const char *who, const struct ledger_head *head,
		      ledger_finding *say, void *arg, size_t *faults)
{
	struct search s = { .ledger = l, .say = say, .arg = arg };
	struct db_rows *rows = NULL;
	uint8_t hash[SHA256_LEN];
	uint64_t last = 0;
	bool there = false;
	enum err e;

	*faults = 0;
	if (!head->count)
		return ERR_OK;
	e = db_query(l->db, &rows, &there, "SELECT coalesce(max(number), 0) FROM row", "");
	if (e == ERR_OK && there)
		last = (uint64_t)db_int(rows, 0);
	db_end(rows);
	TRY(e);
	e = db_query(l->db, &rows, &there, "SELECT hash FROM row WHERE number = ?", "i",
		     (int64_t)head->count);
	if (e == ERR_OK && there)
		ledger_column_hash(rows, 0, hash);
	db_end(rows);
	TRY(e);
	if (last < head->count)
		found_fault(&s,
			    "the end was cut off: rows %" PRIu64 " to %" PRIu64
			    " are missing, of which %s was told",
			    last + 1, head->count, who);
	else if (!there)
		found_fault(&s, "row %" PRIu64 " was removed, of which %s was told", head->count,
			    who);
	else if (memcmp(hash, head->hash, SHA256_LEN) != 0)
		found_fault(
		    &s,
		    "row %" PRIu64
		    " is not the one that %s was told of: it, or one before it, was changed",
		    head->count, who);
	*faults = s.faults;
	return ERR_OK;
}
