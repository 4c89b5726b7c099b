/* coordinator.h -- FedGCN, the coordinator's half: Algorithm 1 of Liu et al. (AAAI 2025).
 *
 * With parties in memory (fedgcn_in_memory, party.h) whose sums are of a job's fixed point, models are
 * the same bits as a run's.
 */
#ifndef COMMON_FEDGCN_COORDINATOR_H
#define COMMON_FEDGCN_COORDINATOR_H

#include "common/fedgcn/party.h"
#include "common/parties/parties.h"

struct fedgcn_report {
	double n;                              /* graphs */
	unsigned rounds;                       /* that came to their end */
	double *kl, *reconstruction, *changed; /* rounds of them; owned */
	double *size;    /* k: graphs of each cluster at last; owned; all 0 if it broke off */
	double *W;       /* the last good joint weights; owned */
	struct mat C;    /* and prototypes */
	size_t withheld; /* cluster indices of which no party had min_cluster graphs in the last
			    round */
};
void fedgcn_report_release(struct fedgcn_report *r);

/* Phases: "start", "centres", "train", "final". ERR_INPUT: parameters that cannot be; ERR_PEER: numbers
 * of graphs that cannot be; ERR_JOB: the sum of losses or weights explodes: the sentence has round and
 * values. *report is filled here also then, with the last good model. Labels and models are with the
 * parties. */
enum err fedgcn_run(struct parties *parties, const struct fedgcn_params *p,
		    struct fedgcn_report *report) MUST_CHECK;

#endif
