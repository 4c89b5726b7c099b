/* netns.h -- the lab's network namespaces, /run/netns/coterie-PID-HOST, where PID is the process
 * that made them, and the one device in each. They are made and removed by ip(8), so that `ip netns`
 * knows them. */
#ifndef LAB_NETLAB_NETNS_H
#define LAB_NETLAB_NETNS_H

#include "common/base/err.h"

#include <sys/types.h>

enum { NETNS_NAME_MAX = 64 };

/* "coterie-PID-HOST" */
void netns_name(pid_t pid, int host, char name[static NETNS_NAME_MAX]);

/* ERR_INPUT if there is one of that name already, or if it cannot be made. */
enum err netns_make(const char *name) MUST_CHECK;

/* This thread goes into it; *home is a descriptor of the one it came from, for netns_return, which
 * closes it. */
enum err netns_enter(const char *name, int *home) MUST_CHECK;
void netns_return(int home);

/* In the namespace that this thread is in: makes the device lab0, up, with host_address(host), and
 * brings loopback up. Sets what docs/OPERATIONS.md says of the kernel's TCP. *fd gives and takes
 * frames (link.h) and never blocks; the device is there as long as it is open. A super packet has
 * at most so many segments; 1: there are none. ERR_INPUT. */
enum err netns_device(int host, int segments, int *fd) MUST_CHECK;

/* Kills whatever runs in it, and removes it. A name that is not there is fine. ERR_JOB. */
enum err netns_remove(const char *name) MUST_CHECK;

/* Removes all that carry pid; with pid 0, those whose process is gone. *removed: how many.
 * ERR_JOB. */
enum err netns_clean(pid_t pid, int *removed) MUST_CHECK;

#endif
