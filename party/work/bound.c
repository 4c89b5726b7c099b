#include "party/work/bound.h"
#include "common/parties/choice.h"
#include "common/privacy/bound.h"
#include "party/work/secure.h"

#include <math.h>

enum err party_bound(struct work *work, const struct tree_node *node, double square, int *e)
{
	double term[BOUND_TERM];
	uint64_t value;

	TRY(bound_term(square, term));
	TRY(secure_send_wide(work, node, term, BOUND_TERM));
	TRY(channel_recv_choice(work->channel, CHOICE_BOUND, BOUND_PACKED_MOST, &value));
	if (!bound_unpack(value, e) || ldexp(1, *e) < square)
		return peer_fault(work->channel,
				  "sent CHOICE of a bound of numbers, %u, that is not one or is "
				  "below this party's own",
				  (unsigned)value);
	return ERR_OK;
}
