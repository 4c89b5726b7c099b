#include "party/daemon/job.h"
#include "common/base/alloc.h"
#include "common/base/clock.h"
#include "common/base/file.h"
#include "common/base/log.h"
#include "common/data/cut.h"
#include "common/data/profile.h"
#include "common/job/kinds.h"
#include "common/job/live.h"
#include "common/job/results.h"
#include "crypto/hash.h"
#include "crypto/secret.h"
#include "party/work/cache.h"
#include "party/consent/aligned.h"
#include "party/consent/leaving.h"
#include "party/consent/policy.h"
#include "party/daemon/kinds.h"
#include "party/daemon/offer.h"
#include "party/daemon/psks.h"
#include "party/daemon/served.h"
#include "party/ranks/workers.h"
#include "party/work/intersect.h"
#include "party/work/noise.h"

#include <stdlib.h>
#include <string.h>

/* -- keys: kCAGC Protocol 4, set-up --------------------------------------------------------- */

static enum err send_key(struct work *work, const struct job_means *means)
{
	struct secagg_setup setup = { .attempt = work->attempt,
				      .group_bits = work->job.group_bits,
				      .modulus_bits = work->job.modulus_bits,
				      .parties = work->L,
				      .own = work->own };
	const char *names[PARTIES_MAX];
	struct secagg_advert a;
	struct msg m = { .type = MSG_KEY };
	struct psk *psk = psks_of(means->psks, work);
	enum err e;

	for (size_t l = 0; l < work->L; l++)
		names[l] = work->name[l];
	setup.names = names;
	setup.psk = psk;
	memcpy(setup.job_id, work->job_id, JOB_ID_LEN);
	memcpy(setup.params_hash, work->params_hash, SECAGG_HASH_LEN);
	e = secagg_new(&work->secagg, &setup, means->identity);
	psks_forget(psk, work);
	TRY(e);
	secagg_own_advert(work->secagg, &a);
	m.key.public_key = a.public_key;
	memcpy(m.key.nonce, a.nonce, NONCE_LEN);
	m.key.spki = a.spki;
	m.key.signature = a.signature;
	m.key.markers = a.markers;
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

		adverts[l] = (struct secagg_advert){ k->public_key, k->nonce, k->spki, k->signature,
						     k->markers };
		if (l == work->own)
			identity_fingerprint(means->identity, pins[l]);
		else
			e = policy_pin(means->config, work->name[l], pins[l]);
	}
	if (e == ERR_OK)
		e = secagg_agree(work->secagg, adverts, (const uint8_t(*)[SECAGG_HASH_LEN])pins);
	if (e == ERR_PEER) /* the coordinator relayed the keys that are faulty */
		err_prefix(e, "keys as %s passed them on", channel_peer(work->channel));
	free(pins);
	free(adverts);
	free(m);
	return e;
}

/* -- rows that not all parties have --------------------------------------------------------- */

static enum err cut_to_common(struct work *work, const struct job_means *means)
{
	struct facts *facts = &work->record->facts;
	struct party_data *data = means->data;
	size_t own = data->dataset.n, n;
	struct cut left;
	uint32_t *row;

	work->ending = ENDING_POLICY;
	TRY(aligned_note(means->config->state, work->name[work->own], &data->dataset.ids,
			 data->data_hash));
	work->ending = 0;
	TRY(party_intersect(work, &data->dataset, &row, &n));
	left = dataset_cut(&data->dataset, row, n);
	free(row);
	work->n = n;
	data_fingerprint(&data->dataset, NULL, data->data_hash);
	facts_number(facts, "own_rows", (double)own);
	facts_number(facts, "common_rows", (double)n);
	facts_number(facts, "rows_not_placed", (double)left.rows);
	if (work->graph->adjacency.rows)
		facts_number(facts, "edges_dropped", (double)left.edges);
	log_info("%zu of %zu rows are common to all parties; this job leaves out the other %zu "
		 "rows and their %zu edges",
		 n, own, left.rows, left.edges);
	work->ending = ENDING_ROOM;
	TRY(offer_check_memory(work, means, true));
	work->ending = 0;
	return work_warm(work);
}

/* -- the end -------------------------------------------------------------------------------- */

char *job_output(const struct work *work, const struct job_means *means)
{
	char name[RESULTS_NAME_MAX];

	if (!means->output_per_job)
		return alloc_copy(means->config->common.output);
	results_name(work->record->job_id, work->attempt, name);
	return file_join(means->config->common.output, name);
}

