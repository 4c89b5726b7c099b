#include "protocols/fedsc/pairwise.h"

#include <math.h>

enum err fedsc_pairwise_fits(double n, size_t parties)
{
	double powers = 2 * n * (n / FEDSC_PAIRWISE_EACH + (double)parties);

	if (powers <= FEDSC_PAIRWISE_MOST)
		return ERR_OK;
	return err_set(ERR_JOB,
		       "variant \"pairwise\" takes up to %.0f powers of numbers of 4096 bits for "
		       "%.0f rows of %zu parties, expected at most %d: fewer rows or another "
		       "variant are needed",
		       powers, n, parties, FEDSC_PAIRWISE_MOST);
}

static enum err wrong_pair(const struct parties *parties, size_t p, size_t q, const char *what)
{
	if (p == q)
		return err_set(ERR_PEER,
			       "%s sent similarities of its own rows that are %s (during %s)",
			       parties_name(parties, p), what, parties->phase);
	return err_set(ERR_PEER,
		       "%s and %s sent similarities of their rows that are %s: one of the two is "
		       "wrong (during %s)",
		       parties_name(parties, p), parties_name(parties, q), what, parties->phase);
}

/* Compares K^_ij with K^_ji in a block. The block has rows of party p from row i on, and columns of
 * party q from column j on. */
static enum err join_block(const struct parties *parties, size_t p, size_t i, size_t q, size_t j,
			   double tolerance, struct mat *K)
{
	for (size_t a = i; a < i + parties->rows[p]; a++)
		for (size_t b = j; b < j + parties->rows[q]; b++) {
			double *one = &MAT(K, a, b), *other = &MAT(K, b, a);

			if (!(fabs(*one) <= FEDSC_PAIRWISE_LIMIT &&
			      fabs(*other) <= FEDSC_PAIRWISE_LIMIT))
				return wrong_pair(parties, p, q, "out of range");
			if (!(fabs(*one - *other) <= tolerance))
				return wrong_pair(parties, p, q, "not compatible");
			*one = *other = (*one + *other) / 2;
		}
	return ERR_OK;
}

enum err fedsc_pairwise_join(const struct parties *parties, size_t d, double lambda, struct mat *K)
{
	/* Bound of ||c||_1 + ||w||_1 (pairwise.h). */
	double most = sqrt((double)d) / (2 * sqrt(lambda)) + (double)d;
	double tolerance = ldexp(most + 1, -FEDSC_PAIRWISE_BITS);

	for (size_t p = 0, i = 0; p < parties->count; i += parties->rows[p++])
		for (size_t q = p, j = i; q < parties->count; j += parties->rows[q++])
			TRY(join_block(parties, p, i, q, j, tolerance, K));
	return ERR_OK;
}
