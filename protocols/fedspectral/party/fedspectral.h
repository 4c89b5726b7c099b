/* fedspectral.h -- The party's side of FedSpectral, FedSpectral+ and the exact variant. */
#ifndef PROTOCOLS_FEDSPECTRAL_PARTY_FEDSPECTRAL_H
#define PROTOCOLS_FEDSPECTRAL_PARTY_FEDSPECTRAL_H

#include "party/work/kind.h"

extern const struct party_kind party_kind_fedspectral;

#endif
