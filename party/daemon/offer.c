#include "party/daemon/offer.h"
#include "common/base/clock.h"
#include "common/base/config.h"
#include "common/base/file.h"
#include "common/base/log.h"
#include "common/base/machine.h"
#include "common/job/results.h"
#include "common/job/memory_check.h"
#include "crypto/hash.h"
#include "party/consent/leaving.h"
#include "party/consent/policy.h"
#include "party/daemon/kinds.h"
#include "party/daemon/params.h"
#include "party/daemon/served.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* -- reading the offer ---------------------------------------------------------------------- */

static bool has_name(const struct work *work, const char *name)
{
	for (size_t l = 0; l < work->L; l++)
		if (!strcmp(work->name[l], name))
			return true;
	for (size_t i = 0; i < work->lefts; i++)
		if (!strcmp(work->left[i].name, name))
			return true;
	return false;
}

/* Reads the parties left out. proto/msg.c has checked their order: by attempt, then by name. */
static enum err read_left(struct work *work, const struct msg_offer *o)
{
	char name[MSG_NAME_MAX + 1] = { 0 };

	if (o->lefts && work->job.on_loss == LOSS_END)
		return err_set(ERR_PEER,
			       "the offer leaves out parties, and job.on_loss is \"end\"");
	for (uint32_t i = 0; i < o->lefts; i++) {
		const struct msg_left *left = &o->left[i];

		memcpy(name, left->name.p, left->name.n);
		name[left->name.n] = 0;
		if (strlen(name) < left->name.n || config_check_name(name) || has_name(work, name))
			return err_set(ERR_PEER,
				       "the offer leaves out what is no name, or named twice");
		work->left[i].attempt = left->since;
		memcpy(work->left[i].name, name, sizeof(name));
		work->lefts++;
	}
	return ERR_OK;
}

/* Reads the offer's job and parties. The names must ascend and include `own`. */
static enum err read_offer(struct work *work, const char *own, const struct msg_offer *o)
{
	memcpy(work->job_id, o->job_id, JOB_ID_LEN);
	work->attempt = o->attempt;
	work->L = o->parties;
	work->own = work->L;
	if (work->L < 1)
		return err_set(ERR_PEER, "the offer names no parties");
	memcpy(work->submitter, o->submitter.p, o->submitter.n);
	work->submitter[o->submitter.n] = 0;
	if (strlen(work->submitter) < o->submitter.n || config_check_name(work->submitter))
		return err_set(ERR_PEER, "the offer's submitter is not a name");
	for (size_t l = 0; l < work->L; l++) {
		if (memchr(o->names[l].p, 0, o->names[l].n))
			return err_set(ERR_PEER, "the offer's name of party %zu has a byte 0 in it",
				       l);
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
	sha256_of(o->job.p, o->job.n, work->job_hash);
	if (job_offer_parse(&work->job, o->job, work->subject) != ERR_OK) {
		if (*work->subject)
			work->ending = ENDING_UNKNOWN;
		return err_set(ERR_PEER, "%s", err_detail());
	}
	return read_left(work, o);
}

/* If the offered job is the awaited one, checks that the attempt continues the interrupted one,
 * with the same parameters and parties. Parties left out since then may be missing. */
static enum err check_awaited(const struct work *work, const struct job_awaited *a)
{
	uint8_t then[SECAGG_HASH_LEN];

	if (!a || memcmp(work->job_id, a->job_id, JOB_ID_LEN) != 0)
		return ERR_OK;
	if (work->attempt <= a->attempt)
		return err_set(ERR_PEER, "attempt %u was offered after attempt %u of the same job",
			       work->attempt, a->attempt);
	params_of_attempt(work, a->attempt, then);
	if (memcmp(then, a->params_hash, sizeof(then)) != 0)
		return err_set(ERR_PEER,
			       "attempt %u was offered with other parties or parameters than "
			       "attempt %u of the same job",
			       work->attempt, a->attempt);
	return ERR_OK;
}

/* Checks that the configuration has the data that the kind of job needs, and that the data suit
 * it. */
static enum err party_offer_check_data(struct work *work, const struct party_config *config)
{
	const struct kind *kind = work->job.kind;
	const struct {
		unsigned bit;
		const char *name, *path;
	} file[] = { { NEEDS_GRAPHS, "graphs", config->data.graphs },
		     { NEEDS_FEATURES, "features", config->data.features },
		     { NEEDS_EDGES, "edges", config->data.edges },
		     { NEEDS_VERTICES, "vertices", config->data.vertices },
		     { NEEDS_IDS, "ids", config->data.ids } };

