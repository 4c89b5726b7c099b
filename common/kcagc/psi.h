/* psi.h -- how far to filter, told from the data without labels.
 *
 * Both rules look at a series of numbers that are sums over the parties, so that all parties filter
 * alike. */
#ifndef COMMON_KCAGC_PSI_H
#define COMMON_KCAGC_PSI_H

#include "common/linalg/mat.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* GCC's rule (Fettal, Labiod, Nadif, WSDM 2022, Section 4.4; their T = rownorm(S + I)): the
 * smallest p >= 1 with c_p - c_{p+1} < m/n, at most cap. spread2[t] = c_t^2 for t = 0 .. cap+1: the
 * squared distance of T^t X from its column means; square = ||X||^2, m columns, n rows. c is
 * scaled by sqrt(n / ||X||^2), which is 1 for unit rows and takes out the zero ones. */
unsigned psi_gcc(const double *spread2, double square, size_t n, size_t m, unsigned cap);

/* AGC's rule (Zhang et al., IJCAI 2019, Section 3.3): raise psi from 1 until the mean
 * intra-cluster distance first rises, and take the psi before. intra[t] is that of psi = t + 1. Returns 0 if it
 * never rises within count. */
unsigned psi_agc(const double *intra, size_t count);

/* What one party adds to AGC's distance: the mean over the k clusters of the mean squared distance
 * between two (not necessarily distinct) of a cluster's rows of X, which is twice the cluster's
 * variance. Over disjoint columns and the same labels, terms add up to the distance over all. O(n m). */
double psi_intra(const struct mat *X, const uint32_t *label, size_t k);

#endif
