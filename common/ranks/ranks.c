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

void ranks_tell(const struct ranks *R, void *p, size_t n)
{
	size_t *to, *from;
	char *box = NULL;

	if (R->count == 1)
		return;
	ALLOC(to, R->count);
	ALLOC(from, R->count);
	from[0] = n;
	if (R->own == 0) {
		box = alloc(R->count, n);
		for (size_t q = 0; q < R->count; q++) {
			to[q] = n;
			memcpy(box + q * n, p, n);
		}
	}
	R->exchange(R->ctx, 1, box, to, p, from);
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

/* Rank 0 takes up what came of one rank: parts with where they begin, their blocks, their values.
 */
static void take_parts(struct rowsum *s, const double *part, size_t count)
{
	size_t words = s->width + 2;

	for (; count; count--, part += words) {
		memcpy(rowsum_open(s), part + 2, s->width * sizeof(*part));
		rowsum_close_at(s, (size_t)part[0], (size_t)part[1]);
	}
}

/* One rank after the other gives its parts, so that rank 0 has room for those of one. */
void ranks_sum(const struct ranks *R, struct rowsum *s, double *total)
{
	size_t words = s->width + 2, *to, *from, *each = ranks_all(R, sizeof(each[0]), &s->depth);
	double *out = alloc(s->depth, words * sizeof(*out)), *in = NULL;

	ALLOC(to, R->count);
	ALLOC(from, R->count);
	for (size_t i = 0; i < s->depth; i++) {
		out[i * words] = (double)s->part[i].first;
		out[i * words + 1] = (double)s->part[i].blocks;
		memcpy(out + i * words + 2, s->part[i].a, s->width * sizeof(*out));
	}
	if (R->own == 0)
		s->depth = 0;
	for (size_t q = 0; q < R->count; q++) {
		to[0] = q == R->own ? each[q] : 0;
		from[q] = R->own == 0 ? each[q] : 0;
		free(in);
		in = alloc(from[q], words * sizeof(*in));
		R->exchange(R->ctx, words * sizeof(*in), out, to, in, from);
		if (R->own == 0)
			take_parts(s, in, from[q]);
		from[q] = 0;
	}
	if (R->own == 0)
		memcpy(total, rowsum_end(s), s->width * sizeof(*total));
	ranks_tell(R, total, s->width * sizeof(*total));
	free(in);
	free(out);
	free(from);
	free(to);
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
