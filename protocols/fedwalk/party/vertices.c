#include "protocols/fedwalk/party/vertices.h"
#include "common/base/sort.h"
#include "common/base/alloc.h"
#include "common/base/log.h"
#include "crypto/hmac.h"
#include "crypto/secret.h"
#include "party/work/align.h"
#include "party/work/exchange.h"

#include <assert.h>
#include <endian.h>
#include <stdlib.h>
#include <string.h>

enum { SALT = 16, HASH = 16, ENTRY = HASH + sizeof(uint32_t), TIE = 2 * sizeof(uint32_t) };

#define NONE UINT32_MAX

static uint32_t vertices_get_u32(const uint8_t *p)
{
	uint32_t x;

	memcpy(&x, p, sizeof(x));
	return le32toh(x);
}

static void vertices_add_u32(struct buf *b, uint32_t x)
{
	x = htole32(x);
	buf_add(b, &x, sizeof(x));
}

static void hash_id(struct hmac *h, const char *id, uint8_t out[static HASH])
{
	uint8_t mac[HMAC_LEN];

	hmac_add(h, id, strlen(id));
	hmac_end(h, mac);
	memcpy(out, mac, HASH);
}

static int by_hash(const void *a, const void *b)
{
	return memcmp(a, b, HASH);
}

/* Aligns own vertices and sets their rows in row_of, which has one entry per node of the dataset.
 * Other nodes get NONE. Initialises place and host, which then have only own vertices. */
static enum err number_own(struct work *work, const struct dataset *d, struct vertices *v,
			   uint32_t *row_of)
{
	struct dataset own = { .has_ids = true };
	uint32_t *node = alloc(d->n, sizeof(*node)), *row = alloc(d->n, sizeof(*row));
	uint64_t *pair = alloc(d->n, sizeof(*pair));
	enum err e;

	ALLOC(own.ids.id, d->n);
	for (size_t i = 0; i < d->n; i++) {
		row_of[i] = NONE;
		if (!d->hosted[i])
			continue;
		node[own.n] = (uint32_t)i;
		own.ids.id[own.n++] = d->ids.id[i]; /* borrowed */
	}
	own.ids.n = v->own = own.n;
	e = party_align(work, &own, row);
	for (size_t i = 0; e == ERR_OK && i < own.n; i++)
		pair[i] = (uint64_t)row[i] << 32 | node[i];
	sort_u64(pair, e == ERR_OK ? own.n : 0);
	ALLOC(v->node, own.n);
	ALLOC(v->row, own.n);
	ALLOC(v->place, work->n);
	ALLOC(v->host, work->n);
	memset(v->place, 0xff, work->n * sizeof(*v->place));
	memset(v->host, 0xff, work->n * sizeof(*v->host));
	for (size_t i = 0; e == ERR_OK && i < own.n; i++) {
		v->node[i] = (uint32_t)pair[i];
		v->row[i] = row_of[v->node[i]] = (uint32_t)(pair[i] >> 32);
		v->place[v->row[i]] = (uint32_t)i;
		v->host[v->row[i]] = (uint16_t)work->own;
	}
	free(own.ids.id);
	free(pair);
	free(row);
	free(node);
	return e;
}

static enum err print_directory(const struct dataset *d, const struct vertices *v, struct buf *out)
{
	uint8_t salt[SALT], *entry;
	struct hmac *h;

	TRY(random_secret(salt, SALT));
	entry = alloc(v->own, ENTRY);
	h = hmac_new((struct bytes){ salt, SALT });
	for (size_t i = 0; i < v->own; i++) {
		uint32_t row = htole32(v->row[i]);

		hash_id(h, d->ids.id[v->node[i]], entry + i * ENTRY);
		memcpy(entry + i * ENTRY + HASH, &row, sizeof(row));
	}
	hmac_free(h);
	qsort(entry, v->own, ENTRY, by_hash);
	buf_add(out, salt, SALT);
	buf_add(out, entry, v->own * ENTRY);
	free(entry);
	return ERR_OK;
}

static enum err wrong_directory(const struct work *work, size_t l, const char *what)
{
	return step_fault(work->channel,
			  "%s numbers vertices differently for different parties, unless the "
			  "directory of %s is wrong: %s",
			  channel_peer(work->channel), work->name[l], what);
}

