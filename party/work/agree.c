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

enum { PSEUDONYM = 16, ENTRY = PSEUDONYM + 4, HEAD = 8, MOST = HEAD + AGREE_SAMPLE * ENTRY };

static const char LABEL[] = "coterie rows v1";

struct named {
	uint8_t pseudonym[PSEUDONYM];
	uint32_t row;
	uint64_t draw; /* the lowest are the sample */
};

static int by_pseudonym(const void *a, const void *b)
{
	return memcmp(a, b, PSEUDONYM);
}

static int by_draw(const void *a, const void *b)
{
	uint64_t x = ((const struct named *)a)->draw, y = ((const struct named *)b)->draw;

	return (x > y) - (x < y);
}

/* HMAC-SHA256 of each own id: 16 bytes of pseudonym, 8 that decide the sample. */
static struct named *name_all(const struct work *work, const struct dataset *d, const uint32_t *row)
{
	struct named *named = alloc(d->n, sizeof(*named));
	uint8_t key[KDF_KEY_LEN], mac[HMAC_LEN];
	struct hmac *h;

	kdf_expand(work->group_key, (struct bytes){ (const uint8_t *)LABEL, sizeof(LABEL) - 1 },
		   key, sizeof(key));
	h = hmac_new((struct bytes){ key, sizeof(key) });
	wipe(key, sizeof(key));
	for (size_t i = 0; i < d->n; i++) {
		char number[24];
		const char *id = number;

		if (d->has_ids)
			id = d->ids.id[i];
		else
			snprintf(number, sizeof(number), "%zu", i + d->first_row);
		hmac_add(h, id, strlen(id));
		hmac_end(h, mac);
		memcpy(named[i].pseudonym, mac, PSEUDONYM);
		memcpy(&named[i].draw, mac + PSEUDONYM, sizeof(named[i].draw));
		named[i].row = row[i];
		if (i % (1 << 16) == 0)
			progress_tick();
	}
	hmac_free(h);
	return named;
}

/* own u64, then the sample: pseudonym, row u32 each; little-endian. */
static void write_batch(struct named *named, size_t own, struct buf *out)
{
	uint64_t count = htole64(own);

	qsort(named, own, sizeof(*named), by_draw);
	buf_add(out, &count, sizeof(count));
	for (size_t i = 0; i < own && i < AGREE_SAMPLE; i++) {
		uint32_t row = htole32(named[i].row);

		buf_add(out, named[i].pseudonym, PSEUDONYM);
		buf_add(out, &row, sizeof(row));
	}
}

/* This party's own nodes, as they are compared. */
struct own {
	const struct named *named; /* by rising pseudonym */
	size_t count;
	uint8_t *has; /* a bit for each row: is it an own node's? */
};

static enum err compare(const struct work *work, size_t l, const struct own *own,
			struct bytes batch, uint64_t *count)
{
	size_t sample;

	if (batch.n >= HEAD)
		memcpy(count, batch.p, sizeof(*count));
	*count = batch.n >= HEAD ? le64toh(*count) : UINT64_MAX;
	sample = *count < AGREE_SAMPLE ? (size_t)*count : AGREE_SAMPLE;
	if (*count > MSG_IDS_MAX || batch.n != HEAD + sample * ENTRY)
		return err_set(ERR_PEER,
			       "%s sent rows of its nodes in %zu bytes, which are not those of "
			       "any number of nodes (during %s)",
			       work->name[l], batch.n, record_now(work->record)->name);
	for (size_t i = 0; i < sample; i++) {
		const uint8_t *entry = batch.p + HEAD + i * ENTRY;
		const struct named *same = own->count ? bsearch(entry, own->named, own->count,
								sizeof(*own->named), by_pseudonym)
						      : NULL;
		uint32_t row;

		memcpy(&row, entry + PSEUDONYM, sizeof(row));
		row = le32toh(row);
		if (row < work->n &&
		    (same ? same->row == row : !(own->has[row / 8] >> row % 8 & 1)))
			continue;
		return peer_fault(
		    work->channel, "numbers nodes otherwise for %s than for this party: %s",
		    work->name[l], same ? "a node of both has two rows" : "two nodes have one row");
	}
	return ERR_OK;
}

/* The union of the parties' nodes is no smaller than each part and no larger than all together. */
static enum err check_total(const struct work *work, uint64_t largest, uint64_t all, bool disjoint)
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
		    " nodes, as many as the parties have together: it gives them rows "
		    "apart, or no two of them have a node in common "
		    "(job.allow_disjoint permits that)",
		    n);
	return ERR_OK;
}

enum err party_agree_rows(struct work *work, const struct dataset *d, const uint32_t *row,
			  bool disjoint)
{
	struct buf out[PARTIES_MAX] = { 0 }, in[PARTIES_MAX] = { 0 };
	struct own own = { .count = d->n };
	struct named *named;
	uint64_t largest = d->n, all = largest;
	enum err e;

	TRY(work_group_key(work));
	if (work->L == 1)
		return ERR_OK;
	named = name_all(work, d, row);
	for (size_t l = 0; l < work->L; l++)
		if (l != work->own)
			write_batch(named, d->n, &out[l]);
	e = party_exchange(work, SEALED_ROWS, out, in, MOST);
	own.has = alloc(work->n / 8 + 1, 1);
	for (size_t i = 0; i < d->n; i++)
		own.has[named[i].row / 8] |= (uint8_t)(1 << named[i].row % 8);
	qsort(named, d->n, sizeof(*named), by_pseudonym);
	own.named = named;
	for (size_t l = 0; l < work->L && e == ERR_OK; l++) {
		uint64_t count;

		if (l == work->own)
			continue;
		e = compare(work, l, &own, (struct bytes){ in[l].p, in[l].n }, &count);
		largest = e == ERR_OK && count > largest ? count : largest;
		all += e == ERR_OK ? count : 0;
	}
	if (e == ERR_OK)
		e = check_total(work, largest, all, disjoint);
	for (size_t l = 0; l < work->L; l++) {
		buf_release(&out[l]);
		buf_release(&in[l]);
	}
	free(own.has);
	free(named);
	return e;
}
