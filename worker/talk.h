/* talk.h -- rank 0's ends of the two pipes (common/ranks/pipe.h). All ranks end if the party has
 * gone or sends an impossible message, since no process could receive an error. */
#ifndef WORKER_TALK_H
#define WORKER_TALK_H

#include "common/ranks/pipe.h"

#include <stdbool.h>

/* dir: the directory of the pipes `in` and `out`. */
void talk_open(const char *dir);
bool talk_order(struct ranks_order *o); /* false: the party has ended the ranks */
void talk_say(enum ranks_what what, const void *p, size_t n);
void talk_send(const void *p, size_t n, size_t unit); /* no piece splits a unit that fits it */
void talk_receive(void *p, size_t n);                 /* of any pieces */
void talk_tick(void);                                 /* sends an empty frame from time to time */

#endif
