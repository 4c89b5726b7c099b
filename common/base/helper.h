/* helper.h -- a process that starts programs for a daemon, since a confined daemon can start
 * none. */
#ifndef COMMON_BASE_HELPER_H
#define COMMON_BASE_HELPER_H

#include "common/base/err.h"

#include <stddef.h>

/* Starts the helper. Call it before the daemon starts threads or reads keys. The helper runs
 * life(socket, arg), which receives one datagram per message. When recv() returns 0, the daemon has
 * ended or called helper_end(). *sock: the daemon's end of the socket pair. SIGTERM, SIGINT and
 * SIGHUP do not end the helper. key: configuration key that errors name, such as "ranks". process:
 * the helper's process name, at most 15 bytes. ERR_INTERNAL. */
typedef void helper_life(int sock, const void *arg);
enum err helper_start(const char *key, const char *process, helper_life *life, const void *arg,
		      int *sock) MUST_CHECK;

enum { HELPER_MESSAGE_MAX = 256 };
/* Lets the helper end, and waits for that for at most within_s seconds; *sock becomes -1. each (may
 * be NULL) receives the helper's last messages, of at most HELPER_MESSAGE_MAX bytes. */
void helper_end(int *sock, double within_s, void (*each)(const void *message, size_t n));

/* Call it in a child of the helper. Replaces the child by the program argv[0], in a process group
 * of its own, with the descriptors in, out and error as 0 to 2. Exits with 127 if the program
 * cannot be started. */
void helper_become(const char *const argv[], int in, int out, int error) __attribute__((noreturn));

#endif
