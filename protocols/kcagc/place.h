/* place.h -- where new rows belong after landmark projection: at the nearest joint mean, of those
 * that the last polish went by. A party keeps its own part of these means and how it weighed its
 * columns; kcagc.predict sums the parts of distances.
 */
#ifndef PROTOCOLS_KCAGC_PLACE_H
#define PROTOCOLS_KCAGC_PLACE_H

#include "common/base/err.h"
#include "protocols/kcagc/slice.h"

#include <stddef.h>
#include <stdint.h>

/* Zero-initialised is none. */
struct placing {
	unsigned order;         /* p of T^p */
	double *shift, *weight; /* m: a feature x becomes (x - shift) weight; rows then have length
				   1 over all parties */
	uint8_t *word;          /* m, 1: the column holds 0 and 1 alone */
	struct mat map; /* m x k: of a filtered row its part of each distance, but for what is the
			   same for all */
	double *offset; /* k */
};
void placing_release(struct placing *p);

/* What s (after ASK_MEANS or ASK_QUALITY) goes by, and its means over the sets of label (n, below
 * k). parties: L. */
void placing_of(const struct slice *s, const uint32_t *label, size_t k, size_t parties,
		struct placing *p);
/* The same of a slice that is elsewhere: of shift, weight, word and order alone, and M (k x m), its means. */
void placing_by(const struct slice *s, const struct mat *M, size_t parties, struct placing *p);

/* Weighs X's columns, m of them, in place; length: n, of each row of this party. ERR_INPUT: columns
 * that were words and are not any more, or sparse ones in which numbers are missing that were in
 * all rows. */
enum err placing_weigh(const struct placing *p, struct features *X, double *length) MUST_CHECK;
/* What it is made of: X's rows projected, which the filter T^order is then for, and what is added then. */
void placing_project(const struct placing *p, struct features *X, const double *norm, unsigned threads,
		     struct mat *D);
void placing_offset(const struct placing *p, struct mat *D);
/* D (n x k, initialised here): this party's part of the squared distances of rows to means, all of
 * a row more by the same. X, weighed, is used up; norm (n): joint lengths, 0 leaves a row. */
enum err placing_distances(const struct placing *p, struct features *X, const struct graph *g,
			   const double *norm, unsigned threads, struct mat *D) MUST_CHECK;

#endif
