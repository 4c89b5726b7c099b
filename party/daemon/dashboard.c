#include "party/daemon/dashboard.h"
#include "common/base/clock.h"
#include "common/base/file.h"
#include "common/base/log.h"
#include "common/job/live.h"
#include "common/job/offer.h"
#include "common/privacy/account.h"
#include "crypto/ledger.h"
#include "crypto/secret.h"
#include "crypto/token.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ROWS = 100, WORDS_MAX = 200, DAYS = 7, DAYS_MAX = 366, SHORT = 8 };

/* Opens the ledger. If the ledger does not exist yet, returns ERR_OK and sets *l to NULL. */
static enum err party_dashboard_open_ledger(const struct party_config *config, struct ledger **l)
{
	char *path = file_join(config->state, "ledger.db");
	enum err e = ERR_OK;

	*l = NULL;
	if (file_exists(path))
		e = ledger_open_read(l, path);
	free(path);
	return e;
}

/* Answers with o, or with the error e. Takes over o. */
static void dashboard_answer(struct http_answer *a, enum err e, struct json *o)
{
	if (e == ERR_OK) {
		http_json(a, o);
		return;
	}
	json_free(o);
	http_refuse(a, 500, "%s", err_detail());
}

/* -- the ledger ----------------------------------------------------------------------------- */

static enum err add_line(void *list, const struct ledger_line *l)
{
	struct json *o = json_append_object(list);
	char text[2 * SHA256_LEN + 1];

	json_put_number(o, "number", (double)l->number);
	clock_utc_of((time_t)(l->row.time_ms / 1000), text, sizeof(text));
	json_put_string(o, "time", text);
	hex_write(l->job.id, LEDGER_JOB_LEN, text);
	json_put_string(o, "job", text);
	json_put_number(o, "attempt", l->job.attempt);
	json_put_string(o, "kind", l->job.kind);
	json_put_string(o, "coordinator", l->job.coordinator);
	json_put_string(o, "submitter", l->job.submitter ? l->job.submitter : "");
	json_put_string(o, "parties", l->job.parties);
	json_put_string(o, "step", l->row.step);
	json_put_string(o, "purpose", l->row.purpose);
	json_put_string(o, "type", l->row.type);
	json_put_number(o, "bytes", (double)l->row.bytes);
	json_put_bool(o, "masked", l->row.masked);
	json_put_number(o, "rounds", (double)l->row.rounds);
	json_put_number(o, "words", (double)l->row.words);
	json_put_number(o, "eps", l->row.eps);
	hex_write(l->row.sha256, SHA256_LEN, text);
	json_put_string(o, "sha256", text);
	return ERR_OK;
}

static enum err put_head(struct ledger *l, struct json *o)
{
	struct ledger_head head = { 0 };
	char text[2 * SHA256_LEN + 1];

	if (l)
		TRY(ledger_head(l, &head));
	hex_write(head.hash, SHA256_LEN, text);
	json_put_number(o, "count", (double)head.count);
	json_put_string(o, "head", text);
	return ERR_OK;
}

static void ledger(void *config, const struct http_request *r, struct http_answer *a)
{
	const char *words = http_query(r, "q");
	struct json *o = json_object(), *list;
	uint64_t next = 0, before = strtoull(http_query(r, "before"), NULL, 10);
	struct ledger *l;
	enum err e;

	if (strlen(words) > WORDS_MAX) {
		json_free(o);
		http_refuse(a, 400, "q has %zu bytes, expected at most %d", strlen(words),
			    WORDS_MAX);
		return;
	}
	e = party_dashboard_open_ledger(config, &l);
	if (e == ERR_OK)
		e = put_head(l, o);
	list = json_put_array(o, "rows");
	if (e == ERR_OK && l)
		e = ledger_find(l, words, before <= INT64_MAX ? before : 0, ROWS, add_line, list,
				&next);
	json_put_number(o, "next", (double)next);
	ledger_close(l);
	dashboard_answer(a, e, o);
}

