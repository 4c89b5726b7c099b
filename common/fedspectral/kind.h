/* kind.h -- fedspectral in the registry of kinds. */
#ifndef COMMON_FEDSPECTRAL_KIND_H
#define COMMON_FEDSPECTRAL_KIND_H

#include "common/kind/kind.h"

extern const struct kind kind_fedspectral;

#endif
