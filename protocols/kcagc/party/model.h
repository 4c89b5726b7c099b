/* model.h -- what a party keeps of a finished run, so that kcagc.predict or kmeans.columns.predict can place new rows.
 *
 * All of it is this party's own: how its columns were weighed, filtered, projected and scaled, and
 * its part of the k centres that the final labels were made by. Of the others it holds no more
 * than their names. A method that keeps no centres leaves a model that says so.
 *
 *     STATE/model-<job id>.bin (0600):  "COTMODEL" | version u32 | facts | what it keeps u32 |
 *                                       embedding, centres (1); placing (1, landmark); columns, centres (2) |
 *                                       sizes | SHA-256
 */
#ifndef PROTOCOLS_KCAGC_PARTY_MODEL_H
#define PROTOCOLS_KCAGC_PARTY_MODEL_H

#include "protocols/kcagc/job.h"
#include "common/base/err.h"
#include "common/data/standard.h"
#include "common/job/job.h"
#include "protocols/kcagc/place.h"
#include "common/kind/tree.h"
#include "proto/msg.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MODEL_VERSION = 2 };

struct model {
	/* the run */
	uint8_t job_id[JOB_ID_LEN];
	size_t L, own;
	char name[PARTIES_MAX][MSG_NAME_MAX + 1]; /* L of them, rising */
	enum kcagc_method method;
	unsigned min_cell, clusters, fraction_bits; /* 1 where they were "auto" */
	uint64_t nodes;
	/* the rest only if `kept`: methods tree, flat and basic with min_cell 1, landmark with polish */
	bool kept;
	struct standard_by by; /* kmeans.columns, m each: how columns became points; how is empty then; else empty */
	size_t columns;        /* m */
	struct placing place; /* landmark; joint_norm is true then, and how and centre are empty; else empty */
	bool joint_norm;      /* rows were scaled by their norm over all parties */
	struct embedding how; /* with joint_norm, mean_norm is of those norms */
	uint64_t *size;       /* k: nodes of each cluster; one that ended empty has no centre */
	struct mat centre;    /* k x d */
};

struct work;

/* The facts of the run that work has just ended; nothing is kept yet. The caller frees it. */
struct model *model_new(const struct work *work);
/* Adds what predicts: how and centre are moved from; label (work->n) is the result. */
void model_fill(struct model *m, struct embedding *how, struct mat *centre, const uint32_t *label,
		size_t n);
/* The same of landmark projection: place is moved from. */
void model_fill_placing(struct model *m, struct placing *place, const uint32_t *label, size_t n);
/* And of kmeans.columns: by, of m columns, and centre are moved from. */
void model_fill_columns(struct model *m, struct standard_by *by, size_t columns, struct mat *centre,
			const uint32_t *label, size_t n);
size_t model_columns(const struct model *m); /* of one that is kept */
bool model_is_of_columns(const struct model *m);
void model_free(struct model *m);            /* accepts NULL */

/* One encoding. model_parse: ERR_INPUT, naming `where`, if it is none of ours, of another version,
 * damaged (every bit is under the checksum), or does not hold together; every size is compared with the
 * bytes that are there before anything is allocated. */
void model_print(const struct model *m, struct buf *out);
enum err model_parse(struct bytes file, const char *where, struct model **m) MUST_CHECK;

/* In the state directory. model_find: ERR_INPUT if there is none of that run; the sentence says
 * what to do, and those that are there are logged. */
enum err model_keep(const struct model *m, const char *state) MUST_CHECK;
enum err model_find(const char *state, const uint8_t id[static JOB_ID_LEN],
		    struct model **m) MUST_CHECK;
void model_forget(const char *state, const uint8_t id[static JOB_ID_LEN]);

#endif
