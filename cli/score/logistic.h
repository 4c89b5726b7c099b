/* logistic.h -- logistic regression with an L2 penalty, one class against the rest; the one door to
 * liblinear.
 */
#ifndef CLI_SCORE_LOGISTIC_H
#define CLI_SCORE_LOGISTIC_H

#include "common/linalg/mat.h"

#include <stddef.h>
#include <stdint.h>

/* Rows made ready for liblinear, for many trainings. */
struct logistic;

/* Copies X. */
struct logistic *logistic_open(const struct mat *X);
void logistic_close(struct logistic *l);

/* weight (cols + 1, the intercept last) minimises |w|^2 / 2 + C sum ln(1 + exp(-y_i w.(x_i, 1))) over
 * the given rows, y_i being +1 where member[row[i]] and -1 elsewhere, by liblinear's L2R_LR at its
 * own tolerance (0.01). If all are alike the intercept says so and the rest is 0. Safe from several
 * threads at once. */
void logistic_train(const struct logistic *l, const uint32_t *row, size_t rows,
		    const uint8_t *member, double C, double *weight);

/* w.(x, 1); above 0: rather a member. */
double logistic_value(const double *weight, const double *x, size_t cols);

#endif
