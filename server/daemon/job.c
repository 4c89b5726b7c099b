#include "server/daemon/job.h"
#include "common/base/alloc.h"
#include "common/base/clock.h"
#include "common/base/log.h"
#include "common/base/file.h"
#include "common/data/labels.h"
#include "common/data/limits.h"
#include "common/data/npy.h"
#include "crypto/hash.h"
#include "server/fedgcn/fedgcn.h"
#include "server/daemon/attempt.h"
#include "server/fedsc/fedsc.h"
#include "server/fedspectral/fedspectral.h"
#include "server/fedwalk/fedwalk.h"
#include "server/kcagc/gcc.h"
#include "server/kcagc/kcagc.h"
#include "server/kcagc/landmark.h"
#include "server/kcagc/predict.h"
#include "server/run/relay.h"
#include "proto/account.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* How long a party that is there has to acknowledge the last message. */
#define DONE_TIMEOUT_S      5.0
#define LAST_TIMEOUT_S      1.0 /* until what goes before it is in the kernel */
#define ABORT_TIMEOUT_S     1.0
#define CANCELLED_TIMEOUT_S 0.2 /* a process that is stopped has little time left */

static enum err run_kcagc(struct run *run, uint32_t *label)
{
	if (run->job.kind == JOB_KCAGC_PREDICT)
		return server_predict(run, label);
	if (run->job.method == METHOD_LANDMARK)
		return server_landmark(run, label);
	if (run->job.method == METHOD_GCC)
		return server_gcc(run, label);
	return server_kcagc(run, label);
}

/* The table of kinds: a new protocol is one row here and one in party/daemon/job.c. *label becomes
 * run->n labels, owned by the caller; it stays NULL where the coordinator has none to know. */
static enum err run_kind(struct run *run, uint32_t **label)
{
	switch (run->job.kind) {
	case JOB_KCAGC:
	case JOB_KCAGC_PREDICT:
		ALLOC(*label, run->n);
		return run_kcagc(run, *label);
	case JOB_FEDSC:
	case JOB_KMEANS:
		return server_fedsc(run, label);
	case JOB_FEDSPECTRAL:
		return server_fedspectral(run, label);
	case JOB_FEDWALK:
		return server_fedwalk(run);
	case JOB_FEDGCN:
		return server_fedgcn(run);
	default:
		return err_set(ERR_INTERNAL, "job kind %d has no protocol", run->job.kind);
	}
}

/* ---- offer and acceptance ---- */

static enum err offer(struct run *run, struct buf *text)
{
	struct msg m = { .type = MSG_OFFER };

	memcpy(m.offer.job_id, run->job_id, JOB_ID_LEN);
	m.offer.attempt = run->attempt;
	m.offer.job = (struct bytes){ text->p, text->n };
	m.offer.parties = (uint32_t)run->L;
	for (size_t l = 0; l < run->L; l++)
		m.offer.names[l] =
		    (struct bytes){ (const uint8_t *)run->name[l], strlen(run->name[l]) };
	return run_broadcast(run, 0, run->L, &m);
}

static void hex8(const uint8_t *hash, char text[static 17]) /* enough of it to tell two apart */
{
	for (int i = 0; i < 8; i++)
		snprintf(text + 2 * i, 3, "%02x", hash[i]);
}

static enum err same_hash(const struct run *run, const char *what, size_t a, const uint8_t *ha,
			  size_t b, const uint8_t *hb)
{
	char ta[17], tb[17];

	if (memcmp(ha, hb, HASH_LEN) == 0)
		return ERR_OK;
	hex8(ha, ta);
	hex8(hb, tb);
	return err_set(ERR_PEER, "%s and %s have different %s (fingerprints %s and %s of this job)",
		       run->name[a], run->name[b], what, ta, tb);
}

/* All parties must mean the same job. */
static enum err compare_jobs(const struct run *run, const uint8_t *job_hash,
			     const struct msg_accept *accept)
{
	char ours[17], theirs[17];

	hex8(job_hash, ours);
	for (size_t l = 0; l < run->L; l++) {
		hex8(accept[l].job_hash, theirs);
		if (memcmp(job_hash, accept[l].job_hash, HASH_LEN) != 0)
			return err_set(ERR_PEER,
				       "%s reads the job differently: its effective job has hash "
				       "%s, here %s; are the versions the same?",
				       run->name[l], theirs, ours);
	}
	return ERR_OK;
}

