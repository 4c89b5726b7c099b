/* Tests coterie ledger and coterie approve. */
#include "tests/test.h"
#include "cli/args/args.h"
#include "crypto/ledger.h"
#include "common/base/file.h"
#include "common/job/offer.h"
#include "tests/unit/cli/commands.h"
#include "tests/unit/crypto/lab.h"

#include <sqlite3.h>

static char dir[64], other[80], line[512];

/* Makes the ledger of bank-a with four rows in two jobs, and that of bank-b, which has the head of
 * bank-a's ledger after three rows. */
static int set_up(void **state)
{
	const char *name = "bank-a";
	struct ledger_job job = { .id = { 0xa1 },
				  .attempt = 2,
				  .kind = "kcagc",
				  .coordinator = "hub",
				  .parties = "bank-a bank-b" };
	struct ledger_row row = { .time_ms = UINT64_C(1700000000123),
				  .step = "local",
				  .purpose = "words, \"quoted\"",
				  .type = "MASKED",
				  .masked = true,
				  .words = 3 };
	char path[128];
	struct ledger *l;
	struct ledger_head head;

	(void)state;
	lab_dir(dir);
	snprintf(path, sizeof(path), "%s/ledger.db", dir);
	assert_ok(ledger_open(&l, path, name));
	for (int i = 0; i < 4; i++) {
		if (i == 3)
			job.id[0] = 0xb1;
		if (i == 3)
			row.time_ms += 86400000;
		if (i % 3 == 0)
			ledger_begin(l, &job);
		ledger_note(l, &row, (struct bytes){ (const uint8_t *)"body", 4 });
		assert_ok(ledger_commit(l));
		if (i == 2)
			assert_ok(ledger_head(l, &head));
	}
	ledger_close(l);
	snprintf(other, sizeof(other), "%s/b.db", dir);
	assert_ok(ledger_open(&l, other, "bank-b"));
	ledger_begin(l, &job);
	assert_ok(ledger_keep_heads(l, &name, &head, 1));
	ledger_close(l);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	lab_remove(dir);
	return 0;
}

static void ledger(const char *words, int status, const char *text)
{
	snprintf(line, sizeof(line), "%s --state %s", words, dir);
	expect_command(ledger_main, line, status, text);
}

static void tamper(const char *sql)
{
	char path[128];
	sqlite3 *db;

	snprintf(path, sizeof(path), "%s/ledger.db", dir);
	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
	sqlite3_close(db);
}

static void write_run(const char *name, const char *text)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	assert_ok(
	    file_write(path, (struct bytes){ (const uint8_t *)text, strlen(text) }, FILE_PUBLIC));
}

static void test_list(void **state)
{
	(void)state;
	ledger("list", 0, "     1  2023-11-14T22:13:20  a1000000-2  local      MASKED");
	assert_non_null(strstr(said, "words, \"quoted\""));
	ledger("list --job b1", 0, "     4  ");
	assert_null(strstr(said, "     3  "));
	ledger("list --since 2023-11-15T10:00:00Z", 0, "     4  ");
	assert_null(strstr(said, "     3  "));
}

static void test_export(void **state)
{
	(void)state;
	ledger("export --csv", 0,
	       "number,time,job,attempt,kind,coordinator,parties,step,purpose,type,bytes,sha256,"
	       "masked,sums,words,eps,delta,hash,submitter,unit,mu,dataset\n1,2023-11-14T22:13:20."
	       "123Z,"
	       "a1000000000000000000000000000000,2,\"kcagc\",\"hub\",\"bank-a bank-b\",\"local\","
	       "\"words, \"\"quoted\"\"\",MASKED,4,"
	       "230d8358dc8e8890b4c58deeb62912ee2f20357ae92a5cc861b98e68fe31acb5,yes,0,3,0,0,");
}

