#include "server/job.h"
#include "common/base/alloc.h"
#include "common/base/clock.h"
#include "common/base/log.h"
#include "common/base/file.h"
#include "common/data/labels.h"
#include "common/data/limits.h"
#include "crypto/hash.h"
#include "server/fedsc.h"
#include "server/fedspectral.h"
#include "server/gcc.h"
#include "server/kcagc.h"
#include "server/landmark.h"
#include "server/predict.h"
#include "proto/account.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* How long a party that is there has to acknowledge the last message. */
#define DONE_TIMEOUT_S      5.0
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

/* The table of kinds: a new protocol is one row here and one in party/job.c. *label becomes run->n
 * labels, owned by the caller; it stays NULL where the coordinator has none to know. */
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
		return ERR_OK; /* its first step agrees on the nodes */
	default:
		return compare_nodes(run, accept);
	}
}

static enum err gather_accepts(struct run *run, const uint8_t *job_hash)
{
	struct msg_accept *accept = alloc(run->L, sizeof(*accept));
	enum err e = ERR_OK;

	for (size_t l = 0; l < run->L && e == ERR_OK; l++) {
		struct msg m;

		e = channel_recv(run->channel[l], MSG_ACCEPT, &m);
		if (e == ERR_OK)
			accept[l] = m.accept;
	}
	if (e == ERR_OK)
		e = compare(run, job_hash, accept);
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

/* Everyone has written its results before anyone is told that the job is done. A party whose
 * connection is lost now comes back to hear it; if it does not, nothing is undone. */
static enum err finish(struct run *run)
{
	struct msg m = { .type = MSG_DONE };

	for (size_t l = 0; l < run->L; l++) {
		struct msg done;

		TRY(channel_recv(run->channel[l], MSG_DONE, &done));
	}
	run->finished = true;
	account_step(run->record, run->post);
	record_end(run->record, ERR_OK, ""); /* what follows is no part of the work */
	for (size_t l = 0; l < run->L; l++)
		if (channel_send(run->channel[l], &m) == ERR_CANCELLED)
			return ERR_CANCELLED;
	for (size_t l = 0; l < run->L; l++)
		if (channel_drain(run->channel[l], DONE_TIMEOUT_S) != ERR_OK)
			log_warn("%s has its results, but may not have heard that all have: %s",
				 run->name[l], err_detail());
	return ERR_OK;
}

static void abort_all(struct run *run, enum err code, const char *why)
{
	struct msg m = { .type = MSG_ABORT,
			 .abort = { .code = (uint16_t)(code == ERR_CANCELLED ? ERR_PEER : code),
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
	if (e == ERR_OK)
		e = finish(run);
	free(label);
	return e;
}

enum err job_serve(struct run *run, const char *output)
{
	char why[ERR_DETAIL_MAX];
	enum err e;

	record_start(run->record, &run->job, run->job_id, run->attempt, run->name, run->L);
	e = serve(run, output);
	snprintf(why, sizeof(why), "%s", e == ERR_OK ? "" : err_detail());
	if (e != ERR_OK)
		abort_all(run, e, why);
	log_progress_end();
	if (e != ERR_OK || !run->finished) {
		account_step(run->record, run->post);
		record_end(run->record, e, why);
	}
	for (size_t l = 0; l < run->L; l++)
		account_channel(run->record, run->channel[l]);
	if (record_write(run->record, output) != ERR_OK)
		log_warn("%s", err_detail());
	return e == ERR_OK ? e : err_set(e, "%s", why);
}
