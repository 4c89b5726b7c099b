/* packet.h -- what a frame from a host's device says: where it goes and what it weighs.
 *
 * A frame is what a TUN device with IFF_VNET_HDR gives: a struct virtio_net_hdr, then an IPv4
 * packet. With segmentation offload that is a super packet of up to 64 KiB, whose segments the
 * kernel would have cut had there been a wire.
 */
#ifndef CLI_NETLAB_PACKET_H
#define CLI_NETLAB_PACKET_H

#include "cli/netlab/link.h"

#include <linux/virtio_net.h>
#include <netinet/in.h>

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
