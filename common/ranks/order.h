/* order.h -- the search for filter.order "auto" (common/kcagc/order.h) of rows that lie on several ranks, to the same bits. */
#ifndef COMMON_RANKS_ORDER_H
#define COMMON_RANKS_ORDER_H

#include "common/kcagc/order.h"
#include "common/linalg/ranks.h"

struct ranks_order_search;

/* order_begin(): rows and X, this rank's, stay; rows outlive the search. */
struct ranks_order_search *ranks_order_begin(const struct ranks *R, const struct csr *rows, const struct features *X,
					     const struct embed_params *how, const struct kmeans_params *clusters);
void ranks_order_end(struct ranks_order_search *s); /* accepts NULL */
/* order_next(), the same at each rank. ERR_INPUT also as ranks_embed(). */
enum err ranks_order_next(struct ranks_order_search *s, double *term) MUST_CHECK;

#endif
