/* Tests the request for a tunnel through a proxy. Reads the proxy's answers: whole, in pieces, too
 * long, or invalid. */
#include "tests/test.h"

#include "proto/proxy.h"

#include <stdlib.h>
#include <string.h>

/* Reads the answer in pieces of `piece` bytes; *used: the answer's length in bytes. */
static struct proxy_answer read_in(const char *p, size_t n, size_t piece, size_t *used)
{
	struct proxy_answer a = { 0 };

	*used = 0;
	while (*used < n && a.state == PROXY_READS) {
		size_t now = n - *used < piece ? n - *used : piece;

		*used += proxy_answer_take(&a, (const uint8_t *)p + *used, now);
	}
	return a;
}

static void expect(enum proxy_state state, unsigned status, size_t used, const char *shown,
		   const char *text)
{
	size_t n = strlen(text), got;

	for (size_t piece = 1; piece <= n; piece++) {
		struct proxy_answer a = read_in(text, n, piece, &got);

		assert_int_equal(a.state, state);
		assert_int_equal(a.status, status);
		assert_int_equal(got, used);
		assert_string_equal(a.shown, shown);
	}
}

TEST(test_request)
{
	struct buf b = { 0 };

	proxy_request(&b, "hub.example.org", 7431);
	proxy_request(&b, "2001:db8::1", 1);
	buf_add(&b, "", 1);
	assert_string_equal(
	    (char *)b.p,
	    "CONNECT hub.example.org:7431 HTTP/1.1\r\nHost: hub.example.org:7431\r\n\r\n"
	    "CONNECT [2001:db8::1]:1 HTTP/1.1\r\nHost: [2001:db8::1]:1\r\n\r\n");
	buf_release(&b);
}

TEST(test_tunnel)
{
	expect(PROXY_OPEN, 200, 39, "HTTP/1.1 200 Connection established",
	       "HTTP/1.1 200 Connection established\r\n\r\n");
	expect(PROXY_OPEN, 200, 57, "HTTP/1.0 200 Connection established",
	       "HTTP/1.0 200 Connection established\r\nProxy-agent: a/1\r\n\r\n\x16\x03 of the "
	       "tunnel\r\n\r\n");
	expect(PROXY_OPEN, 204, 16, "HTTP/1.1 204", "HTTP/1.1 204\r\n\r\nx");
	expect(PROXY_READS, 200, 23, "HTTP/1.1 200 OK", "HTTP/1.1 200 OK\r\na: b\r\n");
}

/* Reports the proxy's refusal after the status line, without waiting for a body. */
TEST(test_refusal)
{
	expect(PROXY_REFUSED, 407, 44, "HTTP/1.1 407 Proxy Authentication Required",
	       "HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: "
	       "Basic\r\n\r\n<html>");
	expect(PROXY_REFUSED, 302, 14, "HTTP/1.1 302", "HTTP/1.1 302\r\n");
	expect(PROXY_REFUSED, 100, 23, "HTTP/1.1 100 Continue",
	       "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\n\r\n");
	expect(PROXY_REFUSED, 403, 24, "HTTP/1.1 403 a?[31mb??",
	       "HTTP/1.1 403 a\033[31mb\xc3\xa4\r\n");
}

TEST(test_no_answer)
{
	static const char *const wrong[] = {
		"SSH-2.0-OpenSSH_9.2\r\n",
		"\x15\x03\x03 alert\r\n",
		"HTTP/2 200 OK\r\n",
		"HTTP/1.1 20 OK\r\n",
		"HTTP/1.1 2000 OK\r\n",
		"HTTP/1.1  200 OK\r\n",
		"HTTP/1.1 600 no\r\n",
		"HTTP/1.1 +20 OK\r\n",
		"http/1.1 200 OK\r\n",
		"\r\n",
		"HTTP/1.1 200",
		"HTTP/1.1 200 OK\n",
		"HTTP/1.1 200 OK\r\nx\n",
		"HTTP/1.1 200 OK\rx",
	};

	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		size_t n = strlen(wrong[i]), used;
		struct proxy_answer a = read_in(wrong[i], n, 1, &used);

		if (strcmp(wrong[i], "HTTP/1.1 200") == 0)
			assert_int_equal(a.state, PROXY_READS);
		else
			assert_int_equal(a.state, PROXY_WRONG);
	}
	assert_int_equal(read_in("HTTP/1.1 200\0\r\n\r\n", 17, 3, &(size_t){ 0 }).state,
			 PROXY_WRONG);
}

/* Gives up on endless lines and answers, and keeps only a part of a long reason. */
TEST(test_too_long)
{
	enum { MUCH = 3 * PROXY_ANSWER_MAX };
	char *text = malloc(MUCH + 1);
	size_t used;

	memset(text, 'x', MUCH);
	assert_int_equal(read_in(text, MUCH, 1000, &used).state, PROXY_WRONG);
	assert_int_equal(used, PROXY_LINE_MAX + 1);
	memcpy(text, "HTTP/1.1 200 ", 13);
	memcpy(text + 1000, "\r\n", 2);
	assert_int_equal(strlen(read_in(text, 1002, 7, &used).shown), PROXY_SHOWN);
	assert_int_equal(read_in(text, MUCH, 7, &used).state, PROXY_WRONG);
	assert_int_equal(used, 1002 + PROXY_LINE_MAX + 1);
	for (size_t i = 1002; i + 10 < MUCH; i += 10)
		memcpy(text + i, "a: 45678\r\n", 10);
	assert_int_equal(read_in(text, MUCH, 1500, &used).state, PROXY_WRONG);
	assert_int_equal(used, PROXY_ANSWER_MAX + 1);
	free(text);
}
