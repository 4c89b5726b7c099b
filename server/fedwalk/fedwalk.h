/* fedwalk.h -- FedWalk (Pan, Zhu, KDD 2022), the coordinator's half: the paper's server. */
#ifndef SERVER_FEDWALK_FEDWALK_H
#define SERVER_FEDWALK_FEDWALK_H

#include "server/run/run.h"

/* run->n becomes the number of vertices. run->embedding becomes run->n x FEDWALK_DIMS floats,
 * by row, unless job.keep_embeddings is false. */
enum err server_fedwalk(struct run *run) MUST_CHECK;

#endif
