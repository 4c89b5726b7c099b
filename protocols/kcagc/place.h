/* place.h -- assigns new rows after landmark projection to the nearest joint mean of the last
 * polish. A party keeps its own part of these means and its column weights; kcagc.predict sums the
 * parts of the distances. */
#ifndef PROTOCOLS_KCAGC_PLACE_H
#define PROTOCOLS_KCAGC_PLACE_H

#include "common/base/err.h"
#include "protocols/kcagc/slice.h"

#include <stddef.h>
#include <stdint.h>

/* A zero-initialised object is empty. */
struct placing {
	unsigned order; /* p, the order of the filter T^p (slice.h) */
	/* m: a feature x becomes (x - shift) weight. Later, placing_distances() divides each row by
	 * its joint length. */
	double *shift, *weight;
	uint8_t *word; /* m: enum word_kind */
	/* m x k: maps a filtered row to its part of each distance, except for a constant of the
	 * row */
	struct mat map;
	double *offset;
};
void placing_release(struct placing *p);

/* Makes a placing: takes the weights of s (after ASK_MEANS or ASK_QUALITY), and its means over the
 * clusters of label (n, below k). parties: number of parties. */
void placing_of(const struct slice *s, const uint32_t *label, size_t k, size_t parties,
		struct placing *p);
/* As placing_of(), for a slice in another process. Uses shift, weight, word and order of s, and M
 * (k x m_l), the means of that slice. */
void placing_by(const struct slice *s, const struct mat *M, size_t parties, struct placing *p);

/* Weights the m columns of X in place; length (n): length of each row of this party. ERR_INPUT: a
 * column of words has other values, or a sparse column that had a number in every row now lacks
 * some. */
enum err placing_weigh(const struct placing *p, struct features *X, double *length) MUST_CHECK;
/* Initialises D (n x k) with this party's part of the squared distances of rows to means, plus a
 * constant per row. X must be weighted, and is released. norm (n): joint lengths of the rows; 0
 * leaves a row unscaled. */
enum err placing_distances(const struct placing *p, struct features *X, const struct graph *g,
			   const double *norm, unsigned threads, struct mat *D) MUST_CHECK;

#endif
