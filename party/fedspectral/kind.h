/* kind.h -- a party's half of fedspectral, for party/daemon/kinds.c. */
#ifndef PARTY_FEDSPECTRAL_KIND_H
#define PARTY_FEDSPECTRAL_KIND_H

#include "party/work/kind.h"

extern const struct party_kind party_kind_fedspectral;

#endif
