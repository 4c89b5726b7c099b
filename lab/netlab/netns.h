/* netns.h -- the lab's network namespaces, /run/netns/coterie-PID-HOST (PID: the process that made
 * them), and the device in each. ip(8) makes and removes them, so that `ip netns` lists them. */
#ifndef LAB_NETLAB_NETNS_H
#define LAB_NETLAB_NETNS_H

#include "common/base/err.h"

#include <sys/types.h>

enum { NETNS_NAME_MAX = 64 };

/* Writes "coterie-PID-HOST". */
void netns_name(pid_t pid, int host, char name[static NETNS_NAME_MAX]);

/* Makes a namespace. ERR_INPUT: the name exists, or the namespace cannot be made. */
enum err netns_make(const char *name) MUST_CHECK;

/* Moves this thread into the namespace. *home: a descriptor of its previous namespace, which
 * netns_return() closes. ERR_INPUT: it cannot be entered. */
enum err netns_enter(const char *name, int *home) MUST_CHECK;
void netns_return(int home);

/* Makes the device lab0 in this thread's namespace, with host_address(host), and brings it and
 * loopback up. Sets the TCP parameters of docs/howto/connect-hosts.md. *fd transfers frames
 * (link.h) and never blocks; the device exists while it is open. segments: maximum number per super
 * packet; 1: no super packets. ERR_INPUT: the device cannot be made or set up. */
enum err netns_device(int host, int segments, int *fd) MUST_CHECK;

/* Kills all processes in the namespace, and removes it. Accepts a name that does not exist.
 * ERR_JOB: it cannot be removed. */
enum err netns_remove(const char *name) MUST_CHECK;

/* Removes all namespaces that process pid made; with pid 0, removes the namespaces of processes
 * that no longer exist. *removed: their number. ERR_JOB: one cannot be removed. */
enum err netns_clean(pid_t pid, int *removed) MUST_CHECK;

#endif
