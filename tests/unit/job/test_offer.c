/* Tests an offer that waits for a user's approval, and the answer. */
#include "tests/test.h"
#include "tests/unit/dir.h"

#include "common/base/file.h"
#include "common/job/offer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define A    "a1000000000000000000000000000000"
#define A2   "a2000000000000000000000000000000"
#define HASH "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define ELSE "1123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

static void offer(const char *id, const char *hash)
{
	struct json *o = json_object();

	json_put_string(o, "job_id", id);
	assert_ok(offer_write(dir, id, hash, o, (struct bytes){ (const uint8_t *)"read me\n", 8 }));
	json_free(o);
}

static size_t waiting(void)
{
	struct json *list;
	size_t n;

	assert_ok(offer_list(dir, &list));
	n = json_count(list);
	json_free(list);
	return n;
}

static struct offer_answer answer_to(const char *id, const char *hash)
{
	struct offer_answer a;

	assert_ok(offer_answer_read(dir, id, hash, &a));
	return a;
}

static void test_approved_by_the_user(void **state)
{
	(void)state;
	assert_int_equal(waiting(), 0);
	offer(A, HASH);
	offer(A2, HASH);
	assert_int_equal(waiting(), 2);
	assert_false(answer_to(A, HASH).given);
	assert_ok(offer_answer_write(dir, A, true, "", 1));
	assert_true(answer_to(A, HASH).given && answer_to(A, HASH).yes);
	assert_false(answer_to(A2, HASH).given);
	assert_int_equal(waiting(), 1);
}

static void test_refused_by_the_user(void **state)
{
	struct offer_answer a;

	(void)state;
	offer(A, HASH);
	assert_ok(offer_answer_write(dir, A, false, "ask \"legal\" first", 1));
	a = answer_to(A, HASH);
	assert_true(a.given && !a.yes);
	assert_string_equal(a.why, "ask \"legal\" first");
}

/* Approval of one offer does not apply to another offer with the same id. */
static void test_another_offer(void **state)
{
	(void)state;
	offer(A, HASH);
	assert_ok(offer_answer_write(dir, A, true, "", 1));
	assert_false(answer_to(A, HASH).other);
	assert_false(answer_to(A, ELSE).given);
	assert_true(answer_to(A, ELSE).other);
	offer(A, ELSE);
	assert_false(answer_to(A, ELSE).given);
	assert_false(answer_to(A, ELSE).other);
	assert_false(answer_to(A, HASH).given);
}

/* The hash of the offer that the user has read must match: another offer may have replaced it. */
static void test_answer_to_what_was_read(void **state)
{
	(void)state;
	offer(A, ELSE);
	assert_err(offer_answer_to(dir, A, HASH, true, "", 1), ERR_INPUT, "is another one by now");
	assert_false(answer_to(A, ELSE).given);
	assert_ok(offer_answer_to(dir, A, ELSE, true, "", 1));
	assert_true(answer_to(A, ELSE).given);
}

static void test_withdrawn(void **state)
{
	(void)state;
	offer(A, HASH);
	offer_withdraw(dir, A);
	assert_int_equal(waiting(), 0);
	assert_err(offer_answer_write(dir, A, true, "", 1), ERR_INPUT, A ".json");
	offer(A, HASH);
	assert_ok(offer_answer_write(dir, A, true, "", 1));
	offer_withdraw(dir, A); /* the offer has an answer, which the next attempt reads */
	assert_true(answer_to(A, HASH).given);
}

static void test_offer_file_is_read(void **state)
{
	struct buf text = { 0 };
	char id[OFFER_ID_TEXT];

	(void)state;
	offer(A, HASH);
	offer(A2, HASH);
	assert_err(offer_read(dir, "a", id, &text), ERR_INPUT, "more than one offer is called a");
	assert_err(offer_read(dir, "b", id, &text), ERR_INPUT, "no offer is called b");
	assert_err(offer_read(dir, "", id, &text), ERR_INPUT, "offer is called \"\"");
	assert_ok(offer_read(dir, "a2", id, &text));
	assert_string_equal(id, A2);
	assert_int_equal(text.n, 8);
	buf_release(&text);
}

static void garbage(const char *text, const char *message)
{
	char path[128];
	struct offer_answer a;

	snprintf(path, sizeof(path), "%s/offers/" A ".answer", dir);
	assert_ok(
	    file_write(path, (struct bytes){ (const uint8_t *)text, strlen(text) }, FILE_SECRET));
	assert_err(offer_answer_read(dir, A, HASH, &a), ERR_INPUT, message);
	assert_false(a.given);
}

static void answer_file(const char *text)
{
	char path[160];

	snprintf(path, sizeof(path), "%s/offers/" A ".answer", dir);
	assert_ok(
	    file_write(path, (struct bytes){ (const uint8_t *)text, strlen(text) }, FILE_SECRET));
}

/* An answer applies until its date; an answer without a date never applies. */
static void test_answers_that_are_over(void **state)
{
	(void)state;
	offer(A, HASH);
	answer_file("{\"answer\":\"yes\",\"offer\":\"" HASH
		    "\",\"until\":\"2099-01-01T00:00:00Z\"}");
	assert_true(answer_to(A, HASH).given);
	answer_file("{\"answer\":\"yes\",\"offer\":\"" HASH
		    "\",\"until\":\"2026-01-01T00:00:00Z\"}");
	assert_false(answer_to(A, HASH).given);
	answer_file("{\"answer\":\"yes\",\"offer\":\"" HASH "\"}");
	assert_false(answer_to(A, HASH).given);
}

static void test_bad_answers(void **state)
{
	char why[OFFER_WHY_MAX + 2];

	(void)state;
	offer(A, HASH);
	garbage("yes", "line 1");
	garbage("[]", "expected \"answer\"");
	garbage("{\"answer\":true,\"offer\":\"" HASH "\"}", "expected \"answer\"");
	garbage("{\"answer\":\"maybe\",\"offer\":\"" HASH "\"}", "expected \"answer\"");
	garbage("{\"answer\":\"no\",\"why\":\"\\u001b[2J\",\"offer\":\"" HASH "\"}",
		"expected \"answer\"");
	assert_err(offer_answer_write(dir, A, false, "a\nb", 1), ERR_INPUT, "not printable");
	memset(why, 'x', sizeof(why));
	why[OFFER_WHY_MAX + 1] = 0;
	assert_err(offer_answer_write(dir, A, false, why, 1), ERR_INPUT, "up to 400 bytes");
}

#define WITH(test) cmocka_unit_test_setup_teardown(test, dir_make, dir_remove)

int tests_run(void)
{
	static const struct CMUnitTest tests[] = {
		WITH(test_approved_by_the_user),
		WITH(test_refused_by_the_user),
		WITH(test_another_offer),
		WITH(test_answer_to_what_was_read),
		WITH(test_withdrawn),
		WITH(test_offer_file_is_read),
		WITH(test_bad_answers),
		WITH(test_answers_that_are_over),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
