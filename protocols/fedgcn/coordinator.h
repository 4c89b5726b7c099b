/* coordinator.h -- FedGCN, the coordinator's side: Algorithm 1 of Liu et al. (AAAI 2025).
 *
 * With parties in memory (fedgcn_in_memory, party.h) and sums in a job's fixed point, models are
 * bitwise identical to those of a run. */
#ifndef PROTOCOLS_FEDGCN_COORDINATOR_H
#define PROTOCOLS_FEDGCN_COORDINATOR_H

#include "protocols/fedgcn/party.h"
#include "common/parties/parties.h"

struct fedgcn_report {
	double n;                              /* graphs of all parties */
	unsigned rounds;                       /* completed rounds */
	double *kl, *reconstruction, *changed; /* one entry a round; owned */
	double *size; /* k: final number of graphs of each cluster; owned; all 0 after an error */
	double *W;    /* last good joint weights; owned */
	struct mat C; /* last good joint prototypes */
	/* clusters for which no party had min_cluster graphs in the last round */
	size_t withheld;
};
void fedgcn_report_release(struct fedgcn_report *r);

/* Phases: "start", "centres", "train", "final". ERR_INPUT: invalid parameters; ERR_PEER: impossible
 * numbers of graphs; ERR_JOB: the sum of losses or weights explodes, with round and values in the
 * text. *report is filled after errors too, with the last good model. Parties keep labels and
 * models. */
enum err fedgcn_run(struct parties *parties, const struct fedgcn_params *p,
		    struct fedgcn_report *report) MUST_CHECK;

#endif
