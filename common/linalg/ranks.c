#include "common/linalg/ranks.h"
#include "common/base/alloc.h"
#include "common/linalg/mat.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int ranks_by_number(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

void ranks_cut(struct ranks *R, size_t n)
{
	R->n = n;
	ALLOC(R->cut, R->count + 1);
	for (size_t r = 0; r <= R->count; r++)
		R->cut[r] = min_size(n, rowsum_blocks(n) * r / R->count * ROWSUM_ROWS);
}

void ranks_release(struct ranks *R)
{
	free(R->cut);
	R->cut = NULL;
}

size_t ranks_owner(const struct ranks *R, size_t row)
{
	size_t low = 0, high = R ? R->count : 0;

	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;

		if (R->cut[middle] <= row)
			low = middle;
		else
			high = middle;
	}
	return low;
}

void *ranks_exchange(const struct ranks *R, size_t bytes, const void *out, const size_t *out_count,
		     size_t *in_count)
{
	size_t *one, all = 0;
	void *in;

	ALLOC(one, R->count);
	for (size_t q = 0; q < R->count; q++)
		one[q] = 1;
	R->exchange(R->ctx, sizeof(size_t), out_count, one, in_count, one);
	free(one);
	for (size_t q = 0; q < R->count; q++)
		all += in_count[q];
	in = alloc(all, bytes);
	R->exchange(R->ctx, bytes, out, out_count, in, in_count);
	return in;
}

void *ranks_gather(const struct ranks *R, size_t bytes, const void *own, size_t count, size_t *all)
{
	size_t *to, *from;
	char *out, *in;

	if (!R) {
		*all = count;
		in = alloc(count, bytes);
		memcpy(in, own, count * bytes);
		return in;
	}
	out = alloc(R->count * count, bytes);
	ALLOC(to, R->count);
	ALLOC(from, R->count);
	for (size_t q = 0; q < R->count; q++) {
		to[q] = count;
		memcpy(out + q * count * bytes, own, count * bytes);
	}
	in = ranks_exchange(R, bytes, out, to, from);
	*all = 0;
	for (size_t q = 0; q < R->count; q++)
		*all += from[q];
	free(out);
	free(from);
	free(to);
	return in;
}

void *ranks_all(const struct ranks *R, size_t bytes, const void *own)
{
	size_t count = R ? R->count : 1, *one;
	char *out = alloc(count, bytes), *in;

	for (size_t q = 0; q < count; q++)
		memcpy(out + q * bytes, own, bytes);
	if (!R)
		return out;
	in = alloc(count, bytes);
	ALLOC(one, count);
	for (size_t q = 0; q < count; q++)
		one[q] = 1;
	R->exchange(R->ctx, bytes, out, one, in, one);
	free(one);
	free(out);
	return in;
}

/* Returns the sum of `own` over the first `ranks` ranks. */
static size_t ranks_sum_counts(const struct ranks *R, size_t ranks, size_t own)
{
	size_t sum = 0, *each = ranks_all(R, sizeof(own), &own);

	for (size_t q = 0; q < ranks; q++)
		sum += each[q];
	free(each);
	return sum;
}

size_t ranks_total(const struct ranks *R, size_t own)
{
	return R ? ranks_sum_counts(R, R->count, own) : own;
}

size_t ranks_before(const struct ranks *R, size_t own)
{
	return R ? ranks_sum_counts(R, R->own, own) : 0;
}

/* A broadcast is cut into exchanges that send about this many bytes at most, counted over the
 * copies for all ranks. That bounds memory for any number of ranks and bytes. */
enum { TELL_BYTES = 1 << 20 };

void ranks_broadcast(const struct ranks *R, size_t from, void *p, size_t n)
{
	size_t most, *to, *in;
	char *box = NULL;

	if (!R || R->count == 1)
		return;
	most = TELL_BYTES / R->count + 1;
	ALLOC(to, R->count);
	ALLOC(in, R->count);
	if (R->own == from)
		box = alloc(R->count, min_size(most, n));
	for (size_t at = 0; at < n; at += most) {
		size_t now = min_size(most, n - at);

		in[from] = now;
		for (size_t q = 0; q < R->count && R->own == from; q++) {
			to[q] = now;
			memcpy(box + q * now, (char *)p + at, now);
		}
		R->exchange(R->ctx, 1, box, to, (char *)p + at, in);
	}
	free(box);
	free(in);
	free(to);
}

