/* lasting.h -- a party's side of a sum that is had although members are lost (on_loss "sum", crypto/lasting.h;
 * server/run/lasting.h has the messages). */
#ifndef PARTY_WORK_LASTING_H
#define PARTY_WORK_LASTING_H

#include "crypto/lasting.h"
#include "party/work/work.h"

/* Opens the group's next sum with a second mask, and sends what all other members must have of its seed. The members are
 * those of work->sum. */
enum err party_lasting_open(struct work *work, struct mask **m, uint64_t *round,
			    struct lasting **l) MUST_CHECK;

/* Behind the words. Hears who is left, work->sum.members from here on and those of every later sum, and answers
 * once, so that it opens only where all of them were told the same. ERR_PEER: they are fewer than t or than
 * policy.allow_loss, this party is not among them, or they were no members. */
enum err party_lasting_answer(struct work *work, struct lasting *l, uint64_t round) MUST_CHECK;

#endif
