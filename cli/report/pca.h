/* pca.h -- points in the plane by principal components (Pearson 1901). */
#ifndef CLI_REPORT_PCA_H
#define CLI_REPORT_PCA_H

#include "common/base/err.h"
#include "common/linalg/mat.h"

/* Y (n x 2, initialised here): the rows of X (n x m, n and m > 0) less their mean, on the two
 * directions of largest variance; share[j]: the part of the whole variance along j, 0 if there is
 * none. In each column of Y the entry of largest magnitude is positive. A column of X that is
 * constant to rounding counts as constant, and directions of no variance give zeros. The result is
 * the same for any number of threads. Cost and errors are those of svd_left(). */
enum err pca_plane(const struct mat *X, unsigned threads, struct mat *Y,
		   double share[static 2]) MUST_CHECK;

#endif
