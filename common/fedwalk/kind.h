/* kind.h -- fedwalk in the registry of kinds. */
#ifndef COMMON_FEDWALK_KIND_H
#define COMMON_FEDWALK_KIND_H

#include "common/kind/kind.h"

extern const struct kind kind_fedwalk;

#endif