/* -- budgets -------------------------------------------------------------------------------- */

static void hex_short(const uint8_t hash[static SHA256_LEN], char text[static 2 * SHORT + 1])
{
	hex_write(hash, SHORT, text);
}

struct budgets {
	struct json *list;
	struct ledger *ledger;
	const struct party_config *config;
};

/* Writes the data set's privacy account over all coordinators: one entry per unit of privacy, and
 * the largest eps of all units. */
static enum err put_privacy(const struct budgets *b, const struct ledger_job *job, struct json *o)
{
	double delta = b->config->policy.max_delta_total, most = 0;
	struct ledger_account a;
	struct json *list = json_put_array(o, "privacy");

	TRY(ledger_account(b->ledger, job, &a));
	for (size_t u = 0; u < a.units; u++) {
		double mu = sqrt(a.unit[u].square), eps = account_eps(mu, delta);
		struct json *unit = json_append_object(list);

		json_put_string(unit, "unit", a.unit[u].name);
		json_put_number(unit, "claims", (double)a.unit[u].claims);
		json_put_number(unit, "mu", mu);
		json_put_number(unit, "eps", eps);
		json_put_number(unit, "delta", delta);
		most = fmax(most, eps);
	}
	json_put_number(o, "eps", most);
	return ERR_OK;
}

static enum err add_budget(void *budgets, const struct ledger_job *job,
			   const struct ledger_spent *s)
{
	const struct budgets *b = budgets;
	struct json *o = json_append_object(b->list);
	char text[2 * SHORT + 1];

	json_put_string(o, "coordinator", job->coordinator);
	hex_short(job->key, text);
	json_put_string(o, "key", text);
	hex_short(job->data, text);
	json_put_string(o, "data", *job->set ? job->set : text);
	json_put_number(o, "jobs", (double)s->jobs);
	json_put_number(o, "rounds", (double)s->rounds);
	json_put_number(o, "words", (double)s->words);
	return put_privacy(b, job, o);
}

static enum err list_budgets(const struct party_config *config, struct ledger *l, struct json *list)
{
	struct budgets b = { list, l, config };

	return l ? ledger_read_spent(l, add_budget, &b) : ERR_OK;
}

static void put_limits(struct json *o, const struct party_config *c)
{
	const struct {
		const char *name;
		double value;
	} limit[] = { { "jobs", c->policy.max_jobs },
		      { "words", (double)c->policy.max_words },
		      { "eps", c->policy.max_eps_total } };

	for (size_t i = 0; i < sizeof(limit) / sizeof(*limit); i++)
		if (limit[i].value > 0)
			json_put_number(o, limit[i].name, limit[i].value);
}

static enum err give_budgets(const struct party_config *config, struct ledger *l, struct json *o)
{
	struct json *list;

	put_limits(json_put_object(o, "limits"), config);
	list = json_put_array(o, "spent");
	return list_budgets(config, l, list);
}

static void budgets(void *config, const struct http_request *r, struct http_answer *a)
{
	struct json *o = json_object();
	struct ledger *l;
	enum err e = party_dashboard_open_ledger(config, &l);

	(void)r;
	if (e == ERR_OK)
		e = give_budgets(config, l, o);
	ledger_close(l);
	dashboard_answer(a, e, o);
}

enum err party_show_standing(const struct party_config *config, struct json *o)
{
	struct ledger *l;
	enum err e = party_dashboard_open_ledger(config, &l);

	if (e == ERR_OK)
		e = put_head(l, json_put_object(o, "ledger"));
	if (e == ERR_OK)
		e = give_budgets(config, l, json_put_object(o, "budgets"));
	ledger_close(l);
	return e;
}

/* -- offers --------------------------------------------------------------------------------- */

