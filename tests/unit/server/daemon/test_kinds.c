/* Every kind has its table at the coordinator, and a table that lacks a member is told by its name.
 */
#include "server/daemon/kinds.h"
#include "common/job/kinds.h"
#include "tests/test.h"

#include <stddef.h>
#include <string.h>

static void test_all_have_all(void **state)
{
	(void)state;
	server_kinds_check(); /* aborts otherwise */
}

/* Each member that must be there, taken out in turn. */
static void test_missing_members(void **state)
{
	static const struct {
		const char *name;
		size_t offset;
	} member[] = {
		{ "compare", offsetof(struct server_kind, compare) },
		{ "run", offsetof(struct server_kind, run) },
		{ "keep", offsetof(struct server_kind, keep) },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(member) / sizeof(*member); i++) {
		struct server_kind k = *server_kind_of(kinds[0]);

		memset((char *)&k + member[i].offset, 0, sizeof(void *));
		assert_string_equal(server_kind_lacks(&k), member[i].name);
	}
	assert_string_equal(server_kind_lacks(NULL), "a table of its own");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all_have_all),
		cmocka_unit_test(test_missing_members),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
