/* intersect.h -- the rows that all parties have, where their ids differ: docs/alignment.md.
 *
 *   intersect   each party's table of zero shares is added up in a secure sum; the ids of the party that has
 *               fewest, as pseudonyms, at which it reads 0 are those of all
 *   hashed      each party sends the pseudonyms of all its ids, which are compared here
 *   both        the common pseudonyms are told to all parties (COMMON), who know them from invented ones
 */
#ifndef SERVER_RUN_INTERSECT_H
#define SERVER_RUN_INTERSECT_H

#include "server/run/run.h"

/* In a job whose align is not "same", once keys are agreed. Sets run->n, the number of common rows; which they are
 * is not known here. ERR_JOB: fewer than job.min_common. ERR_PEER, naming the party: a table or a list that is
 * not as long as it must be, or whose pseudonyms do not rise. O(ids); memory: a table, and the lists. */
enum err server_intersect(struct run *run) MUST_CHECK;

#endif
