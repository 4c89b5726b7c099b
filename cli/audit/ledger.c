/* coterie ledger: lists, verifies and exports a party's egress ledger. */
#include "crypto/ledger.h"
#include "cli/args/args.h"
#include "cli/args/table.h"
#include "cli/audit/budget.h"
#include "common/base/file.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { OPT_STATE = 256, OPT_JOB, OPT_SINCE, OPT_AGAINST, OPT_CSV, OPT_CONFIG, OPT_DELTA };
enum action { NONE, LIST, VERIFY, EXPORT, BUDGET };
#define DELTA 1e-5
enum { AGAINST_MAX = 64, RUN_MAX = 64 << 20, INDENT = 8 };

struct arguments {
	enum action action;
	const char *state, *job, *config;
	double delta;
	uint64_t since_ms;
	const char *against[AGAINST_MAX];
	size_t against_n;
	bool csv;
};

static const struct argp_option options[] = {
	{ "state", OPT_STATE, "DIR", 0, "state directory of the party, with ledger.db", 0 },
	{ "job", OPT_JOB, "ID", 0, "list, export: only this job; the first digits suffice", 0 },
	{ "since", OPT_SINCE, "TIME", 0,
	  "list, export: rows since this time in UTC, 2026-01-31 or 2026-01-31T12:34:56", 0 },
	{ "against", OPT_AGAINST, "FILE", 0,
	  "verify: a file with a head that the ledger must contain: run.json of this party, a "
	  "peer or the coordinator, or a peer's ledger.db; may be repeated",
	  0 },
	{ "config", OPT_CONFIG, "FILE", 0,
	  "budget: compare with the policy in this configuration of the party; replaces --state",
	  0 },
	{ "delta", OPT_DELTA, "D", 0,
	  "budget, without --config: delta of the printed eps; "
	  "default 1e-5",
	  0 },
	{ "csv", OPT_CSV, NULL, 0, "export: write CSV, which is the only format", 0 },
	{ 0 }
};

static bool parse_time(const char *text, uint64_t *ms)
{
	static const char *const formats[] = { "%Y-%m-%dT%H:%M:%S", "%Y-%m-%d" };

	for (size_t i = 0; i < 2; i++) {
		struct tm tm = { 0 };
		const char *end = strptime(text, formats[i], &tm);
		time_t t;

		if (!end || (*end && strcmp(end, "Z") != 0))
			continue;
		t = timegm(&tm);
		if (t < 0)
			return false;
		*ms = (uint64_t)t * 1000;
		return true;
	}
	return false;
}

static error_t ledger_command_parse(int key, char *arg, struct argp_state *state)
{
	static const char *const actions[] = { "", "list", "verify", "export", "budget" };
	struct arguments *a = state->input;
	const struct args_field fields[] = {
		{ OPT_STATE, ARGS_TO(a->state) },
		{ OPT_CONFIG, ARGS_TO(a->config) },
		{ OPT_DELTA, ARGS_TO(a->delta), 1e-300, 0.5 },
		{ OPT_CSV, ARGS_TO(a->csv) },
		{ 0 },
	};

	switch (key) {
	case OPT_JOB:
		a->job = arg;
		args_job(state, arg);
		return 0;
	case OPT_SINCE:
		if (!parse_time(arg, &a->since_ms))
			argp_error(state, "--since is \"%s\", expected a time like 2026-01-31",
				   arg);
		return 0;
	case OPT_AGAINST:
		if (a->against_n == AGAINST_MAX)
			argp_error(state, "--against is given more than %d times", AGAINST_MAX);
		a->against[a->against_n++] = arg;
		return 0;
	case ARGP_KEY_ARG:
		if (a->action != NONE)
			argp_error(state, "unexpected argument: %s", arg);
		for (enum action i = LIST; i <= BUDGET; i++)
			if (!strcmp(arg, actions[i]))
				a->action = i;
		if (a->action == NONE)
			argp_error(state, "\"%s\" is none of list, verify, export, budget", arg);
		return 0;
	case ARGP_KEY_END:
		if (a->action == NONE)
			argp_error(state, "expected list, verify, export or budget");
		if (a->action != BUDGET && (a->config || a->delta > 0))
			argp_error(state, "--config and --delta are for budget");
		if (a->config && (a->state || a->delta > 0))
			argp_error(state, "--config says where the state is, and at which delta");
		args_need(state, a->state || a->config,
			  a->action == BUDGET ? "--state or --config is needed"
					      : "--state is needed");
		if (a->action == EXPORT && !a->csv)
			argp_error(state, "export needs --csv");
		if (a->action != VERIFY && a->against_n)
			argp_error(state, "--against is for verify");
		if (a->action != LIST && a->action != EXPORT && (*a->job || a->since_ms))
			argp_error(state, "verify and budget look at all rows: --job and --since "
					  "are for list and export");
		return 0;
	default:
		return args_take(options, fields, key, arg, state);
	}
}

