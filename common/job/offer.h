/* offer.h -- offers that wait for a person, as files: the party writes them, `coterie approve`
 * answers.
 *
 *     STATE/offers/JOB_ID.txt      text for the user
 *     STATE/offers/JOB_ID.json     the same for programs, with the offer's hash
 *     STATE/offers/JOB_ID.answer   JSON: yes or no, of which offer, why, until when it holds
 */
#ifndef COMMON_JOB_OFFER_H
#define COMMON_JOB_OFFER_H

#include "common/base/buf.h"
#include "common/base/err.h"
#include "common/base/json.h"

#include <stdbool.h>

enum { OFFER_ID_TEXT = 32 + 1, OFFER_HASH_TEXT = 64 + 1, OFFER_WHY_MAX = 400 };

struct offer_answer {
	bool given; /* an answer to this very offer is there, and still holds */
	bool other; /* one is there, but to another offer, or it does not hold any more */
	bool yes;
	char why[OFFER_WHY_MAX + 1]; /* the user's reason, printable ASCII; may be "" */
};

/* hash, in hexadecimal, stands for all that was offered: an answer to another offer under the same
 * id does not count. json gets it as "offer". ERR_JOB. */
enum err offer_write(const char *state, const char *id, const char *hash, struct json *json,
		     struct bytes text) MUST_CHECK;
/* given is false where there is no answer, or none to this offer. ERR_INPUT: one that does not
 * parse. */
enum err offer_answer_read(const char *state, const char *id, const char *hash,
			   struct offer_answer *a) MUST_CHECK;
/* The offer, unless it is answered, waits no longer. */
void offer_withdraw(const char *state, const char *id);

/* The text of an offer, for `coterie approve`. id: first digits of *full, which becomes the whole
 * id. ERR_INPUT: there is no such offer, or several. */
enum err offer_read(const char *state, const char *id, char full[static OFFER_ID_TEXT],
		    struct buf *text) MUST_CHECK;
/* Stores an answer that holds for `days` days. ERR_INPUT: there is no such offer, or `why` is not
 * printable or too long. ERR_JOB: it could not be written. */
enum err offer_answer_write(const char *state, const char *id, bool yes, const char *why,
			    unsigned days) MUST_CHECK;
/* The same if it is still the one with this hash; ERR_INPUT: it is not. NULL: whichever it is. */
enum err offer_answer_to(const char *state, const char *id, const char *hash, bool yes,
			 const char *why, unsigned days) MUST_CHECK;
/* Those that wait for an answer, in the order of their ids: their JSON, owned by the caller. */
enum err offer_list(const char *state, struct json **list) MUST_CHECK;

#endif
