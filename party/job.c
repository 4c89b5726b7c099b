#include "party/job.h"
#include "common/base/alloc.h"
#include "common/base/file.h"
#include "common/base/log.h"
#include "crypto/hash.h"
#include "party/answers.h"
#include "party/fedsc.h"
#include "party/gcc.h"
#include "party/kcagc.h"
#include "party/landmark.h"
#include "party/model.h"
#include "party/policy.h"
#include "party/predict.h"
#include "proto/account.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static enum err run_kcagc(struct work *work, uint32_t *label)
{
	if (work->job.method == METHOD_LANDMARK)
		return party_landmark(work, label);
	if (work->job.method == METHOD_GCC)
		return party_gcc(work, label);
	return party_kcagc(work, label);
}

/* The table of kinds: a new protocol is one row here and one in server/job.c. label: one for each
 * of this party's own rows or nodes, dataset->n of them. */
static enum err run_kind(struct work *work, uint32_t *label)
{
	switch (work->job.kind) {
	case JOB_KCAGC:
		return run_kcagc(work, label);
	case JOB_KCAGC_PREDICT:
		return party_predict(work, label);
	case JOB_FEDSC:
	case JOB_KMEANS:
		return party_fedsc(work, label);
	default:
		return err_set(ERR_INTERNAL, "job kind %d has no protocol", work->job.kind);
	}
}

/* What needs no keys, while those of the others are on their way. */
static enum err begin_kind(struct work *work, uint32_t *label)
{
	if (work->job.kind == JOB_KCAGC && work->job.method == METHOD_LANDMARK)
		return party_landmark_begin(work, label);
	return ERR_OK;
}

/* ---- offer and acceptance ---- */

/* Takes the offer apart: who takes part, rising names with this party among them. */
static enum err read_names(struct work *work, const char *own, const struct msg_offer *o)
{
	work->L = o->parties;
	work->own = work->L;
	if (work->L < 1)
		return err_set(ERR_PEER, "the offer names no parties");
	for (size_t l = 0; l < work->L; l++) {
		memcpy(work->name[l], o->names[l].p, o->names[l].n);
		work->name[l][o->names[l].n] = 0;
		if (config_check_name(work->name[l]) ||
		    (l && strcmp(work->name[l - 1], work->name[l]) >= 0))
			return err_set(ERR_PEER,
				       "the offer's parties are not rising names (party %zu)", l);
		if (strcmp(work->name[l], own) == 0)
			work->own = l;
	}
	if (work->own == work->L)
		return err_set(ERR_PEER, "the offer does not name this party, %s", own);
	return ERR_OK;
}

/* The offer's job in full, and the hash of parties and parameters that goes into every key. */
static enum err read_offer(struct work *work, const char *own, const struct msg_offer *o,
			   uint8_t params_hash[static SHA256_LEN])
{
	struct buf text = { 0 };
	struct sha256 *h;

	memcpy(work->job_id, o->job_id, JOB_ID_LEN);
	work->attempt = o->attempt;
	TRY(read_names(work, own, o));
	if (job_parse(&work->job, o->job, "offer", NULL) != ERR_OK)
		return err_set(ERR_PEER, "%s", err_detail());
	job_write(&work->job, &text);
	h = sha256_new();
	sha256_add_text(h, "coterie parameters v1");
	sha256_add_u64(h, text.n);
	sha256_add(h, text.p, text.n);
	for (size_t l = 0; l < work->L; l++)
		sha256_add_text(h, work->name[l]);
	sha256_end(h, params_hash);
	buf_release(&text);
	return ERR_OK;
}

static void feed(void *hash, const void *p, size_t n)
{
	sha256_add(hash, p, n);
}

/* Hashes of the sorted ids and edges, salted with the job so that they cannot be linked across
 * jobs. */
