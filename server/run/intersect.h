/* intersect.h -- finds the rows that all parties have, if the parties' ids differ
 * (docs/alignment.md).
 *
 * A secure sum adds up the parties' tables of zero shares. The party with the fewest ids sends a
 * list of their pseudonyms. An id is common if the sum for its pseudonym is 0. All parties receive
 * the common pseudonyms (COMMON) and separate their own from random ones. */
#ifndef SERVER_RUN_INTERSECT_H
#define SERVER_RUN_INTERSECT_H

#include "server/run/run.h"

/* Finds the common rows. Call after the agreement on keys, for jobs whose align is not "same". Sets
 * run->n, the number of common rows; the coordinator does not learn their ids. ERR_JOB: fewer than
 * job.min_common, or the parties' ids fit into no table. ERR_PEER: a table or list has the wrong
 * length or pseudonyms do not ascend (with the party's name), or a pseudonym that all parties add
 * is not common. O(ids); memory: one table and the list. */
enum err server_intersect(struct run *run) MUST_CHECK;

#endif
