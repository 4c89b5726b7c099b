/* test.h -- includes cmocka with its prerequisites, and has functions that several tests use. */
#ifndef TESTS_TEST_H
#define TESTS_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "common/base/err.h"
#include "common/base/sanitized.h"

/* Casts uint8_t strings to char: cmocka accepts them, but since version 1.1.8 with a warning. */
#undef assert_string_equal
#define assert_string_equal(a, b)                                                                  \
	_assert_string_equal((const char *)(a), (const char *)(b), __FILE__, __LINE__)

/* Error messages of tests contain values of the data, like those of the program `coterie`, if the
 * test links common/data. */
#ifndef TEST_VALUES_HIDDEN
void values_show(void) __attribute__((weak));
__attribute__((constructor)) static void tests_show_values(void)
{
	if (values_show)
		values_show();
}
#endif

/* Returns the name of an error code, such as "PEER", or "?" for a code that does not exist. */
static inline const char *err_name(enum err code)
{
	switch (code) {
#define X(name, exit_status, text)                                                                 \
	case ERR_##name:                                                                           \
		return #name;
		ERR_MAP(X)
#undef X
	}
	return "?";
}

/* scripts/check without --all sets COTERIE_SAMPLE. A test of all combinations of independent
 * factors then runs only every n-th diagonal of combinations. `i` is the sum of the indices of the
 * factors' values. The sample has each value of each factor. */
static inline bool sampling(void)
{
	return getenv("COTERIE_SAMPLE") != NULL;
}

static inline bool in_sample(size_t i, size_t n)
{
	return !sampling() || i % n == 0;
}

/* Returns whether scripts/run-tests runs the program in an emulator of another architecture. Such
 * an emulator has no Landlock, no seccomp, and no flags of mappings. */
static inline bool emulated(void)
{
	return getenv("COTERIE_EMULATOR") != NULL;
}

/* Requires that a call succeeds. Prints the error message if it fails. */
#define assert_ok(expr)                                                                            \
	do {                                                                                       \
		enum err ok_err_ = (expr);                                                         \
		if (ok_err_ != ERR_OK)                                                             \
			fail_msg("%s: %s: %s", #expr, err_name(ok_err_), err_detail());            \
	} while (0)

/* Requires that a call fails with this code, and that the error message contains `text`. */
#define assert_err(expr, code, text)                                                               \
	do {                                                                                       \
		enum err err_err_ = (expr);                                                        \
		if (err_err_ != (code) || !strstr(err_detail(), text))                             \
			fail_msg("%s: %s: \"%s\", expected %s and \"%s\"", #expr,                  \
				 err_name(err_err_), err_detail(), err_name(code), text);          \
	} while (0)

/* ---- tests register themselves ---- */

enum { TESTS_MAX = 96 };

struct tests {
	struct CMUnitTest test[TESTS_MAX]; /* sorted by `line` */
	int line[TESTS_MAX];
	size_t n;
	CMFixtureFunction set_up, tear_down; /* run once, before and after all tests */
};

/* The program has one such list, even if several of its files include this header. */
struct tests tests_of_program __attribute__((weak));

static inline void tests_add(struct CMUnitTest test, int line)
{
	struct tests *t = &tests_of_program;
	size_t i = t->n++;

	if (t->n > TESTS_MAX)
		abort();
	for (; i && t->line[i - 1] > line; i--) {
		t->test[i] = t->test[i - 1];
		t->line[i] = t->line[i - 1];
	}
	t->test[i] = test;
	t->line[i] = line;
}

/* TEST(name) { ... } defines a test. The program runs its tests in the order of the file. */
#define TEST_WITH(name, set_up, tear_down)                                                         \
	static void name(void **state);                                                            \
	__attribute__((constructor)) static void name##_registers(void)                            \
	{                                                                                          \
		tests_add((struct CMUnitTest){ #name, name, set_up, tear_down, NULL }, __LINE__);  \
	}                                                                                          \
	static void name(__attribute__((unused)) void **state)
#define TEST(name) TEST_WITH(name, NULL, NULL)

/* Sets functions that run before and after all tests of the program. Each of them may be NULL. */
#define TESTS_BETWEEN(before, after)                                                               \
	__attribute__((constructor)) static void tests_have_fixtures(void)                         \
	{                                                                                          \
		tests_of_program.set_up = (before);                                                \
		tests_of_program.tear_down = (after);                                              \
	}

/* Replaces all tests of a program that needs what an emulator lacks, and is skipped. */
static inline void emulators_lack_this(void **state)
{
	(void)state;
	skip();
}

static inline int tests_skip(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(emulators_lack_this) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* A program with a list of tests of its own defines this function. main() then calls it in place of
 * the registered tests, and returns its result. */
int tests_run(void) __attribute__((weak));

extern char **tests_argv;
char **tests_argv __attribute__((weak));

int main(int argc, char **argv) __attribute__((weak));
int main(__attribute__((unused)) int argc, char **argv)
{
	struct tests *t = &tests_of_program;

	tests_argv = argv;
	if (tests_run)
		return tests_run();
	return _cmocka_run_group_tests("tests", t->test, t->n, t->set_up, t->tear_down);
}

#endif
