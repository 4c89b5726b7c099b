/* Tests the HTTP endpoint, which uses libmicrohttpd, by raw requests: access, bodies, watchers of
 * events. */
#include "tests/test.h"

#include "common/base/clock.h"
#include "common/base/log.h"
#include "common/http/http.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define TOKEN "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define HOST  "Host: 127.0.0.1\r\n"
#define RIGHT "Authorization: Bearer " TOKEN "\r\n"

static struct http *http;
static struct daemon_common settings = { .name = "bank-a" };
static char listen_text[64], posted[64];
static unsigned port, events;

static void say_hello(void *arg, const struct http_request *r, struct http_answer *a)
{
	assert_string_equal(arg, "site");
	a->type = "text/plain";
	buf_printf(&a->body, "hello %s %s", r->rest, http_query(r, "q"));
}

static void take(void *arg, const struct http_request *r, struct http_answer *a)
{
	(void)arg;
	snprintf(posted, sizeof(posted), "%.*s", (int)r->body.n, (const char *)r->body.p);
	http_refuse(a, 409, "no \"%s\"", posted);
}

static void event(void *arg, struct buf *line)
{
	(void)arg;
	buf_printf(line, "news %u", ++events);
}

static const struct http_route routes[] = { { .path = "/hello", .answer = say_hello },
					    { .path = "/all/", .answer = say_hello },
					    { .post = true, .path = "/all/", .answer = take },
					    { .path = "/events" },
					    { 0 } };

