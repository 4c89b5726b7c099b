/* questions.h -- a struct pool over secure sums: what federated GCC and landmark projection ask, as
 * messages to all parties, and the sum of their answers.
 *
 * The other half is party/kcagc/answers.h. Flat: one group over all parties, whatever the question.
 */
#ifndef SERVER_KCAGC_QUESTIONS_H
#define SERVER_KCAGC_QUESTIONS_H

#include "common/kind/tree.h"
#include "common/kcagc/pool.h"
#include "server/run/run.h"

struct questions {
	struct run *run;
	struct tree tree;
	uint64_t round;
	enum question_kind last; /* asked */
	bool begun, order_told;
	uint32_t *cells;   /* where local clusters go, if they are due; borrowed */
	uint32_t clusters; /* k^ */
	double *objective; /* of each step; owned */
	unsigned steps;
};

/* pool becomes one that asks run's parties; both live until questions_close(). The number of the
 * clusters that ASK_MEANS and ASK_QUALITY may mean is the job's. */
void questions_open(struct questions *q, struct run *run, struct pool *pool);
/* The one k-means of the run; its objectives are those of the steps, if the method has them. */
void questions_record(struct questions *q, const struct record_sum *kept);
/* No more sums; n labels to all. */
enum err questions_result(struct questions *q, const uint32_t *label) MUST_CHECK;
void questions_close(struct questions *q);

/* p of a job, as pool_agree() takes it: 0 if the data decide. */
unsigned questions_order(const struct job *job);

#endif
