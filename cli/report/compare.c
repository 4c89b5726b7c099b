/* coterie compare: shows several runs side by side. */
#include "cli/args/args.h"
#include "cli/args/table.h"
#include "cli/report/evaluation.h"
#include "cli/report/page.h"
#include "cli/report/shown.h"
#include "cli/run/report_read.h"
#include "common/base/alloc.h"
#include "common/base/file.h"
#include "common/data/csv.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RUNS_MAX = 64, OPT_CSV = 256 };

struct arguments {
	const char *run[RUNS_MAX], *page, *csv;
	size_t n;
};

static const struct argp_option options[] = {
	{ "output", 'o', "FILE", 0, "self-contained HTML page to write", 0 },
	{ "csv", OPT_CSV, "FILE", 0, "CSV to write, a line for each run", 0 },
	{ 0 }
};

static error_t compare_parse(int key, char *arg, struct argp_state *state)
{
	struct arguments *a = state->input;
	const struct args_field fields[] = {
		{ 'o', ARGS_TO(a->page) },
		{ OPT_CSV, ARGS_TO(a->csv) },
		{ 0 },
	};

	switch (key) {
	case ARGP_KEY_ARG:
		if (a->n == RUNS_MAX)
			argp_error(state, "more than %d runs", RUNS_MAX);
		a->run[a->n++] = arg;
		return 0;
	case ARGP_KEY_END:
		args_need(state, a->n >= 2, "two runs or more are needed");
		return 0;
	default:
		return args_take(options, fields, key, arg, state);
	}
}

enum { METRICS = 12, AGREEMENT = 11 };
static const struct metric {
	const char *name;
	struct shown (*show)(double);
	/* Path of the value in run.json; key NULL: the value is computed here. */
	const char *object, *key;
	const char *head; /* heading of the column on a terminal; NULL: no column */
} metrics[METRICS] = {
	{ "seconds", show_seconds, NULL, "elapsed_s", ">seconds" },
	{ "rounds", show_count, NULL, "rounds", ">rounds" },
	{ "round_trips", show_count, NULL, "round_trips", NULL },
	{ "link_bytes", show_bytes, NULL, NULL, ">bytes" },
	{ "memory_bytes", show_bytes, NULL, "memory_peak_bytes", NULL },
	{ "rows", show_count, "result", "rows", NULL },
	{ "clusters", show_count, "result", "clusters", NULL },
	{ "acc", show_score, "evaluation", "acc", ">acc" },
	{ "nmi", show_score, "evaluation", "nmi", ">nmi" },
	{ "ari", show_score, "evaluation", "ari", NULL },
	{ "f1", show_score, "evaluation", "f1", NULL },
	/* The adjusted Rand index of a run's labels with those of the first run. */
	[AGREEMENT] = { "agreement", show_score, NULL, NULL, ">agree" },
};

struct one {
	struct run_dir dir;
	const struct json *run, *job;
	/* Result of evaluation_make(); NULL: the labels cannot be compared. */
	struct json *agreement;
	double v[METRICS]; /* NAN if a value is absent */
};

/* Returns the bytes over all links in both directions, as counted by the coordinator or, without
 * one, by each party. NAN: unknown. */
static double link_bytes(const struct run_dir *r)
{
	double bytes = 0;

	for (size_t i = 0; i < (run_dir_hub(r) ? 1 : r->n); i++)
		for (const struct json *t = run_first(r->process[i].run, "traffic"); t;
		     t = run_next(t))
			bytes += run_number(t, "bytes_sent") + run_number(t, "bytes_received");
	return bytes > 0 ? bytes : NAN;
}

static enum err compare_read_run(const char *out, struct one *o)
{
	TRY(run_dir_read(out, &o->dir));
	o->run = o->dir.process[0].run;
	o->job = run_object(o->run, "job");
	for (size_t m = 0; m < METRICS; m++) {
		const struct json *from =
		    metrics[m].object ? run_object(o->run, metrics[m].object) : o->run;
		bool there = metrics[m].key && run_has(from, metrics[m].key);

		o->v[m] = there ? run_number(from, metrics[m].key) : NAN;
		if (!strcmp(metrics[m].name, "link_bytes"))
			o->v[m] = link_bytes(&o->dir);
	}
	return ERR_OK;
}

/* Compares labels with those of the first run, if both runs have labels of the same rows. */
static void compare_labels(const struct one *first, struct one *o)
{
	struct run_labels a = { 0 }, b = { 0 };

	if (run_dir_labels(&first->dir, &a) == ERR_OK && run_dir_labels(&o->dir, &b) == ERR_OK &&
	    evaluation_make((struct label_files){ a.path, a.n, a.common },
			    (struct label_files){ b.path, b.n, b.common }, &o->agreement) == ERR_OK)
		o->v[AGREEMENT] = json_number_of(o->agreement, "ari", NAN);
	run_labels_release(&a);
	run_labels_release(&b);
}

