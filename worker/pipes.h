/* pipes.h -- rank 0's ends of the two pipes (common/ranks/pipe.h). All ranks end if the party has
 * gone or sends an impossible message, since no process could receive an error. */
#ifndef WORKER_PIPES_H
#define WORKER_PIPES_H

#include "common/ranks/pipe.h"

#include <stdbool.h>

/* dir: the directory of the pipes `in` and `out`. */
void pipes_open(const char *dir);
bool pipes_receive_command(struct ranks_command *o); /* false: the party has ended the ranks */
void pipes_send_message(enum ranks_what what, const void *p, size_t n);
void pipes_send_vector(const void *p, size_t n,
		       size_t unit);   /* no piece splits a unit that fits it */
void pipes_receive(void *p, size_t n); /* of any pieces */
void pipes_tick(void);                 /* sends an empty frame from time to time */

#endif
