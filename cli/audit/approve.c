/* coterie approve: records the user's answer to a job that was offered to a party. */
#include "common/job/offer.h"
#include "cli/args/args.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { OPT_STATE = 256, OPT_LIST, OPT_REFUSE, OPT_SHOW, OPT_DAYS };
enum { DAYS_MAX = 366 };

struct arguments {
	const char *state, *id, *refuse;
	bool list, show;
	unsigned days;
};

static const struct argp_option options[] = {
	{ "state", OPT_STATE, "DIR", 0, "state directory of the party", 0 },
	{ "list", OPT_LIST, NULL, 0, "list the offers that wait for an answer", 0 },
	{ "show", OPT_SHOW, NULL, 0, "show the offer without an answer", 0 },
	{ "refuse", OPT_REFUSE, "WHY", 0, "refuse; WHY goes into this party's log", 0 },
	{ "days", OPT_DAYS, "N", 0, "days of validity of the answer, 1 to 366; default 7", 0 },
	{ 0 }
};

static error_t approve_parse(int key, char *arg, struct argp_state *state)
{
	struct arguments *a = state->input;
	const struct args_field fields[] = {
		{ OPT_STATE, ARGS_TO(a->state) },
		{ OPT_LIST, ARGS_TO(a->list) },
		{ OPT_SHOW, ARGS_TO(a->show) },
		{ OPT_REFUSE, ARGS_TO(a->refuse) },
		{ OPT_DAYS, ARGS_TO(a->days), 1, DAYS_MAX },
		{ ARGP_KEY_ARG, ARGS_TO(a->id) },
		{ 0 },
	};

	if (key == ARGP_KEY_END) {
		args_need(state, a->state, "--state is needed");
		if (a->list == (a->id != NULL))
			argp_error(state, "expected a job id or --list");
		if (a->refuse && (a->list || a->show))
			argp_error(state, "--refuse goes with a job id alone");
	}
	if (key == ARGP_KEY_ARG && !a->id)
		args_job(state, arg);
	return args_take(options, fields, key, arg, state);
}

static const char *approve_text_of(const struct json *o, const char *key)
{
	const struct json *v = json_get_as(o, key, JSON_STRING);

	return v ? json_string(v) : "?";
}

/* If root writes an answer, it does so as the owner of the state directory, because the daemon must
 * be able to read the answer. */
static enum err become_owner(const char *state)
{
	struct stat st;

	if (geteuid() == 0 && (stat(state, &st) || setegid(st.st_gid) || seteuid(st.st_uid)))
		return err_set(ERR_JOB, "%s: its owner cannot answer: %s", state, strerror(errno));
	return ERR_OK;
}

static enum err approve_run(void *arguments)
{
	const struct arguments *a = arguments;
	struct json *offers;
	struct buf text = { 0 };
	char id[OFFER_ID_TEXT];

	if (a->list) {
		TRY(offer_list(a->state, &offers));
		for (const struct json *o = json_first(offers); o; o = json_next(o))
			printf("%s  %s  %s, offered by %s\n", approve_text_of(o, "job_id"),
			       approve_text_of(o, "offered"), approve_text_of(o, "kind"),
			       approve_text_of(o, "coordinator"));
		if (!json_count(offers))
			printf("no offer waits for an answer\n");
		json_free(offers);
		return ERR_OK;
	}
	TRY(offer_read(a->state, a->id, id, &text));
	fwrite(text.p, 1, text.n, stdout);
	buf_release(&text);
	if (a->show)
		return ERR_OK;
	TRY(become_owner(a->state));
	TRY(offer_answer_write(a->state, id, !a->refuse, a->refuse ? a->refuse : "", a->days));
	printf("\n%s: job %s\n", a->refuse ? "refused" : "agreed", id);
	return ERR_OK;
}

int approve_main(int argc, char **argv)
{
	static const struct argp argp = {
		.options = options,
		.parser = approve_parse,
		.args_doc = "[JOB_ID]",
		.doc = "Approves or refuses a job that waits for approval at a party "
		       "(policy.confirm). Prints the job's disclosures.\vThe first digits of the "
		       "id suffice if they are unique. The answer is valid for this job with these "
		       "parameters and parties, for up to policy.max_attempts attempts, and for "
		       "--days.",
	};
	return (int)args_run("approve", &argp, argc, argv, &(struct arguments){ .days = 7 },
			     approve_run);
}
