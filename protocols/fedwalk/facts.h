/* facts.h -- Facts of a fedwalk job for run.json, the same at all processes, and its privacy
 * account. */
#ifndef PROTOCOLS_FEDWALK_FACTS_H
#define PROTOCOLS_FEDWALK_FACTS_H

#include "protocols/fedwalk/job.h"
#include "common/kind/facts.h"

/* Counts of a party. In mode walks they go into a secure sum, and the totals are public. Mode
 * randomized-response sums nothing: a sum would be a second release of the ties that the reports
 * hide. In that mode the first three are m, t (1 - q) and t, the others 0: m reported pairs, q =
 * fedwalk_flip(), t = fedwalk_ties_expected() (response.h). */
enum fedwalk_told {
	FEDWALK_GUESSED,  /* guessed ties with a lower vertex of the party */
	FEDWALK_RIGHT,    /* guessed ties that exist */
	FEDWALK_TIES,     /* existing ties */
	FEDWALK_WALKED,   /* walks started */
	FEDWALK_MESSAGES, /* messages from device to device */
	FEDWALK_CROSSING, /* messages between devices of two parties, as sent */
	FEDWALK_CAME,     /* messages between devices of two parties, as received */
	FEDWALK_ISOLATED,
	FEDWALK_ONE_SIDED, /* ties that only one of two parties listed; both count them */
	FEDWALK_UNHOSTED,  /* ties to vertices that no party hosts */
	FEDWALK_SUMMED,
	/* added by the coordinator */
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
	const char *unit; /* "edge" or "token": difference of neighbouring inputs */
	/* sensitivity of the release, in the mechanism's own measure; 0: none */
	double sensitivity;
	double eps_each;         /* eps of one release; INFINITY: no guarantee */
	double releases;         /* number of releases that contain one edge */
	double eps;              /* composed */
	const char *composition; /* composition rule, as a sentence */
};

enum { FEDWALK_SPENT_MAX = 6 };
/* Fills out (FEDWALK_SPENT_MAX) and returns the number of entries. The last is the "total" per
 * edge. eps0: of one encoded token, as computed; ignored in mode randomized-response. */
size_t fedwalk_account(const struct fedwalk_job *job, double eps0, struct fedwalk_spent *out);

/* Records facts and the privacy account in r and in the log. n: number of vertices. */
void fedwalk_record(const struct fedwalk_job *job, size_t n, const double counts[FEDWALK_COUNTS],
		    struct facts *r);

#endif
