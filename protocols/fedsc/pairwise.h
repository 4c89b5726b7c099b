/* pairwise.h -- FedSC, Appendix C: computes K^ = C' Kzz C. The two parties that have the rows of an
 * entry compute it. This header has constants and the coordinator's checks; party/pairwise.h is the
 * parties' side.
 *
 * In fixed point, C and W = C Kzz are rounded to multiples of 2^-30. An entry is the exact sum of
 * products of these numbers, so it is a multiple of 2^-60. Let phi(x) be the unit vector of a row,
 * and P the matrix of the unit vectors of the dictionary. Then c = (P'P + lambda I)^-1 P' phi(x).
 * It follows that
 *
 *     ||c|| <= 1 / (2 sqrt(lambda)),  ||P c|| <= 1,  so |w_t| = |<P_t, P c>| <= 1 and |K^_ij| <= 1.
 *
 * Rounding adds at most e = 2^-31 (||c||_1 + ||w||_1) + d 2^-62 to an entry, and by ||x||_1 <=
 * sqrt(d) ||x||
 *
 *     e <= 2^-31 (sqrt(d) / (2 sqrt(lambda)) + d) + d 2^-62.
 *
 * The entries K^_ij and K^_ji differ by at most 2 e. If d <= 250 and lambda >= 1e-6, e is below
 * 2^-17. An entry is then below 2^60 + 2^43 units, and fits into a slot of 61 bits and a sign. */
#ifndef PROTOCOLS_FEDSC_PAIRWISE_H
#define PROTOCOLS_FEDSC_PAIRWISE_H

#include "common/linalg/mat.h"
#include "common/parties/parties.h"

enum {
	FEDSC_PAIRWISE_BITS = 30,  /* number of fraction bits of C and W */
	FEDSC_PAIRWISE_DIMS = 250, /* maximum of d */
	FEDSC_PAIRWISE_EACH = 33,  /* number of rows in a ciphertext: PAILLIER_SLOTS */
	/* Maximum number of powers (modular exponentiations) in a job; about an hour on one
	 * core. */
	FEDSC_PAIRWISE_MOST = 1 << 18,
};
#define FEDSC_PAIRWISE_LAMBDA 1e-6 /* minimum of lambda */

/* Bound of the magnitude of an entry. */
#define FEDSC_PAIRWISE_LIMIT (1 + 0x1p-17)

/* Checks the cost. ERR_JOB: n rows of L parties take more than FEDSC_PAIRWISE_MOST powers modulo
 * numbers of 4096 bits. A party has n_p / 33 groups of rows, rounded up. For each group and each of
 * its own rows, each other party makes a ciphertext by one power. The first party decrypts each
 * ciphertext by another power. All parties need at most 2 n (n / 33 + L) powers. */
enum err fedsc_pairwise_fits(double n, size_t parties) MUST_CHECK;

/* Appendix C, step 6: compares K^_ij and K^_ji of each entry of K (n x n, rows as parties->rows
 * counts them), and replaces both by their mean. ERR_PEER, with the names of both parties: the two
 * numbers differ by more than d and lambda allow, or one is out of range. O(n^2). */
enum err fedsc_pairwise_join(const struct parties *parties, size_t d, double lambda,
			     struct mat *K) MUST_CHECK;

#endif
