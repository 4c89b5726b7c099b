#include "proto/proxy.h"

#include <string.h>

void proxy_request(struct buf *out, const char *host, uint16_t port)
{
	const char *form = strchr(host, ':') ? "[%s]:%u" : "%s:%u";

	buf_printf(out, "CONNECT ");
	buf_printf(out, form, host, port);
	buf_printf(out, " HTTP/1.1\r\nHost: ");
	buf_printf(out, form, host, port);
	buf_printf(out, "\r\n\r\n");
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Reads the status line, such as "HTTP/1.1 200 Connection established". The reason may be
 * missing. */
static enum proxy_state read_status(struct proxy_answer *a)
{
	const char *s = a->shown;

	if (strncmp(s, "HTTP/1.", 7) != 0 || !is_digit(s[7]) || s[8] != ' ')
		return PROXY_WRONG;
	s += 9;
	if (s[0] < '1' || s[0] > '5' || !is_digit(s[1]) || !is_digit(s[2]) ||
	    (s[3] != ' ' && s[3] != '\0'))
		return PROXY_WRONG;
	a->status = (unsigned)(100 * (s[0] - '0') + 10 * (s[1] - '0') + (s[2] - '0'));
	a->status_done = true;
	return a->status / 100 == 2 ? PROXY_READS : PROXY_REFUSED;
}

static enum proxy_state proxy_end_line(struct proxy_answer *a)
{
	size_t n = a->line_n;

	a->line_n = 0;
	if (!a->status_done)
		return read_status(a);
	return n == 0 ? PROXY_OPEN : PROXY_READS;
}

static enum proxy_state take_byte(struct proxy_answer *a, uint8_t b)
{
	bool after_cr = a->cr;

	a->cr = b == '\r';
	if (++a->n > PROXY_ANSWER_MAX || b == '\0' || after_cr != (b == '\n'))
		return PROXY_WRONG;
	if (after_cr)
		return proxy_end_line(a);
	if (a->cr)
		return PROXY_READS;
	if (!a->status_done && a->line_n < PROXY_SHOWN)
		a->shown[a->line_n] = b >= ' ' && b < 0x7f ? (char)b : '?';
	return ++a->line_n > PROXY_LINE_MAX ? PROXY_WRONG : PROXY_READS;
}

size_t proxy_answer_take(struct proxy_answer *a, const uint8_t *p, size_t n)
{
	size_t i = 0;

	while (i < n && a->state == PROXY_READS)
		a->state = take_byte(a, p[i++]);
	return i;
}
