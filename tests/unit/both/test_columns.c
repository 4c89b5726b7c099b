/* If data are split by rows, parties compare the names, order, types and units of their columns in
 * messages that the coordinator relays but cannot read. */
#include "tests/unit/both/meeting.h"
#include "crypto/secret.h"
#include "party/work/columns.h"
#include "server/run/relay.h"

#include <openssl/crypto.h>

#define NUMBER(name, unit) "{\"name\": \"" name "\", \"type\": \"number\"" unit "}"
#define AGE                NUMBER("age", ", \"unit\": \"years\"")
#define INCOME             NUMBER("income", "")
#define NORTH                                                                                      \
	"{\"name\": \"region=north\", \"type\": \"category\", "                                    \
	"\"from\": \"region\"}"

static void *hub(void *arg)
{
	struct meeting *m = arg;

	run_phase(&m->run, "totals");
	m->result = relay_key(&m->run, SEALED_GROUP_KEY);
	if (m->result == ERR_OK)
		m->result = relay_all(&m->run, SEALED_COLUMNS);
	return NULL;
}

static void *compares(void *arg)
{
	struct slot *s = arg;

	work_phase(&s->work, "totals");
	s->result = work_group_key(&s->work);
	if (s->result == ERR_OK)
		s->result = party_compare_columns(&s->work, &s->d.columns);
	snprintf(s->why, sizeof(s->why), "%s", s->result ? err_detail() : "");
	return NULL;
}

/* `list` has each party's columns ("" for none), and ends with NULL. */
static struct meeting *compare(const char *const *list)
{
	struct meeting *m = alloc(1, sizeof(*m));
	size_t L;

	for (L = 0; list[L]; L++) {
		struct slot *s = &m->slot[L];
		struct buf text = { 0 };

		names_are(&s->d, "");
		s->attend = compares;
		buf_printf(&text, "{\"columns\": [%s]}", list[L]);
		if (*list[L])
			assert_ok(
			    columns_parse((struct bytes){ text.p, text.n }, "x", &s->d.columns));
		buf_release(&text);
	}
	meet(m, L, "hashed");
	hold_with(m, hub);
	assert_int_equal(m->result, ERR_OK);
	for (size_t l = 0; l < L; l++) /* in locked memory, like all keys */
		assert_true(CRYPTO_secure_allocated(m->slot[l].work.group_key));
	return m;
}

static void all_fine(const char *const *list)
{
	struct meeting *m = compare(list);

	for (size_t l = 0; l < m->run.L; l++)
		if (m->slot[l].result != ERR_OK)
			fail_msg("party %zu: %s", l, m->slot[l].why);
	leave(m);
}

/* Requires that party l fails with ENDING_COLUMNS, of which other parties receive a fixed text, and
 * with an error of its own that contains `words`. */
static void says(const struct meeting *m, size_t l, const char *words)
{
	const struct slot *s = &m->slot[l];

	assert_int_equal(s->result, ERR_PEER);
	assert_int_equal(s->work.ending, ENDING_COLUMNS);
	if (!strstr(s->why, words))
		fail_msg("\"%s\", expected \"%s\"", s->why, words);
}

static void test_the_same(void **state)
{
	(void)state;
	all_fine((const char *const[]){ AGE "," INCOME "," NORTH, AGE "," INCOME "," NORTH, NULL });
	all_fine((const char *const[]){ "", "", "", NULL });
	all_fine((const char *const[]){ AGE, NULL });
}

/* A party without column names is not compared; the other parties still are. */
static void test_without_names(void **state)
{
	struct meeting *m;

	(void)state;
	all_fine((const char *const[]){ AGE "," INCOME, "", AGE "," INCOME, NULL });
	m = compare((const char *const[]){ AGE "," INCOME, "", AGE "," NORTH, NULL });
	says(m, 0, "there is p2 with other names;");
	assert_int_equal(m->slot[1].result, ERR_OK);
	says(m, 2, "there is p0 with other names;");
	leave(m);
}

static void test_what_differs(void **state)
{
	struct meeting *m;

	(void)state;
	m = compare((const char *const[]){ AGE "," INCOME, INCOME "," AGE, AGE "," NORTH,
					   AGE "," INCOME, NULL });
	says(m, 0,
	     "the columns of p0 differ from those of other parties: compared with its own, there "
	     "is p1 with "
	     "the same names in another order, p2 with other names;");
	says(m, 1,
	     "there is p0 with the same names in another order, p2 with other names, p3 with");
	says(m, 2, "there is p0 with other names, p1 with other names, p3 with other names;");
	leave(m);
	m = compare((const char *const[]){ AGE, NUMBER("age", ", \"unit\": \"months\""), NULL });
	says(m, 0, "p1 with other types or units under the same names");
	leave(m);
	m = compare(
	    (const char *const[]){ INCOME, "{\"name\": \"income\", \"type\": \"date\"}", NULL });
	says(m, 1, "p0 with other types or units under the same names");
	leave(m);
	/* These lists differ only in the boundaries between texts. */
	m = compare((const char *const[]){ NUMBER("ab", "") "," NUMBER("c", ""),
					   NUMBER("a", "") "," NUMBER("bc", ""), NULL });
	says(m, 0, "p1 with other names");
	leave(m);
}

int tests_run(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_same),
		cmocka_unit_test(test_without_names),
		cmocka_unit_test(test_what_differs),
	};

	if (!CRYPTO_secure_malloc_initialized())
		secret_begin();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
