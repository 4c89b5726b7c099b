/* intersect.h -- finds the rows that all parties have, if their ids differ: docs/alignment.md.
 *
 * A secure sum adds up the parties' tables of zero shares. The party with the fewest ids lists
 * them, as pseudonyms; those for which the sum reads 0 are common. All parties receive the common
 * pseudonyms (COMMON) and separate their own from random ones. */
#ifndef SERVER_RUN_INTERSECT_H
#define SERVER_RUN_INTERSECT_H

#include "server/run/run.h"

/* Call for jobs with another align than "same", after the agreement on keys. Sets run->n, the
 * number of common rows; the coordinator does not learn their ids. ERR_JOB: fewer than
 * job.min_common. ERR_PEER, with the party's name: a table or list of the wrong length, or
 * pseudonyms that do not ascend. O(ids); memory: a table, and the list. */
enum err server_intersect(struct run *run) MUST_CHECK;

#endif
