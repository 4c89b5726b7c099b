/* coterie job: manages the jobs of a coordinator in service mode. */
#include "cli/args/args.h"
#include "cli/args/table.h"
#include "cli/job/ask.h"
#include "common/base/clock.h"
#include "common/base/file.h"
#include "common/job/job.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { OPT_MOST = ASK_OWN, OPT_TIMEOUT, OPT_WAIT };
enum { INDENT = 11, MOST = 1000, TIMEOUT_MAX = 366 * 86400, POLL_MS = 250 };
#define GONE_S 60.0 /* time limit for a coordinator to restart, in seconds */

struct arguments {
	struct asking asking;
	const char *what, *which;
	bool follow, wait;
	unsigned most, timeout_s;
};

static const struct argp_option options[] = {
	ASK_OPTIONS("coordinator", "print the coordinator's answer as JSON"),
	{ "most", OPT_MOST, "N", 0, "list: the last N jobs, default 50", 0 },
	{ "follow", 'f', NULL, 0, "log: continue until the job is over", 0 },
	{ "wait", OPT_WAIT, NULL, 0, "submit: also wait, like coterie job wait", 0 },
	{ "timeout", OPT_TIMEOUT, "S", 0,
	  "wait: most seconds to wait; after these the exit "
	  "status is 3",
	  0 },
	{ 0 }
};

static error_t job_command_parse(int key, char *arg, struct argp_state *state)
{
	struct arguments *a = state->input;
	const struct args_field fields[] = {
		{ OPT_MOST, ARGS_TO(a->most), 1, MOST },
		{ 'f', ARGS_TO(a->follow) },
		{ OPT_WAIT, ARGS_TO(a->wait) },
		{ OPT_TIMEOUT, ARGS_TO(a->timeout_s), 1, TIMEOUT_MAX },
		{ 0 },
	};

	if (ask_option(key, arg, &a->asking))
		return 0;
	switch (key) {
	case ARGP_KEY_ARG:
		if (!a->what)
			a->what = arg;
		else
			args_one(state, arg, &a->which);
		return 0;
	case ARGP_KEY_END:
		args_need(state, a->what, "submit, list, show, wait, cancel or log is missing");
		return 0;
	default:
		return args_take(options, fields, key, arg, state);
	}
}

static struct json *request_of(const char *what, double id)
{
	struct json *request = json_object();

	json_put_string(request, "do", what);
	if (id > 0)
		json_put_number(request, "id", id);
	return request;
}

static enum err ask_and_free(const struct arguments *a, struct json *request, struct json **answer)
{
	enum err e = job_ask(&a->asking, request, answer);

	json_free(request);
	return e;
}

static enum err read_id(const struct arguments *a, double *id)
{
	char *end;

	if (!a->which)
		return err_set(ERR_INPUT,
			       "%s needs the number of a job, as coterie job list shows it",
			       a->what);
	*id = strtod(a->which, &end);
	if (*end || strspn(a->which, "0123456789") != strlen(a->which) || *id < 1 || *id > 9e15)
		return err_set(ERR_INPUT, "\"%s\" is no number of a job", a->which);
	return ERR_OK;
}

static void job_command_join_texts(const struct json *list, struct buf *text)
{
	for (const struct json *v = list ? json_first(list) : NULL; v; v = json_next(v))
		if (json_type(v) == JSON_STRING)
			buf_printf(text, "%s%s", text->n ? " " : "", json_string(v));
	buf_add(text, "", 1);
}

void job_state_text(const struct json *j, struct buf *text)
{
	struct buf names = { 0 };

	job_command_join_texts(json_get_as(j, "waiting_for", JSON_ARRAY), &names);
	buf_printf(text, "%s%s%s%s", json_text(j, "state"), names.n > 1 ? " (" : "",
		   (const char *)names.p, names.n > 1 ? ")" : "");
	buf_add(text, "", 1);
	buf_release(&names);
}

