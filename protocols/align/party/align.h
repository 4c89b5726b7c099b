/* align.h -- The party's side of kind align. The work is in party/work/intersect.h. */
#ifndef PROTOCOLS_ALIGN_PARTY_ALIGN_H
#define PROTOCOLS_ALIGN_PARTY_ALIGN_H

#include "party/work/kind.h"

extern const struct party_kind party_kind_align;

#endif
