#include "party/work/agree.h"
#include "common/base/alloc.h"
#include "common/base/progress.h"
#include "crypto/hmac.h"
#include "crypto/secret.h"
#include "party/work/exchange.h"

#include <endian.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	PSEUDONYM = 16,
	DRAW = 8,
	ENTRY = PSEUDONYM + 4,
	HEAD = 8,
	MOST = HEAD + AGREE_SAMPLE * ENTRY,
	TICK = 1 << 16
};

static const char LABEL[] = "coterie rows v2";

/* An id's row, and its pseudonym and draws, which depend on the key of a pair of parties. */
struct named {
	/* Pseudonym, draw for the direction from lower to higher party, draw for the other
	 * direction. */
	uint8_t name[KDF_KEY_LEN];
	uint32_t row;
};

/* This party's nodes. */
struct own {
	const struct dataset *d;
	const uint32_t *row;
	uint8_t *has; /* one bit per row: whether an own node has this row */
};

static void key_with(const struct work *work, size_t j, struct kdf_key *k)
{
	uint8_t key[KDF_KEY_LEN];

	secagg_pair_expand(work->secagg, j,
			   (struct bytes){ (const uint8_t *)LABEL, sizeof(LABEL) - 1 }, key);
	kdf_key_make(k, key);
	wipe(key, sizeof(key));
}

static struct named party_agree_name_of(const struct own *own, const struct kdf_key *k, size_t i)
{
	struct named named;
	char number[24];
	const char *id = number;

	if (own->d->has_ids)
		id = own->d->ids.id[i];
	else
		snprintf(number, sizeof(number), "%zu", i + own->d->first_row);
	kdf_expand_by(k, (struct bytes){ (const uint8_t *)id, strlen(id) }, named.name,
		      sizeof(named.name));
	named.row = own->row[i];
	if (i % TICK == 0)
		progress_tick();
	return named;
}

static int by_pseudonym(const void *a, const void *b)
{
	return memcmp(a, b, PSEUDONYM);
}

static int by_lower_draw(const void *a, const void *b)
{
	return memcmp(((const struct named *)a)->name + PSEUDONYM,
		      ((const struct named *)b)->name + PSEUDONYM, DRAW);
}

static int by_higher_draw(const void *a, const void *b)
{
	return memcmp(((const struct named *)a)->name + PSEUDONYM + DRAW,
		      ((const struct named *)b)->name + PSEUDONYM + DRAW, DRAW);
}

/* Writes a batch: the number of own nodes (u64), then the sample, with pseudonym and row (u32) of
 * each node. Numbers are little-endian. */
static void party_agree_write_batch(const struct work *work, const struct own *own, size_t to,
				    struct buf *out)
{
	int (*by_draw)(const void *, const void *) =
	    work->own < to ? by_lower_draw : by_higher_draw;
	struct named lowest[2 * AGREE_SAMPLE];
	uint64_t count = htole64(own->d->n);
	struct kdf_key k;
	size_t n = 0;

	key_with(work, to, &k);
	for (size_t i = 0; i < own->d->n; i++) {
		lowest[n++] = party_agree_name_of(own, &k, i);
		if (n < 2 * AGREE_SAMPLE && i + 1 < own->d->n)
			continue;
		qsort(lowest, n, sizeof(*lowest), by_draw);
		n = n < AGREE_SAMPLE ? n : AGREE_SAMPLE;
	}
	buf_add(out, &count, sizeof(count));
	for (size_t i = 0; i < n; i++) {
		uint32_t row = htole32(lowest[i].row);

		buf_add(out, lowest[i].name, PSEUDONYM);
		buf_add(out, &row, sizeof(row));
	}
	wipe(&k, sizeof(k));
}

/* Reads the batch of party l, and sorts its sample by pseudonym. ERR_PEER: the batch has too few or
 * too many bytes for its number of nodes, or one pseudonym twice. */
