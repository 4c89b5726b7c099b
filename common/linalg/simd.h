/* simd.h -- vectors of two, four or eight doubles, or twice as many floats, with bitwise identical
 * results on every machine.
 *
 * A hot loop is written once, in a .inc file, for a vector type VEC. It is compiled for vec2, which
 * every x86-64 and arm64 has. On x86-64 it is compiled again for vec4 with AVX2, which is chosen at
 * run time (the graph filter is 1.5 times as fast, distances 1.7 times). The graph filter is also
 * compiled for vec8 with AVX-512 (1.1 times as fast again). gcc 12 generates code that is two to
 * ten times slower for vectors wider than the machine's, and for plain loops with AVX2. Lanes never
 * mix and nothing is contracted (-ffp-contract=off), so the width changes only the speed. */
#ifndef COMMON_LINALG_SIMD_H
#define COMMON_LINALG_SIMD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Aligned like a double, so that any row of a matrix may be read as vectors. */
typedef double vec2 __attribute__((vector_size(16), aligned(8), may_alias));
typedef double vec4 __attribute__((vector_size(32), aligned(8), may_alias));
typedef double vec8 __attribute__((vector_size(64), aligned(8), may_alias));

typedef float float4 __attribute__((vector_size(16), aligned(4), may_alias));
typedef float float8 __attribute__((vector_size(32), aligned(4), may_alias));
typedef float float16 __attribute__((vector_size(64), aligned(4), may_alias));

typedef int32_t int4 __attribute__((vector_size(16), aligned(4), may_alias));
typedef int32_t int8 __attribute__((vector_size(32), aligned(4), may_alias));
typedef int32_t int16 __attribute__((vector_size(64), aligned(4), may_alias));

/* Number of partial sums in which floats are added. It is the same for any vector width, so that
 * sums are bitwise identical. */
enum { SIMD_SUMS = 16 };

/* SIMD_LINE: doubles in a cache line. simd_line() returns the first line boundary at or after a.
 * Unaligned rows are read a quarter slower. Allocate SIMD_LINE doubles more than needed. */
enum { SIMD_LINE = 8 };
static inline double *simd_line(double *a)
{
	size_t past = (uintptr_t)a / sizeof(double) % SIMD_LINE;

	return a + (past ? SIMD_LINE - past : 0);
}

#ifdef __x86_64__
#define SIMD_AVX2 1

static inline bool simd_avx2(void)
{
	return __builtin_cpu_supports("avx2");
}

static inline bool simd_avx512(void)
{
	return __builtin_cpu_supports("avx512f");
}

/* Picks the variant of a loop for this machine. */
#define SIMD_PICK(name)     (simd_avx2() ? name##_avx2 : name)
#define SIMD_PICK_512(name) (simd_avx512() ? name##_avx512 : SIMD_PICK(name))
#else
#define SIMD_PICK(name)     name
#define SIMD_PICK_512(name) name
#endif

static inline bool simd_avx2_fma(void)
{
#ifdef SIMD_AVX2
	return simd_avx2() && __builtin_cpu_supports("fma");
#else
	return false;
#endif
}

#endif
