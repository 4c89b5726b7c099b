/* place.h -- assigns new rows after landmark projection to the nearest joint mean of the last
 * polish. A party keeps its own part of these means and its column weights; kcagc.predict sums the
 * parts of the distances. */
#ifndef PROTOCOLS_KCAGC_PLACE_H
#define PROTOCOLS_KCAGC_PLACE_H

#include "common/base/err.h"
#include "protocols/kcagc/slice.h"

#include <stddef.h>
#include <stdint.h>

/* Zero-initialised: empty. */
struct placing {
	unsigned order; /* p of T^p */
	/* m: a feature x becomes (x - shift) weight; rows then have length 1 over all parties */
	double *shift, *weight;
	uint8_t *word; /* m: enum word_kind */
	/* m x k: maps a filtered row to its part of each distance, up to a constant of the row */
	struct mat map;
	double *offset;
};
void placing_release(struct placing *p);

/* Takes the weights of s (after ASK_MEANS or ASK_QUALITY) and its means over the clusters of label
 * (n, below k). parties: L. */
void placing_of(const struct slice *s, const uint32_t *label, size_t k, size_t parties,
		struct placing *p);
/* The same for a slice in another process: uses shift, weight, word and order of s, and M (k x
 * m_l), its means. */
void placing_by(const struct slice *s, const struct mat *M, size_t parties, struct placing *p);

/* Weights the m columns of X in place; length (n): length of each row of this party. ERR_INPUT if a
 * column of words has other values, or if a sparse column that had a number in every row lacks
 * some. */
enum err placing_weigh(const struct placing *p, struct features *X, double *length) MUST_CHECK;
/* D (n x k, initialised here): this party's part of the squared distances of rows to means, plus a
 * constant per row. X, weighted, is released; norm (n): joint lengths, 0 leaves a row unscaled. */
enum err placing_distances(const struct placing *p, struct features *X, const struct graph *g,
			   const double *norm, unsigned threads, struct mat *D) MUST_CHECK;

#endif
