/* tun.h -- the one network device of a host of the lab. */
#ifndef CLI_NETLAB_TUN_H
#define CLI_NETLAB_TUN_H

#include "common/base/err.h"

/* In the namespace that this thread is in: makes the device lab0, up, with host_address(host), and
 * brings loopback up. Sets what docs/OPERATIONS.md says of the kernel's TCP. *fd gives and takes
 * frames (packet.h) and never blocks; the device is there as long as it is open. A super packet has
 * at most so many segments; 1: there are none. ERR_INPUT. */
enum err tun_make(int host, int segments, int *fd) MUST_CHECK;

#endif