/* Returns a port that is free now. */
static unsigned free_port(void)
{
	int fd = socket(AF_INET, SOCK_STREAM, 0);
	struct sockaddr_in at = { .sin_family = AF_INET,
				  .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t n = sizeof(at);

	assert_int_equal(bind(fd, (struct sockaddr *)&at, n), 0);
	assert_int_equal(getsockname(fd, (struct sockaddr *)&at, &n), 0);
	close(fd);
	return ntohs(at.sin_port);
}

static int start_with(const char *token)
{
	const struct http_site site = {
		.route = routes, .event = event, .arg = "site", .token = token
	};
	enum err e = ERR_INPUT;

	for (int tries = 0; e != ERR_OK && tries < 20; tries++) {
		port = free_port();
		snprintf(listen_text, sizeof(listen_text), "127.0.0.1:%u", port);
		settings.http.listen = listen_text;
		endpoint_parse(listen_text, &settings.http.at);
		e = http_listen(&http, &settings);
	}
	assert_ok(e);
	events = 0;
	*posted = 0;
	assert_ok(http_start(http, &site));
	return 0;
}

static int start(void **state)
{
	(void)state;
	return start_with(TOKEN);
}

static int start_without_token(void **state)
{
	(void)state;
	return start_with(NULL);
}

static int stop(void **state)
{
	(void)state;
	http_stop(http);
	return 0;
}

static int dial(void)
{
	struct sockaddr_in at = { .sin_family = AF_INET,
				  .sin_port = htons((uint16_t)port),
				  .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	struct timeval patience = { .tv_sec = 60 };
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	assert_int_equal(connect(fd, (struct sockaddr *)&at, sizeof(at)), 0);
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	return fd;
}

/* Reads until `text` has arrived, or until the end; returns whether it has arrived. */
static bool comes(int fd, const char *text, char *got, size_t room)
{
	size_t n = strlen(got);
	ssize_t more;

	while (!strstr(got, text)) {
		more = recv(fd, got + n, room - 1 - n, 0);
		if (more <= 0)
			return false;
		n += (size_t)more;
		got[n] = 0;
	}
	return true;
}

static char *ask(const char *request)
{
	static char got[8192];
	int fd = dial();

	*got = 0;
	assert_int_equal(send(fd, request, strlen(request), MSG_NOSIGNAL), strlen(request));
	(void)comes(fd, "(the end)", got, sizeof(got));
	close(fd);
	return got;
}

static void says(const char *request, const char *status, const char *text)
{
	char *got = ask(request);

	if (strncmp(got, "HTTP/1.1 ", 9) != 0 || strncmp(got + 9, status, 3) != 0 ||
	    !strstr(got, text))
		fail_msg("%s\nis answered by\n%s\nexpected %s and %s", request, got, status, text);
}

#define LAST "Connection: close\r\n\r\n"

static void routes_are_found(void **state)
{
	(void)state;
	says("GET /hello?q=a%20b HTTP/1.1\r\n" HOST LAST, "200", "hello  a b");
	says("GET /all/x/y HTTP/1.1\r\n" HOST LAST, "200", "hello x/y ");
	says("GET /all/ HTTP/1.1\r\n" HOST LAST, "404", "there is no /all/");
	says("GET /none HTTP/1.1\r\n" HOST LAST, "404", "there is no /none");
	says("PUT /hello HTTP/1.1\r\n" HOST LAST, "405", "expected GET, HEAD or POST");
	says("POST /hello HTTP/1.1\r\n" HOST LAST, "405", "/hello is not for POST");
	assert_null(strstr(ask("HEAD /hello HTTP/1.1\r\n" HOST LAST), "hello"));
	assert_string_equal(ask("nonsense\r\n\r\n"), ""); /* the server closes the connection */
}

static void a_foreign_host_is_refused(void **state)
{
	(void)state;
	says("GET /hello HTTP/1.1\r\nHost: evil.example\r\n" LAST, "403",
	     "host \\\"evil.example\\\", which is not");
	says("GET /hello HTTP/1.1\r\nHost: 127.0.0.1.evil.example\r\n" LAST, "403", "which is not");
	says("GET /hello HTTP/1.0\r\n" LAST, "403", "host \\\"\\\", which is not");
	says("GET /hello HTTP/1.1\r\nHost: LOCALHOST:99\r\n" LAST, "200", "hello");
	says("GET /hello HTTP/1.1\r\nHost: [::1]\r\n" LAST, "200", "hello");
	says("GET /hello HTTP/1.1\r\nHost: [::1]x\r\n" LAST, "403", "which is not");
}

#define POST(more) "POST /all/x HTTP/1.1\r\n" HOST more LAST "body"

static void a_post_needs_origin_and_token(void **state)
{
	(void)state;
	says(POST(RIGHT "Content-Length: 4\r\n"), "409", "{\"error\":\"no \\\"body\\\"\"}");
	assert_string_equal(posted, "body");
	*posted = 0;
	says(POST("Content-Length: 4\r\n"), "403", "shows no token");
	says(POST("Authorization: Bearer x\r\nContent-Length: 4\r\n"), "403",
	     "shows another token");
	says(POST("Authorization: Bearer 1" TOKEN "\r\nContent-Length: 4\r\n"), "403",
	     "another token");
	says(POST("Authorization: " TOKEN "\r\nContent-Length: 4\r\n"), "403", "another token");
	says(POST(RIGHT "Origin: http://evil.example\r\nContent-Length: 4\r\n"), "403",
	     "page of \\\"http://evil.example\\\"");
	says(POST(RIGHT "Origin: null\r\nContent-Length: 4\r\n"), "403", "page of \\\"null\\\"");
	says(POST(RIGHT "Origin: http://127.0.0.1:1\r\nContent-Length: 4\r\n"), "403", "page of");
	says(POST(RIGHT "Sec-Fetch-Site: cross-site\r\nContent-Length: 4\r\n"), "403",
	     "another site");
	assert_string_equal(posted, "");
	says(POST(RIGHT "Origin: http://127.0.0.1\r\nContent-Length: 4\r\n"), "409", "body");
}

static void without_a_token_nothing_is_posted(void **state)
{
	static const char *const shown[] = { "", RIGHT, "Authorization: Bearer \r\n" };
	char request[400];

	(void)state;
	for (size_t i = 0; i < sizeof(shown) / sizeof(*shown); i++) {
		snprintf(request, sizeof(request),
			 "POST /all/x HTTP/1.1\r\n" HOST "%sContent-Length: 4\r\n" LAST "body",
			 shown[i]);
		says(request, "403", "but at api.listen, with a certificate");
	}
	assert_string_equal(posted, "");
	says("GET /hello HTTP/1.1\r\n" HOST LAST, "200", "hello");
}

/* The server answers at once to a body that is too long or of unknown length. This test never sends
 * such a body. */
static void a_long_body_is_not_read(void **state)
{
	double from_s = clock_now_s();

	(void)state;
	says("POST /all/x HTTP/1.1\r\n" HOST RIGHT "Content-Length: 1073741824\r\n\r\n", "413",
	     "has 1073741824 bytes, expected at most 16384");
	says("POST /all/x HTTP/1.1\r\n" HOST RIGHT "Content-Length: 18446744073709551615\r\n\r\n",
	     "413", "");
	says("POST /all/x HTTP/1.1\r\n" HOST RIGHT "Transfer-Encoding: chunked\r\n\r\n", "411",
	     "has no length");
	assert_true(clock_now_s() - from_s < HTTP_IDLE_S);
	says("GET /hello HTTP/1.1\r\n" HOST "Content-Length: 4\r\n" LAST "body", "200", "hello");
	says("POST /all/x HTTP/1.1\r\n" HOST RIGHT "Content-Length: -1\r\n\r\n", "400", "");
	assert_string_equal(posted, "");
}

static void those_who_watch_hear_news_once(void **state)
{
	static const char request[] = "GET /events HTTP/1.1\r\n" HOST "\r\n";
	char got[2][8192] = { "", "" };
	int fd[2] = { dial(), dial() };

	(void)state;
	for (int i = 0; i < 2; i++) {
		assert_int_equal(send(fd[i], request, strlen(request), MSG_NOSIGNAL),
				 strlen(request));
		assert_true(comes(fd[i], "data: news 1\n\n", got[i], sizeof(got[i])));
	}
	http_announce(http);
	for (int i = 0; i < 2; i++) /* both watchers get the event, which was made once */
		assert_true(comes(fd[i], "data: news 2\n\n", got[i], sizeof(got[i])));
	close(fd[0]);
	for (int i = 3; i < 100; i++) {
		char text[32];

		http_announce(http);
		snprintf(text, sizeof(text), "data: news %d\n\n", i);
		*got[1] = 0;
		assert_true(comes(fd[1], text, got[1], sizeof(got[1])));
	}
	close(fd[1]);
	/* http_announce() succeeds even if the server has not noticed that the watchers left. */
	http_announce(http);
}

/* One address may have half of all watchers. */
static void watchers_are_bounded(void **state)
{
	static const char request[] = "GET /events HTTP/1.1\r\n" HOST "\r\n";
	int fd[HTTP_WATCHERS_MAX / 2];
	char got[8192];

	(void)state;
	for (int i = 0; i < HTTP_WATCHERS_MAX / 2; i++) {
		*got = 0;
		fd[i] = dial();
		assert_int_equal(send(fd[i], request, strlen(request), MSG_NOSIGNAL),
				 strlen(request));
		assert_true(comes(fd[i], "data: ", got, sizeof(got)));
	}
	says("GET /events HTTP/1.1\r\n" HOST LAST, "503", "too many watchers already");
	says("GET /hello HTTP/1.1\r\n" HOST LAST, "200", "hello");
	for (int i = 0; i < HTTP_WATCHERS_MAX / 2; i++)
		close(fd[i]);
	/* stop() must end although some watchers still wait */
}

/* Above the limit for one address, its oldest connection that does not watch is closed. */
static void the_oldest_makes_room(void **state)
{
	static const char watch[] = "GET /events HTTP/1.1\r\n" HOST "\r\n";
	static const char half[] = "GET /hello HTTP/1.1\r\nX: ";
	int fd[HTTP_CONNECTIONS_MAX], watcher = dial();
	char got[8192] = "", end;

	(void)state;
	assert_int_equal(send(watcher, watch, strlen(watch), MSG_NOSIGNAL), strlen(watch));
	assert_true(comes(watcher, "data: news 1\n\n", got, sizeof(got)));
	for (int i = 0; i < HTTP_CONNECTIONS_MAX; i++) {
		fd[i] = dial();
		(void)!send(fd[i], half, strlen(half), MSG_NOSIGNAL);
	}
	says("GET /hello HTTP/1.1\r\n" HOST LAST, "200", "hello");
	assert_true(recv(fd[0], &end, 1, 0) <= 0);
	http_announce(http);
	assert_true(comes(watcher, "data: news 2\n\n", got, sizeof(got)));
	close(watcher);
	for (int i = 0; i < HTTP_CONNECTIONS_MAX; i++)
		close(fd[i]);
}

/* The server closes a connection at the time limit of a request even if bytes still arrive. A
 * connection that watches stays open. */
static void a_request_has_a_time_in_all(void **state)
{
	static const char watch[] = "GET /events HTTP/1.1\r\n" HOST "\r\n";
	static const char half[] = "GET /hello HTTP/1.1\r\nX: ";
	const double request_s = .5;
	double began_s = clock_now_s();
	int fd = dial(), watcher = dial();
	char got[8192] = "", end;

	(void)state;
	assert_int_equal(send(watcher, watch, strlen(watch), MSG_NOSIGNAL), strlen(watch));
	assert_true(comes(watcher, "data: news 1\n\n", got, sizeof(got)));
	assert_int_equal(send(fd, half, strlen(half), MSG_NOSIGNAL), strlen(half));
	while (recv(fd, &end, 1, MSG_DONTWAIT) < 0 && errno == EAGAIN) {
		assert_true(clock_now_s() - began_s < 60);
		(void)!send(fd, "x", 1, MSG_NOSIGNAL);
		http_look(http, request_s);
		usleep(20000);
	}
	assert_true(clock_now_s() - began_s > request_s);
	http_announce(http);
	assert_true(comes(watcher, "data: news 2\n\n", got, sizeof(got)));
	close(watcher);
	close(fd);
}

static void a_port_in_use_is_a_sentence(void **state)
{
	struct http *second;

	(void)state;
	assert_err(http_listen(&second, &settings), ERR_INPUT, "is in use by another process");
	assert_null(second);
}

static void without_a_setting_there_is_nothing(void **state)
{
	struct daemon_common none = { .name = "bank-a" };
	struct http *h;

	(void)state;
	assert_ok(http_listen(&h, &none));
	assert_null(h);
	assert_ok(http_start(h, &(struct http_site){ 0 }));
	http_announce(h);
	http_stop(h);
}

#define STARTED(f) cmocka_unit_test_setup_teardown(f, start, stop)

int tests_run(void)
{
	const struct CMUnitTest tests[] = {
		STARTED(routes_are_found),
		STARTED(a_foreign_host_is_refused),
		STARTED(a_post_needs_origin_and_token),
		cmocka_unit_test_setup_teardown(without_a_token_nothing_is_posted,
						start_without_token, stop),
		STARTED(a_long_body_is_not_read),
		STARTED(those_who_watch_hear_news_once),
		STARTED(watchers_are_bounded),
		STARTED(the_oldest_makes_room),
		STARTED(a_request_has_a_time_in_all),
		STARTED(a_port_in_use_is_a_sentence),
		cmocka_unit_test(without_a_setting_there_is_nothing),
	};

	log_init("test", LOG_ERROR);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
