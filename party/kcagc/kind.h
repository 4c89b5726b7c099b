/* kind.h -- a party's half of kcagc and kcagc.predict, for party/daemon/kinds.c. */
#ifndef PARTY_KCAGC_KIND_H
#define PARTY_KCAGC_KIND_H

#include "party/work/kind.h"

extern const struct party_kind party_kind_kcagc;
extern const struct party_kind party_kind_kcagc_predict;

#endif
