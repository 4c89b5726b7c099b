/* kind.h -- kcagc and kcagc.predict in the registry of kinds. */
#ifndef COMMON_KCAGC_KIND_H
#define COMMON_KCAGC_KIND_H

#include "common/kind/kind.h"

extern const struct kind kind_kcagc;
extern const struct kind kind_kcagc_predict;

#endif
