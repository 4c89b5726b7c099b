#include "protocols/fedwalk/job.h"
#include "common/kind/own.h"

static const char *const permissions[] = { "fedwalk", "fedwalk.dtw", NULL };

/* Returns the permission that a job needs. Dissimilarity "dtw" needs a permission of its own,
 * because it discloses every tie. */
static const char *fedwalk_permission(const void *p)
{
	const struct fedwalk_job *job = p;

	return job->mode == FEDWALK_WALKS && job->dissimilarity == DISSIMILARITY_DTW ? "fedwalk.dtw"
										     : "fedwalk";
}

/* Returns why the job needs all parties: without a party, its vertices and all ties to them would
 * be missing. */
static const char *fedwalk_needs_all(const void *job)
{
	(void)job;
	return "walks cross all parties";
}

static struct kind_claim fedwalk_claim(const void *job)
{
	(void)job;
	return (struct kind_claim){ .one_question = true };
}

static const char *const result_files[] = { "embeddings.npy", "ids.csv", NULL };

const struct kind kind_fedwalk = {
	.name = "fedwalk",
	.split = SPLIT_VERTICES,
	.needs = NEEDS_EDGES | NEEDS_VERTICES,
	.thing = "vertex",
	.things = "vertices",
	.embeds = true,
	.pictured = true,
	.relays = true,
	.results = result_files,
	.schema = 1,
	.rows = fedwalk_rows,
	.way = "mode",
	.words = WORDS_WIDE,
	.presets = fedwalk_presets,
	.check = fedwalk_check,
	.needs_all = fedwalk_needs_all,
	.unread = fedwalk_unread,
	.permission = fedwalk_permission,
	.permissions = permissions,
	.disclosures = fedwalk_disclosures,
	.claim = fedwalk_claim,
	.memory = fedwalk_memory,
};
