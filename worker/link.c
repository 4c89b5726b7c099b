#include "worker/link.h"
#include "common/base/alloc.h"

#include <mpi.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

/* MPI counts data by int, so longer data are sent as several messages, which arrive in order. */
static const size_t MESSAGE_MAX = (size_t)1 << 30;
/* Open MPI waits by polling without pause. A rank that has waited long sleeps between polls, so
 * that other ranks have the core for computing. Each sleep is an eighth of the waiting time so far,
 * at most NAP_MOST_NS. */
enum { NAP_FIRST_NS = 20000, NAP_MOST_NS = 1000000 };

struct transfers {
	MPI_Request *request;
	int count;
	size_t room;
};

static struct ranks_cost cost;
static void (*on_exchange)(void);

static double link_seconds(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static MPI_Request *next_request(struct transfers *t)
{
	ALLOC_ROOM(t->request, (size_t)t->count, t->room);
	return &t->request[t->count++];
}

static void link_receive(struct transfers *t, char *to, size_t bytes, size_t from)
{
	for (size_t at = 0; at < bytes; at += MESSAGE_MAX)
		MPI_Irecv(to + at, (int)(bytes - at < MESSAGE_MAX ? bytes - at : MESSAGE_MAX),
			  MPI_BYTE, (int)from, 0, MPI_COMM_WORLD, next_request(t));
}

static void give(struct transfers *t, const char *p, size_t bytes, size_t to)
{
	for (size_t at = 0; at < bytes; at += MESSAGE_MAX)
		MPI_Isend(p + at, (int)(bytes - at < MESSAGE_MAX ? bytes - at : MESSAGE_MAX),
			  MPI_BYTE, (int)to, 0, MPI_COMM_WORLD, next_request(t));
	cost.bytes += (double)bytes;
}

static void link_await(struct transfers *t)
{
	double began = link_seconds(CLOCK_MONOTONIC);
	int done;

	for (;;) {
		double nap_ns;

		MPI_Testall(t->count, t->request, &done, MPI_STATUSES_IGNORE);
		if (done)
			return;
		nap_ns = (link_seconds(CLOCK_MONOTONIC) - began) * 1e9 / 8;
		if (nap_ns < NAP_FIRST_NS)
			sched_yield();
		else
			nanosleep(&(struct timespec){ .tv_nsec = nap_ns < NAP_MOST_NS
								     ? (long)nap_ns
								     : NAP_MOST_NS },
				  NULL);
	}
}

static void exchange(void *ctx, size_t bytes, const void *out, const size_t *out_count, void *in,
		     const size_t *in_count)
{
	const struct ranks *R = ctx;
	double cpu_s = link_seconds(CLOCK_PROCESS_CPUTIME_ID),
	       began_s = link_seconds(CLOCK_MONOTONIC);
	const char *from = out;
	struct transfers t = { 0 };
	char *to = in;
	char *own = NULL;

	for (size_t q = 0; q < R->count; q++) {
		if (q == R->own)
			own = to;
		else
			link_receive(&t, to, in_count[q] * bytes, q);
		to += in_count[q] * bytes;
	}
	for (size_t q = 0; q < R->count; q++) {
		if (q != R->own)
			give(&t, from, out_count[q] * bytes, q);
		else if (out_count[q])
			memcpy(own, from, out_count[q] * bytes);
		from += out_count[q] * bytes;
	}
	link_await(&t);
	free(t.request);
	cost.exchange_cpu_s += link_seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu_s;
	cost.exchange_s += link_seconds(CLOCK_MONOTONIC) - began_s;
	if (on_exchange && R->own == 0)
		on_exchange();
}

void link_begin(int *argc, char ***argv, struct ranks *R)
{
	static char host[MPI_MAX_PROCESSOR_NAME];
	int own, count, length;

	MPI_Init(argc, argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &own);
	MPI_Comm_size(MPI_COMM_WORLD, &count);
	MPI_Get_processor_name(host, &length);
	*R = (struct ranks){ .own = (size_t)own,
			     .count = (size_t)count,
			     .host = host,
			     .ctx = R,
			     .exchange = exchange };
	cost = (struct ranks_cost){ 0 };
}

void link_end(void)
{
	MPI_Finalize();
}

void link_abort(const char *fmt, ...)
{
	char why[ERR_DETAIL_MAX];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(why, sizeof(why), fmt, ap);
	va_end(ap);
	fprintf(stderr, "coterie-worker: %s\n", why);
	fflush(stderr);
	MPI_Abort(MPI_COMM_WORLD, ERR_INTERNAL);
	abort();
}

struct ranks_cost link_cost(void)
{
	struct rusage used;

	getrusage(RUSAGE_SELF, &used);
	cost.cpu_s = link_seconds(CLOCK_PROCESS_CPUTIME_ID);
	cost.memory = (double)used.ru_maxrss * 1024;
	return cost;
}

void link_on_exchange(void (*call)(void))
{
	on_exchange = call;
}
