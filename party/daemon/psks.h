/* psks.h -- pre-shared keys with other parties (peers.NAME.psk). The party reads them at process
 * start, like the private key, and keeps them in secret memory until the process ends. */
#ifndef PARTY_DAEMON_PSKS_H
#define PARTY_DAEMON_PSKS_H

#include "common/job/daemon.h"
#include "crypto/psk.h"
#include "party/work/work.h"

struct psks;

/* Reads all keys of the configuration, which it borrows. *psks is NULL if there are none.
 * ERR_INPUT, with peer and file: a key is invalid. */
enum err psks_read(struct psks **psks, const struct party_config *config) MUST_CHECK;
/* Wipes and frees the keys; accepts NULL. */
void psks_free(struct psks *psks);

enum err psks_check(const struct party_config *config) MUST_CHECK;

/* Returns the keys shared with the parties of a job, by party number. A party without a key has n
 * 0. NULL: no party has a key. The caller wipes this copy with psks_forget(). psks may be NULL. */
struct psk *psks_of(const struct psks *psks, const struct work *work);
/* Wipes and frees the copy; accepts NULL. */
void psks_forget(struct psk *psk, const struct work *work);

#endif
