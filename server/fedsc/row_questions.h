/* row_questions.h -- a struct fedsc_pool over secure sums: what FedSC and federated k-means ask of
 * parties that hold rows, as messages to all of them, and the sum of their answers.
 *
 * The other half is party/fedsc/rows.h. Only what the data decide is told; the job says the rest. One
 * group over all parties, whatever the question: a party that does not take part in a round sends
 * zeros.
 *
 *   CHOICE rows, MATRIX   a round of a loop: counts of the rows near these centres, or a step of the
 *                         dictionary from here; CHOICE rows = 0 ends the loop
 *   CHOICE sums, MATRIX   1 and the joint counts: sums of clusters with enough rows; or 0
 *   MATRIX                whatever is of known size: means, the scale, r, t, R
 */
#ifndef SERVER_FEDSC_ROW_QUESTIONS_H
#define SERVER_FEDSC_ROW_QUESTIONS_H

#include "common/kind/tree.h"
#include "common/fedsc/coordinator.h"
#include "server/run/run.h"

struct row_questions {
	struct run *run;
	struct tree tree;
	uint64_t round;
	double r;        /* that was told; 0: none was */
	bool clustering; /* the parties await centres */
	bool counted;    /* and before them, whether sums are wanted */
	bool embedded;   /* of their embedding */
	unsigned rounds; /* of the loop that runs */
	size_t *own;     /* paper: rows of each party; owned */
	uint32_t *label; /* paper: n labels; owned until row_questions_take_labels() */
};

/* pool becomes one that asks run's parties; both live until row_questions_close(). run->n becomes
 * known with the first question. */
void row_questions_open(struct row_questions *rows, struct run *run, struct fedsc_pool *pool);
/* No more questions: parties go on to what they have. */
enum err row_questions_end(struct row_questions *rows) MUST_CHECK;
/* Labels of all rows, in the order of the parties, for the caller to keep; NULL if they are not
 * known here. */
uint32_t *row_questions_take_labels(struct row_questions *rows);
void row_questions_close(struct row_questions *rows);

#endif
