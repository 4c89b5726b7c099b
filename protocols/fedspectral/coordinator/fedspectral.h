/* fedspectral.h -- The coordinator's side of FedSpectral, FedSpectral+ and the exact variant. */
#ifndef PROTOCOLS_FEDSPECTRAL_COORDINATOR_FEDSPECTRAL_H
#define PROTOCOLS_FEDSPECTRAL_COORDINATOR_FEDSPECTRAL_H

#include "server/run/kind.h"

extern const struct server_kind server_kind_fedspectral;

#endif
