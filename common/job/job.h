/* job.h -- a job: its kind and parameters, with their defaults and bounds.
 *
 * Each kind has a table of its parameters (protocols/fedsc/job.c): path, type, default, bounds,
 * help. Parameters of all kinds are in job.c. Reading, writing, --set and the checks derive from
 * these tables. A preset sets parameters that the job does not give: given value > preset >
 * default. The effective job is written out in full, in the table's order. An offer omits each
 * parameter that has its row's default. The kind's schema number stands for these defaults. So a
 * release that does not know a parameter can still read an offer in which that parameter has its
 * default.
 */
#ifndef COMMON_JOB_JOB_H
#define COMMON_JOB_JOB_H

#include "common/base/buf.h"
#include "common/base/config.h"
#include "common/base/err.h"
#include "common/kind/kind.h"

#include <stdbool.h>
#include <stddef.h>

enum {
	JOB_TEXT_MAX = 64 << 10, /* bytes of a job file, and of a job on the wire */
	JOB_KEY_MAX = 64,        /* bytes of a parameter's path */
};

/* A job of any kind: the head, and room for the kind's own parameters, which its folder reads by
 * the accessor of JOB_OF_KIND (common/kind/kind.h). Plain memory: assignment copies it. */
struct job {
	union {
		struct {
			JOB_HEAD;
		};
		struct job_head head;
		max_align_t alignment;
		unsigned char room[JOB_ROOM];
	};
};

/* Reads a job from JSON text; `where` names its source in messages ("job.json", "offer").
 * set: NULL-terminated array of "path=value", applied before defaults; may be NULL.
 * ERR_INPUT with path, value and expected values. */
enum err job_parse(struct job *job, struct bytes text, const char *where,
		   char *const *set) MUST_CHECK;
enum err job_read(struct job *job, const char *path, char *const *set) MUST_CHECK;

/* Writes the effective job: canonical JSON on one line. */
void job_write(const struct job *job, struct buf *json);
/* Writes the job of an offer: "schema", "kind", and the values that differ from the defaults. */
void job_offer_write(const struct job *job, struct buf *json);
/* Reads the job of an offer, without presets. ERR_INPUT. If this release does not know a parameter,
 * or its value has the wrong type or is out of bounds, key becomes the parameter's name, which may
 * be "kind" or "schema". Otherwise, and if values do not fit together, key becomes "". */
enum err job_offer_parse(struct job *job, struct bytes text,
			 char key[static JOB_KEY_MAX + 1]) MUST_CHECK;
/* Describes every parameter. The default is that of a job which has only the required parameters;
 * offered: the default that an offer omits. */
void job_describe(struct buf *text, bool offered);

/* Finds the first parameter in which two jobs differ: "job.clusters: 7 here, 8 offered"; false if
 * none. */
bool job_difference(const struct job *here, const struct job *offered, char *text, size_t len);

/* These functions call the members of the job's kind: common/kind/kind.h. */
const char *job_permission(const struct job *job);
bool job_is_flat(const struct job *job);
struct kind_claim job_claim(const struct job *job);
const char *job_needs_noise(const struct job *job);
size_t job_burst(const struct job *job, size_t n, bool down);
/* Fills `disclosures` with sentences and returns their number. */
size_t job_disclosures(const struct job *job, size_t parties, const char *disclosures[],
		       size_t max);

#endif