/* Adds two jobs of eps 1 each on a named data set. The jobs so far are on the unnamed one. */
static void write_claims(void)
{
	struct ledger_job job = { .id = { 0xc1 },
				  .attempt = 1,
				  .kind = "kmeans",
				  .coordinator = "hub",
				  .data = { 7 },
				  .parties = "bank-a bank-b",
				  .set = "customers" };
	const struct ledger_row row = { .step = "s",
					.purpose = "p",
					.type = "MASKED",
					.masked = true,
					.rounds = 1,
					.words = 5,
					.eps = 1,
					.delta = 1e-5,
					.mu = 0.268051123211294,
					.unit = "row" };
	char path[128];
	struct ledger *l;

	snprintf(path, sizeof(path), "%s/ledger.db", dir);
	assert_ok(ledger_open(&l, path, "bank-a"));
	for (int i = 0; i < 2; i++) {
		job.id[1]++;
		job.data[1]++;
		ledger_begin(l, &job);
		ledger_note(l, &row, (struct bytes){ (const uint8_t *)"body", 4 });
		assert_ok(ledger_commit(l));
	}
	ledger_close(l);
}

static void test_budget(void **state)
{
	char config[1024];

	(void)state;
	write_claims();
	ledger("budget", 0,
	       "data 0000000000000000, which have no name\n"
	       "  claimed no differential privacy: 2 attempts that got something\n"
	       "  hub (key 0000000000000000), 2 jobs, 0 secure sums, 12 numbers\n"
	       "data set \"customers\"\n"
	       "  of each row    eps 1.465 at delta 1e-05 (mu 0.3791), claimed 2 times\n"
	       "  hub (key 0000000000000000), 2 jobs, 2 secure sums, 10 numbers\n");
	ledger("budget --delta 1e-3", 0, "eps 0.9715 at delta 0.001");
	snprintf(config, sizeof(config),
		 "{\"name\":\"bank-a\",\"coordinator\":\"localhost:7431\",\"identity\":{"
		 "\"certificate\":\"c\",\"key\":\"k\",\"ca\":\"a\"},\"peers\":{\"hub\":"
		 "\"sha256:00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff\"},"
		 "\"data\":{\"features\":\"f.npy\"},\"state\":\"%s\",\"policy\":{\"max_eps_total\":"
		 "2,\"max_jobs\":5}}",
		 dir);
	write_run("party.json", config);
	snprintf(line, sizeof(line), "budget --config %s/party.json", dir);
	expect_command(
	    ledger_main, line, 0,
	    "claimed 2 times; of policy.max_eps_total 2 eps 1.25 is left for one more job");
	assert_non_null(strstr(said, "2 of policy.max_jobs 5 jobs"));
}

static void test_verify(void **state)
{
	char words[256];

	(void)state;
	ledger("verify", 0, "ledger of bank-a intact: 4 rows\n");
	snprintf(words, sizeof(words), "verify --against %s", other);
	ledger(words, 0, "4 rows, held against 1 head\n");
	tamper(
	    "DELETE FROM row WHERE number > 2; UPDATE meta SET count = 2, hash = (SELECT hash FROM "
	    "row WHERE number = 2)");
	ledger("verify", 0, "2 rows");
	ledger(words, 1, "rows 3 to 3 are missing, of which bank-b (");
	tamper("UPDATE row SET bytes = 5 WHERE number = 1");
	ledger("verify", 1, "row 1 (MASKED), or the entry of its job, was changed");
}

#define H "230d8358dc8e8890b4c58deeb62912ee2f20357ae92a5cc861b98e68fe31acb5"

static void against(const char *run, int status, const char *text)
{
	char words[256];

	write_run("run.json", run);
	snprintf(words, sizeof(words), "verify --against %s/run.json", dir);
	ledger(words, status, text);
}