static void fingerprints(const struct work *work, const struct dataset *d, struct msg_accept *a)
{
	struct sha256 *ids = sha256_new(), *edges = sha256_new();

	sha256_add(ids, work->job_id, JOB_ID_LEN);
	sha256_add_text(ids, "ids");
	dataset_feed_ids(d, feed, ids);
	sha256_end(ids, a->ids_hash);
	sha256_add(edges, work->job_id, JOB_ID_LEN);
	sha256_add_text(edges, "edges");
	if (work->job.graphs == GRAPHS_SHARED)
		dataset_feed_edges(d, feed, edges);
	sha256_end(edges, a->edges_hash);
}

/* What the coordinator compares: nodes and graphs, or the columns of rows of which it learns only
 * how many all parties have together. Nodes with ids of their own are agreed on later. */
static void describe_data(const struct work *work, const struct dataset *d, struct msg_accept *a)
{
	switch (work->job.kind) {
	case JOB_FEDSC:
	case JOB_KMEANS:
		a->columns = (uint32_t)features_cols(&d->X);
		break;
	case JOB_FEDSPECTRAL:
		break;
	default:
		a->rows = d->n;
		fingerprints(work, d, a);
	}
}

static enum err accept_offer(struct work *work, const struct dataset *d)
{
	struct msg m = { .type = MSG_ACCEPT };
	struct buf text = { 0 };

	job_write(&work->job, &text);
	sha256_of(text.p, text.n, m.accept.job_hash);
	buf_release(&text);
	describe_data(work, d, &m.accept);
	return channel_send(work->channel, &m);
}

/* The job's kind needs data that this party's configuration may not have. */
static enum err check_data(const struct work *work, const struct job_means *means)
{
	enum job_kind kind = work->job.kind;
	bool rows = kind == JOB_FEDSC || kind == JOB_KMEANS;
	bool features = kind != JOB_FEDSPECTRAL, edges = !rows;
	const char *missing = features && !means->config->data.features ? "features"
			      : edges && !means->config->data.edges     ? "edges"
									: NULL;

	if (missing)
		return err_set(ERR_INPUT, "%s has no data.%s, which a job of kind %s needs",
			       means->config->common.name, missing, job_kind_name(&work->job));
	if (rows && means->dataset->n < 2)
		return err_set(
		    ERR_INPUT, "%s has %zu row, expected at least 2 with a job of kind %s",
		    means->config->common.name, means->dataset->n, job_kind_name(&work->job));
	return ERR_OK;
}

static void decline(struct work *work, enum err code, const char *why)
{
	struct msg m = { .type = MSG_DECLINE,
			 .decline = { .code = (uint16_t)code,
				      .text = { (const uint8_t *)why, strlen(why) } } };

	if (channel_send(work->channel, &m) == ERR_OK)
		(void)!channel_flush(work->channel, 1);
}

/* ---- keys: kCAGC Protocol 4, set-up ---- */

static enum err send_key(struct work *work, const struct job_means *means,
			 const uint8_t *params_hash)
{
	struct secagg_setup setup = { .attempt = work->attempt,
				      .group_bits = work->job.group_bits,
				      .modulus_bits = work->job.modulus_bits,
				      .parties = work->L,
				      .own = work->own };
	const char *names[PARTIES_MAX];
	struct secagg_advert a;
	struct msg m = { .type = MSG_KEY };

	for (size_t l = 0; l < work->L; l++)
		names[l] = work->name[l];
	setup.names = names;
	memcpy(setup.job_id, work->job_id, JOB_ID_LEN);
	memcpy(setup.params_hash, params_hash, SECAGG_HASH_LEN);
	TRY(secagg_new(&work->secagg, &setup, means->identity));
	secagg_own_advert(work->secagg, &a);
	m.key.public_key = a.public_key;
	memcpy(m.key.nonce, a.nonce, NONCE_LEN);
	m.key.spki = a.spki;
	m.key.signature = a.signature;
	return channel_send(work->channel, &m);
}

