#include "server/daemon/job.h"
#include "common/base/alloc.h"
#include "common/base/clock.h"
#include "common/base/log.h"
#include "crypto/hash.h"
#include "common/job/kinds.h"
#include "common/job/live.h"
#include "common/job/results.h"
#include "server/daemon/attempt.h"
#include "server/daemon/kinds.h"
#include "server/run/intersect.h"
#include "server/run/relay.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define DONE_TIMEOUT_S      5.0
#define LAST_TIMEOUT_S      1.0 /* time limit for passing the last messages to the kernel */
#define ABORT_TIMEOUT_S     1.0
#define CANCELLED_TIMEOUT_S 0.2 /* a process that is being stopped has little time left */

/* -- offer and acceptance ------------------------------------------------------------------- */

static enum err compare_jobs(const struct run *run, const uint8_t *job_hash,
			     const struct msg_accept *accept)
{
	char ours[17], theirs[17]; /* the first 16 digits of the two hashes */

	for (size_t l = 0; l < run->L; l++) {
		if (memcmp(job_hash, accept[l].job_hash, HASH_LEN) == 0)
			continue;
		hex_write(job_hash, 8, ours);
		hex_write(accept[l].job_hash, 8, theirs);
		return err_set(ERR_PEER, "%s was offered another job: it has hash %s, here %s",
			       run->name[l], theirs, ours);
	}
	return ERR_OK;
}

static enum err gather_accepts(struct run *run, const uint8_t *job_hash)
{
	struct msg_accept *accept = alloc(run->L, sizeof(*accept));
	bool *wanted = alloc(run->L, sizeof(*wanted)), *asking = alloc(run->L, sizeof(*asking));
	const struct server_kind *half = server_kind_of(run->job.kind);
	struct msg *m = alloc(1, sizeof(*m));
	enum err e = ERR_OK;

	for (size_t l = 0; l < run->L; l++)
		wanted[l] = true;
	for (size_t left = run->L, l; left && e == ERR_OK;) {
		e = channel_recv_either(run->channel, wanted, run->L, MSG_ACCEPT, MSG_ASKING, &l,
					m);
		if (e != ERR_OK)
			break;
		if (m->type == MSG_ASKING && asking[l]) {
			e = err_set(ERR_PEER, "%s sent ASKING twice", run->name[l]);
		} else if (m->type == MSG_ASKING) {
			/* While the party reports progress, the coordinator's wait for ACCEPT has
			 * no deadline. */
			asking[l] = true;
			live_awaits(run->name[l], run->record->job_id, true);
			log_info("waiting for %s, where a user decides on the offer, for up to "
				 "%u s",
				 run->name[l], m->asking.within_s);
		} else {
			live_awaits(run->name[l], "", false);
			accept[l] = m->accept;
			wanted[l] = false;
			left--;
		}
	}
	if (e == ERR_OK)
		e = compare_jobs(run, job_hash, accept);
	if (e == ERR_OK && run->job.align == ALIGN_SAME &&
	    half->compare) /* otherwise the parties first match rows */
		e = half->compare(run, accept);
	if (e == ERR_OK && run->job.align == ALIGN_SAME && run->job.kind->split != SPLIT_EDGES &&
	    run->job.kind->split != SPLIT_VERTICES)
		/* For SPLIT_EDGES and SPLIT_VERTICES, run->n is known once nodes are matched. */
		e = run_check_memory(run);
	free(m);
	free(asking);
	free(wanted);
	free(accept);
	return e;
}

/* -- keys: kCAGC Protocol 4, lines 2-8; public keys alone pass the coordinator -------------- */

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
		/* The key is borrowed until the next message of this party arrives. */
		all->keys.key[l] = m.key;
	}
	if (e == ERR_OK)
		e = run_broadcast(run, 0, run->L, all);
	free(all);
	return e;
}

/* -- rows that not all parties have --------------------------------------------------------- */

static enum err server_job_match_rows(struct run *run)
{
	/* Sets run->n, which is at least job.min_common. So there are enough rows for the
	 * clusters. */
	TRY(server_intersect(run));
	facts_number(&run->record->facts, "common_rows", (double)run->n);
	TRY(run_check_memory(run));
	return run_warm(run);
}

/* -- the end -------------------------------------------------------------------------------- */

/* Receives DONE of each party. *all: the answer to the parties, with the heads of all ledgers. */
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

static enum err server_job_write_record(struct run *run)
{
	struct link_state link;

	run->record->traffics = run->record->peers = 0; /* remove the counts of an earlier call */
	for (size_t l = 0; l < run->L; l++) {
		channel_link(run->channel[l], &link);
		live_link(&link); /* so that /api/status shows no less than the record */
		record_link(run->record, &link);
	}
	return record_write(run->record, run->output);
}

/* Ends the job. No party learns that the job is done before all have written their results. A party
 * that loses its connection now returns to learn this. If it does not return, the results remain
 * valid. */
static enum err server_job_finish(struct run *run)
{
	struct relayed_told told;
	struct msg m;
	enum err e = relay_take_last(run, &told);
	double until_s;

	if (e == ERR_OK)
		e = gather_done(run, &m);
	if (e == ERR_OK)
		e = relay_give_last(run, &told);
	relayed_told_release(&told);
	if (e == ERR_OK)
		e = mailbox_settle(run->mailbox);
	TRY(e);

