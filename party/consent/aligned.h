/* aligned.h -- the sets of ids with which this party's rows were matched before (job.align).
 *
 * Two matchings whose sets differ by a few ids show together what others have of those few. So a set is
 * matched if it is one of before, or differs from each by policy.min_change ids at least.
 *
 * state/aligned keeps of each set, the last ALIGNED_SETS of them, 2^14 words: HMACs of its ids by a key that is in
 * the file, xored into the words that they choose. As many words differ as ids do, or a few less: where two fall
 * on one word. So a change that is too small is always found, and one slightly above may be taken for one. Nobody
 * can tell ids from it who could not guess them and read the file.
 */
#ifndef PARTY_CONSENT_ALIGNED_H
#define PARTY_CONSENT_ALIGNED_H

#include "common/data/ids.h"
#include "crypto/hash.h"

enum { ALIGNED_SETS = 16, ALIGNED_WORDS = 1 << 14 };

/* Before the rows are matched: checks the set, and keeps it; several processes on one state take turns. data: the fingerprint of the data that it is of.
 * ERR_PEER: it differs too little. ERR_INPUT: the file is damaged; ERR_JOB: it cannot be written. O(ids), where the
 * data are not those of a set that is kept. name: the party's, for the sentence. */
enum err aligned_note(const char *state, const char *name, unsigned min_change, const struct ids *ids,
		      const uint8_t data[static SHA256_LEN]) MUST_CHECK;

#endif
