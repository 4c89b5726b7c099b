#include "party/consent/policy.h"
#include "common/base/clock.h"
#include "common/base/log.h"
#include "common/base/progress.h"
#include "common/job/hook.h"
#include "common/job/live.h"
#include "common/job/offer.h"
#include "common/kind/own.h"
#include "common/privacy/account.h"
#include "party/work/kind.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define LOOK_EVERY_S 0.1

enum { DISCLOSURES_MAX = 32 };

static enum err policy_check_align(const struct party_config *config, const struct work *work)
{
	const struct job *job = &work->job;

	if (job->align == ALIGN_SAME)
		return ERR_OK;
	if (!config_strings_has(&config->policy.align, kind_align_names[job->align]))
		return err_set(ERR_PEER,
			       "the offered job matches rows by \"%s\" (job.align), which "
			       "policy.align of %s does not name",
			       kind_align_names[job->align], config->common.name);
	if (job->min_common < config->policy.min_common)
		return err_set(ERR_PEER,
			       "the offered job goes on with %u rows that all parties have "
			       "(job.min_common), policy.min_common of %s is %u",
			       job->min_common, config->common.name, config->policy.min_common);
	return ERR_OK;
}

/* Checks that policy.allow_loss permits the dropouts that the job allows. If an attempt has fewer
 * parties, its sums may differ from those of an earlier attempt by the lost party's terms alone.
 * policy.allow_subsets permits the same between jobs. */
static enum err policy_check_loss(const struct party_config *config, const struct work *work)
{
	unsigned least = config->policy.allow_loss;

	if (work->job.on_loss == LOSS_END)
		return ERR_OK;
	if (!least)
		return err_set(ERR_PEER,
			       "the offered job may continue after a dropout (job.on_loss), "
			       "policy.allow_loss of %s is 0",
			       config->common.name);
	if (work->lefts && work->L < least)
		return err_set(ERR_PEER, "%zu parties are left, policy.allow_loss of %s is %u",
			       work->L, config->common.name, least);
	return ERR_OK;
}

/* Checks the number of colluders that the job assumes, if it adds noise in sums. Each party adds a
 * share of the noise. If more parties collude, the shares of the others do not reach the claimed
 * level. */
static enum err check_colluders(const struct party_config *config, const struct work *work)
{
	struct kind_claim claim = job_claim(&work->job);
	size_t colluders = claim.colluders == JOB_AUTO ? work->L / 2 : claim.colluders;

	if (!claim.in_sums || work->L == 1 || colluders >= config->policy.min_colluders)
		return ERR_OK;
	return err_set(ERR_PEER,
		       "the offered job has noise that is enough against %zu colluding parties "
		       "(job.noise.colluders), policy.min_colluders of %s is %u",
		       colluders, config->common.name, config->policy.min_colluders);
}

static enum err policy_claims_none(const struct party_config *config, const struct work *work)
{
	return err_set(ERR_PEER,
		       "the offered job of kind %s claims no differential privacy, policy.max_eps "
		       "of %s is %g: no job of this kind does",
		       work->job.kind->name, config->common.name, config->policy.max_eps);
}

/* Checks policy.require_noise: only noise limits the information that a malicious party gains by
 * sending false terms. */
static enum err policy_check_noise(const struct party_config *config, const struct work *work)
{
	const char *why = job_needs_noise(&work->job);

	if (!config->policy.require_noise || !why)
		return ERR_OK;
	return err_set(ERR_PEER,
		       "the offered job of kind %s discloses sums, or clusters derived from them, "
		       "to all parties without noise, policy.require_noise of %s is true: %s",
		       work->job.kind->name, config->common.name, why);
}

static enum err check_pins(const struct party_config *config, struct work *work)
{
	uint8_t pin[SECAGG_HASH_LEN];
	enum err e = ERR_OK;

