/* facts.h -- Facts of a fedwalk job for run.json, the same at all processes, and its privacy
 * account. */
#ifndef PROTOCOLS_FEDWALK_FACTS_H
#define PROTOCOLS_FEDWALK_FACTS_H

#include "protocols/fedwalk/job.h"
#include "common/kind/facts.h"

/* Counts of a party. In mode walks the counts enter a secure sum, and the totals are public. Mode
 * randomized-response sums nothing, because a sum would be a second release of the ties that the
 * reports hide. In that mode the first three counts are m, t (1 - q) and t, and the others are 0. m
 * is the number of reported pairs, q = fedwalk_flip(), t = fedwalk_ties_expected() (response.h). */
enum fedwalk_told {
	FEDWALK_GUESSED,  /* guessed ties whose lower vertex is the party's */
	FEDWALK_RIGHT,    /* guessed ties that exist */
	FEDWALK_TIES,     /* existing ties */
	FEDWALK_WALKED,   /* walks started */
	FEDWALK_MESSAGES, /* messages from device to device */
	/* messages between devices of two parties, counted by the sending party */
	FEDWALK_CROSSING,
	/* messages between devices of two parties, counted by the receiving party */
	FEDWALK_CAME,
	FEDWALK_ISOLATED,
	/* Ties that only one of two parties listed; both parties count such a tie. */
	FEDWALK_ONE_SIDED,
	FEDWALK_UNHOSTED, /* ties to vertices that no party hosts */
	/* Number of counts in the secure sum. The next facts are not summed: the coordinator sets
	 * them. */
	FEDWALK_SUMMED,
	FEDWALK_EPS0 =
	    FEDWALK_SUMMED, /* eps of the encoder for one token; 0 in mode randomized-response */
	FEDWALK_KEPT,       /* mean probability that a token is the vertex itself */
	FEDWALK_BOXES,      /* sealed boxes relayed in exchanges of walks */
	FEDWALK_BOX_BYTES,
	FEDWALK_COUNTS
};

/* Privacy cost of one mechanism. */
struct fedwalk_spent {
	/* "degree vectors", "ordered degree matrices", "encoder", "randomised response",
	 * "training" */
	const char *mechanism;
	const char *unit; /* "edge" or "token": the difference between neighbouring inputs */
	/* sensitivity of the release, in the measure of the mechanism; 0: it has none */
	double sensitivity;
	double eps_each;         /* eps of one release; INFINITY: no guarantee */
	double releases;         /* number of releases that contain one edge */
	double eps;              /* eps of all releases together */
	const char *composition; /* rule by which releases are composed, as a sentence */
};

enum { FEDWALK_SPENT_MAX = 6 };
/* Fills out (FEDWALK_SPENT_MAX) and returns the number of entries. The last entry is the "total"
 * per edge. eps0: the eps of one encoded token, as computed; not used in mode
 * randomized-response. */
size_t fedwalk_account(const struct fedwalk_job *job, double eps0, struct fedwalk_spent *out);

/* Records facts and the privacy account in r and in the log. n: number of vertices. */
void fedwalk_record(const struct fedwalk_job *job, size_t n, const double counts[FEDWALK_COUNTS],
		    struct facts *r);

#endif
