/* read.h -- a party's files, read by ranks: each reads a part of the bytes, and what is another's goes there. What is said
 * of a file is what one process would say of it (common/data/dataset.h), but that a place is said in bytes, as nobody has
 * counted the lines before. ERR_INPUT at each rank, with the sentence of the first that saw it (ranks_agree). */
#ifndef COMMON_RANKS_READ_H
#define COMMON_RANKS_READ_H

#include "common/base/err.h"
#include "common/linalg/csr.h"
#include "common/linalg/ranks.h"

/* Features of an .npy or .mtx file: R is cut by its rows, X (initialised here, empty on errors) has this rank's; those of
 * coordinates are sparse. Of an .mtx file 16 bytes for each value of the part read and of the part owned. */
enum err ranks_read_features(struct ranks *R, const char *path, struct features *X) MUST_CHECK;

/* Edges of row numbers, .tsv or .txt, or of a Matrix Market file (common/data/edges.h): this rank's rows of the adjacency
 * (initialised here), without values if all weights of all ranks are 1. 16 bytes for each edge of the part read and of the
 * part owned, with weights 48 and 32. */
enum err ranks_read_edges(const struct ranks *R, const char *path, struct csr *rows) MUST_CHECK;

#endif
