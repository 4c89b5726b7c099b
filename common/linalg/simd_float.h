/* simd_float.h -- floats, many at a time, in a way that gives the same bits on every machine: as
 * simd.h, for what float is enough for. Sums run in SIMD_SUMS lanes whatever the machine's width.
 */
#ifndef COMMON_LINALG_SIMD_FLOAT_H
#define COMMON_LINALG_SIMD_FLOAT_H

#include "common/linalg/simd.h"

enum { SIMD_SUMS = 16 };

typedef float float4 __attribute__((vector_size(16), aligned(4), may_alias));
typedef float float8 __attribute__((vector_size(32), aligned(4), may_alias));
typedef float float16 __attribute__((vector_size(64), aligned(4), may_alias));

typedef int32_t int4 __attribute__((vector_size(16), aligned(4), may_alias));
typedef int32_t int8 __attribute__((vector_size(32), aligned(4), may_alias));
typedef int32_t int16 __attribute__((vector_size(64), aligned(4), may_alias));

#endif
