#include "cli/netlab/packet.h"

#include <arpa/inet.h>
#include <netinet/ip.h>
#include <netinet/tcp.h>
#include <string.h>

struct in_addr host_address(int host)
{
	return (struct in_addr){ htonl(LAB_NETWORK + 1 + (uint32_t)host) };
}

/* A super packet's headers go out once per segment. What the virtio header says of their length is
 * only a hint, so they are looked at. */
static struct weight train(const unsigned char *packet, size_t n, size_t ip_bytes,
			   size_t payload_each)
{
	struct tcphdr tcp;
	size_t header, payload, segments;

	if (n < ip_bytes + sizeof(tcp))
		return (struct weight){ n, n };
	memcpy(&tcp, packet + ip_bytes, sizeof(tcp));
	header = ip_bytes + 4u * tcp.doff;
	if (n <= header + payload_each)
		return (struct weight){ n, n };
	payload = n - header;
	segments = (payload + payload_each - 1) / payload_each;
	return (struct weight){ payload + segments * header, header + payload_each };
}

bool frame_look(const unsigned char *frame, size_t n, int hosts, int *to, struct weight *w)
{
	struct virtio_net_hdr offload;
	struct iphdr ip;
	uint32_t host;

	if (n < sizeof(offload) + sizeof(ip))
		return false;
	memcpy(&offload, frame, sizeof(offload));
	frame += sizeof(offload);
	n -= sizeof(offload);
	memcpy(&ip, frame, sizeof(ip));
	host = ntohl(ip.daddr) - LAB_NETWORK - 1; /* what lies below wraps around */
	if (ip.version != 4 || host >= (uint32_t)hosts)
		return false;
	*to = (int)host;
	*w = (struct weight){ n, n };
	if (offload.gso_type != VIRTIO_NET_HDR_GSO_NONE && offload.gso_size > 0 &&
	    ip.protocol == IPPROTO_TCP)
		*w = train(frame, n, 4u * ip.ihl, offload.gso_size);
	return true;
}