static enum err do_list(const struct arguments *a)
{
	static const char *const heads[] = { ">job",      "state",     "kind",
					     "submitter", "submitted", "ended" };
	struct json *request = request_of("list", 0), *answer;
	struct table *t;

	json_put_number(request, "most", a->most);
	TRY(ask_and_free(a, request, &answer));
	if (a->asking.json) {
		args_print(json_get(answer, "jobs"));
		json_free(answer);
		return ERR_OK;
	}
	t = table_new(heads, 6);
	for (const struct json *j = json_first(json_get(answer, "jobs")); j; j = json_next(j)) {
		struct buf state = { 0 };

		job_state_text(j, &state);
		table_cell(t, "%.0f", json_number_of(j, "id", 0));
		table_cell(t, "%s", (const char *)state.p);
		table_cell(t, "%s", json_text(j, "kind"));
		table_cell(t, "%s", json_text(j, "submitter"));
		table_cell(t, "%.16s", json_text(j, "submitted"));
		table_cell(t, "%.16s", json_text(j, "ended"));
		buf_release(&state);
	}
	table_print(t, stdout, table_width());
	table_free(t);
	json_free(answer);
	return ERR_OK;
}

static void job_command_print_field(const char *what, const char *value)
{
	if (*value)
		table_line(INDENT, "%-10s %s", what, value);
}

static void print_job_warnings(const struct json *j)
{
	const struct json *list = json_get_as(j, "warnings", JSON_ARRAY);

	for (const struct json *w = list ? json_first(list) : NULL; w; w = json_next(w))
		if (json_type(w) == JSON_OBJECT)
			table_line(INDENT, "%-10s %s (%s)", "warning", json_text(w, "sentence"),
				   json_text(w, "code"));
}

static void job_command_show(const struct json *j)
{
	struct buf state = { 0 }, parties = { 0 }, job = { 0 };

	job_state_text(j, &state);
	job_command_join_texts(json_get(j, "parties"), &parties);
	table_line(INDENT, "%-10s %.0f", "job", json_number_of(j, "id", 0));
	job_command_print_field("state", (const char *)state.p);
	job_command_print_field("cause", json_text(j, "cause"));
	job_command_print_field("submitter", json_text(j, "submitter"));
	job_command_print_field("parties", (const char *)parties.p);
	job_command_print_field("submitted", json_text(j, "submitted"));
	job_command_print_field("began", json_text(j, "began"));
	job_command_print_field("ended", json_text(j, "ended"));
	if (json_number_of(j, "attempts", 0) > 0)
		table_line(INDENT, "%-10s %.0f", "attempts", json_number_of(j, "attempts", 0));
	print_job_warnings(j);
	job_command_print_field("job id", json_text(j, "job_id"));
	job_command_print_field("results", json_text(j, "directory"));
	if (json_get(j, "kept") && !json_bool(json_get(j, "kept")))
		job_command_print_field("",
					"(which are removed, by keep_days, keep_gib or by hand)");
	if (json_get(j, "job")) {
		json_write(json_get(j, "job"), &job);
		buf_add(&job, "", 1);
		job_command_print_field("text", (const char *)job.p);
	}
	buf_release(&job);
	buf_release(&parties);
	buf_release(&state);
}

static enum err ask_show(const struct arguments *a, double id, struct json **answer)
{
	TRY(ask_and_free(a, request_of("show", id), answer));
	if (json_get_as(*answer, "job", JSON_OBJECT))
		return ERR_OK;
	json_free(*answer);
	return err_set(ERR_PEER, "the coordinator's answer has no job");
}

static enum err do_show(const struct arguments *a)
{
	struct json *answer;
	double id;

	TRY(read_id(a, &id));
	TRY(ask_show(a, id, &answer));
	if (a->asking.json)
		args_print(json_get(answer, "job"));
	else
		job_command_show(json_get(answer, "job"));
	json_free(answer);
	return ERR_OK;
}

