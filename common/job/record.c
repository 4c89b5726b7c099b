#include "common/job/record.h"
#include "common/base/alloc.h"
#include "common/base/clock.h"
#include "common/base/log.h"
#include "common/job/live.h"
#include "common/job/memory_check.h"
#include "common/job/shortfall.h"

#include <assert.h>
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
	for (size_t i = 0; i < r->sums; i++)
		free(r->sum[i].objective);
	r->sums = 0;
	facts_release(&r->facts);
	warnings_release(&r->warnings);
	for (size_t i = 0; i < r->files; i++)
		free(r->file[i].path);
	r->files = 0;
	free(r->head);
	r->head = NULL;
	r->heads = 0;
	free(r->step);
	r->step = NULL;
	free(r->traffic);
	r->traffic = NULL;
	free(r->cluster_size);
	r->cluster_size = NULL;
	free(r->data.features);
	free(r->data.edges);
	free(r->data.ids);
	free(r->data.graphs);
	memset(&r->data, 0, sizeof(r->data));
}

void record_offer(struct record *r, const uint8_t job_id[static 16], uint32_t attempt)
{
	hex_write(job_id, 16, r->job_id);
	r->attempt = attempt;
	log_set_job_here(r->job_id);
}

void record_start(struct record *r, const struct job *job, const uint8_t job_id[static 16],
		  uint32_t attempt, const char *const *party, size_t parties)
{
	struct record_attempts attempts = r->attempts;
	char submitter[sizeof(r->submitter)];

	memcpy(submitter, r->submitter, sizeof(submitter));
	assert(parties <= PARTIES_MAX);
	record_release(r);
	record_init(r, r->role, r->name);
	r->attempts = attempts;
	memcpy(r->submitter, submitter, sizeof(submitter));
	r->job = *job;
	r->has_job = true;
	record_offer(r, job_id, attempt);
	r->parties = parties;
	for (size_t l = 0; l < parties; l++)
		snprintf(r->party[l], sizeof(r->party[l]), "%s", party[l]);
	memory_check_begin();
	live_job_begins(r);
}

void record_past(struct record *r, uint32_t attempt, double elapsed_s, const char *cause)
{
	struct record_attempt *a;

	if (r->attempts.count == RECORD_ATTEMPTS_MAX)
		return;
	a = &r->attempts.past[r->attempts.count++];
	a->attempt = attempt;
	a->elapsed_s = elapsed_s;
	snprintf(a->cause, sizeof(a->cause), "%s", cause);
}

void record_left(struct record *r, const char *name, uint32_t attempt, const char *step)
{
	struct record_left *left;

	if (r->attempts.lefts == PARTIES_MAX)
		return;
	left = &r->attempts.left[r->attempts.lefts++];
	left->attempt = attempt;
	snprintf(left->name, sizeof(left->name), "%s", name);
	snprintf(left->step, sizeof(left->step), "%s", step);
}

const char *record_at(const struct record *r)
{
	return r->phases ? r->phase[r->phases - 1].name : "";
}

static void times_add(struct link_times *sum, const struct link_times *t)
{
	sum->wait_s += t->wait_s;
	sum->wire_s += t->wire_s;
	sum->round_trips += t->round_trips;
}

void record_step(struct record *r, const struct link_times *passed)
{
	double now = clock_now_s() - r->started_s, blocked = passed->wait_s + passed->wire_s;
	double elapsed = now - r->step_start_s, compute = elapsed > blocked ? elapsed - blocked : 0;
	struct record_phase *p;

	if (!r->phases)
		return;
	p = &r->phase[r->phases - 1];
	p->compute_s += compute;
	times_add(&p->times, passed);
	if (!r->step)
		ALLOC(r->step, RECORD_STEPS_MAX);
	if (r->steps == RECORD_STEPS_MAX) {
		r->step[r->steps - 1].compute_s += compute;
		times_add(&r->step[r->steps - 1].times, passed);
	} else {
		r->step[r->steps++] = (struct record_step){ .phase = (unsigned)r->phases - 1,
							    .start_s = r->step_start_s,
							    .compute_s = compute,
							    .times = *passed };
	}
	r->step_start_s = now;
	live_job_continues(r);
}