/* Rows of the same columns. */
static enum err compare_columns(struct run *run, const struct msg_accept *accept)
{
	for (size_t l = 0; l < run->L; l++) {
		if (accept[l].columns < 1 || accept[l].columns > COLS_MAX)
			return err_set(ERR_PEER, "%s has %u feature columns, expected 1 to %zu",
				       run->name[l], accept[l].columns, (size_t)COLS_MAX);
		if (accept[l].columns != accept[0].columns)
			return err_set(ERR_INPUT,
				       "%s has %u feature columns and %s has %u: rows of different "
				       "parties must have the same columns",
				       run->name[0], accept[0].columns, run->name[l],
				       accept[l].columns);
	}
	run->columns = accept[0].columns;
	return ERR_OK;
}

/* Attributes count where features are made of them. */
static enum err compare_attributes(struct run *run, const struct msg_accept *accept)
{
	if (run->job.graph_features == GRAPH_STRUCTURE)
		return ERR_OK;
	for (size_t l = 0; l < run->L; l++)
		if (accept[l].columns != accept[0].columns)
			return err_set(ERR_INPUT,
				       "%s has graphs with %u attributes of a node and %s with %u: "
				       "with job.features \"%s\" all parties must have the same",
				       run->name[0], accept[0].columns, run->name[l],
				       accept[l].columns,
				       job_graph_features_names[run->job.graph_features]);
	run->columns = accept[0].columns;
	return ERR_OK;
}

/* The same nodes and, unless graphs is "own", edges. */
static enum err compare_nodes(struct run *run, const struct msg_accept *accept)
{
	for (size_t l = 0; l < run->L; l++) {
		const struct msg_accept *a = &accept[0], *b = &accept[l];

		if (a->rows != b->rows)
			return err_set(ERR_PEER, "%s has %" PRIu64 " nodes and %s has %" PRIu64,
				       run->name[0], a->rows, run->name[l], b->rows);
		TRY(same_hash(run, "sets of ids", 0, a->ids_hash, l, b->ids_hash));
		TRY(same_hash(run, "graphs (set graphs to \"own\" in the job if that is meant)", 0,
			      a->edges_hash, l, b->edges_hash));
	}
	if (accept[0].rows > MSG_ITEMS_MAX || accept[0].rows < run->job.clusters)
		return err_set(ERR_JOB, "%" PRIu64 " nodes cannot be put into %u clusters",
			       accept[0].rows, run->job.clusters);
	run->n = (size_t)accept[0].rows;
	return ERR_OK;
}

static enum err compare(struct run *run, const uint8_t *job_hash, const struct msg_accept *accept)
{
	TRY(compare_jobs(run, job_hash, accept));
	switch (run->job.kind) {
	case JOB_FEDSC:
	case JOB_KMEANS:
		return compare_columns(run, accept);
	case JOB_FEDSPECTRAL:
	case JOB_FEDWALK:
		return ERR_OK; /* its first step agrees on the nodes */
	case JOB_FEDGCN:
		return compare_attributes(run, accept);
	default:
		return compare_nodes(run, accept);
	}
}

/* A person decides there; while the party's progress rises, no deadline of ours passes. */
static enum err note_asking(const struct run *run, size_t l, const struct msg *m, bool *asking)
{
	if (asking[l])
		return err_set(ERR_PEER, "%s sent ASKING twice", run->name[l]);
	asking[l] = true;
	log_info("waiting for %s, where a person is asked whether it takes part, for up to %u s",
		 run->name[l], m->asking.within_s);
	return ERR_OK;
}

static enum err gather_accepts(struct run *run, const uint8_t *job_hash)
{
	struct msg_accept *accept = alloc(run->L, sizeof(*accept));
	bool *wanted = alloc(run->L, sizeof(*wanted)), *asking = alloc(run->L, sizeof(*asking));
	struct msg *m = alloc(1, sizeof(*m));
	enum err e = ERR_OK;

	for (size_t l = 0; l < run->L; l++)
		wanted[l] = true;
	for (size_t left = run->L, l; left && e == ERR_OK;) {
		e = channel_recv_either(run->channel, wanted, run->L, MSG_ACCEPT, MSG_ASKING, &l,
					m);
		if (e == ERR_OK && m->type == MSG_ASKING) {
			e = note_asking(run, l, m, asking);
		} else if (e == ERR_OK) {
			accept[l] = m->accept;
			wanted[l] = false;
			left--;
		}
	}
	if (e == ERR_OK)
		e = compare(run, job_hash, accept);
	free(m);
	free(asking);
	free(wanted);
	free(accept);
	return e;
}

