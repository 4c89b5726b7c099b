/* gcc.h -- the party's half of federated GCC. */
#ifndef PARTY_KCAGC_GCC_H
#define PARTY_KCAGC_GCC_H

#include "party/work/work.h"

enum err party_gcc(struct work *work, uint32_t *label) MUST_CHECK;

#endif
