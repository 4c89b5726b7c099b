/* gauss.h -- rows whose clusters are known: a Gaussian cloud around each of K centres.
 *
 * Noise has standard deviation 1 in every column. Centres are Gaussian, too, and no two are nearer
 * than `apart`: one that would be is drawn again, from a wider cloud. Clusters are equally large,
 * up to one row, and rows are in random order. Values are rounded to floats, which is what the file
 * of them then holds. Same parameters and seed: same rows, on every machine with the same libm.
 */
#ifndef CLI_SYNTH_GAUSS_H
#define CLI_SYNTH_GAUSS_H

#include "common/base/err.h"
#include "common/linalg/mat.h"

#include <stddef.h>
#include <stdint.h>

enum { GAUSS_CLUSTERS_MAX = 4096 };

struct gauss_params {
	size_t rows, columns, clusters; /* clusters at most GAUSS_CLUSTERS_MAX */
	double apart;                   /* between any two centres, at least; 0: whatever comes */
	uint64_t seed;
};

/* *X is initialised here, rows x columns; label: `rows` of them, owned by the caller. ERR_INPUT,
 * and both empty: more clusters than rows, or more than GAUSS_VALUES_MAX values. O(rows columns +
 * clusters^2 columns) */
enum err gauss_make(const struct gauss_params *p, struct mat *X, uint32_t **label) MUST_CHECK;

#define GAUSS_VALUES_MAX ((size_t)1 << 31) /* 16 GiB */

#endif
