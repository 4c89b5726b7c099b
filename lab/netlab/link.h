/* link.h -- computes when packets leave an emulated star network. It also has the queue of packets
 * in transit, and the sizes of the hosts' frames.
 *
 *     host 0 --- uplink --->\           /--- downlink ---> host 0
 *     host 1 --- uplink --->--- delay ---- downlink ---> host 1
 *     ...                   /           \                 ...
 *
 * Each host has an uplink and a downlink of the same rate, each with a queue in front of it. A
 * packet waits for the uplink, and takes bytes / rate to pass it. After the delay it waits for the
 * other host's downlink, and passes that in the same way.
 *
 * A super packet (segmentation offload) stands for a train of packets. The first packets of a train
 * are on the downlink while its last ones are on the uplink. So after the uplink, the train needs
 * the downlink's time of one segment, not of all segments. It is delivered as a whole, after its
 * last segment. The error is at most the super packet's time on the wire.
 *
 * No function here reads a clock: the caller passes times in nanoseconds. */
#ifndef LAB_NETLAB_LINK_H
#define LAB_NETLAB_LINK_H

#include <linux/virtio_net.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct link_speed {
	double rate_mbit; /* 10^6 bits of IP packets per second, each way */
	double delay_ms;
	double queue_ms; /* a packet that would wait longer for a link is dropped */
};

/* Bytes on the wire: of the packet, and of one full segment. The two are equal except for super
 * packets. */
struct weight {
	size_t bytes, segment;
};

struct links {
	int hosts;
	double ns_per_byte;
	uint64_t delay, queue; /* in ns */
	/* One entry per host: time at which its link has sent all queued packets; owned. */
	uint64_t *up, *down;
};

void links_init(struct links *l, int hosts, const struct link_speed *speed);
void links_release(struct links *l);

/* Passes a packet of host `from` to its uplink at `now`. *arrival: its arrival at the other host's
 * downlink. Returns false, and changes nothing, if the queue is full. */
bool links_leave(struct links *l, int from, struct weight w, uint64_t now, uint64_t *arrival);

/* Passes a packet that has arrived to the downlink of host `to`. Calls for one host must be in the
 * order of arrival. *due: the time of delivery. Returns false, and changes nothing, if the queue is
 * full. */
bool links_arrive(struct links *l, int to, struct weight w, uint64_t arrival, uint64_t *due);

/* -- packets in transit --------------------------------------------------------------------- */

struct packet {
	uint64_t due, order; /* `due` in ns; `order`: sequence number of the push */
	int to;
	/* True: `due` is the time of delivery. False: `due` is the time of arrival at the
	 * downlink. */
	bool on_downlink;
	struct weight w;
	size_t n;
	unsigned char frame[];
};

/* A heap. The packet that is due first is at the front; packets of equal time are in the order of
 * pushes. */
struct queue {
	struct packet **heap;
	size_t n, cap;
	uint64_t pushed;
};

struct packet *packet_new(const unsigned char *frame, size_t n, int to, struct weight w);

void packets_push(struct queue *q, struct packet *p); /* takes p over; sets p->order */
/* Returns the first packet, which stays in the queue. NULL: the queue is empty. */
struct packet *packets_first(const struct queue *q);
/* Removes and returns the first packet; the caller frees it. NULL: the queue is empty. */
struct packet *packets_pop(struct queue *q);
void packets_release(struct queue *q);

/* -- frames ------------------------------------------------------------------------------------
 *
 * A frame of a TUN device with IFF_VNET_HDR is a struct virtio_net_hdr, then an IPv4 packet. With
 * segmentation offload that is a super packet of up to 64 KiB, which the kernel would have cut into
 * segments for a real wire. */

enum {
	HOSTS_MAX = 257, /* a coordinator and 256 parties */
	FRAME_MAX = sizeof(struct virtio_net_hdr) + 65535,
	MTU = 1500,
};

#define LAB_NETWORK 0x0a630000u /* 10.99.0.0 */
#define LAB_PREFIX  16

/* Returns the address of host i: 10.99.0.1 + i. */
struct in_addr host_address(int host);

/* Parses a frame. *to: the host to which it goes; *w: its bytes on the wire. Returns false if it is
 * not an IPv4 packet to one of the hosts; the caller then drops the frame. */
bool frame_look(const unsigned char *frame, size_t n, int hosts, int *to, struct weight *w);

#endif
