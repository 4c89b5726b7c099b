/* fedspectral.h -- the coordinator's half of FedSpectral, FedSpectral+ and the exact variant. */
#ifndef SERVER_FEDSPECTRAL_FEDSPECTRAL_H
#define SERVER_FEDSPECTRAL_FEDSPECTRAL_H

#include "server/run/kind.h"

extern const struct server_kind server_kind_fedspectral;

#endif
