/* embeddings.h -- vectors of vertices as files: embeddings.npy, a row each, and ids.csv, with the
 * heading "id" and the vertex of each row. */
#ifndef COMMON_DATA_EMBEDDINGS_H
#define COMMON_DATA_EMBEDDINGS_H

#include "common/base/err.h"
#include "common/data/ids.h"
#include "common/linalg/mat.h"

#include <stddef.h>

struct embeddings {
	struct mat X;   /* n x dims, n >= 1 */
	struct ids ids; /* n: row ids.row[i] of X is of ids.id[i] */
};

/* Reads a directory, or, if it has no embeddings, all directories below it that have both files, by
 * name, as those of the parties of scripts/launch. ERR_INPUT: a file is wrong, or the files do not
 * fit each other; *e is then empty. */
enum err embeddings_read(const char *dir, struct embeddings *e) MUST_CHECK;
void embeddings_release(struct embeddings *e);

/* X (n x dims floats) and the n ids of its rows into dir, which is made; each file atomically.
 * ERR_JOB. */
enum err embeddings_write(const char *dir, char *const *id, const float *X, size_t n,
			  size_t dims) MUST_CHECK;

#endif
