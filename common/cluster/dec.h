/* dec.h -- deep embedded clustering (Xie, Girshick, Farhadi 2016): moves points towards prototypes.
 *
 * Q_ij ~ 1 / (1 + ||z_i - c_j||^2) is the soft assignment of point i to prototype j, and P_ij ~
 * Q_ij^2 / sum_i Q_ij is its target. The rows of Q and P sum to 1. loss = KL(P || Q) / n, with P
 * held fixed. */
#ifndef COMMON_CLUSTER_DEC_H
#define COMMON_CLUSTER_DEC_H

#include "common/linalg/mat.h"

/* Computes Q (Z.rows x C.rows, initialised here). O(Z.rows C.rows Z.cols). */
void dec_soft(const struct mat *Z, const struct mat *C, struct mat *Q);
void dec_targets(const struct mat *Q, struct mat *P);
/* Returns the loss and writes its gradient to dZ and dC (the shapes of Z and C). */
double dec_loss(const struct mat *Z, const struct mat *C, const struct mat *Q, const struct mat *P,
		struct mat *dZ, struct mat *dC);

#endif
