/* policy.h -- what this party takes part in. Decided here, from its own configuration and the
 * offer, before any of its data is touched.
 */
#ifndef PARTY_POLICY_H
#define PARTY_POLICY_H

#include "common/job/daemon.h"
#include "party/work.h"

/* Checks an offer that work already holds (job, names, own number): ERR_PEER with what was offered,
 * what is allowed, and the setting. agreed: the job this party agreed to beforehand, or NULL. */
enum err policy_check(const struct party_config *config, const struct job *agreed,
		      const struct work *work) MUST_CHECK;

/* Notes that (job id, attempt) is served now; ERR_PEER if it was served before: its masks would be
 * used twice. Kept in the file `served` of the state directory. */
enum err policy_serve_once(const struct party_config *config, const struct work *work) MUST_CHECK;

/* The pinned fingerprint of a party, from the peers of the configuration. */
enum err policy_pin(const struct party_config *config, const char *name,
		    uint8_t pin[static SECAGG_HASH_LEN]) MUST_CHECK;

#endif
