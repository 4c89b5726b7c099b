/* Every kind has a table at a party, and each table has the members that may not be NULL. */
#include "party/daemon/kinds.h"
#include "common/job/kinds.h"
#include "tests/test.h"

TEST(test_all_have_all)
{
	for (size_t i = 0; kinds[i]; i++) {
		const struct party_kind *side = party_kind_of(kinds[i]);

		if (!side->accept || !side->run || !side->keep)
			fail_msg("the table of kind %s lacks a member", kinds[i]->name);
	}
}

/* party_kind_of() returns the table with the kind's name. */
TEST(test_of_each)
{
#define KIND(name)                                                                                 \
	extern const struct party_kind party_kind_##name;                                          \
	extern const struct kind kind_##name;                                                      \
	assert_ptr_equal(party_kind_of(&kind_##name), &party_kind_##name);
#include "protocols/kinds.def"
#undef KIND
}
