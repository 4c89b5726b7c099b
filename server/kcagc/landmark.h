/* landmark.h -- the coordinator's half of landmark projection: kCAGC's local clusters as landmarks, five secure sums. */
#ifndef SERVER_KCAGC_LANDMARK_H
#define SERVER_KCAGC_LANDMARK_H

#include "server/run/run.h"

enum err server_landmark(struct run *run, uint32_t *label) MUST_CHECK;

#endif
