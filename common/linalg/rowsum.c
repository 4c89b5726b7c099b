#include "common/linalg/rowsum.h"
#include "common/base/alloc.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

void rowsum_init(struct rowsum *s, size_t width, rowsum_join *join, void *ctx)
{
	*s = (struct rowsum){ .width = width, .join = join, .ctx = ctx };
}

void rowsum_release(struct rowsum *s)
{
	for (size_t i = 0; i < ROWSUM_DEPTH; i++)
		free(s->part[i].a);
	*s = (struct rowsum){ 0 };
}

double *rowsum_open(struct rowsum *s)
{
	struct rowsum_part *top = &s->part[s->depth];

	assert(s->depth < ROWSUM_DEPTH);
	if (!top->a)
		ALLOC(top->a, s->width);
	else
		memset(top->a, 0, s->width * sizeof(*top->a));
	return top->a;
}

static void join_last(struct rowsum *s)
{
	struct rowsum_part *into = &s->part[s->depth - 2], *from = into + 1;

	if (s->join)
		s->join(s->ctx, into->a, from->a);
	for (size_t i = 0; !s->join && i < s->width; i++)
		into->a[i] += from->a[i];
	into->blocks += from->blocks;
	s->depth--;
}

void rowsum_close_at(struct rowsum *s, size_t first, size_t blocks)
{
	s->part[s->depth].first = first;
	s->part[s->depth++].blocks = blocks;
	s->next = first + blocks;
	while (s->depth > 1 && s->part[s->depth - 2].blocks == s->part[s->depth - 1].blocks &&
	       s->part[s->depth - 2].first % (2 * s->part[s->depth - 2].blocks) == 0)
		join_last(s);
}

void rowsum_close(struct rowsum *s)
{
	rowsum_close_at(s, s->next, 1);
}

const double *rowsum_end(struct rowsum *s)
{
	if (s->depth == 0) {
		rowsum_open(s);
		rowsum_close(s);
	}
	while (s->depth > 1)
		join_last(s);
	s->depth = 0;
	s->next = 0;
	return s->part[0].a;
}
