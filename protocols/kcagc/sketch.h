/* sketch.h -- filtered features of a large graph in few columns, for the search of the filter's
 * order, where all columns would cost many times the run that follows. */
#ifndef PROTOCOLS_KCAGC_SKETCH_H
#define PROTOCOLS_KCAGC_SKETCH_H

#include "common/base/err.h"
#include "common/linalg/mat.h"
#include "common/linalg/svd.h"

#include <stddef.h>

/* SKETCH_LEADING: columns for singular vectors. SKETCH_RANDOM: columns for distances. From
 * SKETCH_ROWS rows on the search uses sketches, of up to SKETCH_DIMS singular vectors. */
enum { SKETCH_LEADING = 32, SKETCH_RANDOM = 32, SKETCH_COLUMNS = SKETCH_LEADING + SKETCH_RANDOM };
enum { SKETCH_ROWS = 16000, SKETCH_DIMS = SKETCH_LEADING / 2 };

/* Y (n x SKETCH_COLUMNS, initialised here) of F, filtered features. The first SKETCH_LEADING
 * columns are F P', with P (SKETCH_LEADING x m) orthonormal rows near F's leading right singular
 * vectors: they have the leading left ones. The others are F R, with R of random signs over
 * sqrt(SKETCH_RANDOM): distances between sums of rows are right in the mean. Filtered further, Y
 * stands for F filtered further. Same bits for any threads. F has more than SKETCH_COLUMNS columns.
 * ERR_INPUT if products overflow. */
enum err sketch_of(const struct linear_map *F, struct mat *Y) MUST_CHECK;
/* Copies `columns` of Y, from `first` on. */
void sketch_part(const struct mat *Y, size_t first, size_t columns, struct mat *part);

#endif
