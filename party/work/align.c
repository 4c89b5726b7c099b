#include "party/work/align.h"
#include "common/base/sort.h"
#include "common/base/alloc.h"
#include "common/base/progress.h"
#include "common/kind/tree.h"
#include "crypto/hmac.h"
#include "crypto/numbering.h"
#include "crypto/secret.h"
#include "party/work/secret.h"

#include <endian.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	KEY_LEN = NUMBERING_KEY_LEN,
	NUMBER_LEN = 21,
	/* Least memory that the party needs per node, in bytes: that of 16 numbers. */
	BYTES_PER_NODE = 128,
};

/* An own node and its id, as the coordinator receives it. */
struct entry {
	struct bytes id;
	uint32_t node;
};

/* Checks the key that party 0 shared. ERR_PEER: this party has a numbering_key, and party 0 has
 * another file or none. Without a numbering_key, any key is accepted. */
static enum err check_key(const struct work *work, const char *purpose,
			  const uint8_t key[static KEY_LEN])
{
	bool same = true;

	if (work->numbering && work->numbering->kept)
		TRY(numbering_is(work->numbering, purpose, work->job.seed, key, &same));
	return same ? ERR_OK
		    : err_set(ERR_PEER,
			      "%s has another numbering_key than %s, or none: all parties need the "
			      "same file",
			      work->name[0], work->name[work->own]);
}

enum err party_numbering_key(struct work *work, const char *purpose, uint8_t key[static KEY_LEN])
{
	bool kept = work->numbering && work->numbering->kept;

	/* Without a numbering_key, all attempts at one job have the same key, and each job has
	 * another key. */
	if (work->own == 0)
		TRY(kept ? numbering_key(work->numbering, purpose, work->job.seed, key)
			 : secret_key(work, purpose, key));
	TRY(work_share_key(work, SEALED_ID_KEY, key));
	return work->own == 0 ? ERR_OK : check_key(work, purpose, key);
}

/* Makes an entry for each of this party's ids, unsorted, in the form that the party sends. The
 * entries point into *store, which the caller owns, also after an error. */
static enum err make_entries(struct work *work, const struct dataset *d, struct entry *entry,
			     uint8_t **store)
{
	bool hashed = work->job.ids == IDS_HASHED;
	size_t width = hashed ? MSG_ID_HASH_LEN : d->has_ids ? 0 : NUMBER_LEN;
	uint8_t key[KEY_LEN], mac[HMAC_LEN];
	struct hmac *h = NULL;

	*store = alloc(d->n, width);
	if (hashed) {
		/* Party 0 makes this key for all parties. */
		TRY(party_numbering_key(work, "hashed ids", key));
		h = hmac_new((struct bytes){ key, KEY_LEN });
		wipe(key, sizeof(key));
	}
	for (size_t i = 0; i < d->n; i++) {
		uint8_t *place = *store + i * width;
		char number[NUMBER_LEN] = "", *name = d->has_ids ? d->ids.id[i] : number;
		struct bytes id;

		if (!d->has_ids)
			snprintf(number, sizeof(number), "%zu", i + d->first_row);
		id = (struct bytes){ (const uint8_t *)name, strlen(name) };
		if (hashed) {
			hmac_add(h, id.p, id.n);
			hmac_end(h, mac);
			id = (struct bytes){ memcpy(place, mac, width), width };
		} else if (!d->has_ids) {
			id.p = memcpy(place, number, width);
		}
		entry[i] = (struct entry){ id, (uint32_t)i };
		if (i % (1 << 16) == 0)
			progress_tick();
	}
	hmac_free(h);
	return ERR_OK;
}

static int party_align_by_id(const void *a, const void *b)
{
	return bytes_order(((const struct entry *)a)->id, ((const struct entry *)b)->id);
}

static enum err send_ids(struct work *work, const struct entry *entry, size_t n)
{
	bool hashed = work->job.ids == IDS_HASHED;
	struct msg m = { .type = MSG_IDS, .ids = { .count = n } };
	struct buf packed = { 0 };
	size_t done = 0;
	enum err e;

	do {
		m.ids.offset = done;
		packed.n = 0;
		for (; done < n && packed.n + 1 + entry[done].id.n <= CHANNEL_CHUNK; done++) {
			uint8_t len = (uint8_t)entry[done].id.n;

			if (!hashed)
				buf_add(&packed, &len, 1);
			buf_add(&packed, entry[done].id.p, entry[done].id.n);
		}
		m.ids.packed = (struct bytes){ packed.p, packed.n };
		e = channel_send(work->channel, &m);
	} while (e == ERR_OK && done < n);
	buf_release(&packed);
	return e;
}

