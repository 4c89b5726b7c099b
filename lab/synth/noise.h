/* noise.h -- makes random features for timings, if a graph has none. */
#ifndef LAB_SYNTH_NOISE_H
#define LAB_SYNTH_NOISE_H

#include "common/base/err.h"
#include "common/linalg/csr.h"

#include <stddef.h>
#include <stdint.h>

/* Makes a rows x cols matrix. Each entry has a value with probability density (0 .. 1): one of
 * 1/1024, 2/1024, ..., 1, so that the matrix does not count as binary. *features is initialised
 * here. ERR_INPUT: there would be more than 2^31 values; *features is then empty. O(rows +
 * values). */
enum err noise_features(size_t rows, size_t cols, double density, uint64_t seed,
			struct csr *features) MUST_CHECK;

#endif
