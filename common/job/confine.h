/* confine.h -- what a daemon gives up once it is set up, before it reads a byte of a peer.
 *
 *   user       root becomes `user`: groups, group and user, for good
 *   privileges no_new_privs: no program that it might run gets more
 *   seccomp    a list of system calls for all of its threads (common/job/confine.c); any other one
 *              ends the process (SIGSYS). No other program, process or kind of socket, no listening,
 *              no tracing, no memory that becomes executable.
 *
 * Two things are answered as if the kernel did not know them, since libraries ask for them and get
 * on without: sockets of the families unix and netlink (names are resolved by files and DNS), and
 * clone3 (whose arguments a filter cannot see, so threads are made by clone).
 */
#ifndef COMMON_JOB_CONFINE_H
#define COMMON_JOB_CONFINE_H

#include "common/base/err.h"
#include "common/job/daemon.h"

/* Between these two files and directories are made and opened as c->user will be able to, if this
 * process is root; without c->user nothing happens. ERR_INPUT if there is no such user, or if
 * this process is neither root nor that user. */
enum err confine_as_user(const struct daemon_common *c) MUST_CHECK;
void confine_as_before(void);
/* For good: this process, if it is root, becomes c->user; part of confine(), and all of it that a helper process needs
 * that has nothing of others in it. */
enum err confine_user(const struct daemon_common *c) MUST_CHECK;

/* For good. After listening and after keys are read; what is read later (SIGHUP, data for the next
 * job) must be readable for c->user. ERR_INPUT as above, or if the kernel refuses the filter. */
enum err confine(const struct daemon_common *c) MUST_CHECK;

/* For good, of a process that reads a file for another one: it opens files to read them alone, writes to what is open
 * already, and has memory; any other call ends it (SIGSYS). Nothing in a build with a sanitizer. ERR_INPUT: the kernel
 * has no such filter. */
enum err confine_reader(void) MUST_CHECK;

#endif