/* ---- rows ---- */

/* Returns own nodes by ascending row. The upper half of each entry is the row, the lower half the
 * node. */
static uint64_t *sorted_rows(const uint32_t *row, size_t own)
{
	uint64_t *pair = alloc(own, sizeof(*pair));

	for (size_t i = 0; i < own; i++)
		pair[i] = (uint64_t)row[i] << 32 | i;
	sort_u64(pair, own);
	return pair;
}

static enum err recv_rows(struct work *work, const struct entry *entry, size_t own, uint32_t *row)
{
	uint32_t *received = alloc(own, sizeof(*received)), n = MSG_ITEMS_MAX;
	uint64_t *pair = NULL;
	char what[64];
	enum err e = channel_recv_labels_upto(work->channel, MSG_ROWS, (uint32_t)work->own,
					      (uint32_t)own, &n, received, own);

	if (e == ERR_OK) {
		for (size_t k = 0; k < own; k++)
			row[entry[k].node] = received[k];
		pair = sorted_rows(row, own);
	}
	free(received);
	for (size_t k = 1; k < own && e == ERR_OK; k++)
		if (pair[k - 1] >> 32 == pair[k] >> 32)
			e = peer_fault(work->channel, "sent ROWS with row %u twice",
				       (unsigned)(pair[k] >> 32));
	if (e == ERR_OK && own && pair[own - 1] >> 32 >= n)
		e = peer_fault(work->channel, "sent ROWS with an id in none of %" PRIu32 " rows",
			       n);
	free(pair);
	TRY(e);
	/* n is only the coordinator's claim, and all later vectors have n rows. */
	snprintf(what, sizeof(what), "ROWS of %" PRIu32 " nodes", n);
	TRY(work_check_memory(work, what, (double)BYTES_PER_NODE * n));
	work->n = n;
	return ERR_OK;
}

enum err party_align(struct work *work, const struct dataset *d, uint32_t *row)
{
	struct entry *entry;
	uint8_t *store;
	struct tree tree;
	uint64_t n;
	enum err e;

	work_phase(work, "align");
	work->broadcasts.per_party = true;
	if (d->n > MSG_IDS_MAX)
		return err_set(ERR_JOB,
			       "%zu nodes here, which a job of kind %s takes at most %d of", d->n,
			       work->job.kind->name, MSG_IDS_MAX);
	entry = alloc(d->n, sizeof(*entry));
	e = make_entries(work, d, entry, &store);
	if (e == ERR_OK)
		qsort(entry, d->n, sizeof(*entry), party_align_by_id);
	for (size_t i = 1; i < d->n && e == ERR_OK; i++)
		if (party_align_by_id(&entry[i - 1], &entry[i]) == 0)
			e = err_set(ERR_INTERNAL, "two ids of this party have one hash: run the "
						  "job again, with another key");
	if (e == ERR_OK)
		e = send_ids(work, entry, d->n);
	free(store);
	if (e == ERR_OK)
		e = recv_rows(work, entry, d->n, row);
	free(entry);
	TRY(e);
	/* The parties receive different rows, but the same n. */
	n = htobe64(work->n);
	work->broadcasts.per_party = false;
	tree_build(&tree, work->L, true);
	work_group(work, &tree.node[tree.count - 1]);
	work_observe(work, MSG_ROWS, (struct bytes){ (const uint8_t *)&n, sizeof(n) });
	work_note_received(work, &n, sizeof(n));
	work_note_received(work, row, d->n * sizeof(*row));
	return ERR_OK;
}

enum err party_own_labels(struct work *work, const uint32_t *row, size_t own, enum msg_type type,
			  uint32_t group, uint32_t values, uint32_t *label)
{
	uint32_t *received = alloc(own, sizeof(*received));
	uint64_t *pair = sorted_rows(row, own);
	enum err e;

	work->broadcasts.per_party = true;
	e = channel_recv_labels(work->channel, type, group, values, received, own);
	work->broadcasts.per_party = false;
	for (size_t k = 0; k < own && e == ERR_OK; k++)
		label[(uint32_t)pair[k]] = received[k];
	free(pair);
	free(received);
	return e;
}
