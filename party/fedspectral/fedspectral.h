/* fedspectral.h -- a party's half of FedSpectral, FedSpectral+ and the exact variant. */
#ifndef PARTY_FEDSPECTRAL_FEDSPECTRAL_H
#define PARTY_FEDSPECTRAL_FEDSPECTRAL_H

#include "party/work/kind.h"

extern const struct party_kind party_kind_fedspectral;

#endif
