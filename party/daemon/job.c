#include "party/daemon/job.h"
#include "common/base/alloc.h"
#include "common/base/file.h"
#include "common/base/log.h"
#include "common/job/kinds.h"
#include "crypto/hash.h"
#include "party/daemon/accept.h"
#include "party/work/cache.h"
#include "party/consent/confirm.h"
#include "party/consent/leaving.h"
#include "party/consent/policy.h"
#include "party/daemon/kinds.h"
#include "party/daemon/served.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The attempt after one that was cut short is the same job among the same parties. */
static enum err check_awaited(const struct work *work, const struct job_awaited *a)
{
	if (!a || memcmp(work->job_id, a->job_id, JOB_ID_LEN) != 0)
		return ERR_OK;
	if (work->attempt <= a->attempt)
		return err_set(ERR_PEER, "attempt %u was offered after attempt %u of the same job",
			       work->attempt, a->attempt);
	if (memcmp(work->params_hash, a->params_hash, sizeof(a->params_hash)) != 0)
		return err_set(ERR_PEER,
			       "attempt %u was offered with other parties or parameters than "
			       "attempt %u of the same job",
			       work->attempt, a->attempt);
	return ERR_OK;
}

/* ---- the end before it began ---- */

static void decline(struct work *work, enum err code, const char *why)
{
	struct msg m = { .type = MSG_DECLINE,
			 .decline = { .code = work->later ? MSG_AGAIN : (uint16_t)code,
				      .text = { (const uint8_t *)why, strlen(why) } } };

	if (channel_send(work->channel, &m) == ERR_OK)
		(void)!channel_drain(work->channel, 1);
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

/* The directory for this job's files. */
char *job_output(const struct work *work, const struct job_means *means)
{
	char name[48];

	if (!means->output_per_job)
		return alloc_copy(means->output);
	snprintf(name, sizeof(name), "job-%.16s-%u", work->record->job_id, work->attempt);
	return file_join(means->output, name);
}

/* Delete results if parties were told different things. */
static void take_back(const struct work *work, const char *output)
{
	for (const char *const *name = work->half->files; *name; name++) {
		char *path = file_join(output, *name);

		if (unlink(path) == 0)
			log_warn("%s is taken back", path);
		free(path);
	}
}

/* After a restart the coordinator says that the job is done. Believe it only if all other parties
 * have confirmed that they were told the same: then they have their results too. */
static enum err believe(struct work *work, enum err e)
{
	if (!post_done(work->post) || work->told.waiting)
		return e;
	log_warn("%s; how far the ledgers of the others reach, it has not said", err_detail());
	return ERR_OK;
}

/* Both sides' DONE: how far the ledgers of all reach. */
static enum err say_done(struct work *work)
{
	bool heard = false;
	struct msg *m = alloc(1, sizeof(*m));
	enum err e;

	m->type = MSG_DONE;
	e = leaving_say_head(work->leaving, &m->done);
	if (e == ERR_OK)
		e = channel_send(work->channel, m);
	if (e == ERR_OK) {
		e = channel_recv(work->channel, MSG_DONE, m);
		heard = e == ERR_OK;
		if (!heard)
			e = believe(work, e);
	}
	if (heard)
		e = leaving_keep_heads(work->leaving, &m->done);
	free(m);
	return e;
}

static enum err finish(struct work *work, const char *output)
{
	enum err e = told_say_all(work);

	if (e == ERR_OK)
		e = say_done(work);
	if (work->told.waiting)
		take_back(work, output);
	return e;
}

static void log_leaks(const struct work *work)
{
	const char *leak[32];
	size_t n = job_leaks(&work->job, work->L, leak, 32);

	for (size_t i = 0; i < n; i++)
		log_info("this job shows: %s", leak[i]);
}

/* The protocol, from keys to the last word. label: of the party's own rows, nodes or graphs. */
static enum err run_protocol(struct work *work, const struct job_means *means, const char *output,
			     const uint8_t *params_hash, uint32_t *label)
{
	TRY(send_key(work, means, params_hash));
	TRY(work_warm(work));
	TRY(work->half->begin(work, label));
	TRY(agree_keys(work, means));
	told_begin(work);
	TRY(work->half->run(work, label));
	TRY(work->half->keep(work, label));
	return finish(work, output);
}

/* From an accepted offer to the result. A model is left only where all ended well. */
static enum err take_part(struct work *work, const struct job_means *means, const char *output,
			  const uint8_t *params_hash)
{
	uint32_t *label;
	enum err e;

	work->output = output;
	if (means->config->common.rejoin_s && means->data_hash)
		work->cache = cache_dir(means->config->state);
	TRY(accept_say(work));
	ALLOC(label, work->n); /* the protocol may make work->n that of all parties */
	e = run_protocol(work, means, output, params_hash, label);
	if (e != ERR_OK)
		work->half->forget(work);
	told_stop(work);
	free(work->embedding);
	work->embedding = NULL;
	free(label);
	return e;
}

static void abort_job(struct work *work, enum err code, const char *why)
{
	const char *own = work->record->name;
	struct msg m = { .type = MSG_ABORT,
			 .abort = { .code = (uint16_t)(code == ERR_CANCELLED ? ERR_PEER : code),
				    .culprit = { (const uint8_t *)own,
						 code == ERR_CANCELLED ? 0 : strlen(own) },
				    .text = { (const uint8_t *)why, strlen(why) } } };

	if (channel_send(work->channel, &m) == ERR_OK)
		(void)!channel_drain(work->channel, code == ERR_CANCELLED ? 0.2 : 1);
}

/* Whatever is answered is written down; e: what came of reading the offer, with its sentence. */
static enum err begin_ledger(struct work *work, const struct job_means *means, enum err e)
{
	struct err_saved first = err_save(e);
	enum err opened =
	    leaving_open(&work->leaving, means->config, work, e == ERR_OK, means->data_hash);

	return e == ERR_OK ? opened : err_restore(&first);
}

/* Gives work the party's data and settings, before anything is decided by them. */
static void bring(struct work *work, const struct job_means *means)
{
	work->dataset = means->dataset;
	work->features = &means->dataset->X;
	work->graph = &means->dataset->g;
	work->graphs = means->tu ? &means->tu->graphs : NULL;
	work->n = work->half->kind->split == SPLIT_GRAPHS ? work->graphs->count : work->dataset->n;
	work->min_cluster = means->config->policy.min_cluster;
	work->data_hash = means->data_hash;
	work->state = means->config->state;
}

/* An error's sentence must outlive what is done about it. */
static enum err answer(struct work *work, const struct job_means *means,
		       const struct msg_offer *offer)
{
	const char *names[PARTIES_MAX];
	uint8_t params_hash[SHA256_LEN];
	struct err_saved end;
	char *output;
	enum err e = accept_read_offer(work, means->config->common.name, offer, params_hash);

	if (e == ERR_OK) {
		work->half = party_kind_of(work->job.kind);
		bring(work, means);
	}
	e = begin_ledger(work, means, e);
	if (e == ERR_OK) {
		for (size_t l = 0; l < work->L; l++)
			names[l] = work->name[l];
		if (means->awaited && memcmp(work->job_id, means->awaited->job_id, JOB_ID_LEN)) {
			log_warn("another job is offered than the one that was awaited");
			work->record->attempts.count = 0;
		}
		record_start(work->record, &work->job, work->job_id, work->attempt, names, work->L);
		record_data(work->record, means->config->data.features, means->config->data.edges,
			    means->config->data.ids, means->config->data.graphs);
		work_phase(work, "offer");
		e = check_awaited(work, means->awaited);
	}
	if (e == ERR_OK) {
		e = policy_check(means->config, means->agreed, work);
	}
	if (e == ERR_OK) {
		e = policy_check_past(means->config, leaving_ledger(work->leaving),
				      leaving_job(work->leaving), leaving_spent(work->leaving));
	}
	if (e == ERR_OK)
		e = accept_check_data(work, means->config);
	if (e == ERR_OK)
		e = confirm(means->config, work, leaving_job(work->leaving),
			    leaving_spent(work->leaving));
	if (e == ERR_OK)
		e = served_note(means->config->state, work);
	if (e != ERR_OK) {
		end = err_save(e);
		decline(work, e, end.why);
		return err_restore(&end);
	}
	log_leaks(work);
	output = job_output(work, means);
	e = take_part(work, means, output, params_hash);
	free(output);
	end = err_save(e);
	if (e != ERR_OK &&
	    !post_again(work->post)) /* else the coordinator knows, or is not there */
		abort_job(work, e, end.why);
	return err_restore(&end);
}

/* run.json, whatever the job ended with. */
static void keep_record(struct work *work, const struct job_means *means, enum err e,
			const char *why)
{
	char *output = job_output(work, means);

	log_progress_end();
	account_step(work->record, work->post);
	if (work->leaving)
		leaving_record(work->leaving);
	record_end(work->record, e, why);
	account_channel(work->record, work->channel);
	if (file_make_dirs(output) != ERR_OK || record_write(work->record, output) != ERR_OK)
		log_warn("%s", err_detail());
	free(output);
}

void job_forget(const struct job_means *means)
{
	char *cache = cache_dir(means->config->state);

	cache_forget(cache);
	free(cache);
}

enum err job_take_part(struct work *work, const struct job_means *means)
{
	struct msg *m = alloc(1, sizeof(*m));
	struct err_saved end;
	enum err e;

	channel_step(work->channel, "offer");
	post_set_step_timeout(work->post, 0); /* the other parties may take their time to come */
	e = channel_recv(work->channel, MSG_OFFER, m);
	post_set_step_timeout(work->post, means->config->common.step_timeout_s);
	if (e == ERR_OK) {
		work->offered = true;
		e = answer(work, means, &m->offer);
	}
	end = err_save(e);
	work->again = e != ERR_OK && (work->later || post_again(work->post)) &&
		      means->config->common.rejoin_s;
	if (work->offered && !work->again)
		job_forget(means);
	free(work->cache);
	work->cache = NULL;
	if (work->offered)
		keep_record(work, means, e, end.why);
	leaving_close(work->leaving);
	work->leaving = NULL;
	secagg_free(work->secagg);
	work->secagg = NULL;
	if (work->half)
		work->half->release(work);
	free(m);
	return err_restore(&end);
}
