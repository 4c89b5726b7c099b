/* fedwalk.h -- FedWalk (Pan, Zhu, KDD 2022), the party's side: the devices that it hosts. */
#ifndef PROTOCOLS_FEDWALK_PARTY_FEDWALK_H
#define PROTOCOLS_FEDWALK_PARTY_FEDWALK_H

#include "party/work/kind.h"

extern const struct party_kind party_kind_fedwalk;

#endif
