/* kcagc.h -- the coordinator's half of kCAGC, arXiv 2411.12329, Protocols 2 and 3. */
#ifndef SERVER_KCAGC_KCAGC_H
#define SERVER_KCAGC_KCAGC_H

#include "server/run/run.h"

/* From the parties' local clusters to the final label of each of the n nodes. The coordinator is
 * an aggregator without data; the other half is party/kcagc/kcagc.c. Rounds: per tree level 1 + at most
 * Q, then at most P; basic has one level over all nodes. */
enum err server_kcagc(struct run *run, uint32_t *label) MUST_CHECK;

#endif
