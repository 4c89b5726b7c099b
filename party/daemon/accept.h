/* accept.h -- an offer taken apart, held against this party's data, and accepted. */
#ifndef PARTY_DAEMON_ACCEPT_H
#define PARTY_DAEMON_ACCEPT_H

#include "common/job/daemon.h"
#include "party/work/kind.h"

/* The offer's job in full, who takes part (rising names with `own` among them), and the hash of
 * parties and parameters that goes into every key. ERR_PEER if it is not such an offer. */
enum err accept_read_offer(struct work *work, const char *own, const struct msg_offer *o,
			   uint8_t params_hash[static SECAGG_HASH_LEN]) MUST_CHECK;

/* ERR_INPUT if the job's kind needs data that this party's configuration does not name, or that are
 * not there. */
enum err accept_check_data(struct work *work, const struct party_config *config) MUST_CHECK;

/* Sends ACCEPT: the hash of the job as understood here, and what the coordinator compares. */
enum err accept_say(struct work *work) MUST_CHECK;

#endif
