/* linked.h -- whether linked rows are alike in the facts that stand beside words (seen.h). */
#ifndef PROTOCOLS_KCAGC_LINKED_H
#define PROTOCOLS_KCAGC_LINKED_H

#include "protocols/kcagc/seen.h"

/* Fewer edges than LINKED_LEAST tell too little: then all facts count. */
enum { LINKED_LEAST = 100 };

/* Marks the foreign columns in which linked rows are no more alike than others: Moran's I (1950)
 * is at most two standard errors, 2 / sqrt(edges). The filter would leave only noise of them, in
 * one direction, which is then the longest. Fails where links follow something other than the
 * classes, and the fact follows these. The same at each rank. O(edges) for each foreign column. */
void linked_see(struct slice *s, struct seen *seen);

#endif
