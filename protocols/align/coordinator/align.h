/* align.h -- The coordinator's side of kind align. The work is in server/run/intersect.h. */
#ifndef PROTOCOLS_ALIGN_COORDINATOR_ALIGN_H
#define PROTOCOLS_ALIGN_COORDINATOR_ALIGN_H

#include "server/run/kind.h"

extern const struct server_kind server_kind_align;

#endif
