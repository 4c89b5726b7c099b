#include "common/learn/adam.h"
#include "common/base/alloc.h"

#include <math.h>
#include <stdlib.h>

static const float MEAN_KEPT = 0.9F, SQUARE_KEPT = 0.999F, LEAST = 1e-8F;

void adam_init(struct adam *a, size_t n)
{
	*a = (struct adam){ .n = n };
	ALLOC(a->mean, n);
	ALLOC(a->square, n);
}

void adam_release(struct adam *a)
{
	free(a->mean);
	free(a->square);
	*a = (struct adam){ 0 };
}

void adam_step(struct adam *a, double rate, const float *gradient, float *x)
{
	float unbias, length;

	a->step++;
	unbias = (float)(1 / sqrt(1 - pow((double)SQUARE_KEPT, a->step)));
	length = (float)(rate / (1 - pow((double)MEAN_KEPT, a->step)));
	for (size_t i = 0; i < a->n; i++) {
		float g = gradient[i];

		a->mean[i] = MEAN_KEPT * a->mean[i] + (1 - MEAN_KEPT) * g;
		a->square[i] = SQUARE_KEPT * a->square[i] + (1 - SQUARE_KEPT) * (g * g);
		x[i] -= length * a->mean[i] / (sqrtf(a->square[i]) * unbias + LEAST);
	}
}
