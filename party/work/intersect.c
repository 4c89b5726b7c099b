#include "party/work/intersect.h"
#include "common/base/alloc.h"
#include "common/base/progress.h"
#include "common/kind/align.h"
#include "common/kind/tree.h"
#include "common/parties/parties.h"
#include "crypto/hmac.h"
#include "crypto/okvs.h"
#include "crypto/secret.h"
#include "party/work/align.h"
#include "party/work/secure.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { ID = OKVS_KEY_LEN, CANARY = UINT32_MAX, TICK = 1 << 16, BYTES_PER_WORD = 24 };
_Static_assert((int)ID == (int)MSG_ID_HASH_LEN, "a pseudonym is a hashed id");

/* Pseudonyms of own ids, and canaries (pseudonyms that all parties have), in ascending order. */
struct pseudonyms {
	uint8_t (*key)[ID];
	uint32_t *row; /* row of the own id; CANARY for a canary */
	size_t n;
};

/* State of a party while it finds the common ids. */
struct intersect {
	struct work *work;
	const struct dataset *d;
	struct tree tree;
	const struct tree_node *all;
	struct pseudonyms names;
	/* `own_step`: this party's number of ids, rounded up to a step of align_scale(). `bound`:
	 * the largest such number of a party. */
	size_t own_step, bound;
	size_t lister;
};

/* ---- pseudonyms ---- */

/* Returns an HMAC whose key is derived from the group key, label and number of the try. */
static struct hmac *keyed(const struct work *work, const char *label, uint8_t tries)
{
	struct buf info = { 0 };
	uint8_t key[KDF_KEY_LEN];
	struct hmac *h;

	buf_add(&info, label, strlen(label));
	buf_add(&info, &tries, 1);
	kdf_expand(work->group_key, (struct bytes){ info.p, info.n }, key, sizeof(key));
	h = hmac_new((struct bytes){ key, sizeof(key) });
	wipe(key, sizeof(key));
	buf_release(&info);
	return h;
}

static void party_intersect_add_name(struct pseudonyms *n, struct hmac *h, const void *p,
				     size_t len, uint32_t row)
{
	uint8_t mac[HMAC_LEN];

	hmac_add(h, p, len);
	hmac_end(h, mac);
	memcpy(n->key[n->n], mac, ID);
	n->row[n->n++] = row;
	if (n->n % TICK == 0)
		progress_tick();
}

/* Computes the pseudonyms of all ids and canaries. Canaries have a key of their own, so that no id
 * has the pseudonym of a canary. */
static void name_all(struct intersect *s, uint8_t tries)
{
	struct hmac *h = keyed(s->work, "coterie align ids v1", tries);

	s->names.n = 0;
	for (size_t i = 0; i < s->d->n; i++)
		party_intersect_add_name(&s->names, h, s->d->ids.id[i], strlen(s->d->ids.id[i]),
					 (uint32_t)i);
	hmac_free(h);
	h = keyed(s->work, "coterie align canaries v1", tries);
	for (uint8_t i = 0; i < ALIGN_CANARIES; i++)
		party_intersect_add_name(&s->names, h, &i, 1, CANARY);
	hmac_free(h);
	okvs_sort(s->names.key, s->names.row, s->names.n);
}

/* Sends own pseudonyms and `more` random ones, in ascending order. Merges them while sending,
 * because a complete list would take memory in addition to the table that waits to be sent. */
static enum err send_names(const struct intersect *s, const uint8_t (*drawn)[ID], size_t more)
{
	const size_t most = CHANNEL_CHUNK / ID, own = s->names.n, all = own + more;
	uint8_t(*chunk)[ID] = alloc(most, ID);
	size_t i = 0, j = 0, now;
	enum err e = ERR_OK;