	run_step(run);
	record_end(run->record, ERR_OK, "");
	live_job_ended(run->record);
	until_s = clock_now_s() + LAST_TIMEOUT_S;
	/* Parties that are not connected receive DONE when they return. */
	for (size_t l = 0; l < run->L; l++)
		(void)!channel_flush(run->channel[l], fmax(0, until_s - clock_now_s()));
	/* The parties have been sent all that they need to verify that the job is done. After
	 * attempt_done(), a restarted process reports it as done (coordinator_again.c). */
	e = server_job_write_record(run);
	if (e == ERR_OK && run->state)
		e = attempt_done(run->state);
	if (e != ERR_OK)
		log_warn("if this process dies now, it forgets that the job is done: %s",
			 err_detail());

	for (size_t l = 0; l < run->L; l++)
		(void)!channel_send(run->channel[l], &m);
	until_s = clock_now_s() + DONE_TIMEOUT_S;
	for (size_t l = 0; l < run->L; l++)
		if (channel_drain(run->channel[l], fmax(0, until_s - clock_now_s())) != ERR_OK)
			log_warn("%s has its results, but may not have received DONE: %s",
				 run->name[l], err_detail());
	return ERR_OK;
}

bool job_continues(const struct run *run)
{
	return run->more && mailbox_again(run->mailbox);
}

static enum err server_job_serve(struct run *run, const char *output)
{
	const struct server_kind *half = server_kind_of(run->job.kind);
	const struct record_attempts *a = &run->record->attempts;
	struct msg m = { .type = MSG_OFFER };
	struct buf text = { 0 };
	uint8_t job_hash[SHA256_LEN];
	uint32_t *label = NULL;
	enum err e;

	job_offer_write(&run->job, &text);
	sha256_of(text.p, text.n, job_hash);
	run_phase(run, "offer");
	memcpy(m.offer.job_id, run->job_id, JOB_ID_LEN);
	m.offer.attempt = run->attempt;
	m.offer.job = (struct bytes){ text.p, text.n };
	m.offer.submitter = msg_text(run->submitter);
	m.offer.parties = (uint32_t)run->L;
	for (size_t l = 0; l < run->L; l++)
		m.offer.names[l] =
		    (struct bytes){ (const uint8_t *)run->name[l], strlen(run->name[l]) };
	m.offer.lefts = (uint32_t)a->lefts;
	for (size_t i = 0; i < a->lefts; i++)
		m.offer.left[i] =
		    (struct msg_left){ a->left[i].attempt, msg_text(a->left[i].name) };
	e = run_broadcast(run, 0, run->L, &m);
	buf_release(&text);
	if (e == ERR_OK)
		e = run_warm(run);
	if (e == ERR_OK)
		e = gather_accepts(run, job_hash);
	mailbox_set_job_timeout(run->mailbox, run->job_timeout_s);
	if (e == ERR_OK)
		e = relay_keys(run);
	if (e == ERR_OK)
		e = run_warm(run);
	if (e == ERR_OK && run->job.align != ALIGN_SAME)
		e = server_job_match_rows(run);
	TRY(e);
	e = half->run(run, &label);
	if (e == ERR_OK || e == ERR_CANCELLED) { /* if run() was interrupted, label is invalid */
		enum err why = mailbox_error(run->mailbox);

		e = why != ERR_OK ? why : e;
	}
	if (e == ERR_OK) {
		e = half->keep(run, label, output);
		if (e == ERR_OK)
			e = server_job_finish(run);
		if (e != ERR_OK)
			results_take_back(output);
	}
	free(label);
	free(run->protocol);
	run->protocol = NULL;
	free(run->confidence);
	run->confidence = NULL;
	return e;
}

enum err job_serve(struct run *run, const char *output)
{
	const struct record_attempts *a = &run->record->attempts;
	struct msg m = { .type = MSG_ABORT };
	struct err_saved end;
	double until_s;
	enum err e;

	mailbox_enter(run->mailbox);
	warnings_begin(&run->record->warnings);
	run->output = output;
	run->compares = run->L > 1;
	run->rounds_before = 0;
	/* Each attempt has another key for the tags, so coordinator and parties count opened sums
	 * from 0 again. */
	run->sums_opened = 0;
	record_start(run->record, &run->job, run->job_id, run->attempt, run->name, run->L);
	e = server_job_serve(run, output);
	if (e != ERR_OK && e != ERR_CANCELLED && a->count && !job_continues(run))
		/* The end of the first attempt may explain the later errors. */
		err_set(e, "%.450s (attempt %u; attempt %u ended: %.450s)", err_detail(),
			run->attempt, a->past[0].attempt, a->past[0].cause);
	end = err_save(e);
	if (e != ERR_OK) {
		m.abort.code = (uint16_t)(e == ERR_CANCELLED ? ERR_PEER : e);
		if (job_continues(run))
			m.abort.code = MSG_AGAIN;
		m.abort.text = msg_text(end.why);
		until_s = clock_now_s();
		until_s += e == ERR_CANCELLED ? CANCELLED_TIMEOUT_S : ABORT_TIMEOUT_S;
		for (size_t l = 0; l < run->L; l++)
			(void)!channel_send(run->channel[l], &m);
		for (size_t l = 0; l < run->L; l++)
			(void)!channel_drain(run->channel[l], fmax(0, until_s - clock_now_s()));
	}
	log_progress_end();
	if (e != ERR_OK) {
		run_step(run);
		record_end(run->record, e, end.why);
		if (!job_continues(run))
			live_job_ended(run->record);
	}
	if (server_job_write_record(run) != ERR_OK) {
		log_warn("%s", err_detail());
		if (e == ERR_OK)
			end = err_save(
			    err_prefix(ERR_JOB, "the job is done, but its record was not written"));
	}
	warnings_begin(NULL);
	mailbox_enter(NULL);
	return err_restore(&end);
}
