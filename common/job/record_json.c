/* Writes run.json. docs/reference/schemas.md lists its members. */
#include "common/base/file.h"
#include "common/base/json.h"
#include "common/base/log.h"
#include "common/job/record.h"
#include "common/job/share.h"

#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void put_times(struct json *o, double start_s, double compute_s, const struct link_times *t)
{
	json_put_number(o, "start_s", start_s);
	json_put_number(o, "compute_s", compute_s);
	json_put_number(o, "wait_s", t->wait_s);
	json_put_number(o, "wire_s", t->wire_s);
	json_put_number(o, "round_trips", t->round_trips);
}

/* Writes the times of each phase and of its steps, the traffic by peer and type of message, and the
 * state of the connections to peers. */
static void put_course(const struct record *r, struct json *root)
{
	struct json *phases = json_put_array(root, "phases");
	struct json *steps = json_put_array(root, "steps");
	struct json *traffic = json_put_array(root, "traffic");
	struct json *peers = json_put_array(root, "peers");

	for (size_t i = 0; i < r->phases; i++) {
		const struct record_phase *p = &r->phase[i];
		struct json *o = json_append_object(phases);

		json_put_string(o, "name", p->name);
		put_times(o, p->start_s, p->compute_s, &p->times);
		json_put_number(o, "rounds", p->rounds);
		json_put_number(o, "iterations", p->iterations);
	}
	for (size_t i = 0; i < r->steps; i++) {
		const struct record_step *s = &r->step[i];
		struct json *o = json_append_object(steps);

		json_put_number(o, "phase", s->phase);
		put_times(o, s->start_s, s->compute_s, &s->times);
	}
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
	for (size_t i = 0; i < r->peers; i++) {
		struct json *o = json_append_object(peers);

		json_put_string(o, "name", r->peer[i].name);
		if (r->peer[i].rtt_ms >= 0)
			json_put_number(o, "rtt_ms", r->peer[i].rtt_ms);
		json_put_string(o, "congestion", r->peer[i].congestion);
		json_put_number(o, "reconnects", r->peer[i].reconnects);
		json_put_number(o, "bytes_resent", (double)r->peer[i].resent);
	}
}

static void record_put_result(const struct record *r, struct json *root)
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

		json_put_number(o, "phase", r->sum[i].phase);
		json_put_number(o, "group", r->sum[i].group);
		json_put_number(o, "items", (double)r->sum[i].items);
		json_put_number(o, "merged", (double)r->sum[i].merged);
		json_put_number(o, "iterations", r->sum[i].iterations);
		json_put_number(o, "inertia", r->sum[i].inertia);
		if (r->sum[i].silhouette != 0)
			json_put_number(o, "silhouette", r->sum[i].silhouette);
		o = json_put_array(o, "objective");
		for (unsigned t = 0; t < r->sum[i].objectives; t++)
			json_append_number(o, r->sum[i].objective[t]);
	}
}

static void put_hex(struct json *o, const char *key, const uint8_t hash[static 32])
{
	char hex[2 * 32 + 1];

	hex_write(hash, 32, hex);
	json_put_string(o, key, hex);
}

/* Writes the kind's own facts, in the order in which they were recorded. */
static void put_facts(const struct record *r, struct json *root)
{
	struct json *facts = r->facts.count ? json_put_object(root, "facts") : NULL;

	for (const struct fact *f = r->facts.item; f < r->facts.item + r->facts.count; f++) {
		if (f->text) {
			json_put_string(facts, f->name, f->text);
		} else if (f->values == 1) {
			json_put_number(facts, f->name, f->value[0]);
		} else {
			struct json *list = json_put_array(facts, f->name);

			for (size_t v = 0; v < f->values; v++)
				json_append_number(list, f->value[v]);
		}
	}
}

static void record_put_warnings(const struct record *r, struct json *root)
{
	struct json *list = json_put_array(root, "warnings");

	for (size_t i = 0; i < r->warnings.count; i++) {
		const struct warning_said *w = &r->warnings.said[i];
		struct json *o = json_append_object(list);

		json_put_string(o, "code", warning_text[w->what].code);
		json_put_string(o, "sentence", w->sentence);
		json_put_number(o, "number", w->number);
	}
}

