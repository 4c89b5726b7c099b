/* kind.h -- a party's half of fedsc and kmeans, for party/daemon/kinds.c. */
#ifndef PARTY_FEDSC_KIND_H
#define PARTY_FEDSC_KIND_H

#include "party/work/kind.h"

extern const struct party_kind party_kind_fedsc;
extern const struct party_kind party_kind_kmeans;

#endif
