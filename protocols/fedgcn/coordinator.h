/* coordinator.h -- FedGCN, the coordinator's side: Algorithm 1 of Liu et al. (AAAI 2025).
 *
 * A run with parties in memory (fedgcn_in_memory, party.h), and with sums in a job's fixed point,
 * gives bitwise the same models as a distributed run. */
#ifndef PROTOCOLS_FEDGCN_COORDINATOR_H
#define PROTOCOLS_FEDGCN_COORDINATOR_H

#include "protocols/fedgcn/party.h"
#include "common/parties/parties.h"

struct fedgcn_report {
	double n;                              /* number of graphs of all parties */
	unsigned rounds;                       /* number of completed rounds */
	double *kl, *reconstruction, *changed; /* one entry per round; owned */
	/* Final number of graphs of each cluster: k entries; all 0 after an error; owned. */
	double *size;
	double *W;    /* last joint weights that were finite and within bounds; owned */
	struct mat C; /* joint prototypes that belong to W */
	/* with prototypes "matched": number of clusters for which no party had min_cluster graphs
	 * in the last round; otherwise 0 */
	size_t withheld;
};
void fedgcn_report_release(struct fedgcn_report *r);

/* Phases: "start", "centres", "train", "final". ERR_INPUT: invalid parameters, or with prototypes
 * "printed" a covariance that is not positive definite; ERR_PEER: impossible numbers of graphs or
 * prototypes; ERR_JOB: a sum or a mean weight explodes, with round and value in the text. *report
 * is filled after errors too, with the last good model. Parties keep labels and models. */
enum err fedgcn_run(struct parties *parties, const struct fedgcn_params *p,
		    struct fedgcn_report *report) MUST_CHECK;

#endif
