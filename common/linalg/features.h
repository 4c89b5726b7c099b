/* features.h -- a feature slice, n x m: a row for each node, sparse or dense. */
#ifndef COMMON_LINALG_FEATURES_H
#define COMMON_LINALG_FEATURES_H

#include "common/linalg/csr.h"
#include "common/linalg/mat.h"

#include <stdbool.h>
#include <stddef.h>

/* Exactly one of the two is in use (the other is empty). Zero-initialised is 0 x 0. */
struct features {
	bool is_sparse;
	struct csr sparse;
	struct mat dense;
};

void features_release(struct features *X);
size_t features_rows(const struct features *X);
size_t features_cols(const struct features *X);

#endif