/* Reads the directory of party l. Each row must belong to exactly one party. Sets the rows of
 * neighbours that party l hosts. */
static enum err take_directory(struct work *work, size_t l, const struct buf *b,
			       const struct dataset *d, struct vertices *v, uint32_t *row_of)
{
	const char *fault = NULL;
	struct hmac *h;

	if (b->n < SALT || (b->n - SALT) % ENTRY)
		fault = "its length is none";
	for (size_t at = SALT; !fault && at < b->n; at += ENTRY) {
		uint32_t row = vertices_get_u32(b->p + at + HASH);

		if (row >= work->n)
			fault = "a row in it is none";
		else if (v->host[row] != UINT16_MAX)
			fault = "a row in it is another vertex's too";
		else if (at > SALT && by_hash(b->p + at - ENTRY, b->p + at) >= 0)
			fault = "its entries do not rise";
		else
			v->host[row] = (uint16_t)l;
	}
	if (fault)
		return wrong_directory(work, l, fault);
	h = hmac_new((struct bytes){ b->p, SALT });
	for (size_t i = 0; i < d->n; i++) {
		uint8_t hash[HASH], *found;

		if (d->hosted[i] || row_of[i] != NONE)
			continue;
		hash_id(h, d->ids.id[i], hash);
		found = bsearch(hash, b->p + SALT, (b->n - SALT) / ENTRY, ENTRY, by_hash);
		if (found)
			row_of[i] = vertices_get_u32(found + HASH);
	}
	hmac_free(h);
	return ERR_OK;
}

static struct buf *batches(const struct work *work)
{
	return alloc(work->L, sizeof(struct buf));
}

static void free_batches(const struct work *work, struct buf *b)
{
	for (size_t l = 0; l < work->L; l++)
		buf_release(&b[l]);
	free(b);
}

static enum err exchange_directories(struct work *work, const struct dataset *d, struct vertices *v,
				     uint32_t *row_of)
{
	struct buf *out = batches(work), *in = batches(work), own = { 0 };
	enum err e = print_directory(d, v, &own);

	for (size_t l = 0; l < work->L; l++)
		if (l != work->own)
			buf_add(&out[l], own.p, own.n);
	buf_release(&own);
	if (e == ERR_OK)
		e = party_exchange(work, SEALED_DIRECTORY, out, in, SALT + work->n * ENTRY);
	for (size_t l = 0; l < work->L && e == ERR_OK; l++)
		if (l != work->own)
			e = take_directory(work, l, &in[l], d, v, row_of);
	for (size_t i = 0; i < work->n && e == ERR_OK; i++)
		if (v->host[i] == UINT16_MAX)
			e = peer_fault(work->channel,
				       "told %zu rows, of which row %zu is in no party's directory",
				       work->n, i);
	free_batches(work, in);
	free_batches(work, out);
	return e;
}

/* Ties as pairs (own row << 32 | other row). */
struct ties {
	uint64_t *pair;
	size_t n, room;
};

static void add_tie(struct ties *t, uint32_t own, uint32_t other)
{
	ALLOC_ROOM(t->pair, t->n, t->room);
	t->pair[t->n++] = (uint64_t)own << 32 | other;
}

static void sort_ties(struct ties *t)
{
	if (t->n)
		sort_u64(t->pair, t->n);
}

/* Collects the dataset's ties. Counts and skips ties to vertices that no party hosts. */
static void collect_ties(const struct dataset *d, struct vertices *v, const uint32_t *row_of,
			 struct ties *t)
{
	const struct csr *s = &d->g.adjacency;

	for (size_t i = 0; i < v->own; i++)
		for (size_t e = s->start[v->node[i]]; e < s->start[v->node[i] + 1]; e++) {
			uint32_t other = row_of[s->index[e]];

			if (other == NONE)
				v->unhosted++;
			else
				add_tie(t, v->row[i], other);
		}
	sort_ties(t);
}

