#include "cli/args/args.h"
#include "common/job/results.h"
#include "cli/run/graph_scores.h"
#include "cli/report/report_html.h"
#include "cli/run/report_read.h"
#include "cli/run/score.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { VALUES_MOST = 12 }; /* of one list */

struct arguments {
	const char *out, *truth;
};

static const struct argp_option options[] = {
	{ "truth", 't', "FILE", 0,
	  "the known classes, in the order of the data's rows or with ids (.csv); of a job of "
	  "kind fedgcn \"own\", those that the parties' sets come with, or a directory with a set "
	  "for each party",
	  0 },
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
		args_one(state, arg, &a->out);
		return 0;
	case ARGP_KEY_END:
		args_need(state, a->out, "the run's directory is missing");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* ---- the parts of the page ---- */

static void print_head(const struct json *run)
{
	const struct json *job = run_object(run, "job");
	struct run_words words;
	char *rest;

	printf("%s: %s, %.3f s, %.0f rounds of secure sums\n", run_string(run, "software"),
	       run_string(run, "status"), run_number(run, "elapsed_s"), run_number(run, "rounds"));
	if (*run_string(run, "error"))
		printf("error: %s\n", run_string(run, "error"));
	if (!job)
		return;
	/* "kcagc, k = 7, method tree, preset default, seed 1" */
	words = run_job_words(job);
	rest = strchr(words.s, ',');
	if (rest)
		*rest++ = 0;
	printf("job: %s", words.s);
	if (run_has(job, "clusters"))
		printf(", k = %.0f", run_number(job, "clusters"));
	else if (run_has(run_object(run, "facts"), "selection_k"))
		printf(", k = %.0f of %.0f to %.0f",
		       run_number(run_object(run, "facts"), "selection_k"),
		       run_number(run_object(job, "clusters"), "from"),
		       run_number(run_object(job, "clusters"), "to"));
	printf("%s%s, seed %.0f\n", rest ? "," : "", rest ? rest : "", run_number(job, "seed"));
}

static void print_phases(const struct json *run)
{
	double compute = 0, wait = 0, wire = 0;

	printf("\n%-16s %9s %9s %9s %7s\n", "phase", "compute s", "wait s", "wire s", "rounds");
	for (const struct json *p = run_first(run, "phases"); p; p = run_next(p)) {
		printf("%-16s %9.3f %9.3f %9.3f %7.0f\n", run_string(p, "name"),
		       run_number(p, "compute_s"), run_number(p, "wait_s"), run_number(p, "wire_s"),
		       run_number(p, "rounds"));
		compute += run_number(p, "compute_s");
		wait += run_number(p, "wait_s");
		wire += run_number(p, "wire_s");
	}
	printf("%-16s %9.3f %9.3f %9.3f %7.0f\n", "all", compute, wait, wire,
	       run_number(run, "rounds"));
}

static void print_plan(const struct json *run)
{
	const struct json *plan = run_object(run, "plan");

	if (!plan)
		return;
	printf("\n%-16s %-9s %7s %6s %12s %9s %9s\n", "plan", "exchange", "rounds", "trips",
	       "words", "MB", "seconds");
	for (const struct json *w = run_first(plan, "ways"); w; w = run_next(w)) {
		printf("%-16s %-9s %7.0f %6.0f %12.0f %9.2f %9.3f", run_string(w, "method"),
		       run_string(w, "exchange"), run_number(w, "rounds"),
		       run_number(w, "round_trips"), run_number(w, "words"),
		       run_number(w, "bytes") / 1e6, run_number(w, "seconds"));
		if (run_true(w, "guessed"))
			printf("  cells guessed");
		if (run_true(w, "taken"))
			printf("  <- taken");
		if (*run_string(w, "why_not"))
			printf("  not: %s", run_string(w, "why_not"));
		printf("\n");
	}
	printf("at %.3f ms and %.2f MB/s\n", run_number(plan, "rtt_ms"),
	       run_number(plan, "bytes_per_s") / 1e6);
}

static void print_numbers(const struct json *list)
{
	size_t n = 0;

	for (const struct json *v = json_first(list); v && n < VALUES_MOST; v = json_next(v), n++)
		if (json_type(v) == JSON_NUMBER)
			printf(" %.6g", json_number(v));
	if (json_count(list) > n)
		printf(" and %zu more", json_count(list) - n);
}

/* Sizes of clusters where no single file has all labels to count; and what the job's kind reports.
 */
static void print_facts(const struct json *run)
{
	const struct json *sizes = run_list(run_object(run, "result"), "cluster_sizes");
	const struct json *facts = run_object(run, "facts");

	if (sizes && run_rows_apart(run)) {
		printf("\n%-18s", "cluster sizes");
		print_numbers(sizes);
		printf("\n");
	}
	if (!facts || !json_first(facts))
		return;
	printf("\n");
	for (const struct json *f = json_first(facts); f; f = json_next(f)) {
		printf("%-18s", json_key(f));
		if (json_type(f) == JSON_STRING)
			printf(" %s", json_string(f));
		else if (json_type(f) == JSON_ARRAY)
			print_numbers(f);
		else if (json_type(f) == JSON_NUMBER)
			printf(" %.6g", json_number(f));
		printf("\n");
	}
}

/* Where parties had other rows: how many of them the job was of. */
static void print_matched(const struct run_dir *runs)
{
	bool head = false;

	for (size_t i = 0; i < runs->n; i++) {
		const struct process *p = &runs->process[i];
		const struct json *facts = run_object(p->run, "facts");

		if (p->leads || !run_has(facts, "own_rows"))
			continue;
		if (!head)
			printf("\n%-16s %12s %12s %12s %14s\n", "rows matched", "own", "common",
			       "not placed", "edges dropped");
		head = true;
		printf("%-16.30s %12.0f %12.0f %12.0f %14.0f\n", p->name,
		       run_number(facts, "own_rows"), run_number(facts, "common_rows"),
		       run_number(facts, "rows_not_placed"), run_number(facts, "edges_dropped"));
	}
}

/* ---- the directory ---- */

static enum err print_truth(const struct run_dir *runs, const char *truth)
{
	struct json *score;
	struct run_labels labels;
	enum err err;

	if (run_is_of_graphs(runs->process[0].run)) {
		TRY(graph_scores_make(runs, truth, &score));
		graph_scores_print(score);
		json_free(score);
		return ERR_OK;
	}
	score = json_object();
	err = run_dir_labels(runs, &labels);
	if (!err)
		err =
		    score_files(truth, (struct label_files){ labels.path, labels.n, labels.common },
				NULL, false, score);
	if (!err)
		printf("\nACC %.4f   NMI %.4f   ARI %.4f   macro-F1 %.4f   of %.0f rows\n",
		       run_number(score, "acc"), run_number(score, "nmi"), run_number(score, "ari"),
		       run_number(score, "f1"), run_number(score, "rows"));
	run_labels_release(&labels);
	json_free(score);
	return err;
}

/* Those that are there: a job that failed has no labels. */
static void print_files(const char *dir, const char *more)
{
	char *files = results_list(dir);

	printf("\nresults: %s/%s%srun.json, log.jsonl%s\n", dir, files, *files ? ", " : "", more);
	free(files);
}

static void print_where(const struct run_dir *runs)
{
	const struct process *first = &runs->process[0], *party = run_dir_party(runs);

	if (run_is_embedding(first->run))
		print_files(first->dir,
			    party == first ? "" : "; embeddings.npy, ids.csv with each party");
	else if (!run_rows_apart(first->run))
		print_files(first->dir, "");
	else if (party)
		print_files(party->dir, runs->alone ? "" : ", and so for each party");
	else
		print_files(first->dir, "; labels are with the parties");
}

static enum err print(const struct arguments *a, const struct run_dir *runs)
{
	const struct process *first = &runs->process[0];
	struct json *whole = NULL;

	if (!first->sound) { /* says why */
		enum err err = run_read(first->dir, &whole);

		json_free(whole);
		TRY(err);
	}
	print_head(first->run);
	print_phases(first->run);
	printf("\n%-16s %10s %6s %10s %6s %7s %9s\n", "daemon", "sent", "msgs", "received", "msgs",
	       "rounds", "seconds");
	for (size_t i = 0; i < runs->n; i++) {
		const struct json *run = runs->process[i].run;
		double sent = 0, received = 0, messages_sent = 0, messages_received = 0;

		for (const struct json *t = run_first(run, "traffic"); t; t = run_next(t)) {
			sent += run_number(t, "bytes_sent");
			received += run_number(t, "bytes_received");
			messages_sent += run_number(t, "messages_sent");
			messages_received += run_number(t, "messages_received");
		}
		printf("%-16s %10s %6.0f %10s %6.0f %7.0f %9.3f\n", run_string(run, "name"),
		       show_bytes(sent).s, messages_sent, show_bytes(received).s, messages_received,
		       run_number(run, "rounds"), run_number(run, "elapsed_s"));
	}
	print_plan(first->run);
	if (run_is_plan_only(first->run)) {
		printf(
		    "\nno labels: the job ended with its plan\nresults: %s/run.json, log.jsonl\n",
		    first->dir);
		return ERR_OK;
	}
	print_facts(first->run);
	if (!runs->alone)
		print_matched(runs);
	if (a->truth)
		TRY(print_truth(runs, a->truth));
	print_where(runs);
	return ERR_OK;
}

static enum err run(void *arguments)
{
	const struct arguments *a = arguments;
	struct run_dir runs;
	enum err err;

	TRY(run_dir_read(a->out, &runs));
	for (size_t i = 0; i < runs.missing.n; i++)
		fprintf(stderr, "coterie show: %s: %s\n", runs.missing.item[i].subject,
			runs.missing.item[i].text);
	err = print(a, &runs);
	run_dir_release(&runs);
	return err;
}

int show_main(int argc, char **argv)
{
	static const struct argp argp = {
		.options = options,
		.parser = parse,
		.args_doc = "OUT",
		.doc = "Shows what a run did: seconds per phase as compute, wait and wire; bytes, "
		       "messages and rounds per daemon; with --truth, how well the classes were "
		       "found.\vOUT is what coterie launch made, or the output directory of one "
		       "daemon.",
	};
	return (int)args_run("show", &argp, argc, argv, &(struct arguments){ 0 }, run);
}
