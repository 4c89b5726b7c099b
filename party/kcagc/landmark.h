/* landmark.h -- the party's half of landmark projection: kCAGC's local clusters as landmarks, five
 * secure sums. */
#ifndef PARTY_KCAGC_LANDMARK_H
#define PARTY_KCAGC_LANDMARK_H

#include "party/work/work.h"

/* What the party computes by itself: facts and, into label, local clusters. It needs no keys, and
 * so is done while those of the others are awaited, which takes a round trip. work->begun keeps it.
 */
enum err party_landmark_begin(struct work *work, uint32_t *label) MUST_CHECK;
/* The rest; all of it if nothing was begun. label: n, as party_landmark_begin() left it. */
enum err party_landmark(struct work *work, uint32_t *label) MUST_CHECK;

#endif
