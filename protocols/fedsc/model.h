/* model.h -- what a party keeps of a run of kmeans, or of fedsc by anchors, so that it can place new rows by
 * itself (coterie predict). It follows from sums that all parties were told, and from the job; with
 * standardize "local" also from this party's own columns.
 *
 *     model.rows (0600):  "COTMROWS" | version, near, names u32 | columns, clusters, landmarks, dims u64 |
 *                         clip, shift, unit, [Z, R,] centre as doubles | names: u16 and bytes each | CRC-64
 */
#ifndef PROTOCOLS_FEDSC_MODEL_H
#define PROTOCOLS_FEDSC_MODEL_H

#include "common/base/buf.h"
#include "common/base/err.h"
#include "common/data/columns.h"
#include "common/data/standard.h"
#include "common/linalg/mat.h"

#include <stddef.h>
#include <stdint.h>

enum { FEDSC_MODEL_VERSION = 1 };
#define FEDSC_MODEL_FILE "model.rows"

/* Zero-initialised is none. */
struct fedsc_model {
	size_t m;    /* columns */
	double clip; /* longer rows are shortened to it, before all else; 0: none are */
	double *shift, *unit; /* m: what is clustered are (x - shift) / unit; unit 0: the column is 0 */
	unsigned near;        /* anchors: s; 0: rows are clustered as they are */
	struct mat Z, R;      /* anchors: d landmarks, d x m, and d x q */
	struct mat centre;    /* k x m; anchors: k x q, of unit rows of the embedding */
	char **name;          /* m, what the columns are called; or NULL */
};
void fedsc_model_release(struct fedsc_model *m);

/* Rows that were first standardised by `own`, whose numbers it copies, are what m was made of. */
void fedsc_model_after(struct fedsc_model *m, const struct standard_by *own);
/* names may be NULL or none. */
void fedsc_model_name(struct fedsc_model *m, const struct columns *names);

/* The clusters of X's rows (n x m, changed). label, and confidence as fedkmeans_margin() has it: n each. ERR_INPUT: another
 * number of columns, or names, both of which the sentence has; a value that is not finite. Where rows of the run
 * had no noise they get the labels that they had. Same bits for any threads. */
enum err fedsc_model_assign(const struct fedsc_model *m, struct mat *X, const struct columns *names,
			    unsigned threads, uint32_t *label, double *confidence) MUST_CHECK;

/* One encoding. parse: ERR_INPUT, naming `where`: not a model, of another version, damaged, or it does not hold together. Sizes
 * are compared with the bytes that are there before anything is allocated. */
void fedsc_model_print(const struct fedsc_model *m, struct buf *out);
enum err fedsc_model_parse(struct bytes file, const char *where, struct fedsc_model *m) MUST_CHECK;
/* Atomically, 0600. */
enum err fedsc_model_write(const char *path, const struct fedsc_model *m) MUST_CHECK;
enum err fedsc_model_read(const char *path, struct fedsc_model *m) MUST_CHECK;

#endif
