/* model.h -- Model that a party keeps of a run of kmeans, or of fedsc by anchors, to place new rows
 * by itself (coterie predict). The model derives from broadcast sums and from the job; with
 * standardize "local" also from the party's own columns.
 *
 *     model.rows (0600):  "COTMROWS" | version, near, names u32 | columns, clusters, landmarks,
 *                         dims u64 | clip, shift, unit, [Z, R,] centre as doubles |
 *                         names: u16 and bytes each | CRC-64
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

/* A zero-initialised object is empty: there is no model. */
struct fedsc_model {
	size_t m;    /* number of columns */
	double clip; /* longer rows are first shortened to this length; 0: no row is shortened */
	/* m entries; rows are clustered as (x - shift) / unit; if unit is 0, the column becomes
	 * 0 */
	double *shift, *unit;
	unsigned near;     /* anchors: number of landmarks to which a row is tied; 0: rows are
			    * clustered without an embedding */
	struct mat Z, R;   /* anchors: d landmarks (d x m); embedding (d x q) */
	struct mat centre; /* k x m; anchors: k x q, centres in the unit rows of the embedding */
	char **name;       /* m column names, or NULL */
};
void fedsc_model_release(struct fedsc_model *m);

/* Makes the model m apply the standardisation `own` before its own standardisation. Copies the
 * numbers of `own`. */
void fedsc_model_after(struct fedsc_model *m, const struct standard_by *own);
/* Stores the names of the columns. names may be NULL or empty. */
void fedsc_model_name(struct fedsc_model *m, const struct columns *names);

/* Assigns clusters to the rows of X (n x m), and changes X. Fills label (n) and confidence (n, as
 * fedkmeans_margin()). ERR_INPUT: X has another number of columns or other names (the text has both
 * values), or a value that is not finite. The rows of a run without noise get the labels of that
 * run. Bitwise identical for any number of threads. */
enum err fedsc_model_assign(const struct fedsc_model *m, struct mat *X, const struct columns *names,
			    unsigned threads, uint32_t *label, double *confidence) MUST_CHECK;

/* Encode and decode a model. fedsc_model_parse(): ERR_INPUT, naming `where`: the bytes are not a
 * model, or the model has another version, is damaged, or is inconsistent. Compares sizes with the
 * available bytes before any allocation. */
void fedsc_model_print(const struct fedsc_model *m, struct buf *out);
enum err fedsc_model_parse(struct bytes file, const char *where, struct fedsc_model *m) MUST_CHECK;
/* Writes the file atomically, with mode 0600. */
enum err fedsc_model_write(const char *path, const struct fedsc_model *m) MUST_CHECK;
enum err fedsc_model_read(const char *path, struct fedsc_model *m) MUST_CHECK;

#endif
