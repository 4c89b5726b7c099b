/* Tests the account of privacy costs. The costs of a data set add up under its name, for all
 * contents and all coordinators. Files of older versions have no names. */
#include "tests/test.h"
#include "common/privacy/account.h"
#include "tests/unit/crypto/ledger_rows.h"

#include <math.h>

static struct ledger_job of(const char *set, uint8_t data)
{
	struct ledger_job j = job_a;

	j.id[0] = 99;
	j.set = set;
	j.data[0] = data;
	return j;
}

static double square(const char *set, uint8_t data, const char *unit)
{
	struct ledger_job j = of(set, data);
	struct ledger_account a;

	assert_ok(ledger_account(book, &j, &a));
	return ledger_square(&a, unit);
}

static uint64_t jobs(const char *set, uint8_t data)
{
	struct ledger_job j = of(set, data);
	struct ledger_spent s;

	assert_ok(ledger_spent(book, &j, &s));
	return s.jobs;
}

/* Jobs over different data count together if the data sets have the same name. */
static void a_name_outlives_the_data(void **state)
{
	struct ledger_job j;
	char *other;

	(void)state;
	write_claim("customers", 1, 1, 0.3);
	write_claim("customers", 2, 2, 0.4);
	write_claim("suppliers", 3, 3, 1);
	write_claim("", 4, 4, 2);
	assert_true(fabs(square("customers", 5, "row") - 0.25) <= 1e-15);
	assert_int_equal(jobs("customers", 5), 2);
	assert_true(square("", 5, "row") == 0);
	assert_int_equal(jobs("", 5), 0);
	assert_true(fabs(square("suppliers", 9, "row") - 1) <= 1e-15);
	assert_true(square("customers", 5, "edge") == 0);
	j = of("customers", 5);
	j.parties = "bank-a bank-c";
	assert_ok(ledger_other_parties(book, &j, &other));
	assert_string_equal(other, "bank-a bank-b");
	free(other);
}

/* Data may get a name, lose their name, or get another name. The cost stays with the data. */
static void a_new_name_does_not_begin_anew(void **state)
{
	(void)state;
	write_claim("", 1, 1, 0.3);
	assert_true(fabs(square("customers", 1, "row") - 0.09) <= 1e-15);
	write_claim("customers", 1, 2, 0.4);
	assert_true(fabs(square("customers", 2, "row") - 0.25) <= 1e-15);
	assert_true(fabs(square("", 1, "row") - 0.25) <= 1e-15);
	assert_true(fabs(square("clients", 1, "row") - 0.25) <= 1e-15);
	assert_int_equal(jobs("clients", 1), 2);
	assert_int_equal(jobs("clients", 2), 0);
}

static void units_are_apart_and_coordinators_are_not(void **state)
{
	struct ledger_job j = of("customers", 1);
	struct ledger_row row = { .step = "s",
				  .purpose = "p",
				  .type = "MASKED",
				  .words = 1,
				  .eps = 1,
				  .delta = 1e-5,
				  .mu = 0.5,
				  .unit = "edge" };
	struct ledger_account a;

	(void)state;
	write_claim("customers", 1, 1, 0.3);
	j.key[0]++;
	j.coordinator = "lab";
	ledger_begin(book, &j);
	ledger_note(book, &row, (struct bytes){ (const uint8_t *)"", 0 });
	row.unit = "row";
	ledger_note(book, &row, (struct bytes){ (const uint8_t *)"", 0 });
	assert_ok(ledger_commit(book));
	assert_ok(ledger_account(book, &j, &a));
	assert_int_equal(a.units, 2);
	assert_true(fabs(ledger_square(&a, "row") - 0.34) <= 1e-15);
	assert_true(fabs(ledger_square(&a, "edge") - 0.25) <= 1e-15);
	assert_int_equal(verify(), 0);
}

/* Older versions wrote eps and delta into the ledger's rows, but no mu. Each such row counts as
 * Gaussian noise of that eps and delta. A row with eps but without delta costs infinitely much. */
static void older_claims_count(void **state)
{
	double mu;

	(void)state;
	write_claim("", 1, 1, 0.3);
	ledger_close(book);
	tamper("DROP TABLE claim; DROP TABLE had; ALTER TABLE job DROP COLUMN dataset");
	assert_ok(ledger_open(&book, path, "bank-a"));
	assert_ok(account_mu(1, 1e-5, &mu));
	assert_true(fabs(square("customers", 1, "row") - mu * mu) <= 1e-12);
	ledger_close(book);
	tamper("UPDATE row SET delta = 0 WHERE eps > 0");
	assert_ok(ledger_open(&book, path, "bank-a"));
	assert_true(isinf(square("customers", 1, "row")));
}

static void what_claims_nothing_is_counted(void **state)
{
	struct ledger_job j = of("", 9);
	uint64_t bare;

	(void)state;
	write_claim("", 9, 1, 0.3);
	spend(1, 2, 7, 9, "bank-a bank-b", 3); /* another attempt at job 1 */
	spend(2, 1, 7, 9, "bank-a bank-b", 3);
	spend(3, 1, 8, 9, "bank-a bank-b", 1);
	spend(4, 1, 8, 9, "bank-a bank-b", 0);
	assert_ok(ledger_bare(book, &j, &bare));
	assert_int_equal(bare, 2);
}

static char found[400];

static enum err add_set(void *arg, const struct ledger_job *job, const struct ledger_spent *s)
{
	(void)arg;
	sprintf(found + strlen(found), "%s/%d %d; ", job->set, job->data[0], (int)s->jobs);
	return ERR_OK;
}

static void each_set_is_told_once(void **state)
{
	(void)state;
	write_claim("", 1, 1, 0.3);
	write_claim("customers", 1, 2, 0.3);
	write_claim("customers", 2, 3, 0.3);
	write_claim("", 7, 4, 0.3);
	*found = 0;
	assert_ok(ledger_read_spent(book, add_set, NULL));
	assert_string_equal(found, "/7 1; customers/2 3; ");
	ledger_close(book);
	tamper("ALTER TABLE job DROP COLUMN dataset");
	assert_ok(ledger_open_read(&book, path));
	assert_err(ledger_read_spent(book, add_set, NULL), ERR_INPUT, "an older version");
}

int tests_run(void)
{
	static const struct CMUnitTest tests[] = {
		WITH(a_name_outlives_the_data),
		WITH(a_new_name_does_not_begin_anew),
		WITH(units_are_apart_and_coordinators_are_not),
		WITH(older_claims_count),
		WITH(what_claims_nothing_is_counted),
		WITH(each_set_is_told_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
