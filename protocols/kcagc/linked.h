/* linked.h -- tests whether linked rows have similar values in the columns of facts among words
 * (seen.h). */
#ifndef PROTOCOLS_KCAGC_LINKED_H
#define PROTOCOLS_KCAGC_LINKED_H

#include "protocols/kcagc/seen.h"

/* With fewer edges than LINKED_LEAST the test is not reliable, so no column is marked. */
enum { LINKED_LEAST = 100 };

/* Marks the foreign columns in which linked rows are no more alike than other rows: Moran's I
 * (1950) is at most two standard errors, 2 / sqrt(edges). The filter would leave only noise of such
 * a column. This noise has one direction, which would be the longest. The test is wrong if the
 * column follows the classes but the links do not. The result is the same at each rank. O(edges)
 * for each foreign column. */
void linked_see(struct slice *s, struct seen *seen);

#endif
