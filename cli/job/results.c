/* coterie results: fetches the results of a job from a remote daemon: labels, profile, run.json. */
#include "cli/args/args.h"
#include "cli/job/ask.h"
#include "common/base/alloc.h"
#include "common/base/file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OPT_DIR = ASK_OWN, OPT_OF };
enum { ID = 32, PATH_MAX_TEXT = 256, NAME_MAX_TEXT = 64 };
#define FILE_MAX 16e9 /* maximum size of one file, in bytes */

struct arguments {
	struct asking asking;
	const char *job, *out, *party;
};

static const struct argp_option options[] = {
	ASK_OPTIONS("coordinator",
		    "print the daemon's list as JSON; without --out, write no files"),
	{ "party", OPT_OF, "[NAME@]HOST:PORT", 0,
	  "api.listen of your own party, to fetch its results instead of the coordinator's", 0 },
	{ "out", OPT_DIR, "DIR", 0, "directory for the files; created if absent", 0 },
	{ 0 }
};

static error_t results_command_parse(int key, char *arg, struct argp_state *state)
{
	struct arguments *a = state->input;

	if (ask_option(key, arg, &a->asking))
		return 0;
	switch (key) {
	case OPT_DIR:
		a->out = arg;
		return 0;
	case OPT_OF:
		a->party = arg;
		return 0;
	case ARGP_KEY_ARG:
		args_one(state, arg, &a->job);
		return 0;
	case ARGP_KEY_END:
		args_need(state, a->job,
			  "JOB is missing: a number, as coterie job list shows it, or an id");
		if (!a->asking.json)
			args_need(state, a->out, "--out DIR is missing");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* Finds the job's id. The id is JOB itself, or the id that the coordinator reports for the number
 * JOB. */
static enum err results_find_id(const struct arguments *a, char id[static ID + 1])
{
	size_t n = strlen(a->job);
	struct json *request, *answer;
	const struct json *job;
	enum err e;

	*id = '\0';
	if (n == ID && strspn(a->job, "0123456789abcdef") == n) {
		snprintf(id, ID + 1, "%s", a->job);
		return ERR_OK;
	}
	if (strspn(a->job, "0123456789") != n || n > 15)
		return err_set(
		    ERR_INPUT,
		    "\"%.64s\" is no job, expected its number, as coterie job list shows "
		    "it, or its id, 32 digits as run.json has them",
		    a->job);
	request = json_object();
	json_put_string(request, "do", "show");
	json_put_number(request, "id", strtod(a->job, NULL));
	e = job_ask(&a->asking, request, &answer);
	json_free(request);
	TRY(e);
	job = json_get(answer, "job");
	if (json_get(job, "kept") && !json_bool(json_get(job, "kept")) && !a->party)
		e = err_set(ERR_INPUT,
			    "the results of job %s were removed at the coordinator (keep_days, "
			    "keep_gib, coterie prune): submit it again",
			    a->job);
	else if (strlen(json_text(job, "job_id")) != ID)
		e = err_set(ERR_INPUT, "job %s has not begun: wait for it by coterie job wait %s",
			    a->job, a->job);
	else
		snprintf(id, ID + 1, "%s", json_text(job, "job_id"));
	json_free(answer);
	return e;
}

static bool results_name_is_plain(const char *name)
{
	static const char allowed[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
				      "0123456789._-";

	return *name && *name != '.' && strlen(name) <= NAME_MAX_TEXT &&
	       strspn(name, allowed) == strlen(name);
}

/* Fetches one file into DIR, in the pieces that the daemon sends. */
static enum err results_fetch(const struct https_server *s, const char *id, const char *name,
			      double bytes, const char *out)
{
	char path[PATH_MAX_TEXT], *to;
	struct buf text = { 0 };
	enum err e = ERR_OK;

	if (!results_name_is_plain(name) || !(bytes >= 0 && bytes <= FILE_MAX))
		return err_set(ERR_PEER, "%s: it lists a file \"%.64s\" of %.0f bytes", s->where,
			       name, bytes);
	while (e == ERR_OK && (double)text.n < bytes) {
		size_t before = text.n;

		snprintf(path, sizeof(path), "/api/results/%s/%s?from=%zu", id, name, text.n);
		e = https_get(s, path, &text);
		if (e == ERR_OK && text.n == before)
			e = err_set(ERR_PEER, "%s: %s ends after %zu bytes: ask again", s->where,
				    name, before);
	}
	to = file_join(out, name);
	if (e == ERR_OK)
		e = file_write(to, (struct bytes){ text.p, text.n }, 0600);
	if (e == ERR_OK)
		printf("%s\n", to);
	free(to);
	buf_release(&text);
	return e;
}

static enum err results_fetch_all(const struct arguments *a, const struct https_server *s,
				  const char *id)
{
	char path[PATH_MAX_TEXT];
	struct buf text = { 0 };
	struct json *listed = NULL;
	enum err e;

	snprintf(path, sizeof(path), "/api/results/%s", id);
	e = https_get(s, path, &text);
	if (e == ERR_OK)
		e = json_parse((struct bytes){ text.p, text.n }, "the daemon's answer", &listed);
	if (e == ERR_OK)
		json_make_harmless(listed);
	if (e == ERR_OK && a->asking.json)
		args_print(listed);
	if (e == ERR_OK && a->out)
		e = file_make_dirs(a->out);
	if (e == ERR_OK && a->out)
		for (const struct json *f = json_first(json_get(listed, "files")); f && e == ERR_OK;
		     f = json_next(f))
			e = results_fetch(s, id, json_text(f, "name"),
					  json_number_of(f, "bytes", 0), a->out);
	json_free(listed);
	buf_release(&text);
	return e;
}

static enum err results_command_run(void *arguments)
{
	struct arguments *a = arguments;
	struct https_server at;
	char id[ID + 1];
	enum err e = ask_where(&a->asking, false);

	if (e == ERR_OK && a->asking.path)
		e = err_set(ERR_INPUT,
			    "results of a daemon of this host are files: coterie job show names "
			    "their directory; --server, or a --config with \"server\", reads those "
			    "of one elsewhere");
	if (e == ERR_OK && !a->party && a->asking.read)
		a->party = a->asking.read->party;
	if (e == ERR_OK)
		e = results_find_id(a, id);
	if (e == ERR_OK) {
		at = a->asking.server;
		if (a->party)
			at.where = a->party;
		e = https_check(&at);
	}
	if (e == ERR_OK)
		e = results_fetch_all(a, &at, id);
	ask_release(&a->asking);
	return e;
}

int results_main(int argc, char **argv)
{
	static const struct argp argp = {
		.options = options,
		.parser = results_command_parse,
		.args_doc = "JOB",
		.doc = "Fetches the results of a job from a daemon: labels, profile, run.json and "
		       "others.\n\n"
		       "JOB is the number at the coordinator, or the job's id. Without --party, "
		       "the coordinator sends its results to the submitter of the job, to readers "
		       "and to operators. With --party, your own party sends its results to users "
		       "with the role reader in its api.roles.\vExample:\n"
		       "  coterie results 17 --config anna.json --out results\n\n"
		       "Exit status: 0 done, 2 the daemon cannot be reached, 4 it refuses or has "
		       "no such results.",
	};

	return (int)args_run("results", &argp, argc, argv, &(struct arguments){ 0 },
			     results_command_run);
}
