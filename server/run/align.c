#include "server/run/align.h"
#include "common/base/alloc.h"
#include "common/base/log.h"
#include "common/base/progress.h"
#include "crypto/hash.h"
#include "crypto/numbering.h"
#include "crypto/prg.h"
#include "crypto/secret.h"
#include "server/run/relay.h"

#include <endian.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Largest size of the ids that one party sends, in bytes. */
#define PACKED_MAX ((size_t)1 << 31)

/* -- lists of ids --------------------------------------------------------------------------- */

/* Takes the first id from `rest`. Returns false if `rest` is empty, or if its first id is
 * invalid. */
static bool next_id(bool hashed, struct bytes *rest, struct bytes *id)
{
	size_t head = hashed ? 0 : 1, n;

	if (rest->n == 0)
		return false;
	n = hashed ? MSG_ID_HASH_LEN : rest->p[0];
	if (n == 0 || rest->n < head + n)
		return false;
	*id = (struct bytes){ rest->p + head, n };
	rest->p += head + n;
	rest->n -= head + n;
	return true;
}

/* Adds the next chunk of a party's list. Ids must ascend within chunks and from one chunk to the
 * next. */
static enum err take_chunk(const struct run *run, size_t l, const struct msg_ids *m,
			   struct id_list *list)
{
	bool hashed = run->job.ids == IDS_HASHED, any = list->done > 0;
	struct bytes rest, id, before = { 0 };
	size_t ids = 0, last = 0;

	if (any) {
		rest = (struct bytes){ list->packed.p + list->last, list->packed.n - list->last };
		/* Cannot fail, since the id was accepted before. */
		(void)!next_id(hashed, &rest, &before);
	}
	if (!list->begun) /* the first chunk determines the count of ids in all chunks */
		list->count = (size_t)m->count;
	list->begun = true;
	if (m->count != list->count || m->offset != list->done)
		return peer_fault(run->channel[l],
				  "sent IDS of count %" PRIu64 ", offset %" PRIu64
				  "; expected %zu, %zu",
				  m->count, m->offset, list->count, list->done);
	if (list->packed.n + m->packed.n > PACKED_MAX)
		return peer_fault(run->channel[l], "sent more than %zu bytes of IDS", PACKED_MAX);
	for (rest = m->packed; rest.n > 0; ids++) {
		last = list->packed.n + (size_t)(rest.p - m->packed.p);
		if (!next_id(hashed, &rest, &id))
			return peer_fault(run->channel[l],
					  "sent IDS in which id %zu is cut or empty",
					  list->done + ids);
		if (any && bytes_order(before, id) >= 0)
			return peer_fault(
			    run->channel[l], "sent IDS in which id %zu %s the one before",
			    list->done + ids, bytes_order(before, id) ? "is below" : "is");
		before = id;
		any = true;
	}
	if (ids > list->count - list->done || (ids == 0 && list->count > 0))
		return peer_fault(run->channel[l], "sent IDS with %zu ids after %zu of %zu", ids,
				  list->done, list->count);
	buf_add(&list->packed, m->packed.p, m->packed.n);
	list->done += ids;
	list->last = last;
	return ERR_OK;
}

enum err server_gather_ids(struct run *run, bool *wanted, struct id_list *list)
{
	size_t left = 0, l;

	for (l = 0; l < run->L; l++)
		left += wanted[l];
	while (left > 0) {
		struct msg m;

		TRY(channel_recv_any(run->channel, wanted, run->L, MSG_IDS, &l, &m));
		TRY(take_chunk(run, l, &m.ids, &list[l]));
		if (list[l].done == list[l].count) {
			wanted[l] = false;
			left--;
		}
	}
	return ERR_OK;
}

/* -- the union: merges all lists with a heap of cursors ------------------------------------- */

struct cursor {
	struct bytes id, rest;
	uint32_t *row; /* destination of the row number of the current id */
};

static void sift_down(struct cursor *heap, size_t count)
{
	struct cursor moved = heap[0];
	size_t at = 0, child;

	while ((child = 2 * at + 1) < count) {
		if (child + 1 < count && bytes_order(heap[child + 1].id, heap[child].id) < 0)
			child++;
		if (bytes_order(moved.id, heap[child].id) <= 0)
			break;
		heap[at] = heap[child];
		at = child;
	}
	heap[at] = moved;
}

static int server_align_by_id(const void *a, const void *b)
{
	return bytes_order(((const struct cursor *)a)->id, ((const struct cursor *)b)->id);
}

static enum err server_align_merge(struct run *run, const struct id_list *list, struct align *a)
{
	struct cursor *heap = alloc(run->L, sizeof(*heap));
	bool hashed = run->job.ids == IDS_HASHED;
	size_t count = 0, n = 0;
	struct bytes last = { 0 };

	for (size_t l = 0; l < run->L; l++) {
		struct cursor c = { .rest = { list[l].packed.p, list[l].packed.n } };

		a->nodes[l] = list[l].count;
		ALLOC(a->row[l], list[l].count);
		c.row = a->row[l];
		if (next_id(hashed, &c.rest, &c.id))
			heap[count++] = c;
	}
	qsort(heap, count, sizeof(*heap), server_align_by_id);
	while (count > 0 && n <= MSG_ITEMS_MAX) {
		if (n == 0 || bytes_order(last, heap[0].id) != 0) {
			last = heap[0].id;
			n++;
		}
		*heap[0].row++ = (uint32_t)(n - 1);
		if (!next_id(hashed, &heap[0].rest, &heap[0].id))
			heap[0] = heap[--count];
		sift_down(heap, count);
		if (n % (1 << 16) == 0)
			progress_tick();
	}
	free(heap);
	if (n > MSG_ITEMS_MAX)
		return err_set(ERR_JOB, "the parties have more than %d nodes together",
			       MSG_ITEMS_MAX);
	run->n = n;
	return run_check_memory(run);
}

