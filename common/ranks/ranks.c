#include "common/ranks/ranks.h"
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
	size_t low = 0, high = R->count;

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

void *ranks_all(const struct ranks *R, size_t bytes, const void *own)
{
	char *out = alloc(R->count, bytes), *in = alloc(R->count, bytes);
	size_t *one;

	ALLOC(one, R->count);
	for (size_t q = 0; q < R->count; q++) {
		one[q] = 1;
		memcpy(out + q * bytes, own, bytes);
	}
	R->exchange(R->ctx, bytes, out, one, in, one);
	free(one);
	free(out);
	return in;
}

size_t ranks_total(const struct ranks *R, size_t own)
{
	size_t sum = 0, *each = ranks_all(R, sizeof(own), &own);

	for (size_t q = 0; q < R->count; q++)
		sum += each[q];
	free(each);
	return sum;
}

/* Rank 0's copies for all ranks take so many bytes at a time, however many ranks and bytes there
 * are. */
enum { TELL_BYTES = 1 << 20 };

void ranks_tell(const struct ranks *R, void *p, size_t n)
{
	size_t most = TELL_BYTES / R->count + 1, *to, *from;
	char *box = NULL;

	if (R->count == 1)
		return;
	ALLOC(to, R->count);
	ALLOC(from, R->count);
	if (R->own == 0)
		box = alloc(R->count, min_size(most, n));
	for (size_t at = 0; at < n; at += most) {
		size_t now = min_size(most, n - at);

		from[0] = now;
		for (size_t q = 0; q < R->count && R->own == 0; q++) {
			to[q] = now;
			memcpy(box + q * now, (char *)p + at, now);
		}
		R->exchange(R->ctx, 1, box, to, (char *)p + at, from);
	}
	free(box);
	free(from);
	free(to);
}

struct verdict {
	enum err code;
	char why[ERR_DETAIL_MAX];
};

enum err ranks_agree(const struct ranks *R, enum err own)
{
	struct verdict said = { .code = own }, *each;

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

/* Which blocks a part is of. */
struct place {
	size_t first, blocks;
};

/* Of all ranks' parts, at rank 0, in the order of ranks; owned by the caller, NULL elsewhere. each:
 * how many of each. */
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

/* One part after the other goes to rank 0, from where its rank has it to where it is joined: sums
 * may be large, and nobody has a second copy of its own. Rank 0's come first, and stay. */
void ranks_sum(const struct ranks *R, struct rowsum *s, double *total)
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
	ranks_tell(R, total, bytes);
	free(from);
	free(to);
	free(all);
	free(each);
}

static void sum_over(void *R, struct rowsum *s, double *total)
{
	ranks_sum(R, s, total);
}

struct rowsum_over ranks_over(const struct ranks *R)
{
	return (struct rowsum_over){ .first = R->cut[R->own] / ROWSUM_ROWS,
				     .ctx = (void *)(uintptr_t)R,
				     .total = sum_over };
}
