/* intersect.h -- the rows that all parties have, where their ids differ: docs/alignment.md.
 *
 * A secure sum adds up each party's table of zero shares. The party with the fewest ids lists them, as pseudonyms;
 * those at which the sum reads 0 are common. All parties receive the common pseudonyms (COMMON) and tell them from
 * invented ones.
 */
#ifndef SERVER_RUN_INTERSECT_H
#define SERVER_RUN_INTERSECT_H

#include "server/run/run.h"

/* In a job whose align is not "same", once keys are agreed. Sets run->n, the number of common rows; which they are
 * is not known here. ERR_JOB: fewer than job.min_common. ERR_PEER, naming the party: a table or a list that is
 * not as long as it must be, or whose pseudonyms do not rise. O(ids); memory: a table, and the list. */
enum err server_intersect(struct run *run) MUST_CHECK;

#endif