	for (size_t l = 0; l < work->L && e == ERR_OK; l++) {
		if (l == work->own)
			continue;
		e = policy_pin(config, work->name[l], pin);
		if (e == ERR_PEER) { /* the configuration has no such peer */
			work->ending = ENDING_PIN;
			snprintf(work->subject, sizeof(work->subject), "%s", work->name[l]);
		}
	}
	return e;
}

enum err policy_check(const struct party_config *config, const struct job *agreed,
		      struct work *work)
{
	const char *kind = job_permission(&work->job);
	struct party_sums sums;
	char text[256];

	if (agreed && job_difference(agreed, &work->job, text, sizeof(text)))
		return err_set(ERR_PEER, "%s agreed to another job: %s", config->common.name, text);
	if (work->attempt < 1)
		return err_set(ERR_PEER, "attempt 0 is offered, the first is 1");
	if (work->attempt > config->policy.max_attempts)
		return err_set(ERR_PEER, "attempt %u is offered, policy.max_attempts of %s is %u",
			       work->attempt, config->common.name, config->policy.max_attempts);
	if (config->policy.submitters.count &&
	    !config_strings_has(&config->policy.submitters, work->submitter))
		return err_set(
		    ERR_PEER,
		    "the job was submitted by %s, whom policy.submitters of %s does not name",
		    work->submitter, config->common.name);
	if (!config_strings_has(&config->policy.jobs, kind))
		return err_set(
		    ERR_PEER,
		    "the offered job is of kind %s, which policy.jobs of %s does not name", kind,
		    config->common.name);
	TRY(policy_check_align(config, work));
	TRY(policy_check_loss(config, work));
	TRY(check_colluders(config, work));
	if (work->side->allow)
		TRY(work->side->allow(config, work));
	TRY(policy_check_noise(config, work));
	if (config->policy.max_eps > 0)
		TRY((work->side->allow_eps ? work->side->allow_eps : policy_claims_none)(config,
											 work));
	TRY(check_pins(config, work));
	sums = work->side->sums ? work->side->sums(work)
				: (struct party_sums){ work->L, "kind", work->job.kind->name, "" };
	if (work->L + work->lefts == 1) {
		if (!config->policy.allow_single || !work->job.allow_single)
			return err_set(ERR_PEER, "a job of one party masks nothing: it needs "
						 "allow_single in job and policy");
	} else if (sums.least < config->policy.min_parties) {
		return err_set(ERR_PEER,
			       "the job (%s %s, %zu parties) has sums of %zu parties, "
			       "policy.min_parties is %u%s",
			       sums.of, sums.which, work->L, sums.least, config->policy.min_parties,
			       sums.hint);
	}
	return ERR_OK;
}

enum err policy_pin(const struct party_config *config, const char *name,
		    uint8_t pin[static SECAGG_HASH_LEN])
{
	const char *text = config_map_get(&config->peers, name);

	if (!text)
		return err_set(ERR_PEER, "%s takes part, but the peers of %s do not name it", name,
			       config->common.name);
	if (!fingerprint_parse(text, pin))
		return err_set(ERR_INPUT,
			       "peers.%s is \"%s\", expected sha256: and 64 hexadecimal digits",
			       name, text);
	return ERR_OK;
}

/* ---- limits over all jobs ---- */

enum err policy_may_spend(const struct party_config *config, const char *coordinator,
			  const struct ledger_spent *spent, uint64_t words)
{
	uint64_t max_words = config->policy.max_words;

	if (max_words && spent->words + words > max_words)
		return err_set(ERR_PEER,
			       "%s would have %" PRIu64
			       " numbers of this data, policy.max_words of %s is %" PRIu64,
			       coordinator, spent->words + words, config->common.name, max_words);
	return ERR_OK;
}

static enum err check_jobs(const struct party_config *config, const struct ledger_job *job,
			   const struct ledger_spent *spent)
{
	unsigned max_jobs = config->policy.max_jobs;

	if (!max_jobs || spent->jobs + 1 <= max_jobs)
		return ERR_OK;
	return err_set(ERR_PEER,
		       "it would be job %" PRIu64
		       " of %s over this data, attempts counted, policy.max_jobs of %s is %u",
		       spent->jobs + 1, job->coordinator, config->common.name, max_jobs);
}

