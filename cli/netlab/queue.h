/* queue.h -- packets under way, the one that is due first in front (a heap); of two that are due at
 * the same time, the one that was pushed first. */
#ifndef CLI_NETLAB_QUEUE_H
#define CLI_NETLAB_QUEUE_H

#include "cli/netlab/link.h"

struct packet {
	uint64_t due, order; /* ns; the number of the push */
	int to;
	bool on_downlink; /* due is its end; before that, due is the arrival at the downlink */
	struct weight w;
	size_t n;
	unsigned char frame[];
};

struct queue {
	struct packet **heap; /* owned, and so are the packets */
	size_t n, cap;
	uint64_t pushed;
};

struct packet *packet_new(const unsigned char *frame, size_t n, int to, struct weight w);

void queue_push(struct queue *q, struct packet *p); /* takes p over; sets p->order */
struct packet *queue_first(const struct queue *q);  /* NULL: empty; stays in the queue */
struct packet *queue_pop(struct queue *q);          /* the caller's, to free(); NULL: empty */
void queue_release(struct queue *q);

#endif
