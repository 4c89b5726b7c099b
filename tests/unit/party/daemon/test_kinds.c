/* Every kind has its table at a party, and a table that lacks a member is told by its name. */
#include "party/daemon/kinds.h"
#include "common/job/kinds.h"
#include "tests/test.h"

#include <stddef.h>
#include <string.h>

TEST(test_all_have_all)
{
	party_kinds_check(); /* aborts otherwise */
}

/* A kind's table is the one that bears its name. */
TEST(test_of_each)
{
#define KIND(name)                                                                                 \
	extern const struct party_kind party_kind_##name;                                          \
	extern const struct kind kind_##name;                                                      \
	assert_ptr_equal(party_kind_of(&kind_##name), &party_kind_##name);
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
		{ "sums", offsetof(struct party_kind, sums) },
		{ "allow", offsetof(struct party_kind, allow) },
		{ "allow_eps", offsetof(struct party_kind, allow_eps) },
		{ "accept", offsetof(struct party_kind, accept) },
		{ "off_ranks", offsetof(struct party_kind, off_ranks) },
		{ "run", offsetof(struct party_kind, run) },
		{ "keep", offsetof(struct party_kind, keep) },
	};

	for (size_t i = 0; i < sizeof(member) / sizeof(*member); i++) {
		struct party_kind k = *party_kind_of(kinds[0]);

		memset((char *)&k + member[i].offset, 0, sizeof(void *));
		assert_string_equal(party_kind_lacks(&k), member[i].name);
	}
}
