/* facts.h -- what both halves of a fedwalk job say of it afterwards: run.json's facts, the same
 * at all processes, since the numbers go round.
 */
#ifndef COMMON_FEDWALK_FACTS_H
#define COMMON_FEDWALK_FACTS_H

#include "common/fedwalk/job.h"
#include "common/kind/facts.h"

/* What a party tells of its part, in a secure sum; over all parties it is everybody's to see. */
enum fedwalk_told {
	FEDWALK_GUESSED,   /* pairs that the attack says are ties, of own lower vertices */
	FEDWALK_RIGHT,     /* of them, those that are */
	FEDWALK_TIES,      /* that there are */
	FEDWALK_WALKED,    /* walks begun */
	FEDWALK_MESSAGES,  /* device to device */
	FEDWALK_CROSSING,  /* of these, between devices of two parties, as sent */
	FEDWALK_CAME,      /* and as received */
	FEDWALK_ISOLATED,  /* vertices without ties */
	FEDWALK_ONE_SIDED, /* ties that only one of two parties had: told twice, once by each */
	FEDWALK_UNHOSTED,  /* ties to vertices that nobody hosts */
	FEDWALK_SUMMED,
	/* what the coordinator adds */
	FEDWALK_EPS0 =
	    FEDWALK_SUMMED, /* of the encoder for one token; 0 in mode randomized-response */
	FEDWALK_KEPT,       /* how often a token is the vertex itself, on average */
	FEDWALK_BOXES,      /* sealed boxes passed on in exchanges of walks */
	FEDWALK_BOX_BYTES,
	FEDWALK_TOLD
};

/* Facts and a table of what was spent of privacy ("account"), in the log too. n vertices. */
void fedwalk_record(const struct fedwalk_job *job, size_t n, const double told[FEDWALK_TOLD],
		    struct facts *r);

#endif
