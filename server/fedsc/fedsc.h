/* fedsc.h -- the coordinator's half of FedSC (Qiao, Ding, Fan, NeurIPS 2023) and of federated
 * k-means: kinds fedsc and kmeans.
 */
#ifndef SERVER_FEDSC_FEDSC_H
#define SERVER_FEDSC_FEDSC_H

#include "server/run/run.h"

/* run->columns is known, run->n becomes so. *label: run->n labels in the order of the parties,
 * owned by the caller, in variant "paper"; otherwise it stays NULL, and the record has the
 * clusters' sizes. */
enum err server_fedsc(struct run *run, uint32_t **label) MUST_CHECK;

#endif
