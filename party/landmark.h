/* landmark.h -- the party's half of landmark projection: kCAGC's local clusters as landmarks, five secure sums. */
#ifndef PARTY_LANDMARK_H
#define PARTY_LANDMARK_H

#include "party/work.h"

enum err party_landmark(struct work *work, uint32_t *label) MUST_CHECK;

#endif
