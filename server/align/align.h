/* align.h -- the coordinator's half of kind align, whose work is server/run/intersect.h. */
#ifndef SERVER_ALIGN_ALIGN_H
#define SERVER_ALIGN_ALIGN_H

#include "server/run/kind.h"

extern const struct server_kind server_kind_align;

#endif
