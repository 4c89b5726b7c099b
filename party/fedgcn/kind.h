/* kind.h -- a party's half of fedgcn, for party/daemon/kinds.c. */
#ifndef PARTY_FEDGCN_KIND_H
#define PARTY_FEDGCN_KIND_H

#include "party/work/kind.h"

extern const struct party_kind party_kind_fedgcn;

#endif