static void pause_a_little(void)
{
	nanosleep(&(struct timespec){ .tv_nsec = POLL_MS * 1000000L }, NULL);
}

/* Returns true if the command should retry, because the coordinator became unreachable less than
 * GONE_S ago and may be restarting. */
static bool is_worth_another(enum err e, double *gone_s)
{
	double now_s = clock_now_s();

	if (e != ERR_PEER)
		return false;
	if (*gone_s == 0)
		*gone_s = now_s;
	return now_s - *gone_s < GONE_S;
}

/* Prints the job's state on stderr if it has changed and names parties for which the job waits.
 * *said: the state at the last call. */
static void print_job_state(const struct json *j, double id, struct buf *said)
{
	struct buf state = { 0 };

	job_state_text(j, &state);
	if (json_get(j, "waiting_for") && (!said->n || strcmp((char *)said->p, (char *)state.p)))
		fprintf(stderr, "job %.0f: %s\n", id, (const char *)state.p);
	buf_release(said);
	*said = state;
}

/* Prints on stderr where the results of a finished job are: by HTTPS, or in a directory here. */
static void print_job_results(const struct arguments *a, const struct json *j, double id)
{
	const char *dir = json_text(j, "directory");

	if (json_number_of(j, "status", ERR_JOB) != ERR_OK)
		return;
	if (!a->asking.path)
		fprintf(stderr, "results: coterie results %.0f, with the same options\n", id);
	else if (*dir)
		fprintf(stderr, "results: coterie show %s\n", dir);
}

static enum err job_command_wait_for(const struct arguments *a, double id)
{
	double began_s = clock_now_s(), gone_s = 0;
	struct buf said = { 0 };
	struct json *answer;
	const struct json *j;
	enum err e;

	for (;; pause_a_little()) {
		e = ask_show(a, id, &answer);
		if (e != ERR_OK && !is_worth_another(e, &gone_s)) {
			buf_release(&said);
			return e;
		}
		if (a->timeout_s && clock_now_s() - began_s > a->timeout_s) {
			if (e == ERR_OK)
				json_free(answer);
			buf_release(&said);
			return err_set(ERR_DEADLINE, "job %.0f is not over after %u s", id,
				       a->timeout_s);
		}
		if (e != ERR_OK)
			continue;
		gone_s = 0;
		j = json_get(answer, "job");
		if (json_get(j, "status"))
			break;
		print_job_state(j, id, &said);
		json_free(answer);
	}
	buf_release(&said);
	if (a->asking.json) {
		args_print(j);
	} else {
		printf("job %.0f: %s\n", id, json_text(j, "state"));
		print_job_warnings(j);
		print_job_results(a, j, id);
	}
	e = (enum err)json_number_of(j, "status", 0);
	if (e != ERR_OK)
		err_set(e, "job %.0f: %s: %s", id, json_text(j, "state"), json_text(j, "cause"));
	json_free(answer);
	return e;
}

static enum err do_wait(const struct arguments *a)
{
	double id;

	TRY(read_id(a, &id));
	return job_command_wait_for(a, id);
}

static enum err do_submit(const struct arguments *a)
{
	struct json *request, *answer;
	struct buf text = { 0 };
	double id;

	if (!a->which)
		return err_set(ERR_INPUT, "submit needs the file of a job");
	TRY(file_read_text(a->which, JOB_TEXT_MAX, &text));
	request = request_of("submit", 0);
	/* file_read_text() has terminated the text with a zero byte. */
	json_put_string(request, "job", (const char *)text.p);
	json_put_string(request, "where", a->which);
	buf_release(&text);
	TRY(ask_and_free(a, request, &answer));
	id = json_number_of(answer, "id", 0);
	if (a->asking.json && !a->wait)
		args_print(answer);
	else if (!a->asking.json)
		printf("job %.0f\n", id);
	json_free(answer);
	fflush(stdout);
	return a->wait ? job_command_wait_for(a, id) : ERR_OK;
}