/* Sends DONE with the head of this party's ledger. Receives DONE with the heads of all ledgers. */
static enum err send_done(struct work *work)
{
	struct msg *m = alloc(1, sizeof(*m));
	enum err e;

	m->type = MSG_DONE;
	e = leaving_fill_head(work->leaving, &m->done);
	/* From here on a stop must wait, because the other parties may consider the job done. */
	if (e == ERR_OK)
		e = mailbox_last(work->mailbox);
	if (e == ERR_OK)
		e = channel_send(work->channel, m);
	if (e == ERR_OK) {
		e = channel_recv(work->channel, MSG_DONE, m);
		if (e == ERR_OK) {
			e = leaving_keep_heads(work->leaving, &m->done);
		} else if ((mailbox_done(work->mailbox) || e == ERR_CANCELLED) &&
			   !work->broadcasts.waiting) {
			/* The coordinator restarted and only reports that the job is done, or this
			 * party is being stopped. All other parties have confirmed the same
			 * broadcast values. They do so only once they have their results, so the
			 * job is done. */
			log_warn("%s; the heads of the other ledgers are unknown, since %s did not "
				 "send them",
				 err_detail(), channel_peer(work->channel));
			e = ERR_OK;
		}
	}
	free(m);
	return e;
}

/* Writes profile.csv, the profile of clusters in the party's own features. No other party waits for
 * it. If it cannot be written, the job is done nevertheless. */
static void profile(const struct work *work, const struct job_means *means, const uint32_t *label)
{
	struct features X;
	struct profile p;
	char *path;
	enum err e;

	if (!(work->job.kind->needs & NEEDS_FEATURES) || work->job.kind->embeds ||
	    work->job.kind->clusters == CLUSTERS_NONE ||
	    work->workers) /* ranks have the features, not this process */
		return;
	if (party_data_features(means->data, means->config, work->dataset, &X) != ERR_OK) {
		log_warn("profile.csv was not written: %s", err_detail());
		return;
	}
	profile_of(&X, label, work->job.clusters, &p);
	path = file_join(work->output, "profile.csv");
	e = profile_write(path, &p, work_columns(work));
	if (e != ERR_OK)
		log_warn("%s", err_detail());
	free(path);
	profile_release(&p);
	features_release(&X);
}

static enum err note_costs(struct work *work)
{
	struct facts *f = &work->record->facts;
	size_t ranks = work->workers ? workers_sizes(work->workers).ranks : 0;
	struct ranks_cost *cost = alloc(ranks, sizeof(*cost));
	double *value = alloc(ranks, sizeof(*value));
	static const struct {
		const char *name;
		size_t offset;
	} part[] = { { "ranks_memory", offsetof(struct ranks_cost, memory) },
		     { "ranks_memory_begun", offsetof(struct ranks_cost, memory_begun) },
		     { "ranks_memory_read", offsetof(struct ranks_cost, memory_read) },
		     { "ranks_memory_embedded", offsetof(struct ranks_cost, memory_embedded) },
		     { "ranks_cpu_s", offsetof(struct ranks_cost, cpu_s) },
		     { "ranks_cpu_read_s", offsetof(struct ranks_cost, cpu_read_s) },
		     { "ranks_cpu_embedded_s", offsetof(struct ranks_cost, cpu_embedded_s) },
		     { "ranks_exchange_cpu_s", offsetof(struct ranks_cost, exchange_cpu_s) },
		     { "ranks_exchange_s", offsetof(struct ranks_cost, exchange_s) },
		     { "ranks_exchange_bytes", offsetof(struct ranks_cost, bytes) } };
	enum err e = ranks ? workers_costs(work->workers, cost) : ERR_OK;

	for (size_t i = 0; ranks && e == ERR_OK && i < sizeof(part) / sizeof(*part); i++) {
		for (size_t r = 0; r < ranks; r++)
			memcpy(&value[r], (const char *)&cost[r] + part[i].offset, sizeof(*value));
		facts_numbers(f, part[i].name, value, ranks);
	}
	free(value);
	free(cost);
	return e;
}

static enum err party_job_begin(struct work *work, uint32_t *label)
{
	return work->side->begin ? work->side->begin(work, label) : ERR_OK;
}

/* Runs the protocol from the agreement on keys to DONE. label: the labels of the party's own rows,
 * nodes or graphs. */
static enum err run_protocol(struct work *work, const struct job_means *means, uint32_t *label)
{
	enum err e;

