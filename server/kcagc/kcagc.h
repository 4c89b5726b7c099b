/* kcagc.h -- the coordinator's half of kcagc and kcagc.predict. The other half is party/kcagc. */
#ifndef SERVER_KCAGC_KCAGC_H
#define SERVER_KCAGC_KCAGC_H

#include "server/run/kind.h"

extern const struct server_kind server_kind_kcagc, server_kind_kcagc_predict;

/* arXiv 2411.12329, Protocols 2 and 3: from the parties' local clusters to the final label of each of
 * the n nodes. The coordinator is an aggregator without data. Rounds: per tree level 1 + at most Q,
 * then at most P; basic has one level over all nodes. */
enum err server_kcagc(struct run *run, uint32_t *label) MUST_CHECK;
/* Landmark projection: kCAGC's local clusters as landmarks, five secure sums. */
enum err server_landmark(struct run *run, uint32_t *label) MUST_CHECK;

#endif