static enum err do_cancel(const struct arguments *a)
{
	struct json *answer;
	double id;

	TRY(read_id(a, &id));
	TRY(ask_and_free(a, request_of("cancel", id), &answer));
	if (a->asking.json)
		args_print(answer);
	json_free(answer);
	return ERR_OK;
}

static enum err do_log(const struct arguments *a)
{
	double id, offset = 0, gone_s = 0;
	bool over = false;

	TRY(read_id(a, &id));
	while (!over) {
		struct json *request = request_of("log", id), *answer;
		double before = offset;
		enum err e;

		json_put_number(request, "offset", offset);
		e = ask_and_free(a, request, &answer);
		if (e != ERR_OK && !(a->follow && is_worth_another(e, &gone_s)))
			return e;
		if (e == ERR_OK) {
			const struct json *v;

			gone_s = 0;
			for (v = json_first(json_get(answer, "lines")); v; v = json_next(v))
				printf("%s\n", json_type(v) == JSON_STRING ? json_string(v) : "");
			v = json_get(answer, "over");
			fflush(stdout);
			offset = json_number_of(answer, "offset", 0);
			over = offset == before && (!a->follow || !v || json_bool(v));
			json_free(answer);
		}
		if (!over && offset == before)
			pause_a_little();
	}
	return ERR_OK;
}

static const struct {
	const char *what;
	enum err (*run)(const struct arguments *a);
} actions[] = {
	{ "submit", do_submit }, { "list", do_list },     { "show", do_show },
	{ "wait", do_wait },     { "cancel", do_cancel }, { "log", do_log },
};

static enum err job_command_run(void *arguments)
{
	struct arguments *a = arguments;
	enum err e = ERR_OK;

	for (size_t i = 0; i < sizeof(actions) / sizeof(*actions); i++) {
		if (strcmp(a->what, actions[i].what) != 0)
			continue;
		e = ask_where(&a->asking, false);
		if (e == ERR_OK)
			e = actions[i].run(a);
		ask_release(&a->asking);
		return e;
	}
	return err_set(ERR_INPUT,
		       "\"%s\" is unknown, expected submit, list, show, wait, cancel or log",
		       a->what);
}

int job_main(int argc, char **argv)
{
	static const struct argp argp = {
		.options = options,
		.parser = job_command_parse,
		.args_doc = "submit FILE\nlist\nshow|wait|cancel|log ID",
		.doc = "Jobs of a coordinator with --serve, over its control socket or its "
		       "HTTPS API.\n\n"
		       "  submit  queue the job FILE and print its number\n"
		       "  list    list the last jobs and the cause of their waiting\n"
		       "  show    show a job\n"
		       "  wait    wait until a job is over, and exit with its status\n"
		       "  cancel  end a job or remove it from the queue\n"
		       "  log     print its log; with -f until it is over\n\vThe socket is that "
		       "of --socket, --config, COTERIE_SOCKET, or "
		       "/run/coterie-coordinator/control.socket. With --server the command uses "
		       "HTTPS, and the proxy of https_proxy if no_proxy does not name the host. "
		       "The coordinator's configuration names the users of each role: "
		       "control.viewers, control.submitters, control.operators, api.roles. FILE "
		       "is a job file as for coordinator --job. Its member \"parties\" lists "
		       "the parties of the job; default all. Exit status of wait and submit "
		       "--wait: 0 done, 1 failed, 2 a peer failed, 3 a deadline passed, 4 bad "
		       "input, 5 internal error, 6 cancelled. Exit status of others: 0 done, 1 "
		       "the coordinator is full, 2 it cannot be reached, 4 it refuses.",
	};
	return (int)args_run("job", &argp, argc, argv, &(struct arguments){ .most = 50 },
			     job_command_run);
}
