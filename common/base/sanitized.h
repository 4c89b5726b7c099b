/* sanitized.h -- SANITIZED is 1 in a build with a sanitizer. Such a build is at least ten times
 * slower. The sanitizer manages memory itself, traces the process, and starts other processes. */
#ifndef COMMON_BASE_SANITIZED_H
#define COMMON_BASE_SANITIZED_H

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED 1
#endif
#endif
#ifndef SANITIZED
#define SANITIZED 0
#endif

#endif
