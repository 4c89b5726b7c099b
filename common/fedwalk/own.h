/* own.h -- what the parts of FedWalk's numerics share among themselves. */
#ifndef COMMON_FEDWALK_OWN_H
#define COMMON_FEDWALK_OWN_H

#include "common/fedwalk/tree.h"

#include <stddef.h>

/* The dictionary's columns as rows (k x n), owned by the caller. */
float *fedwalk_across(const float *c, size_t n, unsigned k);

/* row[v] = ||c_u - c_v||_1 for v >= from; the same bits as fedwalk_row(). O(n k). */
void fedwalk_l1_row(const float *across, size_t n, unsigned k, size_t u, size_t from, float *row);

#endif
