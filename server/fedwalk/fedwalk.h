/* fedwalk.h -- FedWalk (Pan, Zhu, KDD 2022), the coordinator's half: the paper's server. */
#ifndef SERVER_FEDWALK_FEDWALK_H
#define SERVER_FEDWALK_FEDWALK_H

#include "server/run/kind.h"

extern const struct server_kind server_kind_fedwalk;

/* Is there memory for the job? Logs the estimate. ERR_JOB if it is more than this host has, or this
 * process may have: with the numbers, and what takes less. */
enum err fedwalk_check_room(const struct run *run) MUST_CHECK;

#endif
