/* proxy.h -- HTTP CONNECT: the request to a proxy, and its answer (RFC 9110, 9.3.6).
 *
 * The answer is a status line, header lines and an empty line, each ended by CR LF; later
 * bytes belong to the tunnel. Header lines are not kept. No body of a refusal is read.
 */
#ifndef PROTO_PROXY_H
#define PROTO_PROXY_H

#include "common/base/buf.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes of the status line that are kept, of any line at most, and of the whole answer at most. */
enum { PROXY_SHOWN = 120, PROXY_LINE_MAX = 4096, PROXY_ANSWER_MAX = 16384 };

enum proxy_state {
	PROXY_READS,   /* the answer is not whole */
	PROXY_OPEN,    /* status 2xx, and the empty line has come: the tunnel stands */
	PROXY_REFUSED, /* another status */
	PROXY_WRONG,   /* no HTTP answer, or a too long one */
};

struct proxy_answer { /* zero-initialised: nothing has come */
	enum proxy_state state;
	size_t n, line_n; /* bytes of the answer, of the line at hand without its CR LF */
	bool status_done, cr;
	unsigned status;             /* once status_done */
	char shown[PROXY_SHOWN + 1]; /* of the status line: bytes that are not printable are '?' */
};

/* "CONNECT host:port HTTP/1.1", with brackets where host is an IPv6 address. */
void proxy_request(struct buf *out, const char *host, uint16_t port);

/* Takes bytes until the state is another than PROXY_READS. Returns how many. */
size_t proxy_answer_take(struct proxy_answer *a, const uint8_t *p, size_t n);

#endif