	for (size_t i = 0; i < sizeof(file) / sizeof(*file); i++)
		if (kind->needs & file[i].bit && !file[i].path)
			return err_set(ERR_INPUT, "%s has no data.%s, which a job of kind %s needs",
				       config->common.name, file[i].name, kind->name);
	return work->side->check_data ? work->side->check_data(work) : ERR_OK;
}

/* Bytes of memory of a rank before it reads data. MPI and its libraries use this memory
 * (docs/results/ranks.md). */
static const double RANK_MEMORY_LEAST = 18e6;

enum err offer_check_memory(struct work *work, const struct job_means *means, bool known)
{
	struct kind_sizes sizes = party_data_sizes(means->data, work->job.kind);

	sizes.parties = (double)work->L;
	work->record->memory_estimate = work->job.kind->memory(&work->job, &sizes);
	/* With ranks, the estimate is for one rank's share of the data. */
	if (means->config->ranks.n)
		work->record->memory_estimate =
		    RANK_MEMORY_LEAST +
		    (work->record->memory_estimate - KIND_MEMORY_LEAST) / means->config->ranks.n;
	log_info("this job will take %s %s of memory here%s", known ? "about" : "at most about",
		 size_text(work->record->memory_estimate).s,
		 means->config->ranks.n ? ", for each rank" : "");
	if (!known)
		return ERR_OK;
	return memory_check(work->record->memory_estimate, means->config->policy.max_memory,
			    means->config->common.name, "policy.max_memory");
}

/* -- decision ------------------------------------------------------------------------------- */

static void begin_record(struct work *work, const struct job_means *means)
{
	const struct party_config *config = means->config;
	const char *names[PARTIES_MAX];

	for (size_t l = 0; l < work->L; l++)
		names[l] = work->name[l];
	if (means->awaited && memcmp(work->job_id, means->awaited->job_id, JOB_ID_LEN)) {
		log_warn("the offered job is not the expected one");
		work->record->attempts.count = work->record->attempts.lefts = 0;
	}
	snprintf(work->record->submitter, sizeof(work->record->submitter), "%s", work->submitter);
	record_start(work->record, &work->job, work->job_id, work->attempt, names, work->L);
	record_data(work->record, config->data.features, config->data.edges, config->data.ids,
		    config->data.graphs);
	work_phase(work, "offer");
}

/* Records the parties left out: the attempt and step from which each was missing, as far as this
 * party knows. */
static void note_left(struct work *work, const struct job_awaited *a)
{
	struct record *r = work->record;
	bool known = a && !memcmp(work->job_id, a->job_id, JOB_ID_LEN);

	for (size_t i = r->attempts.lefts; i < work->lefts; i++) {
		const struct work_left *left = &work->left[i];
		bool now = known && left->attempt == a->attempt + 1;

		record_left(r, left->name, left->attempt, now ? a->step : "");
		log_warn("attempt %u continues without %s, which dropped out according to %s",
			 left->attempt, left->name, channel_peer(work->channel));
	}
}

/* Reads the features again, for a protocol that has used them up. */
static enum err features_again(void *ctx, struct features *X)
{
	const struct job_means *means = ctx;

	return party_data_features(means->data, means->config, &means->data->dataset, X);
}

/* Gives work the party's current data and settings, on which the decision depends. If a file is
 * invalid, declines this job only: a user may have repaired the file by the next offer. */
static enum err bring_data(struct work *work, const struct job_means *means)
{
	struct party_data *data = means->data;

	TRY(party_data_bring(data, means->config));
	party_data_record(data, work->record);
	work->dataset = &data->dataset;
	work->features = &data->dataset.X;
	if (party_data_comes_again(data))
		work->source = (struct features_source){ (void *)means, features_again };
	work->graph = &data->dataset.g;
	work->workers = data->workers;
	work->graphs = &data->tu.graphs;
	work->n = work->job.kind->split == SPLIT_GRAPHS ? work->graphs->count : work->dataset->n;
	work->data_hash = data->data_hash;
	work->state = means->config->state;
	return ERR_OK;
}

/* If the data lie on ranks, declines kinds that do not run there, since this process does not have
 * the data. */
static enum err check_ranks(const struct work *work, const struct party_config *config)
{
	const char *why = config->ranks.n ? party_off_ranks(work) : NULL;

