/* book.h -- makes a new ledger of bank-a in a temporary folder for each test. */
#ifndef TESTS_UNIT_CRYPTO_BOOK_H
#define TESTS_UNIT_CRYPTO_BOOK_H

#include "crypto/ledger.h"
#include "tests/unit/crypto/lab.h"

static char dir[64], path[96];
static struct ledger *book;

static int set_up(void **state)
{
	(void)state;
	lab_dir(dir);
	snprintf(path, sizeof(path), "%s/ledger.db", dir);
	assert_ok(ledger_open(&book, path, "bank-a"));
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	ledger_close(book);
	lab_remove(dir);
	return 0;
}

#define WITH(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

#endif
