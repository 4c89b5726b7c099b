/* dec.h -- deep embedded clustering (Xie, Girshick, Farhadi 2016): points are drawn to prototypes.
 *
 *     Q_ij ~ 1 / (1 + ||z_i - c_j||^2),  P_ij ~ Q_ij^2 / sum_i Q_ij,  rows of both add up to 1
 *     loss = KL(P || Q) / n, P held fixed
 */
#ifndef COMMON_CLUSTER_DEC_H
#define COMMON_CLUSTER_DEC_H

#include "common/linalg/mat.h"

/* Q (Z.rows x C.rows, initialised here). O(n k d). */
void dec_soft(const struct mat *Z, const struct mat *C, struct mat *Q);
/* P (initialised here) from Q. */
void dec_targets(const struct mat *Q, struct mat *P);
/* The loss; dZ and dC (given, the shapes of Z and C) become its gradient. */
double dec_loss(const struct mat *Z, const struct mat *C, const struct mat *Q, const struct mat *P,
		struct mat *dZ, struct mat *dC);

#endif