	return !why ? ERR_OK
		    : err_set(ERR_INPUT,
			      "the data of %s are on ranks (ranks.n is %u), where a job of kind %s "
			      "does not run: %s",
			      config->common.name, config->ranks.n, work->job.kind->name, why);
}

/* Makes the checks that need no data. They come first, so that a coordinator with a forbidden offer
 * learns nothing about the data. */
static enum err consider_offer(struct work *work, const struct job_means *means,
			       const struct msg_offer *offer)
{
	const struct party_config *config = means->config;
	enum err e;

	work->ending = ENDING_OFFER;
	e = read_offer(work, config->common.name, offer);
	if (e != ERR_OK)
		return err_prefix(e, "%s", channel_peer(work->channel));
	TRY(policy_pin(config, channel_peer(work->channel), work->coordinator));
	params_make(work);
	work->side = party_kind_of(work->job.kind);
	work->min_cluster = config->policy.min_cluster;
	begin_record(work, means);
	work->ending = ENDING_ATTEMPT;
	TRY(check_awaited(work, means->awaited));
	note_left(work, means->awaited);
	work->ending = ENDING_POLICY;
	e = policy_check(config, means->agreed, work);
	/* name the coordinator, since only it claims that the parties left out were absent */
	if (e != ERR_OK && work->lefts)
		return err_prefix(e, "%s offers attempt %u to %zu of %zu parties",
				  channel_peer(work->channel), work->attempt, work->L,
				  work->L + work->lefts);
	TRY(e);
	work->ending = ENDING_DATA;
	return check_ranks(work, config);
}

/* Checks that this attempt has no results yet. It has some if the party served it before and then
 * lost the file `served`. */
static enum err check_output(const struct work *work, const struct job_means *means)
{
	char *output = job_output(work, means);
	enum err e = ERR_OK;

	if (means->output_per_job && file_exists(output))
		e = err_set(ERR_PEER,
			    "attempt %u of job %s left its results before, in %s: they are not "
			    "replaced; was state/served lost?",
			    work->attempt, work->record->job_id, output);
	free(output);
	return e;
}

static enum err consider_past(struct work *work, const struct job_means *means)
{
	const struct party_config *config = means->config;
	const struct ledger_job *job = &work->leaving->job;
	const struct ledger_spent *spent = &work->leaving->spent;

	work->ending = ENDING_POLICY;
	TRY(leaving_check_past(work->leaving));
	work->ending = ENDING_DATA;
	TRY(party_offer_check_data(work, config));
	work->ending = ENDING_ROOM;
	TRY(offer_check_memory(work, means, work->job.align == ALIGN_SAME));
	work->ending = ENDING_PERSON;
	TRY(policy_confirm(config, work, job, spent));
	/* Other jobs may have spent budget while the user decided. */
	work->ending = ENDING_POLICY;
	TRY(leaving_check_past(work->leaving));
	work->ending = ENDING_ATTEMPT;
	TRY(served_note(means->served, work));
	TRY(check_output(work, means));
	work->ending = 0;
	return ERR_OK;
}

enum err offer_consider(struct work *work, const struct job_means *means,
			const struct msg_offer *offer)
{
	static const uint8_t no_data[SHA256_LEN];
	const struct party_config *config = means->config;
	bool readable, brought = false;
	struct err_saved end;
	enum err e;

	record_offer(work->record, offer->job_id, offer->attempt);
	log_set_job(work->record->job_id);
	work->ending = ENDING_POLICY;
	TRY(declines_check(means->declines, clock_now_s()));
	if (!means->output_per_job && results_begin(config->common.output) != ERR_OK)
		log_warn("%s", err_detail());
	e = consider_offer(work, means, offer);
	readable = work->side != NULL;
	if (e == ERR_OK) {
		work->ending = ENDING_DATA;
		e = bring_data(work, means);
		brought = e == ERR_OK;
	}
	end = err_save(e);
	e = leaving_open(&work->leaving, config, work, readable,
			 brought ? means->data->data_hash : no_data);
	TRY(err_restore(&end));
	work->ending = ENDING_LEDGER;
	TRY(e);
	TRY(consider_past(work, means));
	work->considered = true;
	return ERR_OK;
}
