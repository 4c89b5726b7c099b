/* kinds.h -- the registry of the party side of each kind of job. */
#ifndef PARTY_DAEMON_KINDS_H
#define PARTY_DAEMON_KINDS_H

#include "party/work/kind.h"

const struct party_kind *party_kind_of(const struct kind *kind);

/* Returns the first missing member, or NULL if complete. */
const char *party_kind_lacks(const struct party_kind *half);

/* Call at start: checks that each kind of common/job/kinds.h has its party side here, complete, and
 * calls kinds_check(). Aborts with kind and member otherwise. */
void party_kinds_check(void);

#endif