/* ---- keys: Protocol 4 lines 2-8. The coordinator relays them and can read none of what follows.
 * ---- */

static enum err relay_keys(struct run *run)
{
	struct msg *all = alloc(1, sizeof(*all));
	enum err e = ERR_OK;

	run_phase(run, "keys");
	all->type = MSG_KEYS;
	all->keys.parties = (uint32_t)run->L;
	for (size_t l = 0; l < run->L && e == ERR_OK; l++) {
		struct msg m;

		e = channel_recv(run->channel[l], MSG_KEY, &m);
		all->keys.key[l] = m.key; /* borrowed until the next message of this party */
	}
	if (e == ERR_OK)
		e = run_broadcast(run, 0, run->L, all);
	free(all);
	return e;
}

/* ---- the end ---- */

/* The coordinator has no ids: its rows are numbered as the parties' sorted ids are. */
static enum err keep_labels(const char *output, const uint32_t *label, size_t n)
{
	char *csv = file_join(output, "labels.csv"), *npy = file_join(output, "labels.npy");
	enum err e = labels_write_csv(csv, NULL, label, n);

	if (e == ERR_OK)
		e = labels_write_npy(npy, label, n);
	free(csv);
	free(npy);
	return e;
}

/* Nor has it the ids of vertices. */
static enum err keep_embeddings(const char *output, const float *x, size_t n)
{
	char *npy = file_join(output, "embeddings.npy");
	struct mat m;
	struct buf file = { 0 };
	enum err e;

	mat_init(&m, n, JOB_FEDWALK_DIMS);
	for (size_t i = 0; i < n * JOB_FEDWALK_DIMS; i++)
		m.a[i] = (double)x[i];
	npy_print(&m, &file);
	mat_release(&m);
	e = file_write(npy, (struct bytes){ file.p, file.n }, FILE_PUBLIC);
	buf_release(&file);
	free(npy);
	return e;
}

/* Each party's last word; *all: what it and the others are told, how far their ledgers reach. */
static enum err gather_done(struct run *run, struct msg *all)
{
	struct msg *m = alloc(1, sizeof(*m));
	enum err e = ERR_OK;

	*all = (struct msg){ .type = MSG_DONE, .done = { .heads = (uint32_t)run->L } };
	for (size_t l = 0; l < run->L && e == ERR_OK; l++) {
		e = channel_recv(run->channel[l], MSG_DONE, m);
		if (e == ERR_OK && m->done.heads != 1)
			e = err_set(ERR_PEER, "%s sent DONE with %u heads of ledgers, expected 1",
				    run->name[l], m->done.heads);
		if (e != ERR_OK)
			break;
		all->done.head[l] = m->done.head[0];
		record_peer_ledger(run->record, run->name[l], m->done.head[0].count,
				   m->done.head[0].hash);
	}
	free(m);
	return e;
}

/* run.json, with all that has passed so far. */
static enum err write_record(struct run *run)
{
	run->record->traffics = run->record->peers = 0; /* of an earlier call */
	for (size_t l = 0; l < run->L; l++)
		account_channel(run->record, run->channel[l]);
	return record_write(run->record, run->output);
}

/* The job is done, whatever becomes of this process: from the mark on one that is started again
 * says so (server/daemon/coordinator_done.c). What parties need to find it true by themselves has
 * left before. */
static void mark_done(struct run *run)
{
	double until_s = clock_now_s() + LAST_TIMEOUT_S;
	enum err e;

	account_step(run->record, run->post);
	record_end(run->record, ERR_OK, ""); /* what follows is no part of the work */
	for (size_t l = 0; l < run->L; l++)  /* who is away hears it when it comes back */
		(void)!channel_flush(run->channel[l], fmax(0, until_s - clock_now_s()));
	e = write_record(run);
	if (e == ERR_OK && run->state)
		e = attempt_done(run->state);
	if (e != ERR_OK)
		log_warn("if this process dies now, it will not know that the job is done: %s",
			 err_detail());
}

/* Everyone has written its results before anyone is told that the job is done. A party whose
 * connection is lost now comes back to hear it; if it does not, nothing is undone. */
static enum err finish(struct run *run)
{
	struct relayed_told told;
	struct msg m;
	enum err e = relay_take_last(run, &told);

