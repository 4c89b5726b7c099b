/* fedspectral.h -- the coordinator's half of FedSpectral, FedSpectral+ and the exact variant. */
#ifndef SERVER_FEDSPECTRAL_FEDSPECTRAL_H
#define SERVER_FEDSPECTRAL_FEDSPECTRAL_H

#include "server/run/run.h"

/* From the alignment of nodes to the labels of each party's own. *label becomes run->n labels below
 * run->job.clusters, which becomes the number found, and one more if there are nodes without any
 * edge; NULL on failure. run.json gets nodes, isolated, rounds, and of exact the leading
 * eigenvalues, eigengap, residual and components. */
enum err server_fedspectral(struct run *run, uint32_t **label) MUST_CHECK;

#endif
