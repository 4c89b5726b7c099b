/* confine.h -- what a daemon gives up once it is set up, before it reads a byte of a peer.
 *
 *   user       root becomes `user`: groups, group and user, for good
 *   privileges no_new_privs: no program that it might run gets more
 *   seccomp    for all of its threads (common/job/confine.c): system calls on a list are made; those
 *              that no daemon makes (another program or process, a raw socket, listening, tracing) end
 *              the process by SIGSYS, and the log names the call; any other one fails with ENOSYS, as on
 *              a kernel that does not have it. Memory does not become executable (EPERM).
 *   Landlock   of root without `user`: no file beneath /proc or where programs and libraries lie is
 *              opened to be written, since by these root changes code that is executable already
 *
 * Sockets of the families unix and netlink are refused with EAFNOSUPPORT: libraries try them, and names
 * are resolved by files and DNS.
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

/* For good: Landlock, as above, for root without c->user, and for no other process. Before any file is opened and any
 * process or thread made: if libraries have begun threads, it runs the program anew, as argv, so that they are
 * confined as well, and returns in that one. config, job: the files that were read, job may be NULL; where one is a pipe, which cannot be
 * read again, the program does not run anew. ERR_INPUT: the kernel has no Landlock. */
enum err confine_code(const struct daemon_common *c, const char *config, const char *job,
		      char **argv) MUST_CHECK;
/* ERR_INPUT: this process, as root, can write its own code. Part of confine(). */
enum err confine_code_check(void) MUST_CHECK;

/* For good, with no_new_privs: no io_uring, by which libuv would make system calls that no filter sees. Before the first
 * loop: one that has a ring needs the call afterwards. Without the sandbox nothing happens. */
void confine_no_uring(const struct daemon_common *c);

/* For good. After listening and after keys are read; what is read later (SIGHUP, data for the next
 * job) must be readable for c->user. ERR_INPUT as above, or if the kernel refuses the filter. */
enum err confine(const struct daemon_common *c) MUST_CHECK;

#endif
