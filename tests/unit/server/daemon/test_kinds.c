/* Every kind has its table at the coordinator, and a table that lacks a member is told by its name.
 */
#include "server/daemon/kinds.h"
#include "common/job/kinds.h"
#include "tests/test.h"

#include <stddef.h>
#include <string.h>

TEST(test_all_have_all)
{
	server_kinds_check(); /* aborts otherwise */
}

/* A kind's table is the one that bears its name. */
TEST(test_of_each)
{
#define KIND(name)                                                                                 \
	extern const struct server_kind server_kind_##name;                                        \
	extern const struct kind kind_##name;                                                      \
	assert_ptr_equal(server_kind_of(&kind_##name), &server_kind_##name);
#include "protocols/kinds.def"
#undef KIND
}

/* Each member that must be there, taken out in turn. */
TEST(test_missing_members)
{
	static const struct {
		const char *name;
		size_t offset;
	} member[] = {
		{ "run", offsetof(struct server_kind, run) },
		{ "keep", offsetof(struct server_kind, keep) },
	};

	for (size_t i = 0; i < sizeof(member) / sizeof(*member); i++) {
		struct server_kind k = *server_kind_of(kinds[0]);

		memset((char *)&k + member[i].offset, 0, sizeof(void *));
		assert_string_equal(server_kind_lacks(&k), member[i].name);
	}
}
