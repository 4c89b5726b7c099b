/* team.h -- ranks as threads of one process, for tests; they exchange data through memory. */
#ifndef TESTS_UNIT_RANKS_TEAM_H
#define TESTS_UNIT_RANKS_TEAM_H

#include "common/base/alloc.h"
#include "common/base/sanitized.h"
#include "common/linalg/ranks.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* Tests use teams of 3 and 9 ranks: fewer ranks than blocks, where the last ranks have two blocks,
 * and more ranks than blocks. With a sanitizer there are fewer blocks, and teams have 2 and 8. */
enum {
	TEAM_LEAST = SANITIZED ? 2 : 3,
	TEAM_TIMES = SANITIZED ? 4 : 3,
	TEAM_MOST = TEAM_LEAST * TEAM_TIMES
};

struct team {
	pthread_barrier_t all;
	const void *out[TEAM_MOST];
	const size_t *out_count[TEAM_MOST];
	void (*work)(void *arg, struct ranks *R);
	void *arg;
};

struct team_member {
	struct team *team;
	struct ranks R;
	pthread_t thread;
};

static inline void team_exchange(void *ctx, size_t bytes, const void *out, const size_t *out_count,
				 void *in, const size_t *in_count)
{
	struct team_member *m = ctx;
	struct team *t = m->team;
	char *to = in;

	t->out[m->R.own] = out;
	t->out_count[m->R.own] = out_count;
	pthread_barrier_wait(&t->all);
	for (size_t q = 0; q < m->R.count; q++) {
		size_t before = 0;

		for (size_t p = 0; p < m->R.own; p++)
			before += t->out_count[q][p];
		if (in_count[q])
			memcpy(to, (const char *)t->out[q] + before * bytes, in_count[q] * bytes);
		to += in_count[q] * bytes;
	}
	pthread_barrier_wait(&t->all);
}

static inline void *team_run(void *arg)
{
	struct team_member *m = arg;

	m->team->work(m->team->arg, &m->R);
	return NULL;
}

/* Runs work(arg, R) on each of `count` ranks. */
static inline void team(size_t count, void (*work)(void *arg, struct ranks *R), void *arg)
{
	struct team t = { .work = work, .arg = arg };
	struct team_member m[TEAM_MOST];

	pthread_barrier_init(&t.all, NULL, (unsigned)count);
	for (size_t r = 0; r < count; r++) {
		m[r] = (struct team_member){
			.team = &t,
			.R = { .own = r, .count = count, .ctx = &m[r], .exchange = team_exchange }
		};
		pthread_create(&m[r].thread, NULL, team_run, &m[r]);
	}
	for (size_t r = 0; r < count; r++)
		pthread_join(m[r].thread, NULL);
	pthread_barrier_destroy(&t.all);
}

#endif
