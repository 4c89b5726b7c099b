/* own.h -- helpers for the kind tables in the folders of protocols. */
#ifndef COMMON_KIND_OWN_H
#define COMMON_KIND_OWN_H

#include "common/base/json.h"
#include "common/kind/align.h"
#include "common/kind/kind.h"

/* Presets that apply to a job; the first with a given path counts. */
enum { PRESETS_MAX = 64 };
struct kind_presets {
	struct config_preset item[PRESETS_MAX]; /* ends with path NULL */
	size_t n;
};
void presets_add(struct kind_presets *to, const struct config_preset *from);

/* Disclosure sentences of a job. */
struct disclosures {
	const char **text; /* static texts */
	size_t n, max;
};
void disclosures_add(struct disclosures *s, bool applies, const char *text);
/* disclose_names() adds the disclosures with which the list of most kinds begins,
 * disclose_collusion() those with which it ends. pairs: some sum has only two parties. */
void disclose_names(struct disclosures *s, size_t parties);
/* Adds the disclosures of row matching (job.align); none if rows are not matched. */
void disclose_align(struct disclosures *s, const void *job, size_t parties);
/* Adds the kind's claim of differential privacy: mechanism, unit, eps and delta. NULL: adds that
 * there is none. Call it once per kind. */
void disclose_privacy(struct disclosures *s, const char *claim);
void disclose_collusion(struct disclosures *s, bool pairs, size_t parties);

/* ---- members that several kinds share ---- */

extern const char *const kind_label_files[];

extern const char *const kind_standardize_names[];

/* Parameters of kinds with job.align, for `rows` of struct kind; T is the kind's struct. */
enum { KIND_MIN_COMMON = 100 };
extern const char *const kind_align_names[];
#define KIND_ALIGN_ROW(T, default)                                                                 \
	{                                                                                          \
		"align", CONFIG_ENUM, offsetof(T, align),                                          \
		    .standard = (default), .names = kind_align_names,                              \
		    .help = "\"same\": all parties have the same ids; \"intersect\": a "           \
			    "secure sum finds the rows that all parties have, and the job "        \
			    "uses these"                                                           \
	}
#define KIND_ALIGN_BOUNDS(T)                                                                       \
	{ "align_bound",                                                                           \
	  CONFIG_UNSIGNED,                                                                         \
	  offsetof(T, align_bound),                                                                \
	  0,                                                                                       \
	  ALIGN_IDS_MAX,                                                                           \
	  "0",                                                                                     \
	  .help = "intersect: upper limit of the ids of a party; hides the number of "             \
		  "ids. 0: the job discloses each party's number, rounded up" },                   \
	{                                                                                          \
		"min_common", CONFIG_UNSIGNED, offsetof(T, min_common), 1, ALIGN_IDS_MAX, "100",   \
		    .help = "intersect: fewest common rows; if there are fewer, the job "          \
			    "ends before a party sees them"                                        \
	}
/* Checks align_bound and min_common. ERR_INPUT: `align` is "same", and one of them is not its
 * default; or min_common is below a given number of clusters. */
enum err kind_check_align(const void *job) MUST_CHECK;
void kind_standard_clusters(const void *job, struct json *root);
/* The member needs_noise of kinds that never have noise. */
const char *kind_has_no_noise(const void *job);
/* Sets the kind's own parameters in *job (size bytes) to their defaults and presets. The caller has
 * zeroed *job. */
void kind_standards(const struct kind *kind, void *job, size_t size);
/* True if path is in the NULL-terminated list. */
bool kind_among(const char *path, const char *const *list);

#endif
