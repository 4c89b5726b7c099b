/* hook.h -- the program that a daemon runs to alert a user (on_event).
 *
 *     PROGRAM EVENT NAME [JOB]        job-failed | consent-awaited | certificate | away
 *
 * Its standard input is one JSON object with event, time, name, role, job and text. All users of a
 * host can see arguments, so the text, which may contain values of data, is not an argument.
 * Neither the arguments nor the JSON contain a secret.
 *
 * A daemon that has confined itself cannot start programs. So it first makes a helper process,
 * before it reads keys. The helper waits for events on a socket, runs one program at a time, for at
 * most HOOK_LIMIT_S, and ends with the daemon.
 */
#ifndef COMMON_JOB_HOOK_H
#define COMMON_JOB_HOOK_H

#include "common/base/err.h"
#include "common/job/daemon.h"

enum hook_event {
	/* a job ended with an error, and was not cancelled by a user of this daemon */
	HOOK_JOB_FAILED,
	HOOK_CONSENT_AWAITED, /* a job waits for a user to run coterie approve */
	HOOK_CERTIFICATE,     /* a certificate expires in HOOK_CERTIFICATE_DAYS days or fewer */
	HOOK_PARTY_LOST,      /* a peer has been away for WATCH_LOST_S (proto/watch.h) */
};
enum { HOOK_LIMIT_S = 30, HOOK_CERTIFICATE_DAYS = 14 };

/* Checks that the program exists and that this user may run it. ERR_INPUT if not; ERR_OK if none is
 * configured. */
enum err hook_check(const struct daemon_common *c) MUST_CHECK;
/* Starts the helper, if a program is configured. Call it before threads start and keys are read.
 * Copies what it needs of c. ERR_INPUT as hook_check(). ERR_INTERNAL: the helper cannot be
 * started. */
enum err hook_begin(const struct daemon_common *c) MUST_CHECK;
/* Sends an event to the helper. job: its id, or "". Any thread may call it. Never waits: if the
 * socket is full or the helper has ended, it drops the event with a warning. Does nothing without a
 * helper. */
void hook_raise(enum hook_event event, const char *job, const char *fmt, ...) PRINTF(3, 4);
/* hook_certificate() raises HOOK_CERTIFICATE if at most HOOK_CERTIFICATE_DAYS are left;
 * hook_party_lost() raises HOOK_PARTY_LOST. */
void hook_certificate(int days, const char *why);
void hook_party_lost(const char *why);
/* Logs each program that has ended since the last call, with its exit status. One thread calls it
 * from time to time. */
void hook_look(void);
/* Waits until the program has run for all raised events and the helper has ended, but at most
 * HOOK_LIMIT_S + 5 seconds. */
void hook_end(void);

#endif
