/* fedgcn.h -- the coordinator's half of FedGCN (Liu et al., AAAI 2025): clusters of whole graphs.
 */
#ifndef SERVER_FEDGCN_FEDGCN_H
#define SERVER_FEDGCN_FEDGCN_H

#include "server/run/run.h"

/* Labels are with the parties; the record has the clusters' sizes, losses and what else is in the
 * report. run->n becomes the number of all graphs. The joint model is left in
 * run->output/model.fedgcn, unless parties share none; of a run that breaks off, the last good one.
 */
enum err server_fedgcn(struct run *run) MUST_CHECK;

#endif
