/* offer.h -- offers that wait for a user's approval, as files. The party writes the offers;
 * `coterie approve` writes the answers.
 *
 *     STATE/offers/JOB_ID.txt      text for the user
 *     STATE/offers/JOB_ID.json     the same for programs, with the offer's hash
 *     STATE/offers/JOB_ID.answer   JSON: yes or no, hash of the offer, reason, expiry
 */
#ifndef COMMON_JOB_OFFER_H
#define COMMON_JOB_OFFER_H

#include "common/base/buf.h"
#include "common/base/err.h"
#include "common/base/json.h"

#include <stdbool.h>

enum { OFFER_ID_TEXT = 32 + 1, OFFER_HASH_TEXT = 64 + 1, OFFER_WHY_MAX = 400 };

struct offer_answer {
	bool given; /* an answer to exactly this offer exists and has not expired */
	bool other; /* an answer exists, but it is to another offer or has expired */
	bool yes;
	char why[OFFER_WHY_MAX + 1]; /* the user's reason, printable ASCII; may be "" */
};

/* Writes an offer. hash (hexadecimal) covers the whole offer, so that an answer to another offer of
 * the same id does not count. Adds the hash to json as "offer". ERR_JOB. */
enum err offer_write(const char *state, const char *id, const char *hash, struct json *json,
		     struct bytes text) MUST_CHECK;
/* Reads the answer to an offer. a->given is false if no valid answer to this offer exists.
 * ERR_INPUT: the answer cannot be read, or is neither yes nor no. */
enum err offer_answer_read(const char *state, const char *id, const char *hash,
			   struct offer_answer *a) MUST_CHECK;
/* Removes the offer, unless it is answered. */
void offer_withdraw(const char *state, const char *id);

/* Returns the text of an offer, for `coterie approve`. id: the first digits of the offer's id.
 * *full becomes the whole id. ERR_INPUT: no offer or several offers match, or the text cannot be
 * read. */
enum err offer_read(const char *state, const char *id, char full[static OFFER_ID_TEXT],
		    struct buf *text) MUST_CHECK;
/* Stores an answer that is valid for `days` days. ERR_INPUT: the offer does not exist, or `why` is
 * not printable or too long. ERR_JOB: the answer could not be written. */
enum err offer_answer_write(const char *state, const char *id, bool yes, const char *why,
			    unsigned days) MUST_CHECK;
/* Like offer_answer_write(), but ERR_INPUT if the offer has another hash. hash NULL: any offer. */
enum err offer_answer_to(const char *state, const char *id, const char *hash, bool yes,
			 const char *why, unsigned days) MUST_CHECK;
/* Lists the offers without an answer, in the order of their ids. The caller owns the JSON.
 * ERR_INPUT: an offer cannot be read; *list is then NULL. */
enum err offer_list(const char *state, struct json **list) MUST_CHECK;

#endif
