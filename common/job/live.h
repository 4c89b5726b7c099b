/* live.h -- the state of this process for outside readers: one snapshot.
 *
 * job threads record.c: a job begins, its phases and steps, its end \
 *     loop thread  watch.c: peers come and go, certificate; the daemons:     > lock > live_copy()
 *                  traffic, their own phase, waiting jobs                   /
 *
 * It contains only names, numbers and sentences that are also in the log. It never contains a key
 * or a mask, and a value of the data only where an error quotes one. Counters only rise while the
 * process lives, over all of its jobs and attempts. Every call is cheap (a copy of a few kB at
 * most) and safe from any thread.
 */
#ifndef COMMON_JOB_LIVE_H
#define COMMON_JOB_LIVE_H

#include "common/base/buf.h"
#include "common/base/err.h"
#include "common/base/json.h"
#include "common/job/record.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

enum {
	/* all running jobs, and at least one that has ended */
	LIVE_JOBS_MAX = RECORD_RUNNING_MAX + 1,
	LIVE_PEERS_MAX = PARTIES_MAX + 1,
	LIVE_SERIES_MAX = 256, /* pairs of kind and phase; the rest are counted as phase "other" */
	LIVE_KINDS_MAX = 32,
	LIVE_NAME = 64 + 1,
	LIVE_ADDRESS = 256 + 64,
};

struct live_phase {
	char name[24];
	double start_s, compute_s;
	struct link_times times;
	unsigned rounds, iterations;
};

struct live_job {
	char id[32 + 1], kind[24], submitter[LIVE_NAME], started_utc[32];
	uint32_t attempt;
	double started_s, elapsed_s; /* clock_now_s() at the start; duration, set at the end */
	bool ended;
	enum err status;
	char error[ERR_DETAIL_MAX];
	size_t rows, clusters;
	size_t phases;
	struct live_phase phase[RECORD_PHASES_MAX];
};

struct live_peer {
	/* name: for a party's coordinator the address that it dials; called: the peer's name once
	 * its HELLO has arrived, or "" */
	char name[LIVE_ADDRESS], called[LIVE_NAME];
	bool there;
	double since_s; /* clock_now_s() when it connected or left */
	uint64_t gone;  /* how often it left */
	char address[LIVE_ADDRESS], software[LIVE_NAME];
	char job[32 + 1];  /* the job in which it takes part, or "" */
	char asks[32 + 1]; /* the job for which this peer awaits a user's approval, or "" */
	double rtt_s;      /* < 0: not known */
	unsigned reconnects;
	uint64_t sent, received, resent; /* bytes, in this attempt */
};

/* Counters over all jobs of one kind. */
struct live_kind {
	char name[24];
	uint64_t sent, received;
	uint64_t ended[ERR_CANCELLED + 1]; /* number of ended jobs, by exit status */
};
struct live_series {
	char kind[24], phase[24];
	double compute_s;
	struct link_times times;
	uint64_t rounds, round_trips;
};

struct live {
	uint64_t version; /* rises with every change */
	char role[16], name[LIVE_NAME], phase[32], started_utc[32];
	time_t started;
	char output[512];
	double alive_s;           /* when the loop thread last called live_alive() */
	unsigned alive_within_s;  /* longest expected time between calls of live_alive() */
	time_t certificate_until; /* 0: not known */
	size_t queued;            /* jobs that wait for their turn */
	/* how often jobs.db was written, or a party began or ceased to await approval; viewers
	 * reload the queue after a change */
	uint64_t queue_written;
	bool person; /* a job waits for a user's answer */
	size_t jobs, peers, kinds, series;
	struct live_job job[LIVE_JOBS_MAX];
	struct live_peer peer[LIVE_PEERS_MAX];
	struct live_kind kind[LIVE_KINDS_MAX];
	struct live_series one[LIVE_SERIES_MAX];
};

/* ---- writers ---- */

void live_begin(const char *role, const char *name, const char *output);
/* live_alive() records that the loop thread is alive and will call again within so many seconds.
 * live_phase() sets the daemon's activity, such as "joining". live_queue() sets the number of jobs
 * that wait for their turn. */
void live_alive(unsigned within_s);
void live_phase(const char *phase);
void live_queue(size_t queued);
void live_queue_written(void);
void live_certificate(time_t until);
void live_awaits_approval(bool awaited); /* a job waits for a user's answer */
/* Copy the state of a job from its record when the job begins, continues, or has ended. A job
 * without a complete offer has no kind. */
void live_job_begins(const struct record *r);
void live_job_continues(const struct record *r);
void live_job_ended(const struct record *r);
/* removes a job that has begun at this process, but at no other, and that will begin again */
void live_job_dropped(const struct record *r);
/* Records that a peer connected or disconnected. name: as users know it. Repeated calls have no
 * effect. */
void live_peer(const char *name, bool there);
void live_peer_hello(const char *name, const char *called, const char *address,
		     const char *software);
/* Copies the traffic of a link in this attempt. Does nothing until the link's job is known. */
void live_link(const struct link_state *link);
/* the last call for a link, when its attempt is over: copies the traffic, and then clears it */
void live_link_ends(const struct link_state *link);
/* Records whether the party `called` awaits a user's approval of the job. */
void live_awaits(const char *called, const char *job, bool awaited);

/* ---- readers ---- */

struct live *live_copy(void); /* owned by the caller: free() */
uint64_t live_version(void);
/* returns the peer's name, or its address if the name is unknown */
const char *live_peer_name(const struct live_peer *p);
/* returns true if the job waits for its parties, which have no offer yet */
bool live_job_waits(const struct live_job *j);
/* Appends to list the parties at which the job awaits approval, and returns their number. list may
 * be NULL. */
size_t live_awaited(const struct live *l, const char *job, struct json *list);
/* False if the last live_alive() is longer ago than 10 s and than 10 times alive_within_s; why then
 * holds the reason. */
bool live_is_well(const struct live *l, char why[static 256]);
/* Returns the body of /api/status, to which the caller adds. */
struct json *live_json(const struct live *l);
/* Appends the metrics in Prometheus's text format, as described in docs/reference/metrics.md. */
void live_metrics(const struct live *l, struct buf *text);

/* For further metrics of a daemon: first write # HELP and # TYPE, then each sample. Labels are
 * `coordinator="a",phase="b"` or "", with values made by live_label(). */
void live_metric(struct buf *text, const char *name, const char *type, const char *help);
void live_sample(struct buf *text, const char *name, const char *labels, double value);
/* Appends name="value", escaped for the format, after a comma if labels is not empty. */
void live_label(struct buf *labels, const char *name, const char *value);

#endif
