/* aligned.h -- remembers the sets of ids with which this party's rows were matched (job.align).
 *
 * If a party matches two sets that differ by a few ids, the two results disclose whether other
 * parties have those few ids. So a set is matched only if it equals an earlier one, or differs from
 * each by at least ALIGNED_CHANGE_MIN ids.
 *
 * state/aligned keeps a key, and 2^14 words for each of the last ALIGNED_SETS sets. The HMAC of
 * each id selects one word and is xored into it. If m ids differ, at most m words differ, and fewer
 * if two ids select one word. So every change that is too small is found. A change slightly above
 * the limit may also be refused. An attacker learns ids from the file only by reading it and
 * guessing them. */
#ifndef PARTY_CONSENT_ALIGNED_H
#define PARTY_CONSENT_ALIGNED_H

#include "common/data/ids.h"
#include "crypto/hash.h"

enum { ALIGNED_SETS = 16, ALIGNED_WORDS = 1 << 14, ALIGNED_CHANGE_MIN = 10 };

/* Checks a set of ids before rows are matched, and stores it. Processes that share a state
 * directory take turns. data: fingerprint of the set's data. name: name of the party, for error
 * texts. ERR_PEER: the set differs too little; ERR_INPUT: the file is damaged; ERR_JOB: it cannot
 * be written or locked. O(ids); cheap if the data belong to a stored set. */
enum err aligned_note(const char *state, const char *name, const struct ids *ids,
		      const uint8_t data[static SHA256_LEN]) MUST_CHECK;

#endif
