/* params.h -- hashes the parameters that enter every key of an attempt: the full job, submitter,
 * parties, parties left out, and coordinator. A party also compares the hash with that of later
 * attempts. */
#ifndef PARTY_DAEMON_PARAMS_H
#define PARTY_DAEMON_PARAMS_H

#include "party/work/work.h"

/* Sets work->params_hash and work->began_hash, as in docs/secure-sum.md. */
void params_make(struct work *work);
/* Computes params_hash of this attempt or of an earlier one. Parties that were left out after that
 * attempt do not count as left out. */
void params_of_attempt(const struct work *work, uint32_t attempt,
		       uint8_t hash[static SECAGG_HASH_LEN]);

#endif
