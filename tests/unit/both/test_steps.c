/* Sends every message of the catalogue at every step of kCAGC, to both sides. */
#include "tests/unit/both/steps.h"

/* Jobs with few starts and steps, but with all kinds of messages: two levels, screening, polish. */
static const struct plan plan = { .n = 48, .m = 16, .seed = 1, .noise = 1.5 };
static const char tree[] = "method=tree starts=3 restarts=2 screen=1 iterations=2 inner_restarts=2 "
			   "inner_iterations=2 polish=1";
static const char basic[] = "method=basic starts=3 restarts=2 screen=1 iterations=2";

TEST(test_tree)
{
	static const enum msg_type to_party[] = { MSG_CELLS, MSG_STARTS,   MSG_ASSIGNMENT,
						  MSG_KEPT,  MSG_CLUSTERS, MSG_RESULT },
				   from_party[] = { MSG_LOCAL_CLUSTERS, MSG_MASKED };
	struct recording *r = recording_new(&plan, 4, tree, false);

	assert_holds(&r->to_party[3], to_party, 6);
	assert_holds(&r->from_party[3], from_party, 2);
	check_recording(r, 3);
}

TEST(test_basic)
{
	check_recording(recording_new(&plan, 2, basic, false), 0);
}

/* Tests groups of parties that compute nothing, so that CLUSTERS directly follows CELLS. */
TEST(test_groups_with_nothing_to_compute)
{
	struct plan wide = { .n = 48, .m = 20, .seed = 1, .noise = 1.5 };
	struct recording *r =
	    recording_new(&wide, 5, "method=tree local_clusters=3 polish=0", true);

	assert_int_equal(r->from_party[2].count, 1);
	check_recording(r, 2);
}

TEST(test_single)
{
	check_recording(recording_new(&plan, 1, "polish=1", false), 0);
}
