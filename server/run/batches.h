/* batches.h -- batches that parties seal for each other, passed on.
 *
 * In an exchange each party sends each other one a batch, in the order of the parties: boxes of
 * RELAY_BOX bytes and then one that is shorter, by which its end is seen (party/work/exchange.h). Nobody
 * receives before all have sent, so that nothing waits for itself: the coordinator holds what one
 * exchange carries.
 */
#ifndef SERVER_RUN_BATCHES_H
#define SERVER_RUN_BATCHES_H

#include "server/run/run.h"

/* Totals of a job's exchanges over all parties: boxes and their bytes. */
struct batch_totals {
	uint64_t boxes, bytes;
};

/* One exchange. ERR_PEER, naming the party: a box that is for another use, from or to somebody
 * else. *sum grows. */
enum err relay_batches(struct run *run, enum sealed what, struct batch_totals *sum) MUST_CHECK;

#endif
