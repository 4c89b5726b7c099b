#include "cli/args.h"
#include "cli/score.h"
#include "common/base/alloc.h"
#include "common/base/file.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RUN_JSON_MAX = 16 << 20, SCHEMA = 1 };

struct arguments {
	const char *out, *truth;
};

static const struct argp_option options[] = {
	{ "truth", 't', "FILE", 0, "the known classes, in the order of the data's rows", 0 },
	{ 0 },
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct arguments *a = state->input;

	switch (key) {
	case 't':
		a->truth = arg;
		return 0;
	case ARGP_KEY_ARG:
		if (a->out)
			argp_error(state, "unexpected argument: %s", arg);
		a->out = arg;
		return 0;
	case ARGP_KEY_END:
		if (!a->out)
			argp_error(state, "the run's directory is missing");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* ---- what a run.json says; what it does not say is 0 or nothing ---- */

static double number(const struct json *object, const char *key)
{
	const struct json *v = json_get(object, key);

	return v && json_type(v) == JSON_NUMBER ? json_number(v) : 0;
}

static const char *string(const struct json *object, const char *key)
{
	const struct json *v = json_get(object, key);

	return v && json_type(v) == JSON_STRING ? json_string(v) : "";
}

/* The first of the objects in the list of this name, and the next one after it. */
static const struct json *object_from(const struct json *v)
{
	while (v && json_type(v) != JSON_OBJECT)
		v = json_next(v);
	return v;
}

static const struct json *first_of(const struct json *object, const char *key)
{
	const struct json *list = json_get(object, key);

	return list && json_type(list) == JSON_ARRAY ? object_from(json_first(list)) : NULL;
}

static enum err read_run(const char *dir, struct json **run)
{
	char *path = file_join(dir, "run.json");
	enum err err = json_read(path, RUN_JSON_MAX, run);

	if (!err && (json_type(*run) != JSON_OBJECT || number(*run, "schema_version") != SCHEMA)) {
		json_free(*run);
		*run = NULL;
		err = err_set(ERR_INPUT, "%s: expected schema_version %d", path, SCHEMA);
	}
	free(path);
	return err;
}

/* ---- the parts of the page ---- */

static const char *bytes_text(double bytes, char text[static 24])
{
	if (bytes < 10000)
		snprintf(text, 24, "%.0f B", bytes);
	else if (bytes < 1e7)
		snprintf(text, 24, "%.1f kB", bytes / 1e3);
	else
		snprintf(text, 24, "%.1f MB", bytes / 1e6);
	return text;
}

static void print_head(const struct json *run)
{
	const struct json *job = json_get(run, "job");

	printf("%s: %s, %.3f s, %.0f rounds of secure sums\n", string(run, "software"),
	       string(run, "status"), number(run, "elapsed_s"), number(run, "rounds"));
	if (*string(run, "error"))
		printf("error: %s\n", string(run, "error"));
	if (job && json_type(job) == JSON_OBJECT)
		printf("job: %s, k = %.0f, method %s, preset %s, seed %.0f\n", string(job, "kind"),
		       number(job, "clusters"), string(job, "method"), string(job, "preset"),
		       number(job, "seed"));
}

static void print_phases(const struct json *run)
{
	double compute = 0, wait = 0, wire = 0;

	printf("\n%-16s %9s %9s %9s %7s\n", "phase", "compute s", "wait s", "wire s", "rounds");
	for (const struct json *p = first_of(run, "phases"); p; p = object_from(json_next(p))) {
		printf("%-16s %9.3f %9.3f %9.3f %7.0f\n", string(p, "name"), number(p, "compute_s"),
		       number(p, "wait_s"), number(p, "wire_s"), number(p, "rounds"));
		compute += number(p, "compute_s");
		wait += number(p, "wait_s");
		wire += number(p, "wire_s");
	}
	printf("%-16s %9.3f %9.3f %9.3f %7.0f\n", "all", compute, wait, wire,
	       number(run, "rounds"));
}

static void print_traffic(const struct json *run)
{
	double sent = 0, received = 0, messages_sent = 0, messages_received = 0;
	char a[24], b[24];

	for (const struct json *t = first_of(run, "traffic"); t; t = object_from(json_next(t))) {
		sent += number(t, "bytes_sent");
		received += number(t, "bytes_received");
		messages_sent += number(t, "messages_sent");
		messages_received += number(t, "messages_received");
	}
	printf("%-16s %10s %6.0f %10s %6.0f %7.0f %9.3f\n", string(run, "name"),
	       bytes_text(sent, a), messages_sent, bytes_text(received, b), messages_received,
	       number(run, "rounds"), number(run, "elapsed_s"));
}

static void print_score(const struct json *score)
{
	printf("\nACC %.4f   NMI %.4f   ARI %.4f   macro-F1 %.4f   of %.0f rows\n",
	       number(score, "acc"), number(score, "nmi"), number(score, "ari"),
	       number(score, "f1"), number(score, "rows"));
}

/* ---- the directory ---- */

static int has_run(const struct dirent *e)
{
	return e->d_name[0] != '.' && strcmp(e->d_name, "coordinator") != 0;
}

/* The traffic of every other daemon whose run.json is below out; *first: the first one's directory.
 */
static void print_parties(const char *out, char **first)
{
	struct dirent **entry = NULL;
	int n = scandir(out, &entry, has_run, alphasort);

	for (int i = 0; i < n; i++) {
		char *dir = file_join(out, entry[i]->d_name), *path = file_join(dir, "run.json");
		struct json *run = NULL;

		if (file_exists(path)) {
			if (read_run(dir, &run) == ERR_OK)
				print_traffic(run);
			else
				fprintf(stderr, "coterie show: %s\n", err_detail());
			json_free(run);
			if (!*first)
				*first = alloc_copy(dir);
		}
		free(dir);
		free(path);
		free(entry[i]);
	}
	free(entry);
}

/* A party's labels are in the order of its data, as the truth is; the coordinator's rows are
 * sorted by id. Without ids it is the same. */
static enum err print_truth(const char *dir, const char *truth)
{
	char *labels = file_join(dir, "labels.csv");
	struct json *score = json_object();
	enum err err = score_files(truth, labels, NULL, score);

	if (!err)
		print_score(score);
	json_free(score);
	free(labels);
	return err;
}

static enum err run(void *arguments)
{
	const struct arguments *a = arguments;
	char *own = file_join(a->out, "coordinator"), *party = NULL;
	struct json *main_run = NULL;
	enum err err;

	if (!file_exists(own)) { /* one daemon's own directory */
		free(own);
		own = alloc_copy(a->out);
	}
	err = read_run(own, &main_run);
	if (!err) {
		print_head(main_run);
		print_phases(main_run);
		printf("\n%-16s %10s %6s %10s %6s %7s %9s\n", "daemon", "sent", "msgs", "received",
		       "msgs", "rounds", "seconds");
		print_traffic(main_run);
		if (strcmp(own, a->out) != 0)
			print_parties(a->out, &party);
		if (a->truth)
			err = print_truth(party ? party : own, a->truth);
		printf("\nresults: %s/labels.csv, labels.npy, run.json, log.jsonl\n", own);
	}
	json_free(main_run);
	free(own);
	free(party);
	return err;
}

int show_main(int argc, char **argv)
{
	static const struct argp argp = {
		options,
		parse,
		"OUT",
		"Shows what a run did: seconds per phase as compute, wait and wire; bytes, "
		"messages and rounds per "
		"daemon; with --truth, how well the classes were found.\v"
		"OUT is what scripts/launch made, or the output directory of one daemon.",
		NULL,
		NULL,
		NULL
	};
	struct arguments a = { 0 };

	return (int)args_run("show", &argp, argc, argv, &a, run);
}
