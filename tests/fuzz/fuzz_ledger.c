/* Fuzzes a damaged ledger.db: reading, verifying, counting and writing return results or errors. A
 * ledger of a few rows is made once; the input tells how to damage it.
 *
 *   first byte 0    the rest is the file
 *   1               changes bytes of the file: position as u16, and value
 *   2               changes columns by SQL: table and column, and value; or empties or drops a
 *                   table */
#include "common/base/file.h"
#include "crypto/ledger.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char dir[] = "/tmp/fuzz-ledger-XXXXXX", path[64];
static struct buf whole; /* the undamaged file */

static void check(bool good)
{
	if (!good)
		abort();
}

static void forget_file(void)
{
	static const char *const end[] = { "", "-wal", "-shm", "-journal" };
	char name[80];

	for (size_t i = 0; i < sizeof(end) / sizeof(*end); i++) {
		snprintf(name, sizeof(name), "%s%s", path, end[i]);
		unlink(name);
	}
}

static void leave(void)
{
	forget_file();
	rmdir(dir);
}

static const struct ledger_job job = { .id = "0123456789abcde",
				       .attempt = 1,
				       .kind = "kmeans",
				       .coordinator = "hub",
				       .parties = "a b",
				       .set = "customers" };

static enum err write_rows(struct ledger *l, unsigned rows)
{
	struct ledger_row row = { .step = "totals",
				  .purpose = "of a test",
				  .type = "MASKED",
				  .masked = true,
				  .rounds = 1,
				  .words = 3,
				  .eps = 0.5,
				  .delta = 1e-5,
				  .mu = 0.1,
				  .unit = "row" };

	ledger_begin(l, &job);
	for (unsigned i = 0; i < rows; i++)
		ledger_note(l, &row, (struct bytes){ (const uint8_t *)"body", 4 });
	return ledger_commit(l);
}

static void begin(void)
{
	static const char *const name[] = { "a", "b" };
	struct ledger_head head[2] = { { 1, { 1 } }, { 2, { 2 } } };
	struct ledger *l;

	if (whole.n)
		return;
	check(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/ledger.db", dir);
	atexit(leave);
	check(ledger_open(&l, path, "a") == ERR_OK);
	check(write_rows(l, 3) == ERR_OK);
	check(ledger_keep_heads(l, name, head, 2) == ERR_OK);
	ledger_close(l);
	check(file_read(path, 1 << 20, &whole) == ERR_OK);
}

static void write_file(const uint8_t *p, size_t n)
{
	FILE *f = fopen(path, "w");

	check(f && fwrite(p, 1, n, f) == n && fclose(f) == 0);
}

static void change_bytes(const uint8_t *p, size_t n)
{
	uint8_t *copy = malloc(whole.n);

	memcpy(copy, whole.p, whole.n);
	for (; n >= 3; p += 3, n -= 3)
		copy[(p[0] | (size_t)p[1] << 8) % whole.n] = p[2];
	write_file(copy, whole.n);
	free(copy);
}

static void change_columns(const uint8_t *p, size_t n)
{
	static const char *const place[][2] = {
		{ "meta", "name" },   { "meta", "version" }, { "meta", "count" },
		{ "meta", "hash" },   { "job", "id" },       { "job", "attempt" },
		{ "job", "kind" },    { "job", "key" },      { "job", "data" },
		{ "job", "parties" }, { "row", "entry" },    { "row", "time_ms" },
		{ "row", "step" },    { "row", "purpose" },  { "row", "type" },
		{ "row", "bytes" },   { "row", "sha256" },   { "row", "words" },
		{ "row", "eps" },     { "row", "previous" }, { "row", "hash" },
		{ "head", "entry" },  { "head", "name" },    { "head", "count" },
		{ "head", "hash" },   { "spent", "key" },    { "spent", "parties" },
		{ "spent", "lines" }, { "spent", "words" },  { "spent", "eps" },
	};
	static const char *const value[] = { "NULL",
					     "''",
					     "x''",
					     "-1",
					     "9223372036854775807",
					     "1e308",
					     "'text'",
					     "zeroblob(5000)",
					     "zeroblob(32)",
					     "hex(zeroblob(40000))",
					     "0",
					     "-9e999",
					     "cast(x'00ff0a1b5b' as text)" };
	sqlite3 *db;

	write_file(whole.p, whole.n);
	check(sqlite3_open(path, &db) == SQLITE_OK);
	/* Removes NOT NULL, so that the columns accept NULL. */
	sqlite3_exec(db,
		     "PRAGMA writable_schema = 1; UPDATE sqlite_master SET sql = "
		     "replace(sql, ' NOT NULL', ''); PRAGMA writable_schema = 0",
		     NULL, NULL, NULL);
	sqlite3_close(db);
	check(sqlite3_open(path, &db) == SQLITE_OK);
	for (; n >= 2; p += 2, n -= 2) {
		const char *const *at = place[p[0] % (sizeof(place) / sizeof(*place))];
		char text[256];

		if (p[1] == 255)
			snprintf(text, sizeof(text), "DROP TABLE %s", at[0]);
		else if (p[1] == 254)
			snprintf(text, sizeof(text), "DELETE FROM %s", at[0]);
		else
			snprintf(text, sizeof(text), "UPDATE %s SET %s = %s", at[0], at[1],
				 value[p[1] % (sizeof(value) / sizeof(*value))]);
		sqlite3_exec(db, text, NULL, NULL, NULL);
	}
	sqlite3_close(db);
}

/* ---- all uses of a ledger by party and coterie ---- */

static void sentence(void *arg, const char *text)
{
	(void)arg;
	check(strlen(text) < LEDGER_SENTENCE);
}

static enum err line(void *arg, const struct ledger_line *l)
{
	*(size_t *)arg += strlen(l->row.step) + strlen(l->row.purpose) + strlen(l->row.type) +
			  strlen(l->job.kind) + strlen(l->job.coordinator) + strlen(l->job.parties);
	return ERR_OK;
}

static enum err told(void *arg, const char *name, const struct ledger_head *head)
{
	*(size_t *)arg += strlen(name) + head->hash[0];
	return ERR_OK;
}

static void use(struct ledger *l)
{
	struct ledger_head head = { 2, { 7 } };
	size_t read = 0, faults;
	char *other = NULL;
	struct ledger_spent spent;
	struct ledger_account account;
	struct ledger_job other_job = job;

	other_job.parties = "a c";
	read += strlen(ledger_name(l));
	(void)!ledger_read(l, "", 0, line, &read);
	(void)!ledger_read_heads(l, told, &read);
	(void)!ledger_verify(l, sentence, NULL, &faults);
	(void)!ledger_check(l, "b", &head, sentence, NULL, &faults);
	(void)!ledger_spent(l, &job, &spent);
	(void)!ledger_account(l, &job, &account);
	if (ledger_other_parties(l, &other_job, &other) == ERR_OK)
		free(other);
	(void)!ledger_head(l, &head);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ledger *l;

	begin();
	if (size < 1)
		return 0;
	forget_file();
	if (data[0] % 3 == 0)
		write_file(data + 1, size - 1);
	else
		(data[0] % 3 == 1 ? change_bytes : change_columns)(data + 1, size - 1);
	if (ledger_open_read(&l, path) == ERR_OK) {
		use(l);
		ledger_close(l);
	}
	if (ledger_open(&l, path, "a") == ERR_OK) {
		use(l);
		(void)!write_rows(l, 2);
		use(l);
		ledger_close(l);
	}
	return 0;
}
