/* Every kind's table has the members that may not be NULL. */
#include "common/job/kinds.h"
#include "tests/test.h"

TEST(test_all_have_all)
{
	for (size_t i = 0; kinds[i]; i++) {
		const struct kind *k = kinds[i];

		if (!k->name || !k->thing || !k->things || !k->rows || !k->results || !k->check ||
		    !k->disclosures || !k->memory || !k->permission != !k->permissions ||
		    (k->clusters == CLUSTERS_OR_RANGE && !k->one_k))
			fail_msg("the table of kind %s lacks a member", k->name);
	}
}
