/* kinds.h -- the registry of the party side of each kind of job. */
#ifndef PARTY_DAEMON_KINDS_H
#define PARTY_DAEMON_KINDS_H

#include "party/work/kind.h"

const struct party_kind *party_kind_of(const struct kind *kind);

#endif
