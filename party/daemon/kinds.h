/* kinds.h -- the registry of a party's half of each kind of job. */
#ifndef PARTY_DAEMON_KINDS_H
#define PARTY_DAEMON_KINDS_H

#include "party/work/kind.h"

/* There is one for each kind: */
const struct party_kind *party_kind_of(const struct kind *kind);

/* The first member that must be there and is not (NULL: the table itself); NULL: all are. */
const char *party_kind_lacks(const struct party_kind *half);

/* At start: each kind of common/job/kinds.h has its half here, and each half all
 * its members, and kinds_check(). Aborts, naming kind and member. */
void party_kinds_check(void);

#endif
