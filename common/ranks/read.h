/* read.h -- a party's files, read by ranks: each reads a part of the bytes, and sends rows of
 * others to them. Errors are those of one process (common/data/dataset.h), but name a byte, not a
 * line, as no rank counts the lines before. ERR_INPUT at each rank, with the sentence of the first
 * rank that has one (ranks_agree). */
#ifndef COMMON_RANKS_READ_H
#define COMMON_RANKS_READ_H

#include "common/base/err.h"
#include "common/linalg/csr.h"
#include "common/linalg/ranks.h"

/* Features of an .npy or .mtx file: R is cut by its rows, X (initialised here, empty on errors) has
 * this rank's; those of coordinates are sparse. An .mtx file takes 16 bytes for each value of the
 * part read and of the part owned. */
enum err ranks_read_features(struct ranks *R, const char *path, struct features *X) MUST_CHECK;

/* Edges of row numbers, .tsv or .txt, or of a Matrix Market file (common/data/edges.h): this rank's
 * rows of the adjacency (initialised here), without values if all weights of all ranks are 1. Takes
 * 16 bytes for each edge of the part read and of the part owned, with weights 32. */
enum err ranks_read_edges(const struct ranks *R, const char *path, struct csr *rows) MUST_CHECK;

/* Renumbers rows as ids order them (dataset.h). place: the new place of each of this rank's rows, a
 * permutation over all ranks. Rows of X and of the adjacency (empty without edges) go to the owners
 * of the places; neighbours get the new numbers. Takes memory for both once more, and 24 bytes per
 * entry. */
void ranks_rename(const struct ranks *R, const uint32_t *place, struct features *X,
		  struct csr *rows);

#endif
