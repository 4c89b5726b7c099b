#include "common/cluster/dec.h"

#include <math.h>
#include <string.h>

void dec_soft(const struct mat *Z, const struct mat *C, struct mat *Q)
{
	mat_init(Q, Z->rows, C->rows);
	for (size_t i = 0; i < Z->rows; i++) {
		double *q = ROW(Q, i), sum = 0;

		for (size_t j = 0; j < C->rows; j++) {
			q[j] = 1 / (1 + mat_square_between(ROW(Z, i), ROW(C, j), Z->cols));
			sum += q[j];
		}
		for (size_t j = 0; j < C->rows; j++)
			q[j] /= sum;
	}
}

void dec_targets(const struct mat *Q, struct mat *P)
{
	mat_init(P, Q->rows, Q->cols);
	for (size_t j = 0; j < Q->cols; j++) {
		double mass = 0;

		for (size_t i = 0; i < Q->rows; i++)
			mass += MAT(Q, i, j);
		for (size_t i = 0; i < Q->rows; i++)
			MAT(P, i, j) = MAT(Q, i, j) * (MAT(Q, i, j) / mass);
	}
	for (size_t i = 0; i < P->rows; i++) {
		double sum = 0;

		for (size_t j = 0; j < P->cols; j++)
			sum += MAT(P, i, j);
		for (size_t j = 0; j < P->cols; j++)
			MAT(P, i, j) /= sum;
	}
}

/* gradient of the loss of dec.h: d loss / d z_i = 2/n sum_j (P_ij - Q_ij) / (1 + ||z_i - c_j||^2)
 * (z_i - c_j) */
double dec_loss(const struct mat *Z, const struct mat *C, const struct mat *Q, const struct mat *P,
		struct mat *dZ, struct mat *dC)
{
	double loss = 0, n = (double)Z->rows;

	memset(dZ->a, 0, Z->rows * Z->cols * sizeof(double));
	memset(dC->a, 0, C->rows * C->cols * sizeof(double));
	for (size_t i = 0; i < Z->rows; i++) {
		for (size_t j = 0; j < C->rows; j++) {
			double p = MAT(P, i, j), q = MAT(Q, i, j);
			double square = mat_square_between(ROW(Z, i), ROW(C, j), Z->cols);
			double pull = 2 / n * (p - q) / (1 + square);

			if (p > 0)
				loss += p * log(p / q);
			for (size_t l = 0; l < Z->cols; l++) {
				double d = pull * (MAT(Z, i, l) - MAT(C, j, l));

				MAT(dZ, i, l) += d;
				MAT(dC, j, l) -= d;
			}
		}
	}
	return loss / n;
}