	if (e == ERR_OK)
		e = gather_done(run, &m);
	if (e == ERR_OK)
		e = relay_give_last(run, &told);
	relayed_told_release(&told);
	if (e == ERR_OK)
		e = post_settle(run->post);
	TRY(e);
	mark_done(run);
	for (size_t l = 0; l < run->L; l++)
		if (channel_send(run->channel[l], &m) == ERR_CANCELLED) {
			attempt_forget(run->state);
			return ERR_CANCELLED;
		}
	for (size_t l = 0; l < run->L; l++)
		if (channel_drain(run->channel[l], DONE_TIMEOUT_S) != ERR_OK)
			log_warn("%s has its results, but may not have heard that all have: %s",
				 run->name[l], err_detail());
	return ERR_OK;
}

bool job_goes_on(const struct run *run)
{
	return run->more && post_again(run->post);
}

static void abort_all(struct run *run, enum err code, const char *why)
{
	uint16_t told = (uint16_t)(job_goes_on(run)        ? MSG_AGAIN
				   : code == ERR_CANCELLED ? ERR_PEER
							   : code);
	struct msg m = { .type = MSG_ABORT,
			 .abort = { .code = told,
				    .culprit = { (const uint8_t *)"", 0 },
				    .text = { (const uint8_t *)why, strlen(why) } } };

	double until_s =
	    clock_now_s() + (code == ERR_CANCELLED ? CANCELLED_TIMEOUT_S : ABORT_TIMEOUT_S);

	for (size_t l = 0; l < run->L; l++)
		(void)!channel_send(run->channel[l], &m);
	/* Who is away hears it when it comes back. */
	for (size_t l = 0; l < run->L; l++)
		(void)!channel_drain(run->channel[l], fmax(0, until_s - clock_now_s()));
}

static enum err serve(struct run *run, const char *output)
{
	struct buf text = { 0 };
	uint8_t job_hash[SHA256_LEN];
	uint32_t *label = NULL;
	enum err e;

	job_write(&run->job, &text);
	sha256_of(text.p, text.n, job_hash);
	run_phase(run, "offer");
	e = offer(run, &text);
	buf_release(&text);
	if (e == ERR_OK)
		e = run_warm(run);
	if (e == ERR_OK)
		e = gather_accepts(run, job_hash);
	if (e == ERR_OK)
		e = relay_keys(run);
	if (e == ERR_OK)
		e = run_warm(run);
	if (e != ERR_OK)
		return e;
	e = run_kind(run, &label);
	if (e == ERR_OK && label && !job_is_plan_only(&run->job)) {
		record_result(run->record, label, run->n, run->job.clusters);
		e = keep_labels(output, label, run->n);
	}
	if (e == ERR_OK && run->embedding)
		e = keep_embeddings(output, run->embedding, run->n);
	if (e == ERR_OK)
		e = finish(run);
	free(label);
	free(run->embedding);
	run->embedding = NULL;
	return e;
}

/* The last attempt's sentence has what ended the first: all may follow from that. */
static void say_first(const struct run *run, enum err e, char why[static ERR_DETAIL_MAX])
{
	const struct record_attempts *a = &run->record->attempts;
	char last[ERR_DETAIL_MAX];

	if (e == ERR_OK || e == ERR_CANCELLED || !a->count || job_goes_on(run))
		return;
	snprintf(last, sizeof(last), "%s", why);
	snprintf(why, ERR_DETAIL_MAX, "%.450s (attempt %u; attempt %u ended: %.450s)", last,
		 run->attempt, a->past[0].attempt, a->past[0].cause);
}

enum err job_serve(struct run *run, const char *output)
{
	char why[ERR_DETAIL_MAX];
	enum err e;

	run->output = output;
	run->tell = run->L > 1;
	record_start(run->record, &run->job, run->job_id, run->attempt, run->name, run->L);
	e = serve(run, output);
	snprintf(why, sizeof(why), "%s", e == ERR_OK ? "" : err_detail());
	say_first(run, e, why);
	if (e != ERR_OK)
		abort_all(run, e, why);
	log_progress_end();
	if (e != ERR_OK) {
		account_step(run->record, run->post);
		record_end(run->record, e, why);
	}
	if (write_record(run) != ERR_OK)
		log_warn("%s", err_detail());
	return e == ERR_OK ? e : err_set(e, "%s", why);
}
