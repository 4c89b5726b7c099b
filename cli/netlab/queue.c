#include "cli/netlab/queue.h"
#include "common/base/alloc.h"

#include <stdlib.h>
#include <string.h>

struct packet *packet_new(const unsigned char *frame, size_t n, int to, struct weight w)
{
	struct packet *p = alloc_again(NULL, 1, sizeof(*p) + n); /* not zeroed: it is filled here */

	*p = (struct packet){ .to = to, .w = w, .n = n };
	memcpy(p->frame, frame, n);
	return p;
}

static bool before(const struct packet *a, const struct packet *b)
{
	return a->due != b->due ? a->due < b->due : a->order < b->order;
}

void queue_push(struct queue *q, struct packet *p)
{
	size_t i = q->n++;

	if (q->n > q->cap) {
		q->cap = q->cap ? 2 * q->cap : 1024;
		q->heap = alloc_again(q->heap, q->cap, sizeof(*q->heap));
	}
	p->order = q->pushed++;
	for (; i > 0 && before(p, q->heap[(i - 1) / 2]); i = (i - 1) / 2)
		q->heap[i] = q->heap[(i - 1) / 2];
	q->heap[i] = p;
}

struct packet *queue_first(const struct queue *q)
{
	return q->n ? q->heap[0] : NULL;
}

struct packet *queue_pop(struct queue *q)
{
	struct packet *first = queue_first(q), *last;
	size_t i = 0, child;

	if (!first)
		return NULL;
	last = q->heap[--q->n];
	while ((child = 2 * i + 1) < q->n) {
		if (child + 1 < q->n && before(q->heap[child + 1], q->heap[child]))
			child++;
		if (!before(q->heap[child], last))
			break;
		q->heap[i] = q->heap[child];
		i = child;
	}
	q->heap[i] = last;
	return first;
}

void queue_release(struct queue *q)
{
	struct packet *p;

	while ((p = queue_pop(q)))
		free(p);
	free(q->heap);
	*q = (struct queue){ 0 };
}