static size_t shared_directory(const struct one *one, size_t runs)
{
	const char *first = one[0].dir.out;
	size_t n = 0;

	for (size_t i = 0; first[i]; i++) {
		for (size_t k = 1; k < runs; k++)
			if (one[k].dir.out[i] != first[i])
				return n;
		if (first[i] == '/')
			n = i + 1;
	}
	return first[n] ? n : 0;
}

static void compare_print(const struct one *one, size_t n)
{
	const char *heads[METRICS + 2] = { "run", "job" };
	size_t shared = shared_directory(one, n), columns = 2;
	struct table *t;

	for (size_t m = 0; m < METRICS; m++)
		if (metrics[m].head)
			heads[columns++] = metrics[m].head;
	t = table_new(heads, columns);
	if (shared)
		table_line(2, "in %.*s:", (int)shared, one[0].dir.out);
	for (size_t i = 0; i < n; i++) {
		const struct one *o = &one[i];

		table_cell(t, "%s", o->dir.out + shared);
		table_cell(t, "%s", o->job ? run_job_words(o->job).s : json_text(o->run, "status"));
		for (size_t m = 0; m < METRICS; m++)
			if (metrics[m].head)
				table_cell(t, "%s",
					   isnan(o->v[m]) ? "" : metrics[m].show(o->v[m]).s);
	}
	table_print(t, stdout, table_width());
	table_free(t);
}

static void compare_csv(const struct one *one, size_t n, struct buf *b)
{
	buf_printf(b, "run,status,job");
	for (size_t m = 0; m < METRICS; m++)
		buf_printf(b, ",%s", metrics[m].name);
	for (size_t i = 0; i < n; i++) {
		buf_printf(b, "\n");
		csv_print_field(one[i].dir.out, b);
		buf_printf(b, ",");
		csv_print_field(json_text(one[i].run, "status"), b);
		buf_printf(b, ",");
		csv_print_field(one[i].job ? run_job_words(one[i].job).s : "", b);
		for (size_t m = 0; m < METRICS; m++)
			buf_printf(b, ",%s", isnan(one[i].v[m]) ? "" : show_plain(one[i].v[m]).s);
	}
	buf_printf(b, "\n");
}

/* Writes the page from the data {"page": "compare", "software", "runs": [{"out", "status", "words",
 * "job", "values", "agreement"}]}. Moves the jobs and agreements out of `one`. */
static void compare_page(struct one *one, size_t n, struct buf *html)
{
	struct json *data = json_object(), *runs, *o, *values;

	json_put_string(data, "page", "compare");
	json_put_string(data, "software", "coterie " COTERIE_VERSION);
	runs = json_put_array(data, "runs");
	for (size_t i = 0; i < n; i++) {
		o = json_append_object(runs);
		json_put_string(o, "out", one[i].dir.out);
		json_put_string(o, "status", json_text(one[i].run, "status"));
		json_put_string(o, "words", one[i].job ? run_job_words(one[i].job).s : "");
		values = json_put_object(o, "values");
		for (size_t m = 0; m < METRICS; m++)
			json_put_number(values, metrics[m].name, one[i].v[m]);
		if (one[i].job)
			json_put(o, "job", json_take(one[i].dir.process[0].run, "job"));
		if (one[i].agreement)
			json_put(o, "agreement", one[i].agreement);
		one[i].agreement = NULL;
	}
	page_write(&(struct page){ .title = "runs compared", .data = data }, html);
	json_free(data);
}

static enum err write_out(const char *path, struct buf *b)
{
	enum err e = file_write(path, (struct bytes){ b->p, b->n }, FILE_SECRET);

	if (e == ERR_OK)
		printf("written: %s\n", path);
	buf_release(b);
	return e;
}

static enum err compare_run(void *arguments)
{
	const struct arguments *a = arguments;
	struct one *one = alloc(a->n, sizeof(*one));
	struct buf b = { 0 };
	size_t n = 0;
	enum err e = ERR_OK;

	for (; n < a->n && e == ERR_OK; n += e == ERR_OK)
		e = compare_read_run(a->run[n], &one[n]);
	for (size_t i = 1; i < n && e == ERR_OK; i++)
		compare_labels(&one[0], &one[i]);
	if (e == ERR_OK)
		compare_print(one, n);
	if (e == ERR_OK && a->csv) {
		compare_csv(one, n, &b);
		e = write_out(a->csv, &b);
	}
	if (e == ERR_OK && a->page) {
		compare_page(one, n, &b);
		e = write_out(a->page, &b);
	}
	for (size_t i = 0; i < n; i++) {
		json_free(one[i].agreement);
		run_dir_release(&one[i].dir);
	}
	free(one);
	return e;
}

int compare_main(int argc, char **argv)
{
	static const struct argp argp = {
		.options = options,
		.parser = compare_parse,
		.args_doc = "RUN RUN...",
		.doc = "Compares runs: seconds, rounds, bytes, memory, scores, agreement of "
		       "labels with those of the first run (adjusted Rand index), and "
		       "parameters in which the jobs differ.\vRUN is the directory of coterie "
		       "launch, or the output directory of one daemon. Scores are those that "
		       "coterie report --truth recorded.",
	};
	return (int)args_run("compare", &argp, argc, argv, &(struct arguments){ 0 }, compare_run);
}
