/* served.h -- the attempts of jobs that this party has served, kept across restarts.
 *
 * The file `served` of the state directory: a line per attempt, "job-id attempt parameters-hash
 * checksum", and one when the job was done, "job-id 0 done checksum". A mask is for one sum of one
 * attempt; a party that serves an attempt twice may use a mask twice. */
#ifndef PARTY_DAEMON_SERVED_H
#define PARTY_DAEMON_SERVED_H

#include "party/work/work.h"

struct served;
/* For the file in this directory; remembers lines already read, so that a running party reads each
 * line once. */
struct served *served_new(const char *state);
void served_free(struct served *s); /* accepts NULL */

/* Records that this attempt of work's job is served now. ERR_PEER if that one or a later one was
 * served before, or another with other parties (except those left out since) or parameters;
 * work->later: only the attempt is wrong. ERR_INPUT, ERR_JOB: the file cannot be read or
 * written. */
enum err served_note(struct served *s, struct work *work) MUST_CHECK;

/* Records that work's job is done: no attempt at it is served again. ERR_JOB: the file cannot be
 * written. */
enum err served_done(struct served *s, const struct work *work) MUST_CHECK;

#endif
