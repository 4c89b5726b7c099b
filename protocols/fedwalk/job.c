#include "protocols/fedwalk/job.h"
#include "common/kind/own.h"
#include "protocols/fedwalk/bins.h"

#include <stddef.h>
#include <string.h>

const char *const fedwalk_mode_names[] = { "walks", "randomized-response", NULL };
static const char *const dissimilarity_names[] = { "l1", "dtw", NULL };
static const char *const ids_names[] = { "hashed", "plain", NULL };
static const char *const auto_word[] = { "auto", NULL };

enum { WALKS = 1 << FEDWALK_WALKS }; /* the mode that reads a row; none: all do */

#define AT(field) offsetof(struct fedwalk_job, field)

/* clang-format off */
const struct config_row fedwalk_rows[] = {
	{ "ids", CONFIG_ENUM, AT(ids), .standard = "hashed", .names = ids_names,
	  .help = "how nodes' ids reach the coordinator: as hashes by a key it does not have, or "
		  "as they are" },
	{ "mode", CONFIG_ENUM, AT(mode), .standard = "walks", .names = fedwalk_mode_names,
	  .help = "walks from device to device, as the paper has them, from which ties can be "
		  "read; or each pair reported once by randomised response, and walks over what "
		  "was reported" },
	{ "dissimilarity", CONFIG_ENUM, AT(dissimilarity), .standard = "l1",
	  .names = dissimilarity_names,
	  .help = "of vertices: between their noisy degree vectors; or the paper's, for which each "
		  "uploads its ties",
	  .readers = WALKS },
	{ "dtw_rows", CONFIG_UNSIGNED, AT(dtw_rows), 0, 4096, "0",
	  .help = "dtw: longer matrices of degree vectors are averaged down to so many rows; 0: "
		  "not",
	  .readers = WALKS },
	{ "eps", CONFIG_DOUBLE, AT(eps), 1e-3, 1e6, "2",
	  .help = "walks: of the noise on degree vectors and of the encoder; randomized-response: "
		  "of all ties together, 8 where not given" },
	{ "p", CONFIG_DOUBLE, AT(p), 0, 1, "0.2",
	  .help = "walks: how often the vertex after the next one is predicted, which saves a "
		  "message",
	  .readers = WALKS },
	{ "bins", CONFIG_UNSIGNED, AT(bins), 1, FEDWALK_BINS_MAX, "auto", .names = auto_word,
	  .help = "walks: k, bins of a degree vector; \"auto\": floor(ln n)",
	  .readers = WALKS },
	{ "walks", CONFIG_UNSIGNED, AT(walks), 1, 10000, "80",
	  .help = "gamma, walks from each vertex" },
	{ "length", CONFIG_UNSIGNED, AT(length), 3, FEDWALK_LENGTH_MAX, "40",
	  .help = "l, vertices of a walk" },
	{ "window", CONFIG_UNSIGNED, AT(window), 1, 100, "10",
	  .help = "w of SkipGram, at most: each centre takes 1 to w" },
	{ "dims", CONFIG_UNSIGNED, AT(dims), FEDWALK_DIMS, FEDWALK_DIMS, "128",
	  .help = "numbers of an embedding; fixed" },
	{ "keep_embeddings", CONFIG_BOOL, AT(keep_embeddings), .standard = "true",
	  .help = "the coordinator writes all embeddings too; false: each party has those of its "
		  "own vertices, and nobody else keeps any" },
	{ 0 },
};
/* clang-format on */

/* A smaller eps yields no useful embeddings. */
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
