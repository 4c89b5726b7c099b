/* test.h -- cmocka with its prerequisites, and what several tests want. */
#ifndef TESTS_TEST_H
#define TESTS_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "common/base/err.h"
#include "common/base/sanitized.h"

/* Bytes are uint8_t here, which cmocka takes for strings until 1.1.7, and from 1.1.8 on with a
 * warning. */
#undef assert_string_equal
#define assert_string_equal(a, b)                                                                  \
	_assert_string_equal((const char *)(a), (const char *)(b), __FILE__, __LINE__)

/* Sentences of tests have values, as those of `coterie` do; where common/data is linked. */
#ifndef TEST_VALUES_HIDDEN
void values_show(void) __attribute__((weak));
__attribute__((constructor)) static void tests_show_values(void)
{
	if (values_show)
		values_show();
}
#endif

/* "PEER"; "?" for a code that does not exist. */
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

/* Prints the sentence when a call that must succeed fails. */
#define assert_ok(expr)                                                                            \
	do {                                                                                       \
		enum err ok_err_ = (expr);                                                         \
		if (ok_err_ != ERR_OK)                                                             \
			fail_msg("%s: %s: %s", #expr, err_name(ok_err_), err_detail());            \
	} while (0)

/* The call must fail with this code and a sentence that contains text. */
#define assert_err(expr, code, text)                                                               \
	do {                                                                                       \
		enum err err_err_ = (expr);                                                        \
		if (err_err_ != (code) || !strstr(err_detail(), text))                             \
			fail_msg("%s: %s: \"%s\", expected %s and \"%s\"", #expr,                  \
				 err_name(err_err_), err_detail(), err_name(code), text);          \
	} while (0)

#endif