static enum err agree_keys(struct work *work, const struct job_means *means)
{
	struct msg *m = alloc(1, sizeof(*m));
	struct secagg_advert *adverts = alloc(work->L, sizeof(*adverts));
	uint8_t(*pins)[SECAGG_HASH_LEN] = alloc(work->L, sizeof(*pins));
	enum err e;

	work_phase(work, "keys");
	e = channel_recv(work->channel, MSG_KEYS, m);
	if (e == ERR_OK && m->keys.parties != work->L)
		e = err_set(ERR_PEER, "the coordinator relayed %u keys for %zu parties",
			    m->keys.parties, work->L);
	for (size_t l = 0; l < work->L && e == ERR_OK; l++) {
		const struct msg_key *k = &m->keys.key[l];

		adverts[l] =
		    (struct secagg_advert){ k->public_key, k->nonce, k->spki, k->signature };
		if (l == work->own)
			identity_fingerprint(means->identity, pins[l]);
		else
			e = policy_pin(means->config, work->name[l], pins[l]);
	}
	if (e == ERR_OK)
		e = secagg_agree(work->secagg, adverts, (const uint8_t(*)[SECAGG_HASH_LEN])pins);
	free(pins);
	free(adverts);
	free(m);
	return e;
}

/* ---- the end ---- */

/* Where this job's files go. */
static char *output_dir(const struct work *work, const struct job_means *means)
{
	char name[48];

	if (!means->output_per_job)
		return alloc_copy(means->output);
	snprintf(name, sizeof(name), "job-%.16s-%u", work->record->job_id, work->attempt);
	return file_join(means->output, name);
}

static enum err keep_labels(const char *output, const struct job_means *means,
			    const uint32_t *label)
{
	char *csv = file_join(output, "labels.csv"), *npy = file_join(output, "labels.npy");
	enum err e = file_make_dirs(output);

	if (e == ERR_OK)
		e = dataset_write_labels_csv(csv, means->dataset, label);
	if (e == ERR_OK)
		e = dataset_write_labels_npy(npy, means->dataset, label);
	free(csv);
	free(npy);
	return e;
}

/* What kcagc.predict will need; or, of a run that leaves no centres, that it does not. */
static enum err keep_model(struct work *work, const char *state)
{
	if (!work->model)
		work->model = model_new(work);
	return model_keep(work->model, state);
}

static enum err finish(struct work *work)
{
	struct msg m = { .type = MSG_DONE };

	TRY(channel_send(work->channel, &m));
	return channel_recv(work->channel, MSG_DONE, &m);
}

static void log_leaks(const struct work *work)
{
	const char *leak[32];
	size_t n = job_leaks(&work->job, work->L, leak, 32);

	for (size_t i = 0; i < n; i++)
		log_info("this job shows: %s", leak[i]);
}

static enum err keep_results(struct work *work, const struct job_means *means, const char *output,
			     const uint32_t *label)
{
	if (job_is_plan_only(&work->job))
		return ERR_OK;
	record_result(work->record, label, work->n, work->job.clusters);
	TRY(keep_labels(output, means, label));
	return work->job.kind == JOB_KCAGC ? keep_model(work, means->config->state) : ERR_OK;
}

/* The protocol, from keys to the last word. label: n, for begin_kind() and run_kind(). */
static enum err run_protocol(struct work *work, const struct job_means *means, const char *output,
			     const uint8_t *params_hash, uint32_t *label)
{
	TRY(send_key(work, means, params_hash));
	TRY(work_warm(work));
	TRY(begin_kind(work, label));
	TRY(agree_keys(work, means));
	channel_observe(work->channel, work_observe, work);
	TRY(run_kind(work, label));
	TRY(keep_results(work, means, output, label));
	return finish(work);
}

