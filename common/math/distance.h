/* distance.h -- squared distances between rows and a few centres: the inner loop of k-means.
 *
 * Two ways, chosen by the shape alone, so that results do not depend on threads: with few
 * dimensions or few centres the differences themselves (exact zeros for equal rows); otherwise
 * the products ||z||^2 - 2 z.c + ||c||^2 by dgemm over fixed blocks of rows, both sides moved by
 * the mean centre first, so that data far from the origin loses no digits.
 */
#ifndef COMMON_MATH_DISTANCE_H
#define COMMON_MATH_DISTANCE_H

#include "common/math/mat.h"

enum { DISTANCE_ROWS = 256 }; /* rows per block */

/* Centres made ready for many blocks. */
struct distance {
	size_t k, d, padded;     /* padded: k rounded up to a multiple of 4 */
	double *across;          /* d x padded, centres as columns; or NULL: by products */
	double *shift;           /* d: the mean centre */
	double *centre, *square; /* k x d moved centres and their squared lengths */
	double *rows;            /* DISTANCE_ROWS x d moved rows: scratch */
};

void distance_init(struct distance *s, size_t k, size_t d);
void distance_set(struct distance *s, const double *c); /* k x d; may be set again and again */
void distance_release(struct distance *s);

/* D[i * k + r] = ||z_i - c_r||^2 >= 0 for count <= DISTANCE_ROWS rows of z (count x d). For the
 * same bits a row must come at the same place of its block: cut blocks from row 0. O(count k d). */
void distance_block(struct distance *s, const double *z, size_t count, double *D);

#endif