	for (size_t at = 0; at < all && e == ERR_OK; at += now) {
		struct msg m = { .type = MSG_IDS };

		now = all - at < most ? all - at : most;
		for (size_t k = 0; k < now; k++) {
			bool is_own =
			    j == more || (i < own && memcmp(s->names.key[i], drawn[j], ID) < 0);

			memcpy(chunk[k], is_own ? s->names.key[i++] : drawn[j++], ID);
		}
		m.ids = (struct msg_ids){ all, at, { chunk[0], now * ID } };
		e = channel_send(s->work->channel, &m);
	}
	free(chunk);
	return e;
}

/* ---- tables ---- */

/* Computes a verified sum of votes. Each party answers n questions with 0 or 1. alike: each party
 * answers exactly one of them with 1. */
static enum err party_intersect_sum_votes(struct intersect *s, double *x, size_t n, bool alike)
{
	struct work *work = s->work;
	double all;

	TRY(secure_sum_verified(work, s->all, x, n));
	TRY(parties_check_counts("align", "parties at place", x, n, (double)work->L, &all));
	return all == (double)work->L || !alike
		   ? ERR_OK
		   : step_fault(work->channel,
				"a party's count is wrong: %zu parties count themselves %g times",
				work->L, all);
}

/* Each party rounds its number of ids up to a step of align_scale(). Counts the parties on each
 * step, and finds the first party on the lowest step that has one. Then changes all pseudonyms
 * until every party's ids fit into a table. *peeled: the table of this party's ids; may be NULL
 * after errors. The sums are verified, so the coordinator cannot broadcast false ones. */
static enum err party_intersect_agree_sizes(struct intersect *s, struct okvs **peeled)
{
	struct work *work = s->work;
	uint32_t step[ALIGN_STEPS_MAX];
	size_t steps = align_scale(work->job.align_bound, step), own = 0, lowest = steps, words;
	double on[ALIGN_STEPS_MAX] = { 0 }, who[PARTIES_MAX + 1] = { 0 };

	while (own < steps && step[own] < s->d->n)
		own++;
	if (own == steps)
		return err_set(ERR_JOB, "%s has %zu ids, and %s %" PRIu32 " are the most",
			       work->name[work->own], s->d->n,
			       work->job.align_bound ? "by job.align_bound" : "in any job",
			       step[steps - 1]);
	s->own_step = step[own];
	on[own] = 1;
	TRY(party_intersect_sum_votes(s, on, steps, true));
	for (size_t i = steps; i-- > 0;)
		if (on[i] != 0) {
			s->bound = s->bound ? s->bound : step[i];
			lowest = i;
		}
	words = okvs_words(s->bound + ALIGN_CANARIES);
	TRY(work_check_memory(work, "sums by which tables of ids", (double)words * BYTES_PER_WORD));
	*peeled = okvs_peel(s->names.key, s->names.n, words);
	who[work->own] = own == lowest;
	who[work->L] = !*peeled;
	TRY(party_intersect_sum_votes(s, who, work->L + 1, false));
	while (s->lister < work->L && who[s->lister] == 0)
		s->lister++;
	for (uint8_t tries = 1; who[work->L] != 0; tries++) {
		if (tries == ALIGN_TRIES)
			return err_set(ERR_JOB, "the parties' ids fit into no table in %d tries",
				       ALIGN_TRIES);
		okvs_free(*peeled);
		name_all(s, tries);
		*peeled = okvs_peel(s->names.key, s->names.n, words);
		who[work->L] = !*peeled;
		TRY(party_intersect_sum_votes(s, who + work->L, 1, false));
	}
	return ERR_OK;
}

/* Computes, for each own id, the sum of this party's shares with all other parties. These sums of
 * all parties add up to zero if all parties have the id. */
