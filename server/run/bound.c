#include "server/run/bound.h"
#include "common/parties/choice.h"
#include "common/privacy/bound.h"
#include "server/run/sum.h"

enum err run_bound(struct run *run, const struct tree_node *node, uint64_t *round, const char *none,
		   int *e)
{
	double sum[BOUND_TERM], all = 0;

	TRY(secure_sum_wide(run, node, round, sum, BOUND_TERM));
	if (!bound_join(sum, run->L, e))
		return err_set(
		    ERR_PEER,
		    "the parties' bounds of their numbers do not add up to one (during %s)",
		    record_now(run->record)->name);
	for (size_t i = 0; i < BOUND_TERM; i++)
		all += sum[i];
	if (none && all == 0)
		return err_set(ERR_INPUT, "%s", none);
	for (size_t l = 0; l < run->L; l++)
		TRY(channel_send_choice(run->channel[l], CHOICE_BOUND, bound_pack(*e)));
	return ERR_OK;
}