static void offers(void *arg, const struct http_request *r, struct http_answer *a)
{
	const struct party_config *config = arg;
	struct json *o, *list, *texts;

	(void)r;
	if (offer_list(config->state, &list) != ERR_OK) {
		http_refuse(a, 500, "%s", err_detail());
		return;
	}
	o = json_object();
	texts = json_put_object(o, "texts"); /* text of each offer, by job id */
	for (const struct json *one = json_first(list); one; one = json_next(one)) {
		struct buf text = { 0 };
		char id[OFFER_ID_TEXT];

		if (offer_read(config->state, json_text(one, "job_id"), id, &text) == ERR_OK) {
			buf_add(&text, "", 1);
			json_put_string(texts, id, (char *)text.p);
		}
		buf_release(&text);
	}
	json_put(o, "offers", list);
	http_json(a, o);
}

/* The answer in the body of a request. If it is invalid, *why names the expected form. */
struct given {
	bool yes;
	const char *hash, *why;
	unsigned days;
};
static bool party_dashboard_read_answer(const struct json *o, struct given *g, const char **why)
{
	const char *answer = json_text(o, "answer");
	double n = json_number_of(o, "days", DAYS);

	*g =
	    (struct given){ !strcmp(answer, "yes"), json_text(o, "offer"), json_text(o, "why"), 0 };
	*why = NULL;
	if (!g->yes && strcmp(answer, "no") != 0)
		*why = "\"answer\": \"yes\" or \"no\"";
	else if (strlen(g->hash) != OFFER_HASH_TEXT - 1)
		*why = "\"offer\": the hash of the offer that was read";
	else if (!(n >= 1 && n <= DAYS_MAX))
		*why = "\"days\": 1 to 366";
	else
		g->days = (unsigned)n;
	return !*why;
}

static void answer_offer(void *arg, const struct http_request *r, struct http_answer *a)
{
	const struct party_config *config = arg;
	struct json *o = NULL, *said;
	const char *wrong;
	struct given g;

	if (strlen(r->rest) != OFFER_ID_TEXT - 1 || r->rest[strspn(r->rest, "0123456789abcdef")]) {
		http_refuse(a, 404, "no offer is called \"%.64s\"", r->rest);
		return;
	}
	if (json_parse(r->body, "the answer", &o) != ERR_OK) {
		http_refuse(a, 400, "%s", err_detail());
	} else if (!party_dashboard_read_answer(o, &g, &wrong)) {
		http_refuse(a, 400, "the answer is not complete, expected %s", wrong);
	} else if (offer_answer_to(config->state, r->rest, g.hash, g.yes, g.why, g.days) !=
		   ERR_OK) {
		http_refuse(a, 409, "%s", err_detail());
	} else {
		log_info("a user has %s job %s on the dashboard", g.yes ? "agreed to" : "refused",
			 r->rest);
		said = json_object();
		json_put_string(said, "answer", g.yes ? "yes" : "no");
		http_json(a, said);
	}
	json_free(o);
}

/* -- results -------------------------------------------------------------------------------- */

/* A request needs the token, which has the rights of a reader. Only the party's user, who owns the
 * files, can read the token. */
static void party_dashboard_results(void *arg, const struct http_request *r, struct http_answer *a)
{
	const struct party_config *config = arg;
	struct http_request reader = *r;

	if (config->common.http.anywhere) { /* without TLS, other hosts could read the answers */
		http_refuse(a, 403,
			    "http.anywhere serves without TLS, so results are read at "
			    "party.api.listen, with the role reader");
		return;
	}
	reader.role = ROLE_READER;
	log_info("a user reads results on the dashboard: %s", r->rest);
	dashboard_results(config->common.output, &reader, a);
}

/* -- status and metrics --------------------------------------------------------------------- */

static void put_status(void *config, struct json *status)
{
	struct json *o = json_put_object(status, "ledger");
	struct ledger *l;

	if (party_dashboard_open_ledger(config, &l) != ERR_OK || put_head(l, o) != ERR_OK)
		json_put_string(o, "error", err_detail());
	ledger_close(l);
}