static uint64_t *zero_shares(const struct intersect *s)
{
	static const char label[] = "coterie align prf v1";
	struct work *work = s->work;
	uint64_t *value = alloc(s->names.n, sizeof(*value));
	uint8_t key[SECAGG_HASH_LEN];

	for (size_t j = 0; j < work->L; j++) {
		if (j == work->own)
			continue;
		secagg_pair_expand(work->secagg, j,
				   (struct bytes){ (const uint8_t *)label, sizeof(label) - 1 },
				   key);
		okvs_share(key, s->names.key, s->names.n, work->own < j ? 1 : -1, value);
		progress_tick();
	}
	wipe(key, sizeof(key));
	return value;
}

/* Sends the table. Frees *peeled before the table waits to be sent, because memory use is highest
 * then. */
static enum err send_table(struct intersect *s, struct okvs **peeled)
{
	size_t words = okvs_words(s->bound + ALIGN_CANARIES);
	uint64_t *table = alloc(words, sizeof(*table)), *value = zero_shares(s);
	enum err e = okvs_make(*peeled, value, table);

	wipe(value, s->names.n * sizeof(*value));
	free(value);
	okvs_free(*peeled);
	*peeled = NULL;
	if (e == ERR_OK)
		e = secure_send_words(s->work, s->all, table, words);
	wipe(table, words * sizeof(*table));
	free(table);
	return e;
}

/* Sends a list of own pseudonyms among random ones, so that the number of own ids stays hidden. */
static enum err list_names(const struct intersect *s)
{
	size_t more = s->own_step + ALIGN_CANARIES - s->names.n;
	uint8_t(*drawn)[ID] = alloc(more, ID);
	uint32_t *unused = alloc(more, sizeof(*unused));
	enum err e = more ? random_secret(drawn, more * ID) : ERR_OK;

	okvs_sort(drawn, unused, more);
	free(unused);
	if (e == ERR_OK)
		e = send_names(s, (const uint8_t(*)[ID])drawn, more);
	free(drawn);
	return e;
}

static enum err party_intersect_by_tables(struct intersect *s)
{
	struct okvs *peeled = NULL;
	enum err e = party_intersect_agree_sizes(s, &peeled);

	if (e == ERR_OK)
		e = send_table(s, &peeled);
	okvs_free(peeled);
	if (e == ERR_OK && s->lister == s->work->own)
		e = list_names(s);
	return e;
}

/* ---- the common rows: list and numbering ---- */

/* The list of common pseudonyms, received in pieces. */
struct common_rows {
	size_t count, done; /* number of ids announced; number received */
	size_t at;          /* index of the first own pseudonym that is above the last common one */
	size_t canaries;
	/* Number of common ids that are not canaries. Their rows are in the first entries of the
	 * own pseudonyms' `row`. */
	size_t rows;
};

static enum err take_common(struct intersect *s, const struct msg_ids *m, struct common_rows *t)
{
	struct channel *coordinator = s->work->channel;
	struct pseudonyms *own = &s->names;
	size_t ids = m->packed.n / ID;

	if (t->done == 0)
		t->count = (size_t)m->count;
	if (m->count != t->count || m->offset != t->done || ids == 0 || m->packed.n % ID ||
	    ids > t->count - t->done)
		return peer_fault(coordinator,
				  "sent COMMON of count %" PRIu64 ", offset %" PRIu64
				  " with %zu bytes; expected %zu, %zu",
				  m->count, m->offset, m->packed.n, t->count, t->done);
	if (t->count > own->n || t->count < (size_t)ALIGN_CANARIES + s->work->job.min_common)
		return peer_fault(coordinator,
				  "sent COMMON of %zu pseudonyms; expected %d and from "
				  "job.min_common, %u, to this party's %zu",
				  t->count, ALIGN_CANARIES, s->work->job.min_common, s->d->n);
	for (size_t i = 0; i < ids; i++, t->done++) {
		const uint8_t *id = m->packed.p + i * ID;

		/* Common pseudonyms ascend, so search only above the last one. Then no own
		 * pseudonym is found twice. */
		while (t->at < own->n && memcmp(own->key[t->at], id, ID) < 0)
			t->at++;
		if (t->at == own->n || memcmp(own->key[t->at], id, ID) != 0)
			return peer_fault(coordinator,
					  "sent COMMON in which pseudonym %zu is of no id that is "
					  "here, or does not rise",
					  t->done);
		if (own->row[t->at] == CANARY)
			t->canaries++;
		else
			own->row[t->rows++] = own->row[t->at];
		t->at++;
	}
	return ERR_OK;
}

