/* orders.h -- what the ranks do for a party: one order after the other, all ranks alike (common/ranks/pipe.h). */
#ifndef WORKER_ORDERS_H
#define WORKER_ORDERS_H

#include "common/linalg/ranks.h"

/* Until the party wants no more. R: without a cut. */
void orders_follow(struct ranks *R);

#endif
