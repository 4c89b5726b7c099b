/* embeddings.h -- embeddings of vertices as files: embeddings.npy, one row per vertex, and ids.csv,
 * with the heading "id" and the vertex of each row. */
#ifndef COMMON_DATA_EMBEDDINGS_H
#define COMMON_DATA_EMBEDDINGS_H

#include "common/base/err.h"
#include "common/data/ids.h"
#include "common/linalg/mat.h"

#include <stddef.h>

struct embeddings {
	struct mat X;   /* n x dims, n >= 1 */
	struct ids ids; /* n: row ids.row[i] of X belongs to ids.id[i] */
};

/* Reads a directory. If it has no embeddings, reads all directories below it that have both files,
 * in the order of their names. scripts/launch leaves the parties' embeddings in such directories.
 * ERR_INPUT: a file is invalid, or the files do not fit each other; *e is then empty. */
enum err embeddings_read(const char *dir, struct embeddings *e) MUST_CHECK;
void embeddings_release(struct embeddings *e);

/* Makes dir and writes X (n x dims floats) and the n ids of its rows there, each file atomically.
 * ERR_JOB. */
enum err embeddings_write(const char *dir, char *const *id, const float *X, size_t n,
			  size_t dims) MUST_CHECK;

#endif
