/* served.h -- the attempts of jobs that this party has served, kept across restarts.
 *
 * The file `served` of the state directory has a line per attempt, "job-id attempt parameters-hash
 * checksum", and one when the job is done, "job-id 0 done checksum". A mask is for one sum of one
 * attempt. A party that serves an attempt twice might use a mask twice. */
#ifndef PARTY_DAEMON_SERVED_H
#define PARTY_DAEMON_SERVED_H

#include "party/work/work.h"

struct served;
/* Makes an object for the file in this directory. The object remembers lines, so that a running
 * party reads each line once. */
struct served *served_new(const char *state);
void served_free(struct served *s); /* accepts NULL */

/* Records that the party now serves this attempt of work's job. ERR_PEER: the party has served this
 * attempt or a later one before, or an attempt with other parameters or parties (left-out parties
 * may be missing). Sets work->later if only the attempt is unsuitable, so that a later one may be
 * accepted. ERR_INPUT, ERR_JOB: the file cannot be read or written. */
enum err served_note(struct served *s, struct work *work) MUST_CHECK;

/* Records that work's job is done, so that the party serves no attempt at it again.
 * ERR_INPUT, ERR_JOB: the file cannot be read or written. */
enum err served_done(struct served *s, const struct work *work) MUST_CHECK;

#endif
