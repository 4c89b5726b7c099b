/* proxy.h -- HTTP CONNECT: the request to a proxy, and its answer (RFC 9110, 9.3.6).
 *
 * The answer is a status line, header lines and an empty line, each terminated by CR LF. Later
 * bytes belong to the tunnel. Header lines are discarded, and the body of a refusal is not read.
 */
#ifndef PROTO_PROXY_H
#define PROTO_PROXY_H

#include "common/base/buf.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Numbers of bytes: those of the status line that are kept, the maximum of a line, and the maximum
 * of the whole answer. */
enum { PROXY_SHOWN = 120, PROXY_LINE_MAX = 4096, PROXY_ANSWER_MAX = 16384 };

enum proxy_state {
	PROXY_READS,   /* the answer is incomplete */
	PROXY_OPEN,    /* status 2xx, and the empty line was read: the tunnel is open */
	PROXY_REFUSED, /* another status */
	PROXY_WRONG,   /* not an HTTP answer, or too long */
};

struct proxy_answer { /* A zero-initialised object has received nothing. */
	enum proxy_state state;
	/* `n`: bytes of the answer so far. `line_n`: bytes of the current line without its CR
	 * LF. */
	size_t n, line_n;
	bool status_done, cr;
	unsigned status;             /* valid once status_done */
	char shown[PROXY_SHOWN + 1]; /* status line; '?' replaces bytes that are not printable */
};

/* Writes the request, "CONNECT host:port HTTP/1.1". An IPv6 address gets brackets. */
void proxy_request(struct buf *out, const char *host, uint16_t port);

/* Takes bytes while the state is PROXY_READS. Returns how many it took. */
size_t proxy_answer_take(struct proxy_answer *a, const uint8_t *p, size_t n);

#endif