static void ledger_command_put_time(uint64_t ms, char text[static 32])
{
	time_t t = (time_t)(ms / 1000);
	struct tm tm;
	size_t n;

	gmtime_r(&t, &tm);
	n = strftime(text, 32, "%Y-%m-%dT%H:%M:%S", &tm);
	snprintf(text + n, 32 - n, ".%03uZ", (unsigned)(ms % 1000));
}

static enum err list_line(void *arg, const struct ledger_line *l)
{
	char job[LEDGER_JOB_TEXT], when[32], row[192];
	int n;

	(void)arg;
	hex_write(l->job.id, LEDGER_JOB_LEN, job);
	ledger_command_put_time(l->row.time_ms, when);
	n = snprintf(row, sizeof(row), "%6" PRIu64 "  %.19s  %.8s-%u  %-10s %-14s %9" PRIu64,
		     l->number, when, job, l->job.attempt, l->row.step, l->row.type, l->row.bytes);
	if ((size_t)n + 2 + strlen(l->row.purpose) <= table_room()) {
		table_line(INDENT, "%s  %s", row, l->row.purpose);
	} else {
		table_line(INDENT, "%6" PRIu64 "  %.19s  %.8s-%u  %s  %s  %" PRIu64 " bytes",
			   l->number, when, job, l->job.attempt, l->row.step, l->row.type,
			   l->row.bytes);
		table_line(INDENT, "%*s%s", INDENT, "", l->row.purpose);
	}
	return ERR_OK;
}

static void put_field(const char *text)
{
	putchar('"');
	for (; *text; text++) {
		if (*text == '"')
			putchar('"');
		putchar(*text);
	}
	fputs("\",", stdout);
}

static enum err export_line(void *arg, const struct ledger_line *l)
{
	char job[LEDGER_JOB_TEXT], body[2 * SHA256_LEN + 1], hash[2 * SHA256_LEN + 1], when[32];

	(void)arg;
	hex_write(l->job.id, LEDGER_JOB_LEN, job);
	hex_write(l->row.sha256, SHA256_LEN, body);
	hex_write(l->hash, SHA256_LEN, hash);
	ledger_command_put_time(l->row.time_ms, when);
	printf("%" PRIu64 ",%s,%s,%u,", l->number, when, job, l->job.attempt);
	put_field(l->job.kind);
	put_field(l->job.coordinator);
	put_field(l->job.parties);
	put_field(l->row.step);
	put_field(l->row.purpose);
	printf("%s,%" PRIu64 ",%s,%s,%" PRIu64 ",%" PRIu64 ",%.17g,%.17g,%s,%s,%s,%.17g,%s\n",
	       l->row.type, l->row.bytes, body, l->row.masked ? "yes" : "no", l->row.rounds,
	       l->row.words, l->row.eps, l->row.delta, hash, l->job.submitter, l->row.unit,
	       l->row.mu, l->job.set);
	return ERR_OK;
}

struct findings {
	size_t faults;
	size_t heads;
	struct ledger *ledger;
	const char *file, *peer; /* path of the ledger; name of the party that owns it */
};

static void ledger_command_print_sentence(void *arg, const char *sentence)
{
	(void)arg;
	table_line(2, "%s", sentence);
}

static enum err hold_against(struct findings *f, const char *who, const struct ledger_head *head)
{
	size_t faults;
	char text[256];

	snprintf(text, sizeof(text), "%.80s (%.160s)", who, f->file);
	f->heads++;
	TRY(ledger_check(f->ledger, text, head, ledger_command_print_sentence, NULL, &faults));
	f->faults += faults;
	return ERR_OK;
}

/* Handles a head in another party's ledger. If the owner of the ledger under test reported the head
 * to that party at the end of a job, checks the head. */
static enum err peer_head(void *findings, const char *name, const struct ledger_head *head)
{
	struct findings *f = findings;

	return strcmp(name, ledger_name(f->ledger)) ? ERR_OK : hold_against(f, f->peer, head);
}

/* Checks the ledger against its head in a run.json. The ledger's owner has written this file, or
 * has reported the head to the process that wrote the file. */
static enum err against_run(struct findings *f)
{
	const char *own = ledger_name(f->ledger);
	const struct json *name, *ledger, *told, *count, *hash;
	struct ledger_head head;
	struct json *run = NULL;
	enum err e = ERR_OK;

