/* kind.h -- a party's half of fedwalk, for party/daemon/kinds.c. */
#ifndef PARTY_FEDWALK_KIND_H
#define PARTY_FEDWALK_KIND_H

#include "party/work/kind.h"

extern const struct party_kind party_kind_fedwalk;

#endif
