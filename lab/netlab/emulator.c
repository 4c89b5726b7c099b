#include "lab/netlab/emulator.h"
#include "lab/netlab/netns.h"
#include "lab/netlab/link.h"
#include "common/base/alloc.h"
#include "common/base/file.h"
#include "common/base/json.h"
#include "common/base/rng.h"

#include <arpa/inet.h>
#include <errno.h>
#include <malloc.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

enum {
	/* Longest sleep of the loop; longer gaps show that it was not scheduled. */
	TICK_NS = 1000000,
	/* Number of frames that are read from one host before due packets are handled. */
	BATCH = 16,
	PRIORITY = 50,
};

/* Counts, and lateness in ns. A packet is late if it is delivered after its time, or if it is read
 * late because the loop was not scheduled. */
struct stats {
	uint64_t since, packets, bytes, dropped, lost, failed, late_sum, late_max; /* times in ns */
};

struct emulator {
	const struct emulator_options *o;
	/* Number of namespaces made; they are those of hosts 0 to made - 1. */
	int made;
	struct pollfd *device; /* one entry per host; owned */
	struct links links;
	struct queue queue;
	struct rng rng; /* for losses; the same packets give the same losses */
	struct stats stats;
	bool realtime, locked, losing;
};

static volatile sig_atomic_t stop, restart_counting;

static void emulator_on_signal(int signal)
{
	if (signal == SIGUSR1)
		restart_counting = 1;
	else
		stop = 1;
}

/* Delivers signals only while the loop waits. Children inherit the mask, so an interrupt from the
 * terminal does not kill `ip netns del`. */
static void catch_signals(sigset_t *waiting)
{
	static const int caught[] = { SIGTERM, SIGINT, SIGHUP, SIGUSR1 };
	struct sigaction action = { .sa_handler = emulator_on_signal };
	sigset_t set;

	sigemptyset(&set);
	for (size_t i = 0; i < sizeof(caught) / sizeof(*caught); i++) {
		sigaction(caught[i], &action, NULL);
		sigaddset(&set, caught[i]);
	}
	sigprocmask(SIG_BLOCK, &set, waiting);
	for (size_t i = 0; i < sizeof(caught) / sizeof(*caught); i++)
		sigdelset(waiting, caught[i]);
	signal(SIGPIPE, SIG_IGN);
}

/* Sets real-time priority, because all processes of the lab wait for this one. Without it, the lab
 * works but may be late under load. */
static void go_first(struct emulator *e)
{
	struct sched_param priority = { .sched_priority = PRIORITY };

	prctl(PR_SET_TIMERSLACK, 1);
	mallopt(M_TRIM_THRESHOLD, 1 << 30); /* keeps freed memory in the process */
	e->realtime = sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK, &priority) == 0;
	if (!e->realtime)
		fprintf(stderr, "coterie-netlab: no real-time priority: %s; packets may be late\n",
			strerror(errno));
	e->locked = mlockall(MCL_CURRENT | MCL_FUTURE) == 0;
	if (!e->locked)
		fprintf(stderr, "coterie-netlab: memory is not locked: %s; packets may be late\n",
			strerror(errno));
}

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return 1000000000u * (uint64_t)t.tv_sec + (uint64_t)t.tv_nsec;
}

/* Moves each packet that is due: from the delay to the downlink, or from the downlink to the
 * host. */
static void deliver(struct emulator *e)
{
	uint64_t now = now_ns(), late;
	struct stats *s = &e->stats;
	struct packet *p;

	while ((p = packets_first(&e->queue)) && p->due <= now) {
		packets_pop(&e->queue);
		if (p->on_downlink) {
			late = now_ns() - p->due;
			s->late_sum += late;
			s->late_max = late > s->late_max ? late : s->late_max;
			if (write(e->device[p->to].fd, p->frame, p->n) == (ssize_t)p->n) {
				s->packets++;
				s->bytes += p->w.bytes;
			} else {
				/* The write fails, for example, if the host's device is down. */
				s->failed++;
			}
			free(p);
		} else if (links_arrive(&e->links, p->to, p->w, p->due, &p->due)) {
			p->on_downlink = true;
			packets_push(&e->queue, p);
		} else {
			s->dropped++;
			free(p);
		}
	}
}

