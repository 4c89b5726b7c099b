/* talk.h -- rank 0's ends of the two pipes (common/ranks/pipe.h). A party that is gone, or sends an
 * impossible message, ends all ranks: there is nobody to tell. */
#ifndef WORKER_TALK_H
#define WORKER_TALK_H

#include "common/ranks/pipe.h"

#include <stdbool.h>

/* dir: with the pipes `in` and `out`. */
void talk_open(const char *dir);
bool talk_order(struct ranks_order *o); /* false: the party wants no more */
void talk_say(enum ranks_what what, const void *p, size_t n);
void talk_send(const void *p, size_t n, size_t unit); /* no piece ends within a unit, if one fits */
void talk_receive(void *p, size_t n);                 /* wherever pieces end */
void talk_tick(void);                                 /* now and then: a frame without anything */

#endif
