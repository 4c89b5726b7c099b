#include "server/run/bound.h"
#include "common/base/log.h"
#include "common/parties/choice.h"
#include "common/privacy/bound.h"
#include "server/run/sum.h"

#include <math.h>

/* Warns if the squared lengths of the parties' longest rows differ by a factor of more than
 * 2^BOUND_RANGE. Their sum is at most 2^e, and the smallest is about 2^least (bound_join()). */
static void warn_of_range(int e, int least)
{
	if (e - least > BOUND_RANGE)
		log_warn("the longest row of one party is %.1g or more, of another %.1g: sums keep "
			 "few digits of the second, so the first party decides the clusters alone; "
			 "bring the features of all parties to one unit, or set job.standardize",
			 sqrt(ldexp(1, e - 1)), sqrt(ldexp(1, least)));
}

enum err run_bound(struct run *run, const struct tree_node *node, uint64_t *round, const char *none,
		   int *e)
{
	double sum[BOUND_TERM], all = 0;
	int least;

	TRY(secure_sum_wide(run, node, round, sum, BOUND_TERM));
	if (!bound_join(sum, run->L, e, &least))
		return err_set(
		    ERR_PEER,
		    "the parties' bounds of their numbers do not add up to one (during %s)",
		    record_now(run->record)->name);
	for (size_t i = 0; i < BOUND_TERM; i++)
		all += sum[i];
	if (none && all == 0)
		return err_set(ERR_INPUT, "%s", none);
	warn_of_range(*e, least);
	for (size_t l = 0; l < run->L; l++)
		TRY(channel_send_choice(run->channel[l], CHOICE_BOUND, bound_pack(*e)));
	return ERR_OK;
}