/* Unless policy.allow_subsets is set, checks that earlier jobs had the same parties. Two sums over
 * the same data whose parties differ by one disclose that party's terms. */
static enum err check_subsets(const struct party_config *config, struct ledger *ledger,
			      const struct ledger_job *job)
{
	char *other;
	enum err e;

	if (config->policy.allow_subsets)
		return ERR_OK;
	TRY(ledger_other_parties(ledger, job, &other));
	if (!other)
		return ERR_OK;
	e = err_set(ERR_PEER,
		    "the offered job is of %.200s, but an earlier one over the same data was of "
		    "%.200s: policy.allow_subsets of %s is false",
		    job->parties, other, config->common.name);
	free(other);
	return e;
}

enum err policy_check_spent(const struct party_config *config, struct ledger *ledger,
			    const struct ledger_job *job, const struct ledger_spent *spent)
{
	TRY(check_jobs(config, job, spent));
	TRY(policy_may_spend(config, job->coordinator, spent, 0));
	return check_subsets(config, ledger, job);
}

/* Returns a clause for errors: "of the data set \"customers\"" or "of this data". */
static const char *whose(const struct ledger_job *job, char text[static 96])
{
	bool named = job->set && *job->set;

	snprintf(text, 96, named ? "of the data set \"%s\"" : "of this data", job->set);
	return text;
}

enum err policy_check_privacy(const struct party_config *config, struct ledger *ledger,
			      const struct ledger_job *job, const struct kind_claim *claim,
			      bool booked)
{
	double max = config->policy.max_eps_total, delta = config->policy.max_delta_total;
	double spent, total, mu, left;
	struct ledger_account a;
	char set[96];

	if (!(max > 0))
		return ERR_OK;
	if (!(claim->eps > 0))
		return err_set(ERR_PEER,
			       "the offered job of kind %s claims no differential privacy, "
			       "policy.max_eps_total of %s is %g",
			       job->kind, config->common.name, max);
	TRY(ledger_account(ledger, job, &a));
	spent = ledger_square(&a, claim->unit);
	total = account_eps(sqrt(spent + (booked ? 0 : claim->mu * claim->mu)), delta);
	if (total <= max)
		return ERR_OK;
	TRY(account_mu(max, delta, &mu));
	left = spent < mu * mu ? account_eps(sqrt(mu * mu - spent), claim->delta) : 0;
	return err_set(ERR_PEER,
		       "with the offered job's eps %g at delta %g, jobs %s would come to eps %.4g "
		       "at delta %g of each %s, policy.max_eps_total of %s is %g: a job with this "
		       "delta may claim eps %.3g more",
		       claim->eps, claim->delta, whose(job, set), total, delta, claim->unit,
		       config->common.name, max, floor(left * 1000) / 1000);
}

/* Checks policy.max_eps at policy.max_delta, for the noise of one question more than the job has
 * claims. Then checks policy.max_eps_total. */
enum err policy_check_again(const struct party_config *config, struct ledger *ledger,
			    const struct ledger_job *job, const struct kind_claim *claim,
			    uint64_t claims)
{
	double max = config->policy.max_eps, delta = config->policy.max_delta;
	double eps = account_eps(sqrt((double)(claims + 1)) * claim->mu, delta);

	if (max > 0 && eps > max)
		return err_set(
		    ERR_PEER,
		    "attempt %u asks another question than an earlier attempt at this job, with "
		    "which the job would come to eps %.4g at delta %g, policy.max_eps of %s is %g",
		    job->attempt, eps, delta, config->common.name, max);
	return policy_check_privacy(config, ledger, job, claim, false);
}

/* Checks that all attempts at a job have the same data. If the data changed, sums and noise of two
 * attempts would together disclose the change. */
