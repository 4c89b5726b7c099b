#include "cli/score/logistic.h"
#include "common/base/alloc.h"

#include <linear.h>
#include <stdlib.h>
#include <string.h>

struct logistic {
	size_t rows, cols;
	struct feature_node *node; /* rows x (cols + 2): values, intercept, end */
};

static void silent(const char *text)
{
	(void)text;
}

struct logistic *logistic_open(const struct mat *X)
{
	struct logistic *l;

	ALLOC(l, 1);
	l->rows = X->rows;
	l->cols = X->cols;
	ALLOC(l->node, l->rows * (l->cols + 2));
	for (size_t i = 0; i < l->rows; i++) {
		struct feature_node *node = l->node + i * (l->cols + 2);

		for (size_t j = 0; j < l->cols; j++)
			node[j] = (struct feature_node){ (int)j + 1, MAT(X, i, j) };
		node[l->cols] = (struct feature_node){ (int)l->cols + 1, 1 };
		node[l->cols + 1].index = -1;
	}
	set_print_string_function(silent);
	return l;
}

void logistic_close(struct logistic *l)
{
	free(l->node);
	free(l);
}

void logistic_train(const struct logistic *l, const uint32_t *row, size_t rows,
		    const uint8_t *member, double C, double *weight)
{
	struct parameter how = { .solver_type = L2R_LR, .eps = 0.01, .C = C };
	struct problem all = { .l = (int)rows, .n = (int)l->cols + 1, .bias = 1 };
	struct model *model;
	size_t members = 0;

	memset(weight, 0, (l->cols + 1) * sizeof(*weight));
	ALLOC(all.y, rows);
	ALLOC(all.x, rows);
	for (size_t i = 0; i < rows; i++) {
		members += member[row[i]] != 0;
		all.y[i] = member[row[i]] ? 1 : -1;
		all.x[i] = l->node + row[i] * (l->cols + 2);
	}
	if (members == 0 || members == rows) {
		weight[l->cols] = members ? 1e6 : -1e6;
	} else {
		model = train(&all, &how);
		/* liblinear's weights are those of whichever label came first. */
		for (size_t j = 0; j <= l->cols; j++)
			weight[j] = model->label[0] == 1 ? model->w[j] : -model->w[j];
		free_and_destroy_model(&model);
	}
	free(all.y);
	free(all.x);
}

double logistic_value(const double *weight, const double *x, size_t cols)
{
	double sum = weight[cols];

	for (size_t j = 0; j < cols; j++)
		sum += weight[j] * x[j];
	return sum;
}
