/* Tests the destination and the weight of frames that the test builds byte by byte. */
#include "tests/test.h"

#include "lab/netlab/link.h"

#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>

enum { OFFLOAD = sizeof(struct virtio_net_hdr), IP = 20, TCP = 20 };

struct shape {
	size_t ip_header, tcp_header, payload;
	uint16_t segment; /* payload of each segment; 0: no super packet */
	uint8_t protocol;
	const char *to;
};

/* Returns a frame in a block of exact size, so that a sanitizer sees a read beyond it. */
static unsigned char *frame_of(const struct shape *s, size_t *n)
{
	struct virtio_net_hdr offload = { .gso_type = VIRTIO_NET_HDR_GSO_NONE };
	unsigned char *frame, *ip;

	*n = OFFLOAD + s->ip_header + s->tcp_header + s->payload;
	frame = calloc(1, *n);
	ip = frame + OFFLOAD;
	if (s->segment) {
		offload.gso_type = VIRTIO_NET_HDR_GSO_TCPV4;
		offload.gso_size = s->segment;
		offload.hdr_len = 9; /* a hint, which may be wrong as here */
	}
	memcpy(frame, &offload, sizeof(offload));
	ip[0] = (unsigned char)(0x40 | s->ip_header / 4);
	ip[9] = s->protocol;
	inet_pton(AF_INET, s->to, ip + 16);
	if (s->tcp_header)
		ip[s->ip_header + 12] = (unsigned char)(s->tcp_header / 4 << 4);
	return frame;
}

static void expect(const struct shape *s, int hosts, int to, size_t bytes, size_t segment)
{
	struct weight w = { 0 };
	size_t n;
	unsigned char *frame = frame_of(s, &n);
	int host = -1;

	assert_true(frame_look(frame, n, hosts, &host, &w));
	assert_int_equal(host, to);
	assert_int_equal(w.bytes, bytes);
	assert_int_equal(w.segment, segment);
	free(frame);
}

static void expect_nowhere(const struct shape *s, int hosts)
{
	struct weight w;
	size_t n;
	unsigned char *frame = frame_of(s, &n);
	int host;

	assert_false(frame_look(frame, n, hosts, &host, &w));
	free(frame);
}

TEST(test_addresses)
{
	assert_string_equal(inet_ntoa(host_address(0)), "10.99.0.1");
	assert_string_equal(inet_ntoa(host_address(254)), "10.99.0.255");
	assert_string_equal(inet_ntoa(host_address(256)), "10.99.1.1");
}

TEST(test_plain_packets)
{
	expect(&(struct shape){ IP, TCP, 0, 0, 6, "10.99.0.1" }, 3, 0, 40, 40);
	expect(&(struct shape){ IP, 32, 1448, 0, 6, "10.99.0.3" }, 3, 2, 1500, 1500);
	expect(&(struct shape){ IP, 0, 8, 0, 1, "10.99.1.1" }, 257, 256, 28, 28);
}

TEST(test_nowhere)
{
	unsigned char six[OFFLOAD + 40] = { [OFFLOAD] = 0x60, [OFFLOAD + 16] = 10, 99, 0, 1 };
	struct weight w;
	int host;

	expect_nowhere(&(struct shape){ IP, TCP, 0, 0, 6, "10.99.0.0" }, 3);
	expect_nowhere(&(struct shape){ IP, TCP, 0, 0, 6, "10.99.0.4" }, 3);
	expect_nowhere(&(struct shape){ IP, TCP, 0, 0, 6, "10.98.0.1" }, 3);
	expect_nowhere(&(struct shape){ IP, TCP, 0, 0, 6, "255.255.255.255" }, 3);
	expect_nowhere(&(struct shape){ IP, TCP, 0, 0, 6, "224.0.0.22" }, 257);
	assert_false(frame_look(six, sizeof(six), 3, &host, &w));
}

/* Every segment has its own headers: 1448 bytes of payload and 52 of headers. */
TEST(test_super_packets)
{
	expect(&(struct shape){ IP, 32, 10 * 1448, 1448, 6, "10.99.0.2" }, 2, 1, 15000, 1500);
	expect(&(struct shape){ IP, 32, 10 * 1448 + 1, 1448, 6, "10.99.0.2" }, 2, 1, 15053, 1500);
	expect(&(struct shape){ IP, 32, 1448, 1448, 6, "10.99.0.2" }, 2, 1, 1500, 1500);
	expect(&(struct shape){ IP, 32, 7, 1448, 6, "10.99.0.2" }, 2, 1, 59, 59);
	expect(&(struct shape){ 24, 60, 3 * 1000, 1000, 6, "10.99.0.2" }, 2, 1, 3252, 1084);
	/* A super packet that is not TCP counts as one packet. */
	expect(&(struct shape){ IP, TCP, 3000, 1000, 17, "10.99.0.2" }, 2, 1, 3040, 3040);
}

/* Reads nothing beyond the end of a truncated frame, for any length. */
TEST(test_cut_off)
{
	struct shape s = { IP, 32, 3000, 1448, 6, "10.99.0.2" };
	size_t n;
	unsigned char *frame = frame_of(&s, &n);

	for (size_t cut = 0; cut < n; cut++) {
		unsigned char *copy = malloc(cut ? cut : 1);
		struct weight w = { 0 };
		int host;

		memcpy(copy, frame, cut);
		assert_int_equal(frame_look(copy, cut, 2, &host, &w), cut >= OFFLOAD + IP);
		if (cut >= OFFLOAD + IP)
			assert_true(w.bytes >= cut - OFFLOAD && w.segment <= w.bytes);
		free(copy);
	}
	free(frame);
}