static enum err policy_check_data(struct ledger *ledger, const struct ledger_job *job)
{
	uint32_t attempt;

	TRY(ledger_other_data(ledger, job, &attempt));
	if (!attempt)
		return ERR_OK;
	return err_set(ERR_PEER,
		       "attempt %u is offered over other data than attempt %u of this job, as the "
		       "files of this party have changed: submit a new job",
		       job->attempt, attempt);
}

enum err policy_check_past(const struct party_config *config, struct ledger *ledger,
			   const struct ledger_job *job, const struct ledger_spent *spent)
{
	const struct config_strings *coordinators = &config->policy.coordinators;
	struct ledger_spent least = *spent;

	if (coordinators->count && !config_strings_has(coordinators, job->coordinator))
		return err_set(
		    ERR_PEER,
		    "the job is offered by %s, which policy.coordinators of %s does not name",
		    job->coordinator, config->common.name);
	TRY(policy_check_data(ledger, job));
	least.rounds++; /* every kind computes at least one sum */
	least.words++;
	return policy_check_spent(config, ledger, job, &least);
}

/* ---- consent of a user ---- */

static void print_budget(struct buf *t, const char *what, const char *setting, uint64_t spent,
			 uint64_t max)
{
	buf_printf(t, "  %s: %" PRIu64, what, spent);
	if (max)
		buf_printf(t, " of %s %" PRIu64, setting, max);
	buf_printf(t, "\n");
}

static void write_text(const struct party_config *config, const struct work *work,
		       const struct ledger_job *job, const struct ledger_spent *spent,
		       const char *id, const char *const *disclosure, size_t disclosures,
		       struct buf *t)
{
	struct buf params = { 0 };

	job_write(&work->job, &params);
	buf_printf(t,
		   "Job %s\nof kind %s, offered to %s by the coordinator %s, which says that %s "
		   "submitted it.\n\n",
		   id, job->kind, config->common.name, job->coordinator, job->submitter);
	buf_printf(t, "Parties: %s\n", job->parties);
	for (size_t i = 0; i < work->lefts; i++)
		buf_printf(t, "Left out since attempt %u, after a dropout: %s\n",
			   work->left[i].attempt, work->left[i].name);
	buf_printf(t, "\nDisclosures:\n");
	for (size_t i = 0; i < disclosures; i++)
		buf_printf(t, "  - %s\n", disclosure[i]);
	buf_printf(t, "\nWhat %s has received of this data so far:\n", job->coordinator);
	print_budget(t, "jobs", "policy.max_jobs", spent->jobs, config->policy.max_jobs);
	print_budget(t, "secure sums", "", spent->rounds, 0);
	print_budget(t, "numbers made from data", "policy.max_words", spent->words,
		     config->policy.max_words);
	buf_printf(t, "\nParameters:\n%.*s\n", (int)params.n, (const char *)params.p);
	buf_printf(t,
		   "\nTo agree:   coterie approve --state %s %s\n"
		   "To refuse:  coterie approve --state %s %s --refuse \"WHY\"\n",
		   config->state, id, config->state, id);
	buf_release(&params);
}

