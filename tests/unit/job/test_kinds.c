/* Every kind has its table, and a table that lacks a member is told by its name. */
#include "common/job/kinds.h"
#include "tests/test.h"

#include <stddef.h>
#include <string.h>

static void test_all_have_all(void **state)
{
	(void)state;
	kinds_check(); /* aborts otherwise */
}

/* Each member that must be there, taken out in turn. */
static void test_missing_members(void **state)
{
	static const struct {
		const char *name;
		size_t offset;
	} member[] = {
		{ "rows", offsetof(struct kind, rows) },
		{ "presets", offsetof(struct kind, presets) },
		{ "settle", offsetof(struct kind, settle) },
		{ "check", offsetof(struct kind, check) },
		{ "unread", offsetof(struct kind, unread) },
		{ "standard", offsetof(struct kind, standard) },
		{ "permission", offsetof(struct kind, permission) },
		{ "permissions", offsetof(struct kind, permissions) },
		{ "leaks", offsetof(struct kind, leaks) },
		{ "claim", offsetof(struct kind, claim) },
		{ "is_flat", offsetof(struct kind, is_flat) },
		{ "burst", offsetof(struct kind, burst) },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(member) / sizeof(*member); i++) {
		struct kind k = *kinds[0];

		memset((char *)&k + member[i].offset, 0, sizeof(void *));
		assert_string_equal(kind_lacks(&k), member[i].name);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all_have_all),
		cmocka_unit_test(test_missing_members),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
