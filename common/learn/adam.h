/* adam.h -- steps of Adam (Kingma, Ba 2015) with its usual constants: 0.9, 0.999, 1e-8. */
#ifndef COMMON_LEARN_ADAM_H
#define COMMON_LEARN_ADAM_H

#include <stddef.h>

struct adam {
	size_t n;
	unsigned step;
	float *mean, *square; /* owned: n */
};

void adam_init(struct adam *a, size_t n);
void adam_release(struct adam *a);
/* x (n) goes a step against its gradient. */
void adam_step(struct adam *a, double rate, const float *gradient, float *x);

#endif
