/* pca.h -- projects points onto the plane by principal components (Pearson 1901). */
#ifndef CLI_REPORT_PCA_H
#define CLI_REPORT_PCA_H

#include "common/base/err.h"
#include "common/linalg/mat.h"

/* Initialises Y (n x 2) with the centred rows of X (n x m, n and m > 0), projected on the two
 * directions of largest variance. share[j]: fraction of the variance along j, 0 if there is none.
 * The entry of largest magnitude of each direction is positive. Columns that are constant except
 * for rounding count as constant. Directions without variance give zeros. The result is the same
 * for any number of threads. Cost and errors are those of svd_left(). */
enum err pca_plane(const struct mat *X, unsigned threads, struct mat *Y,
		   double share[static 2]) MUST_CHECK;

#endif