static enum err read_batch(const struct work *work, size_t l, struct bytes batch, uint64_t *count,
			   struct named *sample, size_t *n)
{
	if (batch.n >= HEAD)
		memcpy(count, batch.p, sizeof(*count));
	*count = batch.n >= HEAD ? le64toh(*count) : UINT64_MAX;
	*n = *count < AGREE_SAMPLE ? (size_t)*count : AGREE_SAMPLE;
	if (*count > MSG_IDS_MAX || batch.n != HEAD + *n * ENTRY)
		return err_set(ERR_PEER,
			       "%s sent rows of its nodes in %zu bytes, which are not those of any "
			       "number of nodes (during %s)",
			       work->name[l], batch.n, record_now(work->record)->name);
	for (size_t i = 0; i < *n; i++) {
		const uint8_t *entry = batch.p + HEAD + i * ENTRY;

		memcpy(sample[i].name, entry, PSEUDONYM);
		memcpy(&sample[i].row, entry + PSEUDONYM, sizeof(sample[i].row));
		sample[i].row = le32toh(sample[i].row);
	}
	qsort(sample, *n, sizeof(*sample), by_pseudonym);
	for (size_t i = 1; i < *n; i++)
		if (by_pseudonym(&sample[i - 1], &sample[i]) == 0)
			return err_set(ERR_PEER, "%s sent the row of one node twice (during %s)",
				       work->name[l], record_now(work->record)->name);
	return ERR_OK;
}

static enum err party_agree_compare_batch(const struct work *work, size_t l, const struct own *own,
					  struct bytes batch, uint64_t *count)
{
	struct named sample[AGREE_SAMPLE];
	bool shared[AGREE_SAMPLE] = { false };
	const char *differs = NULL;
	struct kdf_key k;
	size_t n;

	TRY(read_batch(work, l, batch, count, sample, &n));
	key_with(work, l, &k);
	for (size_t i = 0; i < own->d->n && n > 0 && !differs; i++) {
		struct named named = party_agree_name_of(own, &k, i);
		const struct named *same =
		    bsearch(&named, sample, n, sizeof(*sample), by_pseudonym);

		if (!same)
			continue;
		shared[same - sample] = true;
		if (same->row != named.row)
			differs = "a node of both has two rows";
	}
	wipe(&k, sizeof(k));
	for (size_t i = 0; i < n && !differs; i++) {
		uint32_t row = sample[i].row;

		if (row >= work->n || (!shared[i] && own->has[row / 8] >> row % 8 & 1))
			differs = "two nodes have one row";
	}
	return differs ? peer_fault(work->channel,
				    "numbers nodes differently for %s and for this party: %s",
				    work->name[l], differs)
		       : ERR_OK;
}

/* Checks the number of joint nodes, work->n. It must be at least the largest party's number of
 * nodes, and less than the sum of all parties' numbers or, if `disjoint`, at most that sum. */
static enum err party_agree_check_total(const struct work *work, uint64_t largest, uint64_t all,
					bool disjoint)
{
	uint64_t n = work->n;

	if (n < largest || n > all)
		return peer_fault(work->channel,
				  "sent ROWS of %" PRIu64 " nodes, of parties with up to %" PRIu64
				  " and %" PRIu64 " together",
				  n, largest, all);
	if (n == all && !disjoint)
		return peer_fault(
		    work->channel,
		    "sent ROWS of %" PRIu64
		    " nodes, as many as the parties have together: it gives them separate rows, or "
		    "no two of them have a node in common (job.allow_disjoint permits that)",
		    n);
	return ERR_OK;
}

enum err party_agree_rows(struct work *work, const struct dataset *d, const uint32_t *row,
			  bool disjoint)
{
	struct buf out[PARTIES_MAX] = { 0 }, in[PARTIES_MAX] = { 0 };
	struct own own = { .d = d, .row = row };
	uint64_t largest = d->n, all = largest;
	enum err e;

	if (work->L == 1)
		return ERR_OK;
	for (size_t l = 0; l < work->L; l++)
		if (l != work->own)
			party_agree_write_batch(work, &own, l, &out[l]);
	e = party_exchange(work, SEALED_ROWS, out, in, MOST);
	own.has = alloc(work->n / 8 + 1, 1);
	for (size_t i = 0; i < d->n; i++)
		own.has[row[i] / 8] |= (uint8_t)(1 << row[i] % 8);
	for (size_t l = 0; l < work->L && e == ERR_OK; l++) {
		uint64_t count;

		if (l == work->own)
			continue;
		e = party_agree_compare_batch(work, l, &own, (struct bytes){ in[l].p, in[l].n },
					      &count);
		largest = e == ERR_OK && count > largest ? count : largest;
		all += e == ERR_OK ? count : 0;
	}
	if (e == ERR_OK)
		e = party_agree_check_total(work, largest, all, disjoint);
	for (size_t l = 0; l < work->L; l++) {
		buf_release(&out[l]);
		buf_release(&in[l]);
	}
	free(own.has);
	return e;
}