static enum err put_up(const struct party_config *config, const struct work *work,
		       const struct ledger_job *job, const struct ledger_spent *spent,
		       const char *id, const char *hash)
{
	const char *disclosure[DISCLOSURES_MAX];
	size_t disclosures = job_disclosures(&work->job, work->L, disclosure, DISCLOSURES_MAX);
	struct json *o = json_object(), *list;
	struct buf text = { 0 };
	char now[32];
	enum err e;

	clock_utc(now, sizeof(now));
	json_put_string(o, "job_id", id);
	json_put_string(o, "kind", job->kind);
	json_put_string(o, "coordinator", job->coordinator);
	json_put_string(o, "submitter", job->submitter);
	json_put_string(o, "party", config->common.name);
	list = json_put_array(o, "parties");
	for (size_t l = 0; l < work->L; l++)
		json_append_string(list, work->name[l]);
	json_put_string(o, "offered", now);
	json_put_number(o, "confirm_s", config->confirm_s);
	list = json_put_array(o, "leaks");
	for (size_t i = 0; i < disclosures; i++)
		json_append_string(list, disclosure[i]);
	write_text(config, work, job, spent, id, disclosure, disclosures, &text);
	e = offer_write(config->state, id, hash, o, (struct bytes){ text.p, text.n });
	buf_release(&text);
	json_free(o);
	if (e != ERR_OK)
		return e;
	log_info("job %s waits for approval, up to %u s: coterie approve --state %s %s", id,
		 config->confirm_s, config->state, id);
	hook_raise(HOOK_CONSENT_AWAITED, id,
		   "job %s of %s waits for approval, up to %u s: coterie approve --state %s %s", id,
		   job->coordinator, config->confirm_s, config->state, id);
	return ERR_OK;
}

static enum err policy_read_answer(const struct party_config *config, const char *id,
				   const char *hash, struct offer_answer *a)
{
	bool told = a->other;

	TRY(offer_answer_read(config->state, id, hash, a));
	if (a->other && !told)
		log_warn("%s/offers/%s.answer is ignored: it answers another offer (other "
			 "parameters, parties, coordinator or data), or has expired. The current "
			 "offer needs its own answer: coterie approve --state %s %s",
			 config->state, id, config->state, id);
	return ERR_OK;
}

static enum err policy_await_answer(const struct party_config *config, struct work *work,
				    const char *id, const char *hash, struct offer_answer *a)
{
	double until = clock_now_s() + config->confirm_s;
	struct msg m = { .type = MSG_ASKING, .asking = { config->confirm_s } };

	TRY(channel_send(work->channel, &m));
	while (!a->given) {
		if (clock_now_s() >= until)
			return err_set(ERR_DEADLINE,
				       "nobody at %s answered within confirm_s, %u s: "
				       "policy.confirm requires approval",
				       config->common.name, config->confirm_s);
		progress_tick(); /* progress, so that the coordinator's deadline does not expire */
		TRY(channel_pause(work->channel, LOOK_EVERY_S));
		TRY(policy_read_answer(config, id, hash, a));
	}
	return ERR_OK;
}

enum err policy_confirm(const struct party_config *config, struct work *work,
			const struct ledger_job *job, const struct ledger_spent *spent)
{
	char id[OFFER_ID_TEXT], hash[OFFER_HASH_TEXT];
	uint8_t offered[SHA256_LEN];
	struct offer_answer a = { 0 };
	struct sha256 *h;

	if (!config->policy.confirm)
		return ERR_OK;
	hex_write(work->job_id, JOB_ID_LEN, id);
	/* The hash covers all that the user agrees to: parameters, parties and submitter
	 * (params_hash), the coordinator and its key, and the data. */
	h = sha256_new();
	sha256_add_text(h, "coterie offer v1");
	sha256_add(h, work->params_hash, sizeof(work->params_hash));
	sha256_add_text(h, job->coordinator);
	sha256_add(h, job->key, sizeof(job->key));
	sha256_add(h, job->data, sizeof(job->data));
	sha256_end(h, offered);
	hex_write(offered, sizeof(offered), hash);
	TRY(policy_read_answer(config, id, hash, &a));
	if (!a.given) {
		enum err e = put_up(config, work, job, spent, id, hash);

		live_awaits_approval(e == ERR_OK);
		if (e == ERR_OK)
			e = policy_await_answer(config, work, id, hash, &a);
		live_awaits_approval(false);
		offer_withdraw(config->state, id);
		if (e != ERR_OK)
			return e;
	}
	if (!a.yes)
		return err_set(ERR_PEER, "a user at %s refused the job%s%s", config->common.name,
			       *a.why ? ": " : "", a.why);
	log_info("a user approved job %s", id);
	return ERR_OK;
}
