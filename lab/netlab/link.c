#include "lab/netlab/link.h"
#include "common/base/alloc.h"

#include <arpa/inet.h>
#include <assert.h>
#include <math.h>
#include <netinet/ip.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>

void links_init(struct links *l, int hosts, const struct link_speed *speed)
{
	assert(hosts > 0 && speed->rate_mbit > 0 && speed->delay_ms >= 0 && speed->queue_ms >= 0);
	l->hosts = hosts;
	l->ns_per_byte = 8e3 / speed->rate_mbit;
	l->delay = (uint64_t)llround(1e6 * speed->delay_ms);
	l->queue = (uint64_t)llround(1e6 * speed->queue_ms);
	ALLOC(l->up, (size_t)hosts);
	ALLOC(l->down, (size_t)hosts);
}

void links_release(struct links *l)
{
	free(l->up);
	free(l->down);
	*l = (struct links){ 0 };
}

static uint64_t later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static uint64_t time_of(const struct links *l, size_t bytes)
{
	return (uint64_t)llround(l->ns_per_byte * (double)bytes);
}

bool links_leave(struct links *l, int from, struct weight w, uint64_t now, uint64_t *arrival)
{
	uint64_t *up = &l->up[from];

	assert(from >= 0 && from < l->hosts);
	if (*up > now + l->queue)
		return false;
	*up = later(*up, now) + time_of(l, w.bytes);
	*arrival = *up + l->delay;
	return true;
}

bool links_arrive(struct links *l, int to, struct weight w, uint64_t arrival, uint64_t *due)
{
	uint64_t *down = &l->down[to];

	assert(to >= 0 && to < l->hosts && w.segment <= w.bytes);
	if (*down > arrival + l->queue)
		return false;
	*down = later(*down + time_of(l, w.bytes), arrival + time_of(l, w.segment));
	*due = *down;
	return true;
}

/* -- packets in transit --------------------------------------------------------------------- */

struct packet *packet_new(const unsigned char *frame, size_t n, int to, struct weight w)
{
	/* alloc_again() does not zero the packet, since all of it is set here. */
	struct packet *p = alloc_again(NULL, 1, sizeof(*p) + n);

	*p = (struct packet){ .to = to, .w = w, .n = n };
	memcpy(p->frame, frame, n);
	return p;
}

static bool before(const struct packet *a, const struct packet *b)
{
	return a->due != b->due ? a->due < b->due : a->order < b->order;
}

void packets_push(struct queue *q, struct packet *p)
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

struct packet *packets_first(const struct queue *q)
{
	return q->n ? q->heap[0] : NULL;
}

struct packet *packets_pop(struct queue *q)
{
	struct packet *first = packets_first(q), *last;
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

void packets_release(struct queue *q)
{
	struct packet *p;

	while ((p = packets_pop(q)))
		free(p);
	free(q->heap);
	*q = (struct queue){ 0 };
}

/* -- frames --------------------------------------------------------------------------------- */

struct in_addr host_address(int host)
{
	return (struct in_addr){ htonl(LAB_NETWORK + 1 + (uint32_t)host) };
}

bool frame_look(const unsigned char *frame, size_t n, int hosts, int *to, struct weight *w)
{
	struct virtio_net_hdr offload;
	struct iphdr ip;
	struct tcphdr tcp;
	size_t header, segments;
	uint32_t host;

	if (n < sizeof(offload) + sizeof(ip))
		return false;
	memcpy(&offload, frame, sizeof(offload));
	frame += sizeof(offload);
	n -= sizeof(offload);
	memcpy(&ip, frame, sizeof(ip));
	/* Addresses below the network wrap around to large numbers. */
	host = ntohl(ip.daddr) - LAB_NETWORK - 1;
	if (ip.version != 4 || host >= (uint32_t)hosts)
		return false;
	*to = (int)host;
	*w = (struct weight){ n, n };
	if (offload.gso_type == VIRTIO_NET_HDR_GSO_NONE || offload.gso_size == 0 ||
	    ip.protocol != IPPROTO_TCP || n < 4u * ip.ihl + sizeof(tcp))
		return true;
	/* A super packet's headers are sent once per segment. The virtio header gives their length
	 * only as a hint, so they are parsed. */
	memcpy(&tcp, frame + 4u * ip.ihl, sizeof(tcp));
	header = 4u * ip.ihl + 4u * tcp.doff;
	if (n <= header + offload.gso_size)
		return true;
	segments = (n - header + offload.gso_size - 1) / offload.gso_size;
	*w = (struct weight){ n - header + segments * header, header + offload.gso_size };
	return true;
}
