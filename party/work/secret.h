/* secret.h -- state/noise.key: a party's secret for its noise, and a copy of its ledger's head.
 *
 *     32 bytes   the secret, drawn when first needed
 *     40 bytes   the ledger's head: rows (8 bytes, big-endian), hash of the last; absent before the
 *                first claim
 *
 * The second copy of the head detects a ledger that was replaced by an older one, which lacks
 * claims of differential privacy. The file is 32 or 72 bytes long. Processes that share a state
 * directory lock it.
 */
#ifndef PARTY_WORK_SECRET_H
#define PARTY_WORK_SECRET_H

#include "crypto/hmac.h"
#include "crypto/ledger.h"
#include "party/work/work.h"

/* Starts an HMAC under the secret. If work has no state directory (tests), the secret is random.
 * ERR_JOB: the file cannot be made or read; ERR_INPUT: it is damaged. */
enum err secret_hmac(const struct work *work, struct hmac **h) MUST_CHECK;

/* Derives a key of this job for the use that `purpose` names. The key is the same in each
 * attempt. Errors: as secret_hmac(). The caller wipes the key. */
enum err secret_key(const struct work *work, const char *purpose,
		    uint8_t key[static HMAC_LEN]) MUST_CHECK;

/* Stores the head, unless the file already has a later one. make: creates the file if it does not
 * exist. ERR_JOB, ERR_INPUT: as secret_hmac(). */
enum err secret_keep_head(const char *state, const struct ledger_head *head, bool make) MUST_CHECK;
/* Returns the stored head; count is 0 if there is none. ERR_JOB, ERR_INPUT: as secret_hmac(). */
enum err secret_head(const char *state, struct ledger_head *head) MUST_CHECK;

#endif
