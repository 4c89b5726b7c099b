/* params.h -- what goes into every key of an attempt: the job in full, who wants it, who takes part and who was left
 * out, and which coordinator offers it. Also what a party holds a later attempt against. */
#ifndef PARTY_DAEMON_PARAMS_H
#define PARTY_DAEMON_PARAMS_H

#include "party/work/work.h"

/* Makes work->params_hash, docs/secure-sum.md. */
void params_make(struct work *work);
/* What it was in this attempt or an earlier one: without those who were left out later. */
void params_of_attempt(const struct work *work, uint32_t attempt, uint8_t hash[static SECAGG_HASH_LEN]);

#endif