static void party_dashboard_sample(struct buf *text, const char *name, const struct json *of,
				   const char *what, double value)
{
	struct buf labels = { 0 };

	if (of) {
		live_label(&labels, "coordinator", json_text(of, "coordinator"));
		live_label(&labels, "data", json_text(of, "data"));
	}
	if (what)
		live_label(&labels, "what", what);
	buf_add(&labels, "", 1);
	live_sample(text, name, (char *)labels.p, value);
	buf_release(&labels);
}

static void put_budgets(const struct party_config *config, const struct json *spent,
			struct buf *text)
{
	static const char *const what[] = { "jobs", "rounds", "words", "eps" };
	struct json *limits = json_object();

	put_limits(limits, config);
	if (json_count(limits))
		live_metric(text, "coterie_budget_limit", "gauge",
			    "Limit of the policy for each data set: max_jobs, max_words, "
			    "max_eps_total and others; absent if there is no limit.");
	for (const struct json *v = json_first(limits); v; v = json_next(v))
		party_dashboard_sample(text, "coterie_budget_limit", NULL, json_key(v),
				       json_number(v));
	json_free(limits);
	if (!json_count(spent))
		return;
	live_metric(text, "coterie_budget_spent", "gauge",
		    "Amount that a coordinator received of a data set in all jobs, by the "
		    "ledger. eps: over all coordinators, at policy.max_delta_total.");
	for (const struct json *o = json_first(spent); o; o = json_next(o))
		for (size_t i = 0; i < sizeof(what) / sizeof(*what); i++)
			party_dashboard_sample(text, "coterie_budget_spent", o, what[i],
					       json_number(json_get(o, what[i])));
}

static void put_metrics(void *arg, struct buf *text)
{
	const struct party_config *config = arg;
	struct json *waiting = NULL, *spent = json_array();
	struct ledger_head head = { 0 };
	struct ledger *l;

	live_metric(text, "coterie_offers_waiting", "gauge",
		    "Offers that wait for a user's answer.");
	if (offer_list(config->state, &waiting) == ERR_OK)
		party_dashboard_sample(text, "coterie_offers_waiting", NULL, NULL,
				       (double)json_count(waiting));
	if (party_dashboard_open_ledger(config, &l) == ERR_OK &&
	    (!l || ledger_head(l, &head) == ERR_OK)) {
		live_metric(text, "coterie_ledger_rows", "gauge", "Rows of the ledger.");
		party_dashboard_sample(text, "coterie_ledger_rows", NULL, NULL, (double)head.count);
		if (list_budgets(config, l, spent) == ERR_OK)
			put_budgets(config, spent, text);
	}
	ledger_close(l);
	json_free(spent);
	json_free(waiting);
}

/* -- start and end -------------------------------------------------------------------------- */

static char *token_path(const struct party_config *config)
{
	return file_join(config->common.output, "http.token");
}

enum err party_dashboard_start(struct dashboard *w, const struct party_config *config)
{
	static const struct http_route routes[] = {
		{ .path = "/api/ledger", .answer = ledger },
		{ .path = "/api/budgets", .answer = budgets },
		{ .path = "/api/offers", .answer = offers },
		{ .path = "/api/offers/", .answer = answer_offer, .post = true },
		{ .path = "/api/results/", .answer = party_dashboard_results, .post = true },
		{ 0 },
	};
	struct dashboard_more more = { .route = routes,
				       .status = put_status,
				       .metrics = put_metrics,
				       .arg = (void *)(uintptr_t)config };
	char token[TOKEN_TEXT], *path;
	enum err e;

	if (!w)
		return ERR_OK;
	more.token = token;
	path = token_path(config);
	e = token_write(path, token);
	if (e == ERR_OK)
		e = dashboard_start(w, &more);
	if (e == ERR_OK)
		log_info("answers to offers by HTTP need the token in %s", path);
	free(path);
	wipe(token, sizeof(token));
	return e;
}

void party_dashboard_close(struct dashboard *w, const struct party_config *config)
{
	char *path;

	if (!w)
		return;
	dashboard_close(w);
	path = token_path(config);
	unlink(path);
	free(path);
}
