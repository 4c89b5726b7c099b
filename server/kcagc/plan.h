/* plan.h -- plan "auto": what each way to run this kCAGC job would cost, and the cheapest of them.
 *
 * Made once the parties' local clusters are known, so that the cells of the first level are
 * counted, not guessed. Those of higher levels are guessed from how full the first one is. Rounds
 * and words are what the job takes if Lloyd never settles early.
 */
#ifndef SERVER_KCAGC_PLAN_H
#define SERVER_KCAGC_PLAN_H

#include "common/kcagc/job.h"
#include "common/job/record.h"
#include "server/run/run.h"

/* One way to run the job, costed. label: each party's local clusters (L arrays of n). Fills name,
 * rounds, round_trips, words, bytes and, from the link, seconds. */
void plan_cost(const struct run *run, const uint32_t *const *label, enum kcagc_method method,
	       enum kcagc_exchange exchange, const struct record_link *link,
	       struct record_plan *plan);

/* Every party's PROBEs. The round trip is that of the slowest. The rate is for what all parties
 * send together, in equal parts: L times that of the slowest. All send at once, so it holds as well
 * where the coordinator's own link is what they share. While TCP still opens its windows it is the
 * windows' rate. ERR_PEER if a PROBE has another length than is due. */
enum err plan_measure(struct run *run, struct record_link *link) MUST_CHECK;

/* Costs basic, flat and tree, each of the last two with distances and with gram; marks the one
 * taken in the record, prints all, and sets run->job.method and exchange. Gram is taken only if the
 * job allows it, basic only with min_cell 1. link: as measured. */
void plan_choose(struct run *run, const uint32_t *const *label, const struct record_link *link);

#endif
