#include "server/run/sum.h"
#include "common/base/alloc.h"
#include "common/base/progress.h"
#include "crypto/tag.h"
#include "server/run/relay.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The words that follow each member's vector, summed over a group's members. */
struct behind {
	uint64_t canary;
	uint8_t tag[TAG_LEN];
};

/* The next chunk expected from one party. */
struct due {
	struct sum *sum; /* NULL: the party is in no group of this call */
	struct behind *last;
	size_t offset;
};

_Static_assert((int)TAG_LEN == (int)MSG_SUM_TAG_LEN, "MASKED and SUM hold a tag");

static struct fixed fixed_of(const struct run *run, const struct sum *s)
{
	return s->wide ? run_fixed_wide(s->last - s->first) : run_fixed(run, s->last - s->first);
}

/* Adds the tag of a member's MASKED to acc, modulo p = 2^127 - 1. last: the chunk ends its vector.
 * ERR_PEER, with the party's name: an unexpected tag, a missing one, or one that is not below p. */
static enum err sum_take_tag(struct channel *channel, const struct sum *s,
			     const struct msg_masked *m, bool last, uint8_t acc[static TAG_LEN])
{
	size_t due = s->opened && last ? TAG_LEN : 0;

	if (m->tag.n != due || (due && !tag_is_number(m->tag.p)))
		return peer_fault(channel,
				  "sent MASKED with %zu bytes of a tag for group %u, round %" PRIu64
				  "; due %s",
				  m->tag.n, m->group, m->round,
				  due ? "was a number below 2^127 - 1 of 16 bytes" : "were none");
	if (due)
		tag_plus(acc, m->tag.p);
	return ERR_OK;
}

static enum err add_chunk(struct run *run, size_t l, struct due *due, const struct msg_masked *m)
{
	const struct sum *s = due->sum;
	struct fixed f = fixed_of(run, s);
	size_t word = f.modulus_bits / 8, words = m->words.n / word, all = s->count + 1, vector;

	if (m->group != s->group || m->round != *s->round || m->count != all ||
	    m->offset != due->offset)
		return peer_fault(run->channel[l],
				  "sent MASKED with words from %" PRIu64 " of %" PRIu64
				  " for group %u, round %" PRIu64
				  "; due were words from %zu of %zu for group %u, round %" PRIu64,
				  m->offset, m->count, m->group, m->round, due->offset, all,
				  s->group, *s->round);
	if (words == 0 || m->words.n % word || words > all - due->offset)
		return peer_fault(
		    run->channel[l],
		    "sent MASKED with %zu bytes where 1 to %zu words of %zu bytes are due",
		    m->words.n, all - due->offset, word);
	vector = due->offset < s->count ? s->count - due->offset : 0;
	vector = vector < words ? vector : words;
	fixed_add(&f, (uint8_t *)s->acc + due->offset * word, m->words.p, vector);
	if (words > vector)
		fixed_add(&f, &due->last->canary, m->words.p + vector * word, 1);
	due->offset += words;
	progress_tick();
	return sum_take_tag(run->channel[l], s, m, due->offset == all, due->last->tag);
}

/* Checks the canary word: each member adds 1, so the sum must be the number of members. */
static enum err check_canary(const struct run *run, const struct sum *s, uint64_t canary)
{
	char members[256];
	int n = 0;

	if (s->count == 0 || canary == s->last - s->first)
		return ERR_OK;
	for (size_t l = s->first; l < s->last && n < (int)sizeof(members); l++)
		n += snprintf(members + n, sizeof(members) - (size_t)n, "%s%s",
			      l == s->first      ? ""
			      : l + 1 == s->last ? " and "
						 : ", ",
			      run->name[l]);
	return err_set(ERR_PEER,
		       "the masks of group %u, round %" PRIu64
		       ", over %s do not cancel (during %s): its members received different "
		       "broadcasts, or the masks of one of them differ",
		       s->group, *s->round, members, record_now(run->record)->name);
}