void record_phase(struct record *r, const char *name)
{
	assert(r->phases < RECORD_PHASES_MAX);
	r->step_start_s = clock_now_s() - r->started_s;
	r->phase[r->phases] = (struct record_phase){ .start_s = r->step_start_s };
	snprintf(r->phase[r->phases].name, sizeof(r->phase[0].name), "%s", name);
	r->phases++;
	live_job_continues(r);
}

struct record_phase *record_now(struct record *r)
{
	assert(r->phases);
	return &r->phase[r->phases - 1];
}

void record_sum(struct record *r, const struct record_sum *sum)
{
	struct record_sum *own;

	assert(r->phases);
	if (r->sums == RECORD_SUMS_MAX)
		return;
	own = &r->sum[r->sums++];
	*own = *sum;
	own->phase = (unsigned)r->phases - 1;
	own->objective = NULL;
	if (!own->objectives)
		return;
	ALLOC(own->objective, own->objectives);
	memcpy(own->objective, sum->objective, own->objectives * sizeof(*own->objective));
}

static char *absolute(const char *path)
{
	char *real = path ? realpath(path, NULL) : NULL;

	return real || !path ? real : alloc_copy(path);
}

void record_data(struct record *r, const char *features, const char *edges, const char *ids,
		 const char *graphs)
{
	r->data.features = absolute(features);
	r->data.edges = absolute(edges);
	r->data.ids = absolute(ids);
	r->data.graphs = absolute(graphs);
}

void record_file(struct record *r, const char *key, const char *path, uint64_t bytes,
		 time_t modified, const uint8_t sha256[static 32])
{
	struct record_file *f;

	if (r->files == RECORD_FILES_MAX)
		return;
	f = &r->file[r->files++];
	*f = (struct record_file){ .key = key, .path = absolute(path), .bytes = bytes };
	clock_utc_of(modified, f->modified_utc, sizeof(f->modified_utc));
	memcpy(f->sha256, sha256, sizeof(f->sha256));
}

/* Warns by shortfall_sizes() if cluster_size counts all rows of the job. At a party it does so only
 * if the parties hold columns of the same rows. */
static void record_check_sizes(const struct record *r)
{
	if (r->has_job && (strcmp(r->role, "party") || r->job.kind->split == SPLIT_COLUMNS))
		shortfall_sizes(&r->job, r->cluster_size, r->clusters);
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
	record_check_sizes(r);
}

void record_sizes(struct record *r, const double *size, size_t clusters)
{
	r->rows = 0;
	r->clusters = clusters;
	free(r->cluster_size);
	ALLOC(r->cluster_size, clusters);
	for (size_t c = 0; c < clusters; c++)
		r->rows += r->cluster_size[c] = (uint64_t)(size[c] + 0.5);
	record_check_sizes(r);
}

void record_confidence(struct record *r, const double *confidence, size_t n)
{
	double share[10] = { 0 }, mean = 0;

	for (size_t i = 0; i < n; i++) {
		size_t tenth = (size_t)(10 * confidence[i]);

		mean += confidence[i];
		share[tenth < 10 ? tenth : 9]++;
	}
	/* Divides only once, since the rounded sum of n shares of 1 / n may exceed 1. */
	mean /= (double)n;
	for (size_t t = 0; t < 10; t++)
		share[t] /= (double)n;
	shortfall_silhouette(mean, n);
	facts_number(&r->facts, "confidence", mean);
	facts_numbers(&r->facts, "confidence_tenths", share, 10);
}

void record_modularity(struct record *r, double modularity, bool communities)
{
	facts_number(&r->facts, "modularity", modularity);
	if (communities)
		shortfall_modularity(modularity);
}

