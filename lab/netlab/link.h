/* link.h -- when a packet that enters a star network leaves it; the queue of those under
 * way; and what the frames of hosts weigh.
 *
 *     host 0 --- uplink --->\           /--- downlink ---> host 0
 *     host 1 --- uplink --->--- delay ---- downlink ---> host 1
 *     ...                   /           \                 ...
 *
 * Each host has an uplink and a downlink of the same rate, each with a queue in front of it. A
 * packet waits for the uplink, takes bytes / rate to go through it, then the delay, waits for the
 * other host's downlink, and goes through that.
 *
 * A super packet (segmentation offload) stands for a train of packets, of which the first are on
 * the downlink while the last are on the uplink; so the train needs the downlink's time of one
 * segment more, not of all. It is handed over whole, when its last segment is through: a coarseness
 * of at most its time on the wire.
 *
 * Nothing here reads a clock: times are nanoseconds that the caller gives.
 */
#ifndef LAB_NETLAB_LINK_H
#define LAB_NETLAB_LINK_H

#include <linux/virtio_net.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct link_speed {
	double rate_mbit; /* 10^6 bits of IP packets per second, each way */
	double delay_ms;  /* one way */
	double queue_ms;  /* a packet that would wait longer for a link is dropped */
};

/* A packet's bytes on the wire: of the whole, and of one full segment (the same again,
 * unless it is a super packet). */
struct weight {
	size_t bytes, segment;
};

struct links {
	int hosts;
	double ns_per_byte;
	uint64_t delay, queue; /* ns */
	uint64_t *up, *down;   /* owned, [hosts]: when what was given to the link is through */
};

void links_init(struct links *l, int hosts, const struct link_speed *speed);
void links_release(struct links *l);

/* Host from gives a packet to its uplink at now. *arrival is when it gets to the other's downlink.
 * False, and nothing changes: the queue is full. */
bool links_leave(struct links *l, int from, struct weight w, uint64_t now, uint64_t *arrival);

/* It gets to host to's downlink; the calls for one host come in the order of arrival. *due is when
 * the host has it. False, and nothing changes: the queue is full. */
bool links_arrive(struct links *l, int to, struct weight w, uint64_t arrival, uint64_t *due);

/* ---- packets under way ---- */

struct packet {
	uint64_t due, order; /* ns; the number of the push */
	int to;
	bool on_downlink; /* due is its end; before that, due is the arrival at the downlink */
	struct weight w;
	size_t n;
	unsigned char frame[];
};

/* A heap: the packet that is due first is in front; of two at the same time, the one pushed first. */
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

/* ---- frames ----
 *
 * A frame is what a TUN device with IFF_VNET_HDR gives: a struct virtio_net_hdr, then an IPv4
 * packet. With segmentation offload that is a super packet of up to 64 KiB, whose segments the
 * kernel would have cut had there been a wire. */

enum {
	HOSTS_MAX = 257,                            /* a coordinator and 256 parties */
	FRAME_MAX = sizeof(struct virtio_net_hdr) + 65535,
	MTU = 1500,
};

#define LAB_NETWORK 0x0a630000u /* 10.99.0.0 */
#define LAB_PREFIX  16

/* Host i has the address 10.99.0.1 + i. */
struct in_addr host_address(int host);

/* False: not an IPv4 packet to one of so many hosts; such a frame goes nowhere. */
bool frame_look(const unsigned char *frame, size_t n, int hosts, int *to, struct weight *w);

#endif