	TRY(json_read(f->file, RUN_MAX, &run));
	name = json_get_as(run, "name", JSON_STRING);
	ledger = json_get_as(run, "ledger", JSON_OBJECT);
	told = json_get_as(json_get_as(ledger, "peers", JSON_OBJECT), own, JSON_OBJECT);
	if (!told && name && !strcmp(json_string(name), own))
		told = ledger;
	count = json_get_as(told, "count", JSON_NUMBER);
	hash = json_get_as(told, "hash", JSON_STRING);
	if (told && (!count || json_number(count) < 0 || json_number(count) > 9e15 || !hash ||
		     !hex_read(json_string(hash), head.hash, SHA256_LEN))) {
		e = err_set(ERR_INPUT, "%s: ledger has a head without count or hash", f->file);
	} else if (told) {
		head.count = (uint64_t)json_number(count);
		e = hold_against(f, name ? json_string(name) : "somebody", &head);
	}
	json_free(run);
	return e;
}

static enum err against(struct findings *f)
{
	static const char magic[16] = "SQLite format 3";
	char first[16] = "";
	FILE *file = fopen(f->file, "r");
	size_t before = f->heads;
	struct ledger *other;
	enum err e;

	if (!file)
		return err_set(ERR_INPUT, "%s: cannot be read", f->file);
	if (fread(first, 1, sizeof(first), file) != sizeof(first))
		*first = 0;
	fclose(file);
	if (memcmp(first, magic, sizeof(magic))) {
		e = against_run(f);
	} else {
		TRY(ledger_open_read(&other, f->file));
		f->peer = ledger_name(other);
		e = ledger_read_heads(other, peer_head, f);
		ledger_close(other);
	}
	if (!e && f->heads == before)
		e = err_set(ERR_INPUT, "%s has no entry for the ledger of %s", f->file,
			    ledger_name(f->ledger));
	return e;
}

static enum err verify(const struct arguments *a, struct ledger *l)
{
	struct findings f = { .ledger = l };
	struct ledger_head head;

	TRY(ledger_verify(l, ledger_command_print_sentence, NULL, &f.faults));
	for (size_t i = 0; i < a->against_n; i++) {
		f.file = a->against[i];
		TRY(against(&f));
	}
	if (f.faults)
		return err_set(ERR_JOB, "the ledger of %s was altered: %zu finding%s",
			       ledger_name(l), f.faults, f.faults == 1 ? "" : "s");
	TRY(ledger_head(l, &head));
	printf("ledger of %s intact: %" PRIu64 " rows", ledger_name(l), head.count);
	if (a->against_n)
		printf(", held against %zu head%s", f.heads, f.heads == 1 ? "" : "s");
	printf("\n");
	return ERR_OK;
}

static enum err ledger_command_open(const char *dir, struct ledger **l)
{
	char *path = file_join(dir, "ledger.db");
	enum err e = ledger_open_read(l, path);

	free(path);
	return e;
}

static enum err budget(const struct arguments *a)
{
	struct party_config config;
	struct ledger *l = NULL;
	enum err e;

	if (a->config)
		TRY(party_config_read(&config, a->config, NULL));
	e = ledger_command_open(a->config ? config.state : a->state, &l);
	if (e == ERR_OK)
		e = budget_print(l, a->config ? &config : NULL, a->delta > 0 ? a->delta : DELTA);
	ledger_close(l);
	if (a->config)
		party_config_release(&config);
	return e;
}

static enum err ledger_command_run(void *arguments)
{
	const struct arguments *a = arguments;
	struct ledger *l = NULL;
	enum err e;

	if (a->action == BUDGET)
		return budget(a);
	e = ledger_command_open(a->state, &l);
	if (e != ERR_OK)
		return e;
	if (a->action == VERIFY) {
		e = verify(a, l);
	} else if (a->action == LIST) {
		e = ledger_read(l, a->job, a->since_ms, list_line, NULL);
	} else {
		printf("number,time,job,attempt,kind,coordinator,parties,step,purpose,type,bytes,"
		       "sha256,masked,sums,words,eps,delta,hash,submitter,unit,mu,dataset\n");
		e = ledger_read(l, a->job, a->since_ms, export_line, NULL);
	}
	ledger_close(l);
	return e;
}

int ledger_main(int argc, char **argv)
{
	static const struct argp argp = {
		.options = options,
		.parser = ledger_command_parse,
		.args_doc = "list|verify|export|budget",
		.doc = "Reads a party's ledger: a row for each message, written before it was "
		       "sent. list prints the rows, export --csv all of their columns. verify "
		       "finds removed, changed or moved rows, and a truncated end. budget "
		       "prints for each data set the spent eps and delta, the numbers of jobs, "
		       "sums and values, and the rest that the policy allows.\vExit status of "
		       "verify: 0 the ledger is intact, 1 it was altered, 4 it cannot be read. "
		       "A user who can write the file can also rewrite the whole ledger. Only a "
		       "head from another process (--against) reveals that.",
	};
	return (int)args_run("ledger", &argp, argc, argv, &(struct arguments){ .job = "" },
			     ledger_command_run);
}
