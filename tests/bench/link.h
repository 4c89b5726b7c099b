/* link.h -- the two ends of real TLS connections on loopback, for benches. A hub listens and a
 * party dials. Each has a loop on its own thread and a channel per connection, in one process or in
 * several. */
#ifndef TESTS_BENCH_LINK_H
#define TESTS_BENCH_LINK_H

#include "proto/conn.h"
#include "tests/bench/bench.h"
#include "tests/unit/proto/certs.h"

#include <pthread.h>
#include <semaphore.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE_PARTIES_MAX = 16, SIDE_JOB = 1 };

struct side {
	enum sender own;
	uv_loop_t loop;
	uv_async_t stop;
	struct conn_host *host;
	struct listener *listener;
	struct mailbox *mailbox;
	sem_t attached;
	pthread_t thread;
	/* a hub has a connection for each party; a party has its only connection at 0 */
	struct conn *conn[SIDE_PARTIES_MAX];
	struct channel *channel[SIDE_PARTIES_MAX];
};

/* Names parties party-00, party-01, ... */
static inline void side_party_name(char name[static 16], size_t number)
{
	assert(number < SIDE_PARTIES_MAX);
	snprintf(name, 16, "party-%02u", (unsigned)number);
}

static inline void side_begin(struct side *s, struct conn *c)
{
	size_t number = s->own == COORD ? (size_t)atoi(conn_name(c) + strlen("party-")) : 0;

	assert(number < SIDE_PARTIES_MAX && !s->channel[number]);
	conn_welcome(c, 10);
	s->conn[number] = c;
	s->channel[number] = channel_new(s->mailbox, s->own, conn_name(c));
	conn_attach(c, s->channel[number], SIDE_JOB);
	sem_post(&s->attached);
}

static inline void side_ready(struct conn *c, void *arg)
{
	struct side *s = arg;
	struct msg hello = { .type = MSG_HELLO, .hello = { 1, 1, { NULL, 0 } } };

	if (s->own == PARTY)
		conn_send(c, &hello);
}

static inline void side_message(struct conn *c, const struct msg *m, void *arg)
{
	struct msg welcome = { .type = MSG_WELCOME, .welcome = { 1, { NULL, 0 }, 10000 } };

	if (m->type == MSG_HELLO)
		conn_send(c, &welcome);
	side_begin(arg, c);
}

static inline void side_closed(struct conn *c, enum err code, const char *why, void *arg)
{
	struct side *s = arg;

	(void)code;
	(void)why;
	for (size_t i = 0; i < SIDE_PARTIES_MAX; i++)
		if (s->conn[i] == c)
			s->conn[i] = NULL;
}

static const struct conn_events side_events = { side_ready, side_message, side_closed };

static inline void *side_accepted(struct conn *c, void *arg)
{
	(void)c;
	return arg;
}

static inline void side_stop(uv_async_t *async)
{
	struct side *s = async->data;

	for (size_t i = 0; i < SIDE_PARTIES_MAX; i++)
		if (s->conn[i])
			conn_close(s->conn[i], ERR_OK, NULL, 1);
	conn_listen_stop(s->listener);
	uv_close((uv_handle_t *)async, NULL);
}

static inline void *side_run(void *arg)
{
	uv_run(&((struct side *)arg)->loop, UV_RUN_DEFAULT);
	return NULL;
}

/* Opens a zero-initialised s with `own` set. Then a hub calls side_listen(), a party dials, and
 * side_start() follows. */
static inline void side_open(struct side *s, const struct cert_files *files,
			     const struct cert_ca *ca)
{
	struct conn_options o = { .files = { files->cert, files->key, ca->path, NULL, NULL } };

	uv_loop_init(&s->loop);
	uv_async_init(&s->loop, &s->stop, side_stop);
	s->stop.data = s;
	s->mailbox = mailbox_new(60);
	sem_init(&s->attached, 0, 0);
	need(conn_host_new(&s->host, &s->loop, &o));
}

static inline uint16_t side_listen(struct side *s)
{
	char bound[80];

	need(conn_listen(s->host, "127.0.0.1", 0, &side_events, side_accepted, s, &s->listener,
			 bound));
	return (uint16_t)atoi(strrchr(bound, ':') + 1);
}

static inline void side_dial(struct side *s, uint16_t port)
{
	need(conn_dial(s->host, "127.0.0.1", port, &side_events, s, &s->conn[0]));
}

static inline void side_start(struct side *s)
{
	pthread_create(&s->thread, NULL, side_run, s);
}

/* Waits until this number of connections have a channel. */
static inline void side_await(struct side *s, size_t connections)
{
	while (connections--)
		while (sem_wait(&s->attached) != 0)
			;
}

static inline void side_close(struct side *s)
{
	uv_async_send(&s->stop);
	pthread_join(s->thread, NULL);
	for (size_t i = 0; i < SIDE_PARTIES_MAX; i++)
		channel_free(s->channel[i]);
	mailbox_free(s->mailbox);
	conn_host_free(s->host);
	uv_loop_close(&s->loop);
}

#endif