static enum err sum_send_to_members(struct run *run, const struct sum *s,
				    const uint8_t tag[static TAG_LEN])
{
	const size_t most = CHANNEL_CHUNK / sizeof(uint64_t);
	const uint64_t *words = s->acc;
	enum err e = ERR_OK;

	for (size_t at = 0, now; at < s->count && e == ERR_OK; at += now) {
		struct msg m = { .type = MSG_SUM };

		now = s->count - at < most ? s->count - at : most;
		m.masked = (struct msg_masked){ .group = s->group,
						.round = run->sums_opened,
						.count = s->count,
						.offset = at,
						.words = { (const uint8_t *)(words + at),
							   now * sizeof(*words) } };
		if (at + now == s->count)
			m.masked.tag = (struct bytes){ tag, TAG_LEN };
		e = run_broadcast(run, s->first, s->last, &m);
	}
	run->sums_opened++;
	return e;
}

enum err secure_sums(struct run *run, struct sum *sums, size_t groups)
{
	struct due *due = alloc(run->L, sizeof(*due));
	bool *wanted = alloc(run->L, sizeof(*wanted));
	struct behind *last = alloc(groups, sizeof(*last));
	size_t waiting = 0;
	enum err e = ERR_OK;

	for (size_t g = 0; g < groups; g++) {
		memset(sums[g].acc, 0, sums[g].count * (fixed_of(run, &sums[g]).modulus_bits / 8));
		for (size_t l = sums[g].first; l < sums[g].last; l++) {
			due[l].sum = &sums[g];
			due[l].last = &last[g];
			wanted[l] = sums[g].count > 0;
			waiting += wanted[l];
		}
	}
	while (waiting) {
		struct msg m;
		size_t l;

		e = channel_recv_any(run->channel, wanted, run->L, MSG_MASKED, &l, &m);
		if (e == ERR_OK)
			e = add_chunk(run, l, &due[l], &m.masked);
		if (e != ERR_OK)
			goto out;
		if (due[l].offset == due[l].sum->count + 1) {
			wanted[l] = false;
			waiting--;
		}
	}
	for (size_t g = 0; g < groups && e == ERR_OK; g++)
		e = check_canary(run, &sums[g], last[g].canary);
	for (size_t g = 0; g < groups && e == ERR_OK; g++)
		if (sums[g].count > 0)
			e = relay_told(run, sums[g].group, sums[g].first, sums[g].last);
	for (size_t g = 0; g < groups && e == ERR_OK; g++)
		if (sums[g].opened && sums[g].count > 0)
			e = sum_send_to_members(run, &sums[g], last[g].tag);
	for (size_t g = 0; g < groups; g++)
		++*sums[g].round;
	record_now(run->record)->rounds++;
out:
	free(last);
	free(due);
	free(wanted);
	return e;
}

static enum err sum_of_node(struct run *run, const struct tree_node *node, uint64_t *round,
			    bool wide, bool opened, double *sum, size_t count)
{
	struct sum words = { .group = node->id,
			     .first = node->first,
			     .last = node->last,
			     .round = round,
			     .count = count,
			     .wide = wide,
			     .opened = opened };
	struct fixed f = fixed_of(run, &words);
	enum err e;

	words.acc = alloc(count, f.modulus_bits / 8);
	e = secure_sums(run, &words, 1);
	if (e == ERR_OK)
		fixed_decode(&f, words.acc, count, sum);
	free(words.acc);
	return e;
}

enum err secure_sum_reals(struct run *run, const struct tree_node *node, uint64_t *round,
			  double *sum, size_t count)
{
	return sum_of_node(run, node, round, false, false, sum, count);
}

enum err secure_sum_wide(struct run *run, const struct tree_node *node, uint64_t *round,
			 double *sum, size_t count)
{
	return sum_of_node(run, node, round, true, false, sum, count);
}

enum err secure_sum_words(struct run *run, const struct tree_node *node, uint64_t *round,
			  uint64_t *sum, size_t count)
{
	struct sum words = { .group = node->id,
			     .first = node->first,
			     .last = node->last,
			     .round = round,
			     .count = count,
			     .acc = sum,
			     .wide = true };

	return secure_sums(run, &words, 1);
}

enum err secure_sum_opened(struct run *run, const struct tree_node *node, uint64_t *round,
			   double *sum, size_t count)
{
	return sum_of_node(run, node, round, true, true, sum, count);
}