/* Writes the files that a party read, and the heads of ledgers. */
static void record_put_data(const struct record *r, struct json *root)
{
	const struct {
		const char *key, *path;
	} data[] = { { "features", r->data.features },
		     { "edges", r->data.edges },
		     { "ids", r->data.ids },
		     { "graphs", r->data.graphs } };
	struct json *o;

	if (r->data.features || r->data.edges || r->data.graphs) {
		/* the report reads the data again at these paths */
		o = json_put_object(root, "data");
		for (size_t i = 0; i < 4; i++)
			if (data[i].path)
				json_put_string(o, data[i].key, data[i].path);
	}
	if (r->files) {
		struct json *list = json_put_array(root, "files");

		for (const struct record_file *f = r->file; f < r->file + r->files; f++) {
			o = json_append_object(list);
			json_put_string(o, "of", f->key);
			json_put_string(o, "path", f->path);
			json_put_number(o, "bytes", (double)f->bytes);
			json_put_string(o, "modified", f->modified_utc);
			put_hex(o, "sha256", f->sha256);
		}
	}
	if (r->ledger.count || r->heads) {
		struct json *ledger = json_put_object(root, "ledger"), *peers;

		if (r->ledger.count) {
			json_put_number(ledger, "count", (double)r->ledger.count);
			put_hex(ledger, "hash", r->ledger.hash);
		}
		peers = json_put_object(ledger, "peers");
		for (size_t i = 0; i < r->heads; i++) {
			o = json_put_object(peers, r->head[i].name);
			json_put_number(o, "count", (double)r->head[i].count);
			put_hex(o, "hash", r->head[i].hash);
		}
	}
}

void record_json(const struct record *r, struct buf *json)
{
	struct json *root = json_object(), *job = NULL, *list;
	struct buf text = { 0 };
	const char *disclosure[32];
	size_t disclosures;

	json_put_number(root, "schema_version", RECORD_SCHEMA);
	json_put_string(root, "software", r->software);
	json_put_string(root, "role", r->role);
	json_put_string(root, "name", r->name);
	json_put_string(root, "status",
			!r->ended             ? "running"
			: r->status == ERR_OK ? "done"
					      : "failed");
	json_put_number(root, "exit_status", r->ended ? r->status : NAN); /* null */
	if (r->status != ERR_OK)
		json_put_string(root, "error", r->error);
	else
		json_put_number(root, "error", NAN); /* null */
	json_put_string(root, "started", r->started_utc);
	json_put_number(root, "elapsed_s", r->elapsed_s);
	if (r->memory_estimate > 0)
		json_put_number(root, "memory_estimate_bytes", floor(r->memory_estimate));
	if (r->ended && r->memory_peak > 0)
		json_put_number(root, "memory_peak_bytes", r->memory_peak);
	if (r->has_job) {
		job_write(&r->job, &text);
		if (json_parse((struct bytes){ text.p, text.n }, "job", &job) == ERR_OK)
			json_put(root, "job", job);
		buf_release(&text);
	}
	json_put_string(root, "job_id", r->job_id);
	json_put_number(root, "attempt", r->attempt);
	list = json_put_array(root, "attempts");
	for (size_t i = 0; i < r->attempts.count; i++) {
		const struct record_attempt *a = &r->attempts.past[i];
		struct json *o = json_append_object(list);

		json_put_number(o, "attempt", a->attempt);
		json_put_string(o, "cause", a->cause);
		json_put_number(o, "elapsed_s", a->elapsed_s < 0 ? NAN : a->elapsed_s);
	}
	list = json_put_array(root, "left_out");
	for (size_t i = 0; i < r->attempts.lefts; i++) {
		const struct record_left *left = &r->attempts.left[i];
		struct json *o = json_append_object(list);

		json_put_string(o, "name", left->name);
		json_put_number(o, "attempt", left->attempt);
		if (*left->step)
			json_put_string(o, "step", left->step);
	}
	if (*r->submitter)
		json_put_string(root, "submitter", r->submitter);
	list = json_put_array(root, "parties");
	for (size_t l = 0; l < r->parties; l++)
		json_append_string(list, r->party[l]);
	json_put_number(root, "rounds", record_rounds(r));
	json_put_number(root, "round_trips", record_round_trips(r));
	/* The bound counts secure sums, but not the batches that parties of some kinds send each
	 * other through the coordinator. */
	if (r->has_job && !r->job.kind->relays)
		json_put_number(root, "round_trips_bound", record_round_trips_bound(r));
	put_course(r, root);
	if (r->order)
		json_put_number(root, "filter_order", r->order);
	record_put_warnings(r, root);
	put_facts(r, root);
	record_put_result(r, root);
	list = json_put_array(root, "leaks");
	disclosures = r->has_job ? job_disclosures(&r->job, r->parties, disclosure, 32) : 0;
	for (size_t i = 0; i < disclosures; i++)
		json_append_string(list, disclosure[i]);
	record_put_data(r, root);
	json_write_pretty(root, json);
	json_free(root);
}

