/* room.h -- whether this host has the memory for a fedwalk job, before it begins. */
#ifndef SERVER_FEDWALK_ROOM_H
#define SERVER_FEDWALK_ROOM_H

#include "common/fedwalk/distance.h"
#include "server/run/run.h"

enum { FEDWALK_EXACT_MAX = 50000 }; /* vertices, of whose pairs tree "auto" keeps all */

enum fedwalk_how fedwalk_tree_how(const struct job *job, size_t n);

/* Logs the estimate. ERR_JOB if it is more than this host has, or this process may have: with the
 * numbers, and what takes less. */
enum err fedwalk_check_room(const struct run *run) MUST_CHECK;

#endif
