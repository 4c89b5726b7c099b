#include "common/job/record.h"
#include "common/base/alloc.h"
#include "common/base/clock.h"
#include "common/base/file.h"
#include "common/base/json.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void record_init(struct record *r, const char *role, const char *name)
{
	*r = (struct record){ .software = "coterie " COTERIE_VERSION, .role = role, .name = name };
	clock_utc(r->started_utc, sizeof(r->started_utc));
	r->started_s = clock_now_s();
}

void record_release(struct record *r)
{
	free(r->traffic);
	free(r->cluster_size);
	r->traffic = NULL;
	r->cluster_size = NULL;
}

void record_start(struct record *r, const struct job *job, const uint8_t job_id[static 16],
		  uint32_t attempt, const char *const *party, size_t parties)
{
	assert(parties <= PARTIES_MAX);
	record_release(r);
	record_init(r, r->role, r->name);
	r->job = *job;
	r->has_job = true;
	for (int i = 0; i < 16; i++)
		snprintf(r->job_id + 2 * i, 3, "%02x", job_id[i]);
	r->attempt = attempt;
	r->parties = parties;
	for (size_t l = 0; l < parties; l++)
		snprintf(r->party[l], sizeof(r->party[l]), "%s", party[l]);
}

/* While a phase runs, its compute_s holds the time at which it began. */
void record_phase(struct record *r, const char *name, double wait_s, double wire_s)
{
	double now = clock_now_s() - r->started_s;

	if (r->phases) {
		struct record_phase *p = &r->phase[r->phases - 1];
		double blocked = wait_s + wire_s, elapsed = now - p->start_s;

		p->wait_s = wait_s;
		p->wire_s = wire_s;
		p->compute_s = elapsed > blocked ? elapsed - blocked : 0;
	}
	if (!name)
		return;
	assert(r->phases < RECORD_PHASES_MAX);
	r->phase[r->phases] = (struct record_phase){ .start_s = now };
	snprintf(r->phase[r->phases].name, sizeof(r->phase[0].name), "%s", name);
	r->phases++;
}

struct record_phase *record_now(struct record *r)
{
	assert(r->phases);
	return &r->phase[r->phases - 1];
}

void record_result(struct record *r, const uint32_t *label, size_t n, size_t clusters)
{
	r->rows = n;
	r->clusters = clusters;
	free(r->cluster_size);
	ALLOC(r->cluster_size, clusters);
	for (size_t i = 0; i < n; i++)
		if (label[i] < clusters)
			r->cluster_size[label[i]]++;
}

void record_add_traffic(struct record *r, const struct record_traffic *t)
{
	if (!r->traffic)
		ALLOC(r->traffic, RECORD_TRAFFIC_MAX);
	if (r->traffics < RECORD_TRAFFIC_MAX)
		r->traffic[r->traffics++] = *t;
}

void record_end(struct record *r, enum err status, const char *error)
{
	r->elapsed_s = clock_now_s() - r->started_s;
	r->status = status;
	snprintf(r->error, sizeof(r->error), "%s", status == ERR_OK ? "" : error);
}

unsigned record_rounds(const struct record *r)
{
	unsigned rounds = 0;

	for (size_t p = 0; p < r->phases; p++)
		rounds += r->phase[p].rounds;
	return rounds;
}

static void put_job(const struct record *r, struct json *root)
{
	struct buf text = { 0 };
	struct json *job = NULL;

	if (!r->has_job)
		return;
	job_write(&r->job, &text);
	if (json_parse((struct bytes){ text.p, text.n }, "job", &job) == ERR_OK)
		json_put(root, "job", job);
	buf_release(&text);
}

static void put_phases(const struct record *r, struct json *root)
{
	struct json *phases = json_put_array(root, "phases");

	for (size_t i = 0; i < r->phases; i++) {
		const struct record_phase *p = &r->phase[i];
		struct json *o = json_append_object(phases);

		json_put_string(o, "name", p->name);
		json_put_number(o, "start_s", p->start_s);
		json_put_number(o, "compute_s", p->compute_s);
		json_put_number(o, "wait_s", p->wait_s);
		json_put_number(o, "wire_s", p->wire_s);
		json_put_number(o, "rounds", p->rounds);
		json_put_number(o, "iterations", p->iterations);
	}
}