/* Paths of this process's run.json files that say "running"; "": a free entry. */
static pthread_mutex_t running_lock = PTHREAD_MUTEX_INITIALIZER;
static char running[RECORD_RUNNING_MAX][PATH_MAX];

static void note_running(const char *path, bool runs)
{
	char *at = NULL;

	pthread_mutex_lock(&running_lock);
	for (size_t i = 0; i < RECORD_RUNNING_MAX; i++)
		if (!strcmp(running[i], path))
			at = running[i];
	for (size_t i = 0; i < RECORD_RUNNING_MAX && runs && !at; i++)
		if (!*running[i])
			at = running[i];
	if (at)
		snprintf(at, PATH_MAX, "%s", runs ? path : "");
	pthread_mutex_unlock(&running_lock);
}

/* Changes the status in the file in place, since the disk may be full and memory exhausted. Each
 * new word is as long as the old one. False if the file cannot be read, or its status is not
 * "running". */
static bool record_write_end(const char *path, enum err status)
{
	int fd = open(path, O_RDWR | O_CLOEXEC);
	static const char was[] = "\"status\": \"running\"", failed[] = "\"status\": \"failed\" ",
			  done[] = "\"status\": \"done\"   ";
	char head[1024], code[5], *at, *null;
	ssize_t n;

	if (fd < 0)
		return false;
	n = pread(fd, head, sizeof(head) - 1, 0);
	head[n < 0 ? 0 : n] = 0;
	at = strstr(head, was);
	null = at ? strstr(at, "null") : NULL;
	if (null) {
		memcpy(at, status == ERR_OK ? done : failed, sizeof(was) - 1);
		snprintf(code, sizeof(code), "%-4d", status);
		memcpy(null, code, 4);
		(void)!pwrite(fd, head, (size_t)n, 0);
	}
	close(fd);
	return null;
}

void record_abandon(enum err status)
{
	for (size_t i = 0; i < RECORD_RUNNING_MAX; i++)
		if (*running[i])
			(void)record_write_end(running[i], status);
}

void record_bury(const char *dir)
{
	char *path = file_join(dir, "run.json");

	if (record_write_end(path, ERR_INTERNAL))
		log_warn("%s was left by a killed process as \"running\": its status is now "
			 "\"failed\"",
			 path);
	free(path);
}

enum err record_write(const struct record *r, const char *dir)
{
	struct buf text = { 0 };
	char *path = file_join(dir, "run.json");
	enum err e;

	record_json(r, &text);
	/* The record of a running job is not synced to disk: it need not survive a power loss,
	 * which would end the job too. */
	e = (r->ended ? file_write : file_write_soon)(path, (struct bytes){ text.p, text.n },
						      FILE_PUBLIC);
	if (e != ERR_OK && r->ended)
		(void)record_write_end(path, r->status);
	if (e == ERR_OK || r->ended)
		note_running(path, !r->ended);
	if (r->ended)
		share_results(dir);
	buf_release(&text);
	free(path);
	return e;
}