static enum err take_ties(struct work *work, size_t l, const struct buf *b,
			  const struct vertices *v, struct ties *received)
{
	uint64_t last = 0;

	for (size_t at = 0; at + TIE <= b->n; at += TIE) {
		uint32_t theirs = vertices_get_u32(b->p + at),
			 ours = vertices_get_u32(b->p + at + TIE / 2);
		uint64_t tie = (uint64_t)theirs << 32 | ours;

		if (theirs >= work->n || ours >= work->n || v->host[theirs] != l ||
		    v->host[ours] != work->own || (at > 0 && tie <= last))
			return step_fault(work->channel,
					  "%s sent a tie that is not of its vertices and of this "
					  "party's, or not in order",
					  work->name[l]);
		last = tie;
		add_tie(received, ours, theirs);
	}
	if (b->n % TIE == 0)
		return ERR_OK;
	return step_fault(work->channel, "%s sent a tie that is cut", work->name[l]);
}

/* Makes the lists of neighbours from the sorted ties. */
static void vertices_lay_out(struct vertices *v, const struct ties *t)
{
	ALLOC(v->start, v->own + 1);
	ALLOC(v->neighbour, t->n);
	for (size_t i = 0; i < t->n; i++) {
		v->start[v->place[t->pair[i] >> 32] + 1]++;
		v->neighbour[i] = (uint32_t)t->pair[i];
	}
	for (size_t i = 0; i < v->own; i++) {
		v->isolated += v->start[i + 1] == 0;
		v->start[i + 1] += v->start[i];
	}
	if (v->unhosted)
		log_warn("dropped %zu ties to vertices that no party hosts", v->unhosted);
	if (v->one_sided)
		log_warn("added %zu ties that only one of their two parties had", v->one_sided);
	if (v->isolated)
		log_info("%zu of %zu own vertices have no ties, so no walk visits them",
			 v->isolated, v->own);
}

/* Merges this party's ties and the received ones into one ascending list without duplicates. Counts
 * ties that only one of two parties listed. */
static enum err exchange_ties(struct work *work, struct vertices *v, struct ties *own)
{
	struct buf *out = batches(work), *in = batches(work);
	struct ties received = { 0 };
	size_t crossing = 0, before, kept = 0, common;
	enum err e;

	for (size_t i = 0; i < own->n; i++) {
		uint32_t other = (uint32_t)own->pair[i];

		if (v->host[other] == work->own)
			continue;
		crossing++;
		vertices_add_u32(&out[v->host[other]], (uint32_t)(own->pair[i] >> 32));
		vertices_add_u32(&out[v->host[other]], other);
	}
	e = party_exchange(work, SEALED_TIES, out, in, v->own * (work->n - v->own) * TIE);
	for (size_t l = 0; l < work->L && e == ERR_OK; l++)
		e = take_ties(work, l, &in[l], v, &received);
	before = own->n + received.n;
	for (size_t i = 0; i < received.n; i++)
		add_tie(own, (uint32_t)(received.pair[i] >> 32), (uint32_t)received.pair[i]);
	sort_ties(own);
	for (size_t i = 0; i < own->n; i++)
		if (!kept || own->pair[kept - 1] != own->pair[i])
			own->pair[kept++] = own->pair[i];
	own->n = kept;
	common = before - kept;
	v->one_sided = crossing - common + (received.n - common);
	free(received.pair);
	free_batches(work, in);
	free_batches(work, out);
	return e;
}

enum err party_vertices(struct work *work, const struct dataset *d, struct vertices *v)
{
	uint32_t *row_of = alloc(d->n, sizeof(*row_of));
	struct ties own = { 0 };
	enum err e;

	assert(d->hosted && d->has_ids);
	*v = (struct vertices){ 0 };
	e = number_own(work, d, v, row_of);
	if (e != ERR_OK)
		goto out;
	work_phase(work, "directory");
	e = exchange_directories(work, d, v, row_of);
	if (e != ERR_OK)
		goto out;
	collect_ties(d, v, row_of, &own);
	e = exchange_ties(work, v, &own);
	if (e == ERR_OK)
		vertices_lay_out(v, &own);
out:
	free(own.pair);
	free(row_of);
	if (e != ERR_OK)
		vertices_release(v);
	return e;
}

void vertices_release(struct vertices *v)
{
	free(v->node);
	free(v->row);
	free(v->place);
	free(v->host);
	free(v->start);
	free(v->neighbour);
	*v = (struct vertices){ 0 };
}
