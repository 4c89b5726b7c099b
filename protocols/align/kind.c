#include "protocols/align/job.h"
#include "common/kind/own.h"

static const char *const result_files[] = { "ids.txt", NULL };

/* clang-format off */
const struct config_row align_rows[] = {
	KIND_ALIGN_ROW(struct align_job, "intersect"),
	KIND_ALIGN_BOUNDS(struct align_job),
	{ 0 },
};
/* clang-format on */

static enum err align_check(const void *p)
{
	const struct align_job *job = p;

	if (job->align == ALIGN_SAME)
		return err_set(ERR_INPUT, "job.align is \"same\", expected \"intersect\" with "
					  "kind \"align\": it finds what all parties have");
	return kind_check_align(job);
}

static void align_disclosures(struct disclosures *s, const void *p, size_t parties)
{
	disclose_names(s, parties);
	disclose_align(s, p, parties);
	disclose_privacy(s, NULL);
}

/* Memory estimate, in bytes per id. A party: 64 for its ids with their positions; less than 64 for
 * pseudonyms, and for the table that it sends with its work space. The coordinator: 36 for the sum
 * of these tables and a list. */
static double memory(const void *p, const struct kind_sizes *s)
{
	(void)p;
	return KIND_MEMORY_LEAST + s->n * (s->coordinator ? 12 + 24 : 64 + 64);
}

static const char *align_needs_all(const void *job)
{
	(void)job;
	return "common rows depend on all parties";
}

const struct kind kind_align = {
	.name = "align",
	.split = SPLIT_COLUMNS,
	.needs = NEEDS_IDS,
	.thing = "row",
	.things = "rows",
	.results = result_files,
	.schema = 1,
	.rows = align_rows,
	.clusters = CLUSTERS_NONE,
	.words = WORDS_WIDE,
	.check = align_check,
	.needs_all = align_needs_all,
	.disclosures = align_disclosures,
	.memory = memory,
};
