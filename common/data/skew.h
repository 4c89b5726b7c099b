/* skew.h -- distributes rows over parties, at random or so that each party has mostly rows of a few
 * classes. */
#ifndef COMMON_DATA_SKEW_H
#define COMMON_DATA_SKEW_H

#include <stddef.h>
#include <stdint.h>

/* part[i] becomes row i's party, of `parties` <= n. skew 0: equal shares at random. skew 1: sorted
 * by class and cut into equal runs, so that a party has rows of few classes. With skew
 * between 0 and 1, a random share `skew` of the rows is placed by class, and all other rows at
 * random. Sizes differ by at most 1. truth: n classes, or NULL: one class. The same seed gives the
 * same parts. */
void skew_parts(const uint32_t *truth, size_t n, size_t parties, double skew, uint64_t seed,
		uint32_t *part);

#endif
