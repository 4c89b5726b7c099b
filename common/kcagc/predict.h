/* predict.h -- how kcagc.predict cuts its nodes into sums, the same at both halves. */
#ifndef COMMON_KCAGC_PREDICT_H
#define COMMON_KCAGC_PREDICT_H

#include <stddef.h>

enum { PREDICT_WORDS = 1 << 20 }; /* of a sum: 8 MiB at the coordinator, however many nodes */

/* The nodes of one sum, k words each; the last sum has those that are left. */
static inline size_t predict_rows(size_t k)
{
	return k < PREDICT_WORDS ? PREDICT_WORDS / k : 1;
}

#endif