struct verdict {
	enum err code;
	char why[ERR_DETAIL_MAX];
};

enum err ranks_agree(const struct ranks *R, enum err own)
{
	struct verdict said = { .code = own }, *each;

	if (!R)
		return own;
	if (own != ERR_OK)
		snprintf(said.why, sizeof(said.why), "rank %zu%s%s: %.900s", R->own,
			 R->host ? " on " : "", R->host ? R->host : "", err_detail());
	each = ranks_all(R, sizeof(said), &said);
	said.code = ERR_OK;
	for (size_t q = 0; q < R->count && said.code == ERR_OK; q++)
		said = each[q];
	free(each);
	return said.code == ERR_OK ? ERR_OK : err_set(said.code, "%s", said.why);
}

struct place {
	size_t first, blocks;
};

/* At rank 0, returns which blocks of rows the partial sums (s->part) of all ranks cover: each[q]
 * sums of rank q. The caller owns them. At other ranks, returns NULL. */
static struct place *gather_places(const struct ranks *R, const struct rowsum *s,
				   const size_t *each)
{
	struct place *own = alloc(s->depth, sizeof(*own)), *all = NULL;
	size_t *to, *none, count = 0;

	for (size_t i = 0; i < s->depth; i++)
		own[i] = (struct place){ s->part[i].first, s->part[i].blocks };
	for (size_t q = 0; q < R->count; q++)
		count += each[q];
	if (R->own == 0)
		all = alloc(count, sizeof(*all));
	ALLOC(to, R->count);
	ALLOC(none, R->count);
	to[0] = s->depth;
	R->exchange(R->ctx, sizeof(*own), own, to, all, R->own == 0 ? each : none);
	free(none);
	free(to);
	free(own);
	return all;
}

/* Sends the partial sums (s->part) to rank 0 one at a time, directly into the place where they are
 * joined: they may be large, so no rank should hold a second copy. Those of rank 0 come first and
 * need not be sent. */
static void sum_over_ranks(const struct ranks *R, struct rowsum *s, double *total)
{
	size_t bytes = s->width * sizeof(*total), *to, *from;
	size_t *each = ranks_all(R, sizeof(each[0]), &s->depth);
	struct place *all = gather_places(R, s, each), *next = all ? all + each[0] : NULL;

	ALLOC(to, R->count);
	ALLOC(from, R->count);
	for (size_t q = 1; q < R->count; q++)
		for (size_t i = 0; i < each[q]; i++) {
			to[0] = q == R->own;
			from[q] = R->own == 0;
			R->exchange(R->ctx, bytes, to[0] ? s->part[i].a : NULL, to,
				    from[q] ? rowsum_open(s) : NULL, from);
			if (from[q]) {
				rowsum_close_at(s, next->first, next->blocks);
				next++;
			}
			from[q] = 0;
		}
	if (R->own == 0 && bytes)
		memcpy(total, rowsum_end(s), bytes);
	ranks_broadcast(R, 0, total, bytes);
	free(from);
	free(to);
	free(all);
	free(each);
}

void ranks_sum_begin(const struct ranks *R, struct rowsum *s, size_t width, rowsum_join *join,
		     void *ctx)
{
	rowsum_init(s, width, join, ctx);
	rowsum_begin_at(s, ranks_first(R) / ROWSUM_ROWS);
}

void ranks_sum(const struct ranks *R, struct rowsum *s, double *total)
{
	if (R)
		sum_over_ranks(R, s, total);
	else if (s->width)
		memcpy(total, rowsum_end(s), s->width * sizeof(*total));
	rowsum_begin_at(s, ranks_first(R) / ROWSUM_ROWS);
}

void ranks_sum_end(const struct ranks *R, struct rowsum *s, double *total)
{
	ranks_sum(R, s, total);
	rowsum_release(s);
}
