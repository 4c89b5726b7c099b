/* lasting.h -- the coordinator's side of a sum that is had although members are lost (on_loss "sum",
 * crypto/lasting.h).
 *
 *   SHARES  each member's shares of its seed for each other, sealed, and then MASKED; whose connection is lost for
 *           good before all of it is here is lost
 *   REMAIN  to those who are left, who they are; with it SHARES, those for each
 *   TOLD    of each of them; ANSWER, under what all others say in TOLD: it opens if they were all told the same
 *   SUM     as of any sum that is told
 *
 * Vectors are held, masked, until it is known who is left: L times the words.
 */
#ifndef SERVER_RUN_LASTING_H
#define SERVER_RUN_LASTING_H

#include "server/run/sum.h"

/* The sum of one group, told: acc becomes that of those who are left, behind whose words comes the canary, count + 1
 * of 64 bits; tag the sum of their tags. Who is lost is so from here on in run->lost and in the record. ERR_PEER: too few
 * are left; an answer does not open: some were told different things. One that is lost between REMAIN and its ANSWER
 * ends the attempt. */
enum err lasting_sum(struct run *run, const struct sum *s, uint64_t *acc,
		     uint8_t tag[static TAG_LEN]) MUST_CHECK;

#endif