static void test_against_run(void **state)
{
	(void)state;
	against("{\"name\":\"bank-b\",\"ledger\":{\"peers\":{\"bank-a\":{\"count\":3,\"hash\":\"" H
		"\"}}}}",
		1, "row 3 is not the one that bank-b (");
	against("{\"name\":\"bank-a\",\"ledger\":{\"count\":9,\"hash\":\"" H "\",\"peers\":{}}}", 1,
		"rows 5 to 9 are missing, of which bank-a (");
	against("{\"name\":\"bank-b\",\"ledger\":{\"count\":9,\"hash\":\"" H "\",\"peers\":{}}}", 4,
		"has no entry for the ledger of bank-a");
	against("{\"name\":\"bank-b\"}", 4, "has no entry for the ledger of bank-a");
	against("[]", 4, "has no entry for the ledger of bank-a");
	against("{\"name\":\"bank-a\",\"ledger\":{\"count\":-1,\"hash\":\"" H "\"}}", 4,
		"a head without count or hash");
	against("{\"name\":\"bank-a\",\"ledger\":{\"count\":1,\"hash\":\"xy\"}}", 4,
		"a head without count or hash");
	against("{", 4, "line 1");
}

static void test_wrong_use(void **state)
{
	(void)state;
	expect_command(ledger_main, "list", 4, "--state is needed");
	expect_command(ledger_main, "budget", 4, "--state or --config is needed");
	ledger("budget --config x", 4, "--config says where the state is");
	ledger("list --delta 0.1", 4, "--config and --delta are for budget");
	ledger("budget --job a1", 4, "--job and --since are for list and export");
	ledger("", 4, "expected list, verify, export or budget");
	ledger("look", 4, "\"look\" is none of list, verify, export");
	ledger("list verify", 4, "unexpected argument: verify");
	ledger("export", 4, "export needs --csv");
	ledger("list --job x", 4, "\"x\" is no job id");
	ledger("list --since yesterday", 4, "--since is \"yesterday\"");
	ledger("list --against x", 4, "--against is for verify");
	ledger("verify --job a1", 4, "verify and budget look at all rows");
	ledger("verify --against /nowhere", 4, "/nowhere: cannot be read");
	expect_command(ledger_main, "list --state /nowhere", 4,
		       "/nowhere/ledger.db: there is no such file");
}

/* ---- approve ---- */

#define ID "a1000000000000000000000000000000"

static void approve(const char *words, int status, const char *text)
{
	snprintf(line, sizeof(line), "%s --state %s", words, dir);
	expect_command(approve_main, line, status, text);
}

static void test_approve(void **state)
{
	struct json *o = json_object();
	struct offer_answer a;

	(void)state;
	approve("--list", 0, "no offer waits for an answer");
	json_put_string(o, "job_id", ID);
	json_put_string(o, "kind", "kcagc");
	json_put_string(o, "coordinator", "hub");
	assert_ok(offer_write(dir, ID, "00", o, (struct bytes){ (const uint8_t *)"shown\n", 6 }));
	json_free(o);
	approve("--list", 0, ID "  ?  kcagc, offered by hub");
	approve("a1 --show", 0, "shown");
	assert_ok(offer_answer_read(dir, ID, "00", &a));
	assert_false(a.given);
	approve("b", 4, "no offer is called b");
	approve("a1", 0, "agreed: job " ID);
	assert_ok(offer_answer_read(dir, ID, "00", &a));
	assert_true(a.given && a.yes);
	approve("a1 --refuse no", 0, "refused: job " ID);
	assert_ok(offer_answer_read(dir, ID, "00", &a));
	assert_true(a.given && !a.yes);
	assert_string_equal(a.why, "no");
	approve("--list", 0, "no offer waits for an answer");
	approve("", 4, "expected a job id or --list");
	approve("a1 --list", 4, "expected a job id or --list");
	approve("A1", 4, "is no job id");
	approve("a1 b1", 4, "unexpected argument: b1");
	approve("--list --refuse x", 4, "--refuse goes with a job id alone");
	expect_command(approve_main, "a1", 4, "--state is needed");
}

#define WITH(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int tests_run(void)
{
	static const struct CMUnitTest tests[] = {
		WITH(test_list),        WITH(test_export),    WITH(test_budget),  WITH(test_verify),
		WITH(test_against_run), WITH(test_wrong_use), WITH(test_approve),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