	bool matched = work->job.align != ALIGN_SAME;

	TRY(send_key(work, means));
	TRY(work_warm(work));
	if (!matched)
		TRY(party_job_begin(work, label));
	work->ending = ENDING_KEYS;
	TRY(agree_keys(work, means));
	work->ending = 0;
	broadcasts_begin(work);
	if (matched) {
		TRY(cut_to_common(work, means));
		TRY(party_job_begin(work, label));
	}
	TRY(work->side->run(work, label));
	TRY(note_costs(work));
	TRY(mailbox_error(work->mailbox)); /* an interrupted computation has no result */
	TRY(work->side->keep(work, label));
	e = broadcasts_confirm_all(work);
	if (e == ERR_OK)
		e = send_done(work);
	/* Remove the results if the job has failed: if parties may have received different
	 * broadcast values, or if the coordinator's last message is not the expected one. If the
	 * coordinator is lost only now, all parties have all results, which stay. */
	if (work->broadcasts.waiting || (e == ERR_PEER && !mailbox_again(work->mailbox))) {
		results_take_back(work->output);
	} else if (e == ERR_OK) {
		work->alone = true;
		mailbox_alone(work->mailbox); /* the coordinator leaves now */
		profile(work, means, label);
		work->alone = false;
	}
	return e;
}

/* Runs the job from an accepted offer to the result. The kind's model is kept only after
 * success. */
static enum err party_job_take_part(struct work *work, const struct job_means *means)
{
	struct msg accept = { .type = MSG_ACCEPT };
	size_t own = work->n;
	uint32_t *label;
	enum err e;

	if (means->config->common.rejoin_s)
		work->cache = cache_dir(means->config->state);
	memcpy(accept.accept.job_hash, work->job_hash, sizeof(work->job_hash));
	if (work->job.align != ALIGN_SAME)
		work->n = 0; /* ACCEPT must not disclose the number of rows to the coordinator */
	else if (work->side->describe)
		TRY(work->side->describe(work, &accept.accept));
	TRY(channel_send(work->channel, &accept));
	mailbox_set_job_timeout(work->mailbox, means->config->common.job_timeout_s);
	ALLOC(label, own); /* the protocol may change work->n to the rows of all parties */
	e = run_protocol(work, means, label);
	if (e != ERR_OK && work->side->forget)
		work->side->forget(work);
	broadcasts_stop(work);
	free(work->confidence);
	work->confidence = NULL;
	free(label);
	return e;
}

/* -- the job -------------------------------------------------------------------------------- */

/* Writes to run.json that the job runs, or the job's result. With output_per_job, writes nothing
 * for a declined offer, which leaves no directory. */
static enum err party_job_write_record(struct work *work, const struct job_means *means)
{
	char *output;
	enum err e;

	if (means->output_per_job && !work->considered)
		return ERR_OK;
	output = job_output(work, means);
	e = file_make_dirs(output);
	if (e == ERR_OK)
		e = record_write(work->record, output);
	if (e != ERR_OK)
		log_warn("%s", err_detail());
	free(output);
	return e;
}

static void take_back_earlier(const struct work *work, const struct job_means *means)
{
	char name[RESULTS_NAME_MAX], *dir;

	for (uint32_t a = 1; a < work->attempt; a++) {
		results_name(work->record->job_id, a, name);
		dir = file_join(means->config->common.output, name);
		results_take_back(dir);
		free(dir);
	}
}

static void send_last(struct work *work, const struct msg *m, double timeout_s)
{
	if (channel_send(work->channel, m) == ERR_OK)
		(void)!channel_drain(work->channel, timeout_s);
}

/* Answers the offer and, if the party takes part, runs the job. Reports errors to the coordinator.
 * Saves the error's text before it calls functions that could replace the text. */
