/* The snapshot (live.h) in Prometheus's text format, 0.0.4. scripts/reference lists each metric in
 * docs/reference/metrics.md. */
#include "common/base/clock.h"
#include "common/job/live.h"

#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <unistd.h>

void live_metric(struct buf *text, const char *name, const char *type, const char *help)
{
	buf_printf(text, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

void live_sample(struct buf *text, const char *name, const char *labels, double value)
{
	if (*labels)
		buf_printf(text, "%s{%s} %.17g\n", name, labels, value);
	else
		buf_printf(text, "%s %.17g\n", name, value);
}

void live_label(struct buf *labels, const char *name, const char *value)
{
	buf_printf(labels, "%s%s=\"", labels->n ? "," : "", name);
	for (; *value; value++) {
		if (*value == '\\' || *value == '"')
			buf_add(labels, "\\", 1);
		if (*value == '\n')
			buf_add(labels, "\\n", 2);
		else
			buf_add(labels, value, 1);
	}
	buf_add(labels, "\"", 1);
}

/* Appends a sample with its labels, whose list ends with NULL. */
static void live_metrics_sample(struct buf *text, const char *name, const char *const label[][2],
				double value)
{
	struct buf labels = { 0 };

	for (size_t i = 0; label[i][0]; i++)
		live_label(&labels, label[i][0], label[i][1]);
	buf_add(&labels, "", 1);
	live_sample(text, name, (char *)labels.p, value);
	buf_release(&labels);
}
#define SAMPLE(text, name, value, ...)                                                             \
	live_metrics_sample(text, name, (const char *const[][2]){ __VA_ARGS__, { NULL, NULL } },   \
			    value)

static const char *const causes[] = {
	[ERR_JOB] = "job",     [ERR_PEER] = "peer",         [ERR_DEADLINE] = "deadline",
	[ERR_INPUT] = "input", [ERR_INTERNAL] = "internal", [ERR_CANCELLED] = "cancelled"
};

static const char *kind_name(const char *kind)
{
	return *kind ? kind : "none";
}

/* ---- the process ---- */

static void put_process(const struct live *l, struct buf *t)
{
	struct rusage used = { 0 };
	unsigned long pages = 0, resident = 0;
	FILE *f = fopen("/proc/self/statm", "re");

	getrusage(RUSAGE_SELF, &used);
	if (f) {
		if (fscanf(f, "%lu %lu", &pages, &resident) != 2)
			resident = 0;
		fclose(f);
	}
	live_metric(t, "coterie_build_info", "gauge", "Always 1; the labels name the daemon.");
	SAMPLE(t, "coterie_build_info", 1, { "name", l->name }, { "role", l->role },
	       { "version", COTERIE_VERSION });
	live_metric(t, "process_start_time_seconds", "gauge",
		    "Unix time at which this process started.");
	live_sample(t, "process_start_time_seconds", "", (double)l->started);
	live_metric(t, "process_cpu_seconds_total", "counter",
		    "Processor time of all threads of this process.");
	live_sample(t, "process_cpu_seconds_total", "",
		    (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
			1e-6 * (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec));
	live_metric(t, "process_resident_memory_bytes", "gauge",
		    "Resident memory of this process.");
	live_sample(t, "process_resident_memory_bytes", "",
		    (double)resident * (double)sysconf(_SC_PAGESIZE));
}

static void put_host(const struct live *l, struct buf *t)
{
	struct statvfs disk;

	if (statvfs(l->output, &disk) == 0) {
		live_metric(t, "coterie_output_free_bytes", "gauge",
			    "Free space on the disk of the output directory, for this user.");
		live_sample(t, "coterie_output_free_bytes", "",
			    (double)disk.f_bavail * (double)disk.f_frsize);
	}
	if (!l->certificate_until)
		return;
	live_metric(t, "coterie_certificate_expiry_timestamp_seconds", "gauge",
		    "Unix time at which this daemon's certificate expires.");
	live_sample(t, "coterie_certificate_expiry_timestamp_seconds", "",
		    (double)l->certificate_until);
}

/* ---- peers ---- */

static void put_peers(const struct live *l, struct buf *t)
{
	const struct live_peer *end = l->peer + l->peers;
	size_t there = 0;

	for (const struct live_peer *p = l->peer; p < end; p++)
		there += p->there;
	live_metric(t, "coterie_peers_connected", "gauge", "Connected peers.");
	live_sample(t, "coterie_peers_connected", "", (double)there);
	if (!l->peers)
		return;
	live_metric(t, "coterie_peer_connected", "gauge",
		    "1: this peer is connected; 0: it is not.");
	for (const struct live_peer *p = l->peer; p < end; p++)
		SAMPLE(t, "coterie_peer_connected", p->there, { "peer", live_peer_name(p) });
	live_metric(t, "coterie_peer_since_seconds", "gauge",
		    "Time since this peer connected or disconnected.");
	for (const struct live_peer *p = l->peer; p < end; p++)
		SAMPLE(t, "coterie_peer_since_seconds", clock_now_s() - p->since_s,
		       { "peer", live_peer_name(p) });
	live_metric(t, "coterie_peer_disconnects_total", "counter",
		    "Number of times that this peer disconnected.");
	for (const struct live_peer *p = l->peer; p < end; p++)
		SAMPLE(t, "coterie_peer_disconnects_total", (double)p->gone,
		       { "peer", live_peer_name(p) });
	live_metric(t, "coterie_peer_round_trip_seconds", "gauge",
		    "Smoothed round trip to this peer; absent until a job has measured it.");
	for (const struct live_peer *p = l->peer; p < end; p++)
		if (p->there && p->rtt_s >= 0)
			SAMPLE(t, "coterie_peer_round_trip_seconds", p->rtt_s,
			       { "peer", live_peer_name(p) });
}

/* ---- jobs ---- */

static void put_jobs(const struct live *l, struct buf *t)
{
	size_t running = 0, waiting = 0, awaiting = 0;
	double age = 0, phase = 0;

	for (const struct live_job *j = l->job; j < l->job + l->jobs; j++) {
		double a = clock_now_s() - j->started_s;

		if (j->ended)
			continue;
		*(live_awaited(l, j->id, NULL) ? &awaiting
		  : live_job_waits(j)          ? &waiting
					       : &running) += 1;
		if (a < age)
			continue;
		age = a;
		phase = j->phases ? a - j->phase[j->phases - 1].start_s : a;
	}
	live_metric(t, "coterie_jobs", "gauge",
		    "Jobs by state: queued, waiting for parties, awaiting a user's approval, "
		    "running.");
	SAMPLE(t, "coterie_jobs", (double)l->queued, { "state", "queued" });
	SAMPLE(t, "coterie_jobs", (double)waiting, { "state", "waiting" });
	SAMPLE(t, "coterie_jobs", (double)awaiting, { "state", "awaiting approval" });
	SAMPLE(t, "coterie_jobs", (double)running, { "state", "running" });
	live_metric(t, "coterie_job_age_seconds", "gauge",
		    "Time since the offer of the oldest unfinished job; 0: no job.");
	live_sample(t, "coterie_job_age_seconds", "", age);
	live_metric(t, "coterie_phase_age_seconds", "gauge",
		    "Time since that job's current phase began.");
	live_sample(t, "coterie_phase_age_seconds", "", phase);
}

static void put_ended(const struct live *l, struct buf *t)
{
	const struct live_kind *end = l->kind + l->kinds;

	if (!l->kinds)
		return;
	live_metric(t, "coterie_jobs_done_total", "counter", "Jobs that succeeded.");
	for (const struct live_kind *k = l->kind; k < end; k++)
		SAMPLE(t, "coterie_jobs_done_total", (double)k->ended[ERR_OK],
		       { "kind", kind_name(k->name) });
	live_metric(t, "coterie_jobs_failed_total", "counter",
		    "Failed and cancelled jobs, by cause (exit statuses 1 to 6). If another "
		    "attempt follows, the job has not failed.");
	for (const struct live_kind *k = l->kind; k < end; k++)
		for (enum err e = ERR_JOB; e <= ERR_CANCELLED; e++)
			SAMPLE(t, "coterie_jobs_failed_total", (double)k->ended[e],
			       { "kind", kind_name(k->name) }, { "cause", causes[e] });
	live_metric(t, "coterie_sent_bytes_total", "counter", "Bytes of frames that jobs sent.");
	for (const struct live_kind *k = l->kind; k < end; k++)
		SAMPLE(t, "coterie_sent_bytes_total", (double)k->sent,
		       { "kind", kind_name(k->name) });
	live_metric(t, "coterie_received_bytes_total", "counter",
		    "Bytes of frames that jobs received.");
	for (const struct live_kind *k = l->kind; k < end; k++)
		SAMPLE(t, "coterie_received_bytes_total", (double)k->received,
		       { "kind", kind_name(k->name) });
}

static void put_phases(const struct live *l, struct buf *t)
{
	const struct live_series *end = l->one + l->series;
	static const char *const spent[] = { "compute", "wait", "wire" };

	if (!l->series)
		return;
	live_metric(t, "coterie_rounds_total", "counter", "Secure sums of jobs.");
	for (const struct live_series *s = l->one; s < end; s++)
		SAMPLE(t, "coterie_rounds_total", (double)s->rounds, { "kind", kind_name(s->kind) },
		       { "phase", s->phase });
	live_metric(t, "coterie_round_trips_total", "counter",
		    "Number of times that jobs waited for an answer.");
	for (const struct live_series *s = l->one; s < end; s++)
		SAMPLE(t, "coterie_round_trips_total", (double)s->round_trips,
		       { "kind", kind_name(s->kind) }, { "phase", s->phase });
	live_metric(t, "coterie_phase_seconds_total", "counter",
		    "Time of jobs: compute (own computation), wait (for others' computation), "
		    "wire (transfer).");
	for (const struct live_series *s = l->one; s < end; s++) {
		const double value[] = { s->compute_s, s->times.wait_s, s->times.wire_s };

		for (size_t i = 0; i < 3; i++)
			SAMPLE(t, "coterie_phase_seconds_total", value[i],
			       { "kind", kind_name(s->kind) }, { "phase", s->phase },
			       { "spent", spent[i] });
	}
}

void live_metrics(const struct live *l, struct buf *text)
{
	put_process(l, text);
	put_host(l, text);
	put_peers(l, text);
	put_jobs(l, text);
	put_ended(l, text);
	put_phases(l, text);
}
