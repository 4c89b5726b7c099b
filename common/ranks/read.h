/* read.h -- a party's files, read by ranks: each reads a part of the bytes, and what is another's goes there. */
#ifndef COMMON_RANKS_READ_H
#define COMMON_RANKS_READ_H

#include "common/base/err.h"
#include "common/linalg/csr.h"
#include "common/ranks/ranks.h"

/* Features of an .npy file: R is cut by its rows, X (initialised here) has this rank's. ERR_INPUT at each rank, with the
 * sentence of the first that saw it (ranks_agree). */
enum err ranks_read_npy(struct ranks *R, const char *path, struct mat *X) MUST_CHECK;

/* An edges.tsv of row numbers without weights (common/data/edges.h): this rank's rows of the adjacency (initialised here).
 * 16 bytes for each edge of the part read and of the part owned. Errors as above; a place is said in bytes, as nobody
 * has counted the lines before. */
enum err ranks_read_edges(const struct ranks *R, const char *path, struct csr *rows) MUST_CHECK;

#endif