/* -- rows ----------------------------------------------------------------------------------- */

/* Fills shuffled (n): a permutation that no one can predict without the key. */
static enum err server_align_shuffle(const struct run *run, uint32_t *shuffled, size_t n)
{
	enum { DRAWN = 512 };
	uint8_t key[NUMBERING_KEY_LEN];
	struct prg *prg;
	uint64_t drawn[DRAWN];

	if (run->numbers && !(run->numbering && run->numbering->kept))
		memcpy(key, run->numbers, sizeof(key));
	else
		TRY(numbering_key(run->numbering, "numbers of nodes", run->job.seed, key));
	prg = prg_new();
	prg_start(prg, key);
	wipe(key, sizeof(key));
	for (size_t i = 0; i < n; i++) {
		size_t j;

		if (i % DRAWN == 0)
			prg_next(prg, drawn, sizeof(drawn));
		/* `j` is uniform, except for a bias of n / 2^64. */
		j = (size_t)((unsigned __int128)le64toh(drawn[i % DRAWN]) * (i + 1) >> 64);
		shuffled[i] = shuffled[j];
		shuffled[j] = (uint32_t)i;
	}
	prg_free(prg);
	return ERR_OK;
}

/* Records a hash of all parties' row numbers in run.json. By comparing the hashes of two runs,
 * users see whether both numbered the nodes alike. */
static void record_numbering(struct run *run, struct sha256 *numbers)
{
	uint8_t hash[SHA256_LEN];
	char text[17];

	sha256_end(numbers, hash);
	hex_write(hash, 8, text);
	facts_format(&run->record->facts, "numbering", "%s", text);
	if (!run->numbering || !run->numbering->kept)
		log_info("nodes are numbered at random, so another run with this seed may "
			 "assign nodes near two clusters differently; set numbering_key to "
			 "avoid this");
}

/* Replaces row numbers by random ones, sends each party its own row numbers, then sorts them. */
static enum err server_align_send_rows(struct run *run, struct align *a)
{
	uint32_t *shuffled = alloc(run->n, sizeof(*shuffled));
	size_t words = run->n / 64 + 1;
	/* One bit per row number, set if the current party has this row number. */
	uint64_t *seen = alloc(words, sizeof(*seen));
	struct sha256 *numbers = sha256_new();
	enum err e = server_align_shuffle(run, shuffled, run->n);

	for (size_t l = 0; l < run->L && e == ERR_OK; l++) {
		uint32_t *row = a->row[l];

		for (size_t i = 0; i < a->nodes[l]; i++) {
			row[i] = shuffled[row[i]];
			sha256_add_u32(numbers, row[i]);
		}
		e = channel_send_labels(run->channel[l], MSG_ROWS, (uint32_t)l, (uint32_t)run->n,
					row, a->nodes[l]);
		for (size_t i = 0; i < a->nodes[l]; i++)
			seen[row[i] / 64] |= (uint64_t)1 << row[i] % 64;
		for (size_t w = 0; w < words; w++)
			for (; seen[w]; seen[w] &= seen[w] - 1)
				*row++ = (uint32_t)(64 * w) + (uint32_t)__builtin_ctzll(seen[w]);
	}
	record_numbering(run, numbers);
	free(seen);
	free(shuffled);
	return e;
}

enum err server_align(struct run *run, struct align *a)
{
	struct id_list *list = alloc(run->L, sizeof(*list));
	bool *wanted = alloc(run->L, sizeof(*wanted));
	enum err e = ERR_OK;

	run_phase(run, "align");
	*a = (struct align){ .L = run->L };
	ALLOC(a->nodes, run->L);
	ALLOC(a->row, run->L);
	if (run->job.ids == IDS_HASHED)
		e = relay_key(run, SEALED_ID_KEY);
	memset(wanted, true, run->L * sizeof(*wanted));
	if (e == ERR_OK)
		e = server_gather_ids(run, wanted, list);
	if (e == ERR_OK)
		e = server_align_merge(run, list, a);
	for (size_t l = 0; l < run->L; l++)
		buf_release(&list[l].packed);
	free(wanted);
	free(list);
	if (e == ERR_OK)
		e = server_align_send_rows(run, a);
	if (e == ERR_OK)
		log_info("%zu nodes", run->n);
	else
		align_release(a);
	return e;
}

enum err server_agree_rows(struct run *run)
{
	struct batch_totals unused = { 0 };

	if (run->L == 1)
		return ERR_OK;
	return relay_batches(run, SEALED_ROWS, &unused);
}

void align_release(struct align *a)
{
	for (size_t l = 0; l < a->L; l++)
		free(a->row[l]);
	free(a->row);
	free(a->nodes);
	*a = (struct align){ 0 };
}

enum err server_own_labels(struct run *run, const struct align *a, enum msg_type type,
			   uint32_t group, uint32_t values, const uint32_t *label)
{
	enum err e = ERR_OK;

	for (size_t l = 0; l < run->L && e == ERR_OK; l++) {
		uint32_t *own = alloc(a->nodes[l], sizeof(*own));

		for (size_t i = 0; i < a->nodes[l]; i++)
			own[i] = label[a->row[l][i]];
		e = channel_send_labels(run->channel[l], type, group, values, own, a->nodes[l]);
		free(own);
	}
	return e;
}
