/* Every kind has its table, and a table that lacks a member is told by its name. */
#include "common/job/kinds.h"
#include "tests/test.h"

#include <stddef.h>
#include <string.h>

TEST(test_all_have_all)
{
	kinds_check(); /* aborts otherwise */
}

/* Each member that must be there, taken out in turn. */
TEST(test_missing_members)
{
	static const struct {
		const char *name;
		size_t offset;
	} member[] = {
		{ "rows", offsetof(struct kind, rows) },
		{ "check", offsetof(struct kind, check) },
		{ "unread", offsetof(struct kind, unread) },
		{ "standard", offsetof(struct kind, standard) },
		{ "permission", offsetof(struct kind, permission) },
		{ "permissions", offsetof(struct kind, permissions) },
		{ "leaks", offsetof(struct kind, leaks) },
		{ "claim", offsetof(struct kind, claim) },
		{ "is_flat", offsetof(struct kind, is_flat) },
	};

	for (size_t i = 0; i < sizeof(member) / sizeof(*member); i++) {
		struct kind k = *kinds[0];

		memset((char *)&k + member[i].offset, 0, sizeof(void *));
		assert_string_equal(kind_lacks(&k), member[i].name);
	}
}
