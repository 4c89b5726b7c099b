#include "server/run/intersect.h"
#include "common/base/alloc.h"
#include "common/base/log.h"
#include "common/base/progress.h"
#include "common/kind/align.h"
#include "common/parties/parties.h"
#include "crypto/okvs.h"
#include "server/run/align.h"
#include "server/run/relay.h"
#include "server/run/sum.h"

#include <stdlib.h>

enum { ID = MSG_ID_HASH_LEN, TICK = 1 << 20 };

struct sizes {
	size_t bound;  /* the largest number of ids of a party, rounded up to a step */
	size_t lister; /* party that lists its pseudonyms: the first one with the fewest ids */
	size_t listed; /* length of the lister's list: its ids, rounded up, and ALIGN_CANARIES */
};

/* Receives and broadcasts a sum of n counts. Each party adds 0 or 1 to each count. */
static enum err server_intersect_sum_votes(struct run *run, const struct tree_node *all, double *x,
					   size_t n)
{
	TRY(secure_sum_opened(run, all, &run->rounds_before, x, n));
	return parties_check_counts("align", "parties at place", x, n, (double)run->L, NULL);
}

/* Determines three things by broadcast sums, which the parties verify: the parties' numbers of ids,
 * rounded up to the steps of align_scale(); the first party with the smallest such number; and
 * whether the ids of each party fit into a table. */
static enum err server_intersect_agree_sizes(struct run *run, const struct tree_node *all,
					     struct sizes *s)
{
	uint32_t step[ALIGN_STEPS_MAX];
	size_t steps = align_scale(run->job.align_bound, step);
	double on[ALIGN_STEPS_MAX], who[PARTIES_MAX + 1];

	TRY(server_intersect_sum_votes(run, all, on, steps));
	for (size_t i = 0; i < steps; i++)
		if (on[i] != 0)
			s->bound = step[i];
	for (size_t i = steps; i-- > 0;)
		if (on[i] != 0)
			s->listed = step[i] + ALIGN_CANARIES;
	TRY(server_intersect_sum_votes(run, all, who, run->L + 1));
	for (s->lister = 0; s->lister < run->L && who[s->lister] == 0;)
		s->lister++;
	if (s->bound == 0 || s->lister == run->L)
		return err_set(ERR_PEER, "the parties' sums say that none of them has ids");
	for (unsigned tries = 1; who[run->L] != 0; tries++) {
		if (tries == ALIGN_TRIES)
			return err_set(ERR_JOB, "the parties' ids fit into no table in %u tries",
				       tries);
		TRY(server_intersect_sum_votes(run, all, who + run->L, 1));
	}
	return ERR_OK;
}

/* Collects the lister's pseudonyms for which the sum of all tables is 0. */
static enum err server_intersect_by_tables(struct run *run, struct buf *common)
{
	struct id_list list[PARTIES_MAX] = { 0 };
	bool wanted[PARTIES_MAX] = { false };
	struct sizes s = { 0 };
	const struct tree_node *all;
	struct tree tree;
	uint64_t *sum;
	size_t words;
	enum err e;

	tree_build(&tree, run->L, true);
	all = &tree.node[tree.count - 1];
	TRY(server_intersect_agree_sizes(run, all, &s));
	words = okvs_words(s.bound + ALIGN_CANARIES);
	sum = alloc(words, sizeof(*sum));
	e = secure_sum_words(run, all, &run->rounds_before, sum, words);
	wanted[s.lister] = true;
	if (e == ERR_OK)
		e = server_gather_ids(run, wanted, list);
	if (e == ERR_OK && list[s.lister].count != s.listed)
		e = peer_fault(run->channel[s.lister], "sent IDS of %zu ids; expected %zu",
			       list[s.lister].count, s.listed);
	for (size_t at = 0; at < list[s.lister].packed.n && e == ERR_OK; at += ID) {
		const uint8_t *id = list[s.lister].packed.p + at;

		if (okvs_read(sum, words, id) == 0)
			buf_add(common, id, ID);
		if (at % TICK == 0)
			progress_tick();
	}
	buf_release(&list[s.lister].packed);
	free(sum);
	facts_number(&run->record->facts, "ids_bound", (double)s.bound);
	return e;
}

static enum err server_intersect_send_common(struct run *run, const struct buf *common)
{
	const size_t most = CHANNEL_CHUNK / ID, count = common->n / ID;

	for (size_t at = 0, now; at < count; at += now) {
		struct msg m = { .type = MSG_COMMON };

		now = count - at < most ? count - at : most;
		m.ids = (struct msg_ids){ count, at, { common->p + at * ID, now * ID } };
		TRY(run_broadcast(run, 0, run->L, &m));
	}
	return ERR_OK;
}

enum err server_intersect(struct run *run)
{
	struct buf common = { 0 };
	enum err e;

	run_phase(run, "align");
	TRY(relay_key(run, SEALED_GROUP_KEY));
	TRY(relay_key(run, SEALED_ID_KEY));
	e = server_intersect_by_tables(run, &common);
	if (e == ERR_OK && common.n / ID < ALIGN_CANARIES)
		e = err_set(ERR_PEER,
			    "the parties' sets have %zu ids in common, and %d are in each of them: "
			    "the table of one party is not made of its ids",
			    common.n / ID, ALIGN_CANARIES);
	if (e == ERR_OK)
		run->n = common.n / ID - ALIGN_CANARIES;
	/* The error omits the number of common rows, which could disclose whether the other parties
	 * have a certain id. */
	if (e == ERR_OK && run->n < run->job.min_common)
		e = err_set(ERR_JOB,
			    "the parties have fewer than %u ids in common (job.min_common)",
			    run->job.min_common);
	if (e == ERR_OK)
		e = server_intersect_send_common(run, &common);
	buf_release(&common);
	TRY(e);
	log_info("all parties have %zu rows", run->n);
	return ERR_OK;
}
