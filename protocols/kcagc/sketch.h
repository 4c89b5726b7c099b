/* sketch.h -- represents the filtered features of a large graph by few columns, for the search of
 * the filter's order. With all columns, the search would cost many times the run that follows. */
#ifndef PROTOCOLS_KCAGC_SKETCH_H
#define PROTOCOLS_KCAGC_SKETCH_H

#include "common/base/err.h"
#include "common/graph/filter.h"
#include "common/graph/filtered.h"
#include "common/linalg/mat.h"

#include <stddef.h>

/* SKETCH_LEADING: columns for singular vectors. SKETCH_RANDOM: columns for what these leave of the
 * distances. All columns fit into filter_run_hold(). From SKETCH_ROWS rows on the search uses
 * sketches, of up to SKETCH_DIMS singular vectors. */
enum { SKETCH_LEADING = 24, SKETCH_RANDOM = 8, SKETCH_COLUMNS = SKETCH_LEADING + SKETCH_RANDOM };
enum { SKETCH_ROWS = 16000, SKETCH_DIMS = 2 * SKETCH_LEADING / 3 };

/* The order whose leading directions the sketch has. At order 1 noise may hide directions that lead
 * a few steps later. */
enum { SKETCH_ORDER = 4 };

/* Initialises Y (n x SKETCH_COLUMNS) with a sketch of F, the features with more than SKETCH_COLUMNS
 * columns, filtered to order 1. The first SKETCH_LEADING columns are F P'. The rows of P
 * (SKETCH_LEADING x m) are orthonormal and near the leading right singular vectors of features
 * filtered to SKETCH_ORDER. So after some steps these columns have the leading left singular
 * vectors. The other columns are F (I - P'P) R, where R has random signs over
 * sqrt(SKETCH_RANDOM). Distances between sums of rows of Y are those of F in the mean. If Y is
 * filtered further, it is a sketch of F filtered further. Leaves `features` at order 1, on errors,
 * too. Bitwise identical for any number of threads. ERR_INPUT: products overflow. ERR_CANCELLED:
 * the job was stopped. */
enum err sketch_of(struct filtered *features, struct mat *Y) MUST_CHECK;
/* Fills part (n x SKETCH_LEADING) with the columns F P' of a view of Y. */
void sketch_leading(const struct filter_view *Y, struct mat *part);

#endif
