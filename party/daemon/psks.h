/* psks.h -- the keys that this party shares with others beforehand (peers.NAME.psk): read when the
 * process starts, as its private key is, and kept in secret memory until it ends. */
#ifndef PARTY_DAEMON_PSKS_H
#define PARTY_DAEMON_PSKS_H

#include "common/job/daemon.h"
#include "crypto/psk.h"
#include "party/work/work.h"

struct psks;

/* All that the configuration names; it is borrowed. NULL where it names none. ERR_INPUT, naming peer
 * and file. */
enum err psks_read(struct psks **psks, const struct party_config *config) MUST_CHECK;
/* Wipes; accepts NULL. */
void psks_free(struct psks *psks);

/* Reads and forgets them. */
enum err psks_check(const struct party_config *config) MUST_CHECK;

/* Those with the parties of a job, by their numbers, n 0 where there is none; NULL: none at all. A
 * copy of the caller's, which wipes it: psks_forget(). psks: or NULL. */
struct psk *psks_of(const struct psks *psks, const struct work *work);
void psks_forget(struct psk *psk, const struct work *work); /* accepts NULL */

#endif
