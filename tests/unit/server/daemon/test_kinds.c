/* Every kind has a table at the coordinator, and each table has the members that may not be
 * NULL. */
#include "server/daemon/kinds.h"
#include "common/job/kinds.h"
#include "tests/test.h"

TEST(test_all_have_all)
{
	for (size_t i = 0; kinds[i]; i++) {
		const struct server_kind *half = server_kind_of(kinds[i]);

		if (!half->run || !half->keep)
			fail_msg("the table of kind %s lacks a member", kinds[i]->name);
	}
}

/* For each name in kinds.def, server_kind_of(&kind_NAME) is server_kind_NAME. */
TEST(test_of_each)
{
#define KIND(name)                                                                                 \
	extern const struct server_kind server_kind_##name;                                        \
	extern const struct kind kind_##name;                                                      \
	assert_ptr_equal(server_kind_of(&kind_##name), &server_kind_##name);
#include "protocols/kinds.def"
#undef KIND
}
