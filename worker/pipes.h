/* pipes.h -- rank 0's ends of the two pipes (common/ranks/pipe.h). If the party has ended or sends
 * an invalid message, all ranks end, because no process could receive an error. */
#ifndef WORKER_PIPES_H
#define WORKER_PIPES_H

#include "common/ranks/pipe.h"

#include <stdbool.h>

/* Opens the pipes `in` and `out` in the directory dir. */
void pipes_open(const char *dir);
/* returns false if the party has ended the ranks */
bool pipes_receive_command(struct ranks_command *o);
void pipes_send_message(enum ranks_what what, const void *p, size_t n);
/* Sends n bytes in pieces. No piece ends within a unit of `unit` bytes that fits into one piece. */
void pipes_send_vector(const void *p, size_t n, size_t unit);
void pipes_receive(void *p, size_t n); /* accepts pieces of any sizes */
void pipes_tick(void);                 /* sends an empty frame from time to time */

#endif
