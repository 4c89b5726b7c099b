/* confine.h -- rights that a daemon gives up after set-up, before it reads a byte of a peer.
 *
 * privileges no_new_privs: a program started by this process gains no rights
 *     seccomp     for all of its threads (common/job/confine.c): calls on a list are allowed. Calls
 *                 that no daemon makes (another program or process, a raw socket, listening,
 *                 tracing) end the process by SIGSYS, and the log names the call. Any other call
 *                 fails with ENOSYS, as on a kernel without it. Memory does not become
 *                 executable (EPERM).
 *     Landlock    for root: no file beneath /proc, or beneath directories of programs and
 *                 libraries, can be opened for writing, since root could change executable code
 *                 through these
 *
 * Sockets of the families unix and netlink fail with EAFNOSUPPORT. Libraries try them to resolve
 * names, and then use files and DNS.
 */
#ifndef COMMON_JOB_CONFINE_H
#define COMMON_JOB_CONFINE_H

#include "common/base/err.h"
#include "common/job/daemon.h"

/* If this process runs as root with the sandbox, and can write its code, confines it by Landlock
 * for the rest of its life, as above; otherwise does nothing. Call it after the configuration is
 * read, before anything else is opened and any process or thread is started. If libraries have
 * already started threads, executes the program again with argv, so that these are confined as
 * well; the new program calls this function again. config, job: the files that were read; job may
 * be NULL. If one of them is a pipe, which cannot be read again, does not execute the program
 * again, and threads of libraries stay without Landlock. ERR_INPUT: the kernel has no Landlock, or
 * the output directory cannot be made. ERR_INTERNAL: the program cannot be executed again. */
enum err confine_code(const struct daemon_common *c, const char *config, const char *job,
		      char **argv) MUST_CHECK;
/* Part of confine(), for root. ERR_INTERNAL if this process can write its own code. */
enum err confine_code_check(void) MUST_CHECK;

/* Forbids io_uring for the rest of the process, and sets no_new_privs. Through io_uring, libuv
 * would make system calls that no filter sees. Call it before the first event loop is made: a loop
 * that already has a ring cannot work without io_uring. Does nothing if the sandbox is off, or in a
 * build with a sanitizer. */
void confine_no_uring(const struct daemon_common *c);

/* Confines this process for the rest of its life; with the sandbox off, or in a build with a
 * sanitizer, only sets no_new_privs. Call it after listening and after reading keys. The process's
 * user must be able to read files that are opened later (SIGHUP, data for the next job).
 * ERR_INTERNAL as confine_code_check(). ERR_INPUT: the kernel refuses no_new_privs or the
 * filter. */
enum err confine(const struct daemon_common *c) MUST_CHECK;

#endif
