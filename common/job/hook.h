/* hook.h -- the program that a daemon runs when a person has to know (on_event).
 *
 *     PROGRAM EVENT NAME [JOB]        job-failed | consent-awaited | certificate | away
 *
 * and on its standard input one JSON object with event, time, name, role, job and text. Arguments can be seen by all
 * users of a host, so the sentence, which may have values of data in it, is not among them. Nothing secret is in either.
 *
 * A daemon that has confined itself cannot start programs. So a helper process is made first of all, before keys are
 * read: it waits for events on a socket, runs one program at a time, for at most HOOK_LIMIT_S, and ends with the daemon.
 */
#ifndef COMMON_JOB_HOOK_H
#define COMMON_JOB_HOOK_H

#include "common/base/err.h"
#include "common/job/daemon.h"

enum hook_event {
	HOOK_JOB_FAILED,      /* a job ended with an error that nobody here asked for */
	HOOK_CONSENT_AWAITED, /* a job waits for coterie approve */
	HOOK_CERTIFICATE,     /* HOOK_CERTIFICATE_DAYS or fewer are left */
	HOOK_AWAY,            /* a peer has been away for away_s */
};
enum { HOOK_LIMIT_S = 30, HOOK_CERTIFICATE_DAYS = 14 };

/* Is there such a program, and may c->user run it? Without one: ERR_OK. ERR_INPUT. */
enum err hook_check(const struct daemon_common *c) MUST_CHECK;
/* Starts the helper, if there is a program; before threads and keys. Borrows c. ERR_INPUT, ERR_INTERNAL. */
enum err hook_begin(const struct daemon_common *c) MUST_CHECK;
/* job: its number, or "". Any thread; never waits: an event for which there is no room is left out, with a
 * warning. Without a helper nothing happens. */
void hook_raise(enum hook_event event, const char *job, const char *fmt, ...) PRINTF(3, 4);
/* Raise HOOK_CERTIFICATE, if that few days are left, and HOOK_AWAY. */
void hook_certificate(int days, const char *why);
void hook_away(const char *why);
/* Puts into the log what programs have ended with since. One thread, now and then. */
void hook_look(void);
/* Waits until what was raised is done, for HOOK_LIMIT_S and a little at most, and the helper has ended. */
void hook_end(void);

#endif
