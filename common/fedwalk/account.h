/* account.h -- what a FedWalk job spends of privacy: one line per mechanism, for run.json, the
 * report, and the offer that a party reads. Arithmetic on public numbers.
 */
#ifndef COMMON_FEDWALK_ACCOUNT_H
#define COMMON_FEDWALK_ACCOUNT_H

#include <stdbool.h>
#include <stddef.h>

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

struct fedwalk_account {
	bool response;  /* mode randomized-response; else walks */
	double eps;     /* of the degree vectors, or of the response */
	bool matrices;  /* dissimilarity dtw: matrices were uploaded */
	double eps0;    /* walks: of one encoded token, as computed; NAN: not yet known */
	unsigned l, gamma;
	size_t n;
};

enum { FEDWALK_SPENT_MAX = 6 };
/* out (FEDWALK_SPENT_MAX); returns how many. The last is the "total" per edge. */
size_t fedwalk_account(const struct fedwalk_account *a, struct fedwalk_spent *out);

#endif
