/* The snapshot (live.h) as JSON, for programs and the dashboard. */
#include "common/base/clock.h"
#include "common/job/live.h"

#include <string.h>
#include <sys/statvfs.h>

static const char *state_of(const struct live *l, const struct live_job *j)
{
	if (!j->ended && live_awaited(l, j->id, NULL))
		return "awaiting approval";
	if (!j->ended)
		return live_job_waits(j) ? "waiting" : "running";
	if (j->status == ERR_OK)
		return "done";
	return j->status == ERR_CANCELLED ? "cancelled" : "failed";
}

static void add_phases(struct json *job, const struct live_job *j)
{
	double age = j->ended ? j->elapsed_s : clock_now_s() - j->started_s;
	struct json *list = json_put_array(job, "phases");

	for (size_t p = 0; p < j->phases; p++) {
		const struct live_phase *ph = &j->phase[p];
		double end = p + 1 < j->phases ? j->phase[p + 1].start_s : age;
		struct json *o = json_append_object(list);

		json_put_string(o, "name", ph->name);
		json_put_seconds(o, "start_s", ph->start_s);
		json_put_seconds(o, "seconds", end > ph->start_s ? end - ph->start_s : 0);
		json_put_seconds(o, "compute_s", ph->compute_s);
		json_put_seconds(o, "wait_s", ph->times.wait_s);
		json_put_seconds(o, "wire_s", ph->times.wire_s);
		json_put_number(o, "rounds", ph->rounds);
		json_put_number(o, "round_trips", ph->times.round_trips);
		json_put_number(o, "iterations", ph->iterations);
	}
}

static void add_job(struct json *list, const struct live *l, const struct live_job *j)
{
	struct json *o = json_append_object(list);

	json_put_string(o, "id", j->id);
	json_put_string(o, "kind", j->kind);
	json_put_string(o, "submitter", j->submitter);
	json_put_number(o, "attempt", j->attempt);
	json_put_string(o, "state", state_of(l, j));
	if (!j->ended && live_awaited(l, j->id, NULL))
		live_awaited(l, j->id, json_put_array(o, "waiting_for"));
	json_put_string(o, "started", j->started_utc);
	json_put_seconds(o, "elapsed_s", j->ended ? j->elapsed_s : clock_now_s() - j->started_s);
	if (j->ended) {
		json_put_number(o, "exit", j->status);
		json_put_string(o, "error", j->error);
		json_put_number(o, "rows", (double)j->rows);
		json_put_number(o, "clusters", (double)j->clusters);
	}
	add_phases(o, j);
}

static void add_peer(struct json *list, const struct live_peer *p)
{
	struct json *o = json_append_object(list);

	json_put_string(o, "name", live_peer_name(p));
	json_put_bool(o, "connected", p->there);
	json_put_seconds(o, "since_s", clock_now_s() - p->since_s);
	json_put_number(o, "times_gone", (double)p->gone);
	json_put_string(o, "address", p->address);
	json_put_string(o, "software", p->software);
	json_put_string(o, "job", p->job);
	if (p->there && p->rtt_s >= 0)
		json_put_number(o, "rtt_ms", 1e3 * p->rtt_s);
	json_put_number(o, "reconnects", p->reconnects);
	json_put_number(o, "bytes_sent", (double)p->sent);
	json_put_number(o, "bytes_received", (double)p->received);
	json_put_number(o, "bytes_sent_again", (double)p->resent);
}

static void add_host(struct json *o, const struct live *l)
{
	struct statvfs disk;
	struct json *part;
	char until[32];

	if (l->certificate_until) {
		part = json_put_object(o, "certificate");
		clock_utc_of(l->certificate_until, until, sizeof(until));
		json_put_string(part, "until", until);
		json_put_number(part, "days",
				(double)((l->certificate_until - time(NULL)) / 86400));
	}
	part = json_put_object(o, "disk");
	json_put_string(part, "output", l->output);
	if (statvfs(l->output, &disk) == 0)
		json_put_number(part, "free_bytes", (double)disk.f_bavail * (double)disk.f_frsize);
}

struct json *live_json(const struct live *l)
{
	struct json *o = json_object(), *part;
	char at[32];

	clock_utc(at, sizeof(at));
	json_put_string(o, "name", l->name);
	json_put_string(o, "role", l->role);
	json_put_string(o, "software", "coterie " COTERIE_VERSION);
	json_put_string(o, "started", l->started_utc);
	json_put_string(o, "now", at);
	json_put_string(o, "phase", l->phase);
	json_put_number(o, "queued", (double)l->queued);
	json_put_number(o, "queue_written", (double)l->queue_written);
	json_put_bool(o, "person_awaited", l->person);
	part = json_put_array(o, "jobs");
	for (size_t i = 0; i < l->jobs; i++)
		add_job(part, l, &l->job[i]);
	part = json_put_array(o, "peers");
	for (size_t i = 0; i < l->peers; i++)
		add_peer(part, &l->peer[i]);
	add_host(o, l);
	return o;
}
