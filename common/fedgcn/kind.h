/* kind.h -- fedgcn in the registry of kinds. */
#ifndef COMMON_FEDGCN_KIND_H
#define COMMON_FEDGCN_KIND_H

#include "common/kind/kind.h"

extern const struct kind kind_fedgcn;

#endif
