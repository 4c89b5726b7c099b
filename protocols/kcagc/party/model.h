/* model.h -- the model of a finished run, which a party keeps so that kcagc.predict or
 * kmeans.columns.predict can place new rows.
 *
 * It has only this party's own data: weights, filter, projection and scale of its columns, and its
 * part of the k centres of the final labels. It stores only the names of the other parties. A
 * method without centres leaves a model without centres.
 *
 *     STATE/model-<job id>.bin (0600):  "COTMODEL" | version u32 | run | contents u32 |
 *                                       embedding, centres (1); placing (1, landmark);
 *                                       columns, centres (2) | sizes | SHA-256
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
	/* about the run: */
	uint8_t job_id[JOB_ID_LEN];
	size_t L, own;
	char name[PARTIES_MAX][MSG_NAME_MAX + 1]; /* L names in ascending order */
	enum kcagc_method method;
	unsigned min_cell, clusters, fraction_bits; /* fraction_bits is 1 if the job says "auto" */
	uint64_t nodes;
	/* The next members are used only if `kept`. This needs min_cell 1, a method other than gcc
	 * and, except in kmeans.columns, standardize "none". landmark also needs polish, and no
	 * degrees. */
	bool kept;
	/* kmeans.columns: turns columns into points, m entries each; `how` is then empty. Other
	 * kinds: empty. */
	struct standard_by by;
	size_t columns; /* m */
	/* landmark: the placing; joint_norm is then true, and `how` and `centre` are empty. Other
	 * methods: empty. */
	struct placing place;
	/* Rows were scaled by their norm over all parties, not by this party's own. */
	bool joint_norm;
	/* With joint_norm, mean_norm is the mean of the norms over all parties. */
	struct embedding how;
	/* k: number of nodes of each cluster; an empty cluster has no centre. */
	uint64_t *size;
	struct mat centre; /* k x d */
};

struct work;

/* Makes a model with the facts of the run that work has just ended, without centres. The caller
 * frees the model. */
struct model *model_new(const struct work *work);
/* Adds the data for predictions. Moves how and centre into m; label (n) is the result. */
void model_fill(struct model *m, struct embedding *how, struct mat *centre, const uint32_t *label,
		size_t n);
/* As model_fill(), for landmark projection: moves place into m. */
void model_fill_placing(struct model *m, struct placing *place, const uint32_t *label, size_t n);
/* As model_fill(), for kmeans.columns: moves `by`, which has `columns` columns, and `centre` into
 * m. */
void model_fill_columns(struct model *m, struct standard_by *by, size_t columns, struct mat *centre,
			const uint32_t *label, size_t n);
size_t model_columns(const struct model *m); /* number of columns of a kept model */
bool model_is_of_columns(const struct model *m);
void model_free(struct model *m); /* accepts NULL */

/* Encode and decode a model. model_parse(): ERR_INPUT, naming `where`: the bytes are not a model,
 * or the model has another version, is damaged (the checksum covers every bit), or is inconsistent.
 * Compares every size with the available bytes before its allocation. */
void model_print(const struct model *m, struct buf *out);
enum err model_parse(struct bytes file, const char *where, struct model **m) MUST_CHECK;

/* Write and read the files in the state directory. model_find(): ERR_INPUT, with advice, if there
 * is no model of that run; it logs the existing models. */
enum err model_keep(const struct model *m, const char *state) MUST_CHECK;
enum err model_find(const char *state, const uint8_t id[static JOB_ID_LEN],
		    struct model **m) MUST_CHECK;
void model_forget(const char *state, const uint8_t id[static JOB_ID_LEN]);

#endif
