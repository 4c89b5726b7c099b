#include "common/linalg/mat.h"
#include "common/base/alloc.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void mat_init(struct mat *m, size_t rows, size_t cols)
{
	*m = (struct mat){ .rows = rows, .cols = cols };
	m->a = alloc(rows, cols * sizeof(*m->a));
}

void mat_copy(struct mat *m, const struct mat *from)
{
	mat_init(m, from->rows, from->cols);
	memcpy(m->a, from->a, m->rows * m->cols * sizeof(*m->a));
}

void mat_release(struct mat *m)
{
	free(m->a);
	*m = (struct mat){ 0 };
}

double mat_norm(const double *x, size_t n)
{
	return sqrt(mat_square(x, n));
}