static enum err recv_common(struct intersect *s, struct common_rows *t)
{
	do {
		struct msg m;

		TRY(channel_recv(s->work->channel, MSG_COMMON, &m));
		TRY(take_common(s, &m.ids, t));
	} while (t->done < t->count);
	if (t->canaries < ALIGN_CANARIES)
		return peer_fault(
		    s->work->channel,
		    "sent COMMON without %zu of %d pseudonyms that all parties have: it leaves "
		    "some out, or the table or list of one party is not made of its ids",
		    ALIGN_CANARIES - t->canaries, ALIGN_CANARIES);
	return ERR_OK;
}

/* Sets whether freed memory returns to the system at once. This is on while tables and lists of
 * millions of ids are in use, so that freed memory does not stay allocated next to new tables. */
static void keep_small(const struct work *work, bool small)
{
	alloc_gives_back(small);
	channel_spare_little(work->channel, small);
}

/* Orders rows by a keyed hash of their ids. No process can choose this order, and the coordinator
 * does not know which pseudonym belongs to which row. */
static void number_rows(const struct dataset *d, const uint8_t *key, uint32_t *row, size_t n)
{
	struct hmac *h = hmac_new((struct bytes){ key, NUMBERING_KEY_LEN });
	struct pseudonyms names = { alloc(n, ID), alloc(n, sizeof(uint32_t)), 0 };

	for (size_t i = 0; i < n; i++)
		party_intersect_add_name(&names, h, d->ids.id[row[i]], strlen(d->ids.id[row[i]]),
					 row[i]);
	hmac_free(h);
	okvs_sort(names.key, names.row, n);
	memcpy(row, names.row, n * sizeof(*row));
	free(names.key);
	free(names.row);
}

enum err party_intersect(struct work *work, const struct dataset *d, uint32_t **row, size_t *n)
{
	struct intersect s = { .work = work, .d = d };
	uint8_t key[NUMBERING_KEY_LEN];
	struct common_rows common = { 0 };
	enum err e;

	*row = NULL;
	*n = 0;
	work_phase(work, "align");
	if (!d->has_ids)
		return err_set(
		    ERR_INPUT,
		    "%s has no data.ids, which a job needs whose rows are matched (job.align)",
		    work->name[work->own]);
	if (d->n > ALIGN_IDS_MAX)
		return err_set(ERR_JOB, "%s has %zu ids, and a job whose rows are matched takes %d",
			       work->name[work->own], d->n, ALIGN_IDS_MAX);
	tree_build(&s.tree, work->L, true);
	s.all = &s.tree.node[s.tree.count - 1];
	work_group(work, s.all);
	TRY(work_group_key(work));
	TRY(party_numbering_key(work, "common rows", key));
	keep_small(work, true);
	s.names.key = alloc(d->n + ALIGN_CANARIES, ID);
	s.names.row = alloc(d->n + ALIGN_CANARIES, sizeof(uint32_t));
	name_all(&s, 0);
	e = party_intersect_by_tables(&s);
	if (e == ERR_OK)
		e = recv_common(&s, &common);
	free(s.names.key);
	if (e == ERR_OK)
		number_rows(d, key, s.names.row, common.rows);
	wipe(key, sizeof(key));
	keep_small(work, false);
	if (e != ERR_OK) {
		free(s.names.row);
		return e;
	}
	*row = s.names.row;
	*n = common.rows;
	return ERR_OK;
}