/* From an accepted offer to the result. A model is left only where all ended well. */
static enum err take_part(struct work *work, const struct job_means *means, const char *output,
			  const uint8_t *params_hash)
{
	uint32_t *label;
	enum err e;

	work->features = &means->dataset->X;
	work->graph = &means->dataset->g;
	work->n = means->dataset->n;
	work->min_cluster = means->config->policy.min_cluster;
	TRY(accept_offer(work, means->dataset));
	ALLOC(label, work->n);
	e = run_protocol(work, means, output, params_hash, label);
	if (e != ERR_OK && work->job.kind == JOB_KCAGC)
		model_forget(means->config->state, work->job_id);
	channel_observe(work->channel, NULL, NULL);
	answers_free(work->begun);
	work->begun = NULL;
	free(label);
	return e;
}

static void abort_job(struct work *work, enum err code, const char *why)
{
	const char *own = work->record->name;
	struct msg m = { .type = MSG_ABORT,
			 .abort = { .code = (uint16_t)(code == ERR_CANCELLED ? ERR_PEER : code),
				    .culprit = { (const uint8_t *)own, strlen(own) },
				    .text = { (const uint8_t *)why, strlen(why) } } };

	if (channel_send(work->channel, &m) == ERR_OK)
		(void)!channel_flush(work->channel, 1);
}

/* An error's sentence must outlive what is done about it. */
static enum err answer(struct work *work, const struct job_means *means,
		       const struct msg_offer *offer)
{
	const char *names[PARTIES_MAX];
	uint8_t params_hash[SHA256_LEN];
	char why[ERR_DETAIL_MAX], *output;
	enum err e = read_offer(work, means->config->common.name, offer, params_hash);

	if (e == ERR_OK) {
		for (size_t l = 0; l < work->L; l++)
			names[l] = work->name[l];
		record_start(work->record, &work->job, work->job_id, work->attempt, names, work->L);
		record_data(work->record, means->config->data.features, means->config->data.edges,
			    means->config->data.ids);
		work_phase(work, "offer");
		e = policy_check(means->config, means->agreed, work);
	}
	if (e == ERR_OK)
		e = check_data(work, means);
	if (e == ERR_OK && work->job.kind == JOB_KCAGC_PREDICT)
		e = predict_prepare(work, means->config->state, features_cols(&means->dataset->X));
	if (e == ERR_OK)
		e = policy_serve_once(means->config, work);
	if (e != ERR_OK) {
		snprintf(why, sizeof(why), "%s", err_detail());
		decline(work, e, why);
		return err_set(e, "%s", why);
	}
	log_leaks(work);
	output = output_dir(work, means);
	e = take_part(work, means, output, params_hash);
	free(output);
	if (e != ERR_OK) {
		snprintf(why, sizeof(why), "%s", err_detail());
		abort_job(work, e, why);
		return err_set(e, "%s", why);
	}
	return ERR_OK;
}

/* run.json, whatever the job ended with. */
static void keep_record(struct work *work, const struct job_means *means, enum err e,
			const char *why)
{
	char *output = output_dir(work, means);

	log_progress_end();
	account_step(work->record, work->post);
	record_end(work->record, e, why);
	account_channel(work->record, work->channel);
	if (file_make_dirs(output) != ERR_OK || record_write(work->record, output) != ERR_OK)
		log_warn("%s", err_detail());
	free(output);
}

enum err job_take_part(struct work *work, const struct job_means *means)
{
	struct msg *m = alloc(1, sizeof(*m));
	char why[ERR_DETAIL_MAX];
	enum err e;

	channel_step(work->channel, "offer");
	post_set_step_timeout(work->post, 0); /* the other parties may take their time to come */
	e = channel_recv(work->channel, MSG_OFFER, m);
	post_set_step_timeout(work->post, means->config->common.step_timeout_s);
	if (e == ERR_OK) {
		work->offered = true;
		e = answer(work, means, &m->offer);
	}
	snprintf(why, sizeof(why), "%s", e == ERR_OK ? "" : err_detail());
	if (work->offered)
		keep_record(work, means, e, why);
	secagg_free(work->secagg);
	work->secagg = NULL;
	model_free(work->model);
	work->model = NULL;
	free(m);
	return e == ERR_OK ? e : err_set(e, "%s", why);
}