static void put_traffic(const struct record *r, struct json *root)
{
	struct json *traffic = json_put_array(root, "traffic"), *peers;

	for (size_t i = 0; i < r->traffics; i++) {
		const struct record_traffic *t = &r->traffic[i];
		struct json *o = json_append_object(traffic);

		json_put_string(o, "peer", t->peer);
		json_put_string(o, "type", t->type);
		json_put_number(o, "messages_sent", (double)t->messages_sent);
		json_put_number(o, "messages_received", (double)t->messages_received);
		json_put_number(o, "bytes_sent", (double)t->bytes_sent);
		json_put_number(o, "bytes_received", (double)t->bytes_received);
	}
	peers = json_put_array(root, "peers");
	for (size_t i = 0; i < r->peers; i++) {
		struct json *o = json_append_object(peers);

		json_put_string(o, "name", r->peer[i].name);
		if (r->peer[i].rtt_ms >= 0)
			json_put_number(o, "rtt_ms", r->peer[i].rtt_ms);
		json_put_string(o, "congestion", r->peer[i].congestion);
	}
}

static void put_result(const struct record *r, struct json *root)
{
	struct json *result, *list;

	if (!r->cluster_size) {
		json_put_number(root, "result", NAN); /* null */
		return;
	}
	result = json_put_object(root, "result");
	json_put_number(result, "rows", (double)r->rows);
	json_put_number(result, "clusters", (double)r->clusters);
	list = json_put_array(result, "cluster_sizes");
	for (size_t c = 0; c < r->clusters; c++)
		json_append_number(list, (double)r->cluster_size[c]);
	list = json_put_array(result, "sums");
	for (size_t i = 0; i < r->sums; i++) {
		struct json *o = json_append_object(list);

		json_put_number(o, "group", r->sum[i].group);
		json_put_number(o, "items", (double)r->sum[i].items);
		json_put_number(o, "iterations", r->sum[i].iterations);
		json_put_number(o, "inertia", r->sum[i].inertia);
	}
}

static void put_leaks(const struct record *r, struct json *root)
{
	const char *leak[32];
	struct json *list = json_put_array(root, "leaks");
	size_t n = r->has_job ? job_leaks(&r->job, r->parties, leak, 32) : 0;

	for (size_t i = 0; i < n; i++)
		json_append_string(list, leak[i]);
}

void record_json(const struct record *r, struct buf *json)
{
	struct json *root = json_object(), *parties;

	json_put_number(root, "schema_version", RECORD_SCHEMA);
	json_put_string(root, "software", r->software);
	json_put_string(root, "role", r->role);
	json_put_string(root, "name", r->name);
	json_put_string(root, "status", r->status == ERR_OK ? "done" : "failed");
	json_put_number(root, "exit_status", r->status);
	if (r->status != ERR_OK)
		json_put_string(root, "error", r->error);
	else
		json_put_number(root, "error", NAN); /* null */
	json_put_string(root, "started", r->started_utc);
	json_put_number(root, "elapsed_s", r->elapsed_s);
	put_job(r, root);
	json_put_string(root, "job_id", r->job_id);
	json_put_number(root, "attempt", r->attempt);
	parties = json_put_array(root, "parties");
	for (size_t l = 0; l < r->parties; l++)
		json_append_string(parties, r->party[l]);
	json_put_number(root, "rounds", record_rounds(r));
	put_phases(r, root);
	put_traffic(r, root);
	put_result(r, root);
	put_leaks(r, root);
	json_write_pretty(root, json);
	json_free(root);
}

enum err record_write(const struct record *r, const char *dir)
{
	struct buf text = { 0 };
	char *path = file_join(dir, "run.json");
	enum err e;

	record_json(r, &text);
	e = file_write(path, (struct bytes){ text.p, text.n }, FILE_PUBLIC);
	buf_release(&text);
	free(path);
	return e;
}