static enum err party_job_answer_offer(struct work *work, const struct job_means *means,
				       const struct msg_offer *offer)
{
	const char *disclosure[32];
	enum err e = offer_consider(work, means, offer);
	struct err_saved end;
	bool cancelled;
	char *output;

	if (e == ERR_CANCELLED &&
	    mailbox_error(work->mailbox) != ERR_OK) { /* the job ended before the answer */
		e = mailbox_error(work->mailbox);
		work->ending = 0;
		if (e != ERR_CANCELLED)
			return e; /* the coordinator already knows the reason */
	}
	end = err_save(e);
	if (e != ERR_OK) {
		uint16_t code = work->later ? MSG_AGAIN : (uint16_t)e;
		uint16_t ending = (uint16_t)(work->ending ? work->ending : msg_ending_of(e));
		struct msg m = { .type = MSG_DECLINE,
				 .decline = { .code = code, .ending = ending } };

		if (ending == ENDING_UNKNOWN || ending == ENDING_PIN)
			m.decline.subject = msg_text(work->subject);
		/* `leaving` is NULL if declines_check() refused the offer: then the answer
		 * discloses nothing. */
		if (work->leaving)
			declines_add(means->declines, clock_now_s());
		send_last(work, &m, 1);
		return err_restore(&end);
	}
	take_back_earlier(work, means);
	(void)party_job_write_record(work, means);
	for (size_t i = 0, n = job_disclosures(&work->job, work->L, disclosure, 32); i < n; i++)
		log_info("disclosure: %s", disclosure[i]);
	work->output = output = job_output(work, means);
	e = party_job_take_part(work, means);
	if (e != ERR_OK &&
	    /* A dead rank ends only the attempt, like a process that dies. */
	    workers_died(work->workers))
		channel_fail_again(work->channel, e, err_detail());
	if (e == ERR_CANCELLED &&
	    mailbox_error(work->mailbox) != ERR_OK) /* the mailbox has the reason of the stop */
		e = mailbox_error(work->mailbox);
	free(output);
	end = err_save(e);
	cancelled = e == ERR_CANCELLED;
	/* If mailbox_again(), the coordinator knows the reason, or is not connected. */
	if (e != ERR_OK && !mailbox_again(work->mailbox)) {
		struct msg m = { .type = MSG_ABORT,
				 .abort = { .code = (uint16_t)(cancelled ? ERR_PEER : e),
					    .ending = (uint16_t)msg_ending_of(e) } };

		if ((e == ERR_PEER || e == ERR_JOB || e == ERR_INPUT) && work->ending)
			m.abort.ending = (uint16_t)work->ending;

		send_last(work, &m, cancelled ? 0.2 : 1);
	}
	return err_restore(&end);
}

void job_forget(const char *state)
{
	char *cache = cache_dir(state);

	cache_forget(cache);
	free(cache);
}

/* Copies the link's state into the record. Also copies it into the live snapshot, so that
 * /api/status shows no less than the record. */
static void party_job_take_link(struct work *work)
{
	struct link_state link;

	channel_link(work->channel, &link);
	live_link(&link);
	record_link(work->record, &link);
}

enum err job_take_part(struct work *work, const struct job_means *means)
{
	struct msg *m = alloc(1, sizeof(*m));
	struct err_saved end;
	enum err e;

	mailbox_enter(work->mailbox);
	warnings_begin(&work->record->warnings);
	channel_step(work->channel, "offer");
	mailbox_set_step_timeout(work->mailbox,
				 0); /* no limit: the other parties may take any time to connect */
	e = channel_recv(work->channel, MSG_OFFER, m);
	mailbox_set_step_timeout(work->mailbox, means->config->common.step_timeout_s);
	if (e == ERR_OK) {
		work->offered = true;
		e = party_job_answer_offer(work, means, &m->offer);
	}
	end = err_save(e);
	work->again = e != ERR_OK && (work->later || mailbox_again(work->mailbox)) &&
		      means->config->common.rejoin_s;
	if (work->offered && !work->again)
		job_forget(means->config->state);
	free(work->cache);
	work->cache = NULL;
	work_noise_end(work);
	if (e == ERR_OK && served_done(means->served, work) != ERR_OK)
		log_warn("%s", err_detail());
	if (work->offered) {
		log_progress_end();
		work_step(work);
		if (work->leaving)
			leaving_record(work->leaving);
		record_end(work->record, e, end.why);
		party_job_take_link(work);
		if (!work->again)
			live_job_ended(work->record);
		if (party_job_write_record(work, means) != ERR_OK && e == ERR_OK)
			end = err_save(
			    err_prefix(ERR_JOB, "the job is done, but its record was not written"));
	}
	leaving_close(work->leaving);
	work->leaving = NULL;
	secagg_free(work->secagg);
	secret_free(work->group_key, SECAGG_HASH_LEN);
	work->group_key = NULL;
	work->secagg = NULL;
	if (work->side && work->side->release)
		work->side->release(work);
	free(work->protocol);
	warnings_begin(NULL);
	mailbox_enter(NULL);
	free(m);
	return err_restore(&end);
}