static void emulator_take_frame(struct emulator *e, int from)
{
	static unsigned char frame[FRAME_MAX];
	struct packet *p;
	struct weight w;
	uint64_t arrival;
	ssize_t n;
	int to, lossy = e->o->loss_host;

	for (int i = 0; i < BATCH; i++) {
		n = read(e->device[from].fd, frame, sizeof(frame));
		if (n < 0)
			return;
		if (!frame_look(frame, (size_t)n, e->o->hosts, &to, &w))
			continue;
		if (!links_leave(&e->links, from, w, now_ns(), &arrival)) {
			e->stats.dropped++;
			continue;
		}
		if (e->losing && (lossy < 0 || from == lossy || to == lossy) &&
		    rng_unit(&e->rng) < e->o->loss) {
			e->stats.lost++;
			continue;
		}
		p = packet_new(frame, (size_t)n, to, w);
		p->due = arrival;
		packets_push(&e->queue, p);
	}
}

static void loop(struct emulator *e, const sigset_t *waiting)
{
	while (!stop) {
		uint64_t now = now_ns(), wake = now + TICK_NS;
		struct packet *first = packets_first(&e->queue);
		struct timespec wait = { 0 };
		int ready;

		if (first && first->due < wake)
			wake = first->due > now ? first->due : now;
		wait.tv_nsec = (long)(wake - now);
		ready = ppoll(e->device, (nfds_t)e->o->hosts, &wait, waiting);
		now = now_ns();
		if (restart_counting) {
			restart_counting = 0;
			e->stats = (struct stats){ .since = now };
			e->losing = e->o->loss > 0;
		}
		if (ready > 0 && now > wake)
			e->stats.late_max =
			    now - wake > e->stats.late_max ? now - wake : e->stats.late_max;
		deliver(e);
		for (int i = 0; ready > 0 && i < e->o->hosts; i++) {
			if (e->device[i].revents & POLLIN) {
				emulator_take_frame(e, i);
				deliver(e);
			}
		}
	}
}

static enum err emulator_set_up(struct emulator *e)
{
	char name[NETNS_NAME_MAX];
	int home, fd;
	enum err err;

	for (int i = 0; i < e->o->hosts; i++) {
		netns_name(getpid(), i, name);
		TRY(netns_make(name));
		e->made++;
		TRY(netns_enter(name, &home));
		err = netns_device(i, e->o->segments, &fd);
		netns_return(home);
		TRY(err);
		e->device[i] = (struct pollfd){ .fd = fd, .events = POLLIN };
	}
	return ERR_OK;
}

static enum err write_stats(const struct emulator *e)
{
	const struct stats *s = &e->stats;
	struct json *v = json_object();
	struct buf text = { 0 };
	enum err err;

	json_put_seconds(v, "seconds", 1e-9 * (double)(now_ns() - s->since));
	json_put_number(v, "packets", (double)s->packets);
	json_put_number(v, "bytes", (double)s->bytes);
	json_put_number(v, "dropped", (double)s->dropped);
	json_put_number(v, "lost", (double)s->lost);
	json_put_number(v, "failed", (double)s->failed);
	json_put_seconds(v, "late_max_ms", 1e-6 * (double)s->late_max);
	json_put_seconds(v, "late_mean_ms",
			 s->packets ? 1e-6 * (double)(s->late_sum / s->packets) : 0);
	json_put_bool(v, "realtime", e->realtime);
	json_put_bool(v, "locked", e->locked);
	json_write(v, &text);
	buf_add(&text, "\n", 1);
	err = file_write(e->o->stats_file, (struct bytes){ text.p, text.n }, FILE_PUBLIC);
	buf_release(&text);
	json_free(v);
	return err;
}

enum err emulator_run(const struct emulator_options *o)
{
	struct emulator e = { .o = o };
	struct buf ready = { 0 };
	char name[NETNS_NAME_MAX];
	sigset_t waiting;
	enum err err;

	catch_signals(&waiting);
	ALLOC(e.device, (size_t)o->hosts);
	for (int i = 0; i < o->hosts; i++)
		e.device[i].fd = -1;
	links_init(&e.links, o->hosts, &o->speed);
	rng_seed(&e.rng, 1, 0);
	err = emulator_set_up(&e);
	if (err)
		goto out;
	go_first(&e);
	e.stats.since = now_ns();
	for (int i = 0; i < o->hosts; i++) {
		netns_name(getpid(), i, name);
		buf_printf(&ready, "%s %s\n", name, inet_ntoa(host_address(i)));
	}
	err = file_write(o->ready_file, (struct bytes){ ready.p, ready.n }, FILE_PUBLIC);
	buf_release(&ready);
	if (!err)
		loop(&e, &waiting);
	if (!err && o->stats_file)
		err = write_stats(&e);
out:
	for (int i = 0; i < e.made; i++) {
		if (e.device[i].fd >= 0)
			close(e.device[i].fd);
		netns_name(getpid(), i, name);
		if (netns_remove(name) && !err)
			err = ERR_JOB;
	}
	packets_release(&e.queue);
	links_release(&e.links);
	free(e.device);
	return err;
}
