/* kcagc.h -- a party's half of kCAGC, arXiv 2411.12329, Protocols 1 to 3. */
#ifndef PARTY_KCAGC_KCAGC_H
#define PARTY_KCAGC_KCAGC_H

#include "party/work/work.h"

/* From the party's slice to the final label of each node (n of them, rows sorted by id). The other
 * half is server/kcagc/kcagc.c; the messages' order is in proto/PROTOCOL.md. */
enum err party_kcagc(struct work *work, uint32_t *label) MUST_CHECK;

#endif
