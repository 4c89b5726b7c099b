#include "protocols/kcagc/sample.h"
#include "common/base/alloc.h"
#include "common/base/rng.h"

#include <stdlib.h>

enum { STREAM = 0x706f6c69 }; /* differs from the streams of starts */

size_t polish_sample(const uint32_t *label, size_t n, unsigned k, size_t rows, uint64_t seed,
		     uint32_t *node)
{
	size_t count = 0, *left = alloc(k, sizeof(*left)), *due = alloc(k, sizeof(*due));
	struct rng rng;

	rng_seed(&rng, seed, STREAM);
	for (size_t i = 0; i < n; i++)
		left[label[i]]++;
	for (unsigned c = 0; c < k; c++) {
		size_t share = rows && rows < n ? (rows * left[c] + n - 1) / n : left[c];

		due[c] = share < POLISH_LEAST ? POLISH_LEAST : share;
		if (due[c] > left[c])
			due[c] = left[c];
	}
	/* Selection sampling (Knuth, 3.4.2 S) in each cluster at once. */
	for (size_t i = 0; i < n; i++) {
		uint32_t c = label[i];

		if (rng_below(&rng, left[c]--) < due[c]) {
			due[c]--;
			node[count++] = (uint32_t)i;
		}
	}
	free(due);
	free(left);
	return count;
}