void record_selection(struct record *r, const struct selection *s)
{
	struct facts *to = &r->facts;
	struct buf text = { 0 };

	if (s->count < 2)
		return;
	selection_text(s, &text);
	log_info("%.*s", (int)text.n, (const char *)text.p);
	buf_release(&text);
	shortfall_selection(s);
	facts_number(to, "selection_k", selection_k(s));
	facts_number(to, "selection_margin", selection_margin(s));
	facts_number(to, "selection_from", s->from);
	facts_numbers(to, "selection_silhouette", s->silhouette, s->count);
	facts_numbers(to, "selection_inertia", s->inertia, s->count);
	facts_numbers(to, "selection_ratio", s->ratio, s->count);
	if (s->has_stability)
		facts_numbers(to, "selection_stability", s->stability, s->count);
	if (s->has_gap)
		facts_numbers(to, "selection_eigengap", s->gap, s->count);
}

static void add_traffic(struct record *r, const char *peer, const struct link_type *t)
{
	struct record_traffic *to;

	if (!r->traffic)
		ALLOC(r->traffic, RECORD_TRAFFIC_MAX);
	if (r->traffics == RECORD_TRAFFIC_MAX)
		return;
	to = &r->traffic[r->traffics++];
	*to = (struct record_traffic){ .messages_sent = t->messages_sent,
				       .messages_received = t->messages_received,
				       .bytes_sent = t->bytes_sent,
				       .bytes_received = t->bytes_received };
	snprintf(to->peer, sizeof(to->peer), "%s", peer);
	snprintf(to->type, sizeof(to->type), "%s", t->name);
}

void record_link(struct record *r, const struct link_state *link)
{
	struct record_peer *p;

	for (size_t i = 0; i < link->types; i++)
		add_traffic(r, link->peer, &link->type[i]);
	if (r->peers == sizeof(r->peer) / sizeof(*r->peer))
		return;
	p = &r->peer[r->peers++];
	snprintf(p->name, sizeof(p->name), "%s", link->peer);
	p->rtt_ms = link->rtt_s < 0 ? -1 : 1e3 * link->rtt_s;
	snprintf(p->congestion, sizeof(p->congestion), "%s", link->congestion);
	p->reconnects = link->reconnects;
	p->resent = link->resent;
}

void record_ledger(struct record *r, uint64_t count, const uint8_t hash[static 32])
{
	r->ledger.count = count;
	memcpy(r->ledger.hash, hash, sizeof(r->ledger.hash));
}

void record_peer_ledger(struct record *r, const char *name, uint64_t count,
			const uint8_t hash[static 32])
{
	struct record_head *h;

	r->head = alloc_again(r->head, r->heads + 1, sizeof(*r->head));
	h = &r->head[r->heads++];
	*h = (struct record_head){ .count = count };
	snprintf(h->name, sizeof(h->name), "%s", name);
	memcpy(h->hash, hash, sizeof(h->hash));
}

void record_end(struct record *r, enum err status, const char *error)
{
	r->elapsed_s = clock_now_s() - r->started_s;
	r->memory_peak = memory_check_peak();
	r->status = status;
	r->ended = true;
	snprintf(r->error, sizeof(r->error), "%s", status == ERR_OK ? "" : error);
}

unsigned record_rounds(const struct record *r)
{
	unsigned rounds = 0;

	for (size_t p = 0; p < r->phases; p++)
		rounds += r->phase[p].rounds;
	return rounds;
}

unsigned record_round_trips(const struct record *r)
{
	unsigned trips = 0;

	for (size_t p = 0; p < r->phases; p++)
		trips += r->phase[p].times.round_trips;
	return trips;
}

double record_round_trips_bound(const struct record *r)
{
	double trips = 3.5;

	for (size_t p = 0; p < r->phases; p++) {
		const struct record_phase *phase = &r->phase[p];

		if (phase->rounds)
			trips += phase->rounds + (strcmp(phase->name, "polish") ? 1 : 0);
	}
	return trips;
}
