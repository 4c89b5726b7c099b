/* read.h -- reads a party's files by ranks. Each rank reads a part of the bytes, and sends rows of
 * other ranks to these ranks. Errors are those of common/data/dataset.h, which reads by one
 * process, but name a byte instead of a line, since ranks do not count the lines before their part.
 * If one rank has an error, all ranks return ERR_INPUT, with the message of the first rank that has
 * one (ranks_agree). */
#ifndef COMMON_RANKS_READ_H
#define COMMON_RANKS_READ_H

#include "common/base/err.h"
#include "common/linalg/csr.h"
#include "common/linalg/ranks.h"

/* Reads features from an .npy or .mtx file. Cuts R by the number of its rows. X (initialised here,
 * empty on errors) gets this rank's rows, sparse if the file is in coordinate format. An .mtx file
 * takes 16 bytes for each value of the part read and of the part owned. */
enum err ranks_read_features(struct ranks *R, const char *path, struct features *X) MUST_CHECK;

/* Reads edges with row numbers from a .tsv, .txt or Matrix Market file (common/data/edges.h). rows
 * (initialised here) gets this rank's rows of the adjacency, without values if all weights of all
 * ranks are 1. Takes 16 bytes for each edge of the part read and of the part owned, with weights
 * 32. */
enum err ranks_read_edges(const struct ranks *R, const char *path, struct csr *rows) MUST_CHECK;

/* Renumbers rows in the order of ids (dataset.h). place: the new position of each of this rank's
 * rows, a permutation over all ranks. Rows of X and of the adjacency (empty without edges) move to
 * the owners of their positions; neighbours get the new numbers. Takes the memory of both once
 * more, and 24 bytes per entry. */
void ranks_rename(const struct ranks *R, const uint32_t *place, struct features *X,
		  struct csr *rows);

#endif
