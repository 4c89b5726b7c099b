#include "protocols/fedwalk/job.h"
#include "common/kind/own.h"
#include "protocols/fedwalk/bins.h"

#include <stddef.h>
#include <string.h>

const char *const fedwalk_mode_names[] = { "walks", "randomized-response", NULL };
static const char *const dissimilarity_names[] = { "l1", "dtw", NULL };
static const char *const ids_names[] = { "hashed", "plain", NULL };
static const char *const auto_word[] = { "auto", NULL };

enum { WALKS = 1 << FEDWALK_WALKS }; /* bit of the mode that reads a parameter; 0: all modes do */

#define AT(field) offsetof(struct fedwalk_job, field)

/* clang-format off */
const struct config_row fedwalk_rows[] = {
	{ "ids", CONFIG_ENUM, AT(ids), .standard = "hashed", .names = ids_names,
	  .help = "form of node ids at the coordinator: \"hashed\" with a key that the "
		  "coordinator lacks, or \"plain\"" },
	{ "mode", CONFIG_ENUM, AT(mode), .standard = "walks", .names = fedwalk_mode_names,
	  .help = "\"walks\": walks pass from party to party as published, and disclose edges; "
		  "\"randomized-response\": each pair of vertices is reported once by "
		  "randomised response, and walks run on the reports" },
	{ "dissimilarity", CONFIG_ENUM, AT(dissimilarity), .standard = "l1",
	  .names = dissimilarity_names,
	  .help = "dissimilarity of vertices: between noisy degree vectors (l1), or as "
		  "published (dtw): parties then upload edges",
	  .readers = WALKS },
	{ "dtw_rows", CONFIG_UNSIGNED, AT(dtw_rows), 0, 4096, "0",
	  .help = "dtw: most rows of a matrix of degree vectors; longer matrices are averaged "
		  "down to it; 0: no limit",
	  .readers = WALKS },
	{ "eps", CONFIG_DOUBLE, AT(eps), 1e-3, 1e6, "2",
	  .help = "mode \"walks\": eps of the noise on degree vectors, and of the encoder; "
		  "\"randomized-response\": eps of all reports, default 8" },
	{ "p", CONFIG_DOUBLE, AT(p), 0, 1, "0.2",
	  .help = "probability that the party predicts the vertex after the next, which saves a "
		  "message",
	  .readers = WALKS },
	{ "bins", CONFIG_UNSIGNED, AT(bins), 1, FEDWALK_BINS_MAX, "auto", .names = auto_word,
	  .help = "bins of a degree vector, k; \"auto\": floor(ln n)",
	  .readers = WALKS },
	{ "walks", CONFIG_UNSIGNED, AT(walks), 1, 10000, "80",
	  .help = "walks from each vertex, gamma" },
	{ "length", CONFIG_UNSIGNED, AT(length), 3, FEDWALK_LENGTH_MAX, "40",
	  .help = "vertices of a walk, l" },
	{ "window", CONFIG_UNSIGNED, AT(window), 1, 100, "10",
	  .help = "largest SkipGram window, w; each centre vertex takes a window from 1 to w" },
	{ "dims", CONFIG_UNSIGNED, AT(dims), FEDWALK_DIMS, FEDWALK_DIMS, "128",
	  .help = "dimensions of an embedding; fixed" },
	{ "keep_embeddings", CONFIG_BOOL, AT(keep_embeddings), .standard = "true",
	  .help = "true: the coordinator also writes all embeddings; false: only each party "
		  "writes the embeddings of its own vertices" },
	{ 0 },
};
/* clang-format on */

/* With the default of mode "walks", 2, the embeddings would be useless. */
static const struct config_preset response[] = { { "eps", "8" }, { NULL, NULL } };

void fedwalk_presets(const struct json *root, struct kind_presets *to)
{
	if (!strcmp(json_text(root, "mode"), "randomized-response"))
		presets_add(to, response);
}

unsigned fedwalk_job_bins(const struct fedwalk_job *job, size_t n)
{
	return job->bins == JOB_AUTO ? fedwalk_bins_default(n) : job->bins;
}
