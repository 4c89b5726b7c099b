/* facts.h -- what a fedwalk job says of itself afterwards, the same at all processes: run.json's facts,
 * and what it spends of privacy. */
#ifndef COMMON_FEDWALK_FACTS_H
#define COMMON_FEDWALK_FACTS_H

#include "common/fedwalk/job.h"
#include "common/kind/facts.h"

/* Numbers about a party's part, sent in a secure sum in mode walks; the totals over all parties are public. In mode
 * randomized-response nothing is summed: it would be a second release of what the reports hide. The first three are what
 * the coordinator expects by the reports, the others 0. */
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

/* One line per mechanism. */
struct fedwalk_spent {
	const char *mechanism;   /* "degree vectors", "ordered degree matrices", "encoder",
				    "randomised response", "training" */
	const char *unit;        /* "edge" or "node": what two inputs differ by */
	double sensitivity;      /* of what is released, in the mechanism's own measure; 0: none */
	double eps_each;         /* of one release; INFINITY: no guarantee */
	double releases;         /* how many of them one edge is in */
	double eps;              /* composed */
	const char *composition; /* how, a sentence */
};

enum { FEDWALK_SPENT_MAX = 6 };
/* out (FEDWALK_SPENT_MAX); returns how many. The last is the "total" per edge. eps0: of one encoded
 * token, as computed; not read in mode randomized-response. */
size_t fedwalk_account(const struct fedwalk_job *job, double eps0, struct fedwalk_spent *out);

/* Facts and a table of what was spent of privacy ("account"), in the log too. n vertices. */
void fedwalk_record(const struct fedwalk_job *job, size_t n, const double told[FEDWALK_TOLD],
		    struct facts *r);

#endif
