/* kind.h -- fedsc and kmeans in the registry of kinds. */
#ifndef COMMON_FEDSC_KIND_H
#define COMMON_FEDSC_KIND_H

#include "common/kind/kind.h"

extern const struct kind kind_fedsc;
extern const struct kind kind_kmeans;

#endif
