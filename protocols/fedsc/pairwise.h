/* pairwise.h -- FedSC, Appendix C: K^ = C' Kzz C, each entry computed by the two parties that have
 * its rows; constants and the coordinator's checks. The parties' side is party/pairwise.h.
 *
 * Fixed point: C and W = C Kzz are rounded to multiples of 2^-30, and an entry is the exact sum of
 * products of these integers, a multiple of 2^-60. With phi(x) the unit vector of a row and P that
 * of the dictionary, c = (P'P + lambda I)^-1 P' phi(x). Hence
 *
 *     ||c|| <= 1 / (2 sqrt(lambda)),  ||P c|| <= 1,  so |w_t| = |<P_t, P c>| <= 1 and |K^_ij| <= 1.
 *
 * Rounding adds at most e = 2^-31 (||c||_1 + ||w||_1) + d 2^-62 to an entry, and by ||x||_1 <=
 * sqrt(d) ||x||
 *
 *     e <= 2^-31 (sqrt(d) / (2 sqrt(lambda)) + d) + d 2^-62.
 *
 * The two orders of an entry differ by at most 2 e. With d <= 250 and lambda >= 1e-6 e is below
 * 2^-17, so an entry is below 2^60 + 2^43 of its unit, and fits into a slot of 61 bits and a
 * sign. */
#ifndef PROTOCOLS_FEDSC_PAIRWISE_H
#define PROTOCOLS_FEDSC_PAIRWISE_H

#include "common/linalg/mat.h"
#include "common/parties/parties.h"

enum {
	FEDSC_PAIRWISE_BITS = 30,      /* bits of C and W behind the point */
	FEDSC_PAIRWISE_DIMS = 250,     /* d at most */
	FEDSC_PAIRWISE_EACH = 33,      /* rows of a ciphertext: PAILLIER_SLOTS */
	FEDSC_PAIRWISE_MOST = 1 << 18, /* most powers of a job; about an hour of a processor */
};
#define FEDSC_PAIRWISE_LAMBDA 1e-6 /* lambda at least */

/* Entries are at most this in magnitude. */
#define FEDSC_PAIRWISE_LIMIT (1 + 0x1p-17)

/* ERR_JOB: n rows of L parties take more than FEDSC_PAIRWISE_MOST powers of 2048 bits. A party has
 * n_p / 33 groups of rows, rounded up. For each group and each of its own rows, each other party
 * makes a ciphertext by one power. The first party decrypts it by another. All parties need at most
 * 2 n (n / 33 + L) powers. */
enum err fedsc_pairwise_fits(double n, size_t parties) MUST_CHECK;

/* Step 6: compares the two halves of each entry of K (n x n, rows as parties->rows counts them),
 * and takes their mean. ERR_PEER, with the names of both parties: they differ by more than d and
 * lambda allow, or one is out of range. O(n^2). */
enum err fedsc_pairwise_join(const struct parties *parties, size_t d, double lambda,
			     struct mat *K) MUST_CHECK;

#endif
