#include "cli/args/args.h"
#include "cli/args/table.h"
#include "common/base/file.h"
#include "common/cluster/selection.h"
#include "common/job/results.h"
#include "cli/run/graph_scores.h"
#include "cli/report/shown.h"
#include "cli/run/report_read.h"
#include "cli/run/score.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* VALUES_MOST: maximum number of values shown of a list. FACT: column in which a fact's value
 * begins. */
enum { VALUES_MOST = 12, FACT = 19 };

enum { PARTIES_SHOWN = 12 };

struct arguments {
	const char *out, *truth;
	bool verbose;
};

static const struct argp_option options[] = {
	{ "truth", 't', "FILE", 0,
	  "known classes, in the order of the data's rows or with ids (.csv); for fedgcn "
	  "\"own\" (the labels in the parties' sets) or a directory with a set for each party",
	  0 },
	{ "verbose", 'v', NULL, 0,
	  "also print seconds of each phase, traffic and facts of the "
	  "job",
	  0 },
	{ 0 },
};

static error_t show_parse(int key, char *arg, struct argp_state *state)
{
	struct arguments *a = state->input;
	const struct args_field fields[] = {
		{ 't', ARGS_TO(a->truth) },
		{ 'v', ARGS_TO(a->verbose) },
		{ ARGP_KEY_ARG, ARGS_TO(a->out) },
		{ 0 },
	};

	if (key == ARGP_KEY_END)
		args_need(state, a->out, "the run's directory is missing");
	return args_take(options, fields, key, arg, state);
}

static void show_end_line(size_t indent, struct buf *text)
{
	buf_add(text, "", 1);
	table_line(indent, "%s", (const char *)text->p);
	buf_release(text);
}

static void print_head(const struct json *run)
{
	const struct json *job = run_object(run, "job");
	struct buf text = { 0 };
	struct run_words words;
	char *rest;

	table_line(2, "%s: %s, %.3f s, %.0f rounds of secure sums", json_text(run, "software"),
		   json_text(run, "status"), run_number(run, "elapsed_s"),
		   run_number(run, "rounds"));
	if (*json_text(run, "error"))
		table_line(2, "error: %s", json_text(run, "error"));
	for (const struct json *v = run_first(run, "left_out"); v; v = run_next(v))
		table_line(2, "left out since attempt %.0f, after a dropout: %s%s%s",
			   run_number(v, "attempt"), json_text(v, "name"),
			   *json_text(v, "step") ? "; the attempt before was cut short in " : "",
			   json_text(v, "step"));
	if (!job)
		return;
	/* such as "kcagc, k = 7, method tree, preset default, seed 1" */
	words = run_job_words(job);
	rest = strchr(words.s, ',');
	if (rest)
		*rest++ = 0;
	buf_printf(&text, "job: %s", words.s);
	if (run_has(job, "clusters"))
		buf_printf(&text, ", k = %.0f", run_number(job, "clusters"));
	else if (run_has(run_object(run, "facts"), "selection_k"))
		buf_printf(&text, ", k = %.0f of %.0f to %.0f",
			   run_number(run_object(run, "facts"), "selection_k"),
			   run_number(run_object(job, "clusters"), "from"),
			   run_number(run_object(job, "clusters"), "to"));
	buf_printf(&text, "%s%s, seed %.0f", rest ? "," : "", rest ? rest : "",
		   run_number(job, "seed"));
	show_end_line(2, &text);
}

static void end_table(struct table *t)
{
	printf("\n");
	table_print(t, stdout, table_room());
	table_free(t);
}

static void print_phases(const struct json *run)
{
	static const char *const heads[] = { "phase", ">compute s", ">wait s", ">wire s",
					     ">rounds" };
	static const char *const spent[] = { "compute_s", "wait_s", "wire_s" };
	struct table *t = table_new(heads, 5);
	double all[3] = { 0 };

	for (const struct json *p = run_first(run, "phases"); p; p = run_next(p)) {
		table_cell(t, "%s", json_text(p, "name"));
		for (size_t i = 0; i < 3; i++) {
			table_cell(t, "%.3f", run_number(p, spent[i]));
			all[i] += run_number(p, spent[i]);
		}
		table_cell(t, "%.0f", run_number(p, "rounds"));
	}
	table_cell(t, "all");
	for (size_t i = 0; i < 3; i++)
		table_cell(t, "%.3f", all[i]);
	table_cell(t, "%.0f", run_number(run, "rounds"));
	end_table(t);
}

static void print_daemons(const struct run_dir *runs)
{
	/* On a narrow terminal each column becomes a line of its own, so heads must explain
	 * themselves. */
	static const char *const heads[] = { "daemon",   ">sent",   ">msgs out", ">received",
					     ">msgs in", ">rounds", ">seconds" };
	static const char *const flow[] = { "bytes_sent", "messages_sent", "bytes_received",
					    "messages_received" };
	struct table *t = table_new(heads, 7);

	for (size_t i = 0; i < runs->n; i++) {
		const struct json *run = runs->process[i].run;

		table_cell(t, "%s", json_text(run, "name"));
		for (size_t f = 0; f < 4; f++) {
			double sum = 0;

			for (const struct json *k = run_first(run, "traffic"); k; k = run_next(k))
				sum += run_number(k, flow[f]);
			table_cell(t, "%s", f % 2 ? show_count(sum).s : show_bytes(sum).s);
		}
		table_cell(t, "%.0f", run_number(run, "rounds"));
		table_cell(t, "%.3f", run_number(run, "elapsed_s"));
	}
	end_table(t);
}

static void add_numbers(struct buf *text, const struct json *list)
{
	size_t n = 0;

	for (const struct json *v = json_first(list); v && n < VALUES_MOST; v = json_next(v), n++)
		if (json_type(v) == JSON_NUMBER)
			buf_printf(text, " %.6g", json_number(v));
	if (json_count(list) > n)
		buf_printf(text, " and %zu more", json_count(list) - n);
}

/* If the job chose k from a range, prints in one line the silhouettes and, if there are any, the
 * stabilities of these k. */
static void print_selection(const struct json *facts)
{
	const struct json *silhouette = run_list(facts, "selection_silhouette");
	const struct json *stability = run_list(facts, "selection_stability"), *v;
	struct selection s = { .from = (unsigned)run_number(facts, "selection_from") };
	struct buf text = { 0 };

	if (!silhouette)
		return;
	for (v = json_first(silhouette); v && s.count < SELECTION_MAX; v = json_next(v))
		selection_add(&s, (struct selection_point){ .silhouette = run_element(v) });
	s.has_stability = stability && json_count(stability) >= s.count;
	v = s.has_stability ? json_first(stability) : NULL;
	for (size_t i = 0; i < s.count && v; i++, v = json_next(v))
		s.stability[i] = run_element(v);
	buf_printf(&text, "selection: ");
	selection_text(&s, &text);
	show_end_line(2, &text);
}

static void print_facts(const struct json *run)
{
	const struct json *facts = run_object(run, "facts");
	struct buf text = { 0 };

	printf("\n");
	for (const struct json *f = facts ? json_first(facts) : NULL; f; f = json_next(f)) {
		if (!strncmp(json_key(f), "selection_", strlen("selection_")))
			continue;
		buf_printf(&text, "%-18s", json_key(f));
		if (json_type(f) == JSON_STRING)
			buf_printf(&text, " %s", json_string(f));
		else if (json_type(f) == JSON_ARRAY)
			add_numbers(&text, f);
		else if (json_type(f) == JSON_NUMBER)
			buf_printf(&text, " %.6g", json_number(f));
		show_end_line(FACT, &text);
	}
}

/* Prints where a process stored its results, and their number of rows. */
static void print_results(const struct process *p)
{
	const struct json *facts = run_object(p->run, "facts");
	double rows = run_number(run_object(p->run, "result"), "rows");
	char *files = results_list(p->dir);
	struct buf text = { 0 };

	if (run_has(facts, "own_rows"))
		buf_printf(&text, " (%.0f of its %.0f rows, %.0f edges dropped)",
			   run_number(facts, "common_rows"), run_number(facts, "own_rows"),
			   run_number(facts, "edges_dropped"));
	else if (rows > 0)
		buf_printf(&text, " (%.0f %s%s%s)", rows, run_things(p->run, false),
			   p->leads ? "" : ", ids of ", p->leads ? "" : p->name);
	buf_add(&text, "", 1);
	if (*files) /* prints the first file; a failed job has none */
		table_line(2, "%s: %s: %s/%.*s%s", p->name,
			   run_is_embedding(p->run) ? "embeddings" : "labels", p->dir,
			   (int)strcspn(files, ","), files, (const char *)text.p);
	else
		table_line(2, "%s: no labels; its record is %s/run.json", p->name, p->dir);
	buf_release(&text);
	free(files);
}

/* Prints where the parties' results are. If there is only a coordinator, prints where its results
 * are. */
static void print_where(const struct run_dir *runs)
{
	const struct process *party = run_dir_party(runs);
	size_t shown = 0;

	printf("\n");
	for (size_t i = 0; i < runs->n; i++) {
		const struct process *p = &runs->process[i];

		if (party && p->leads)
			continue;
		if (++shown > PARTIES_SHOWN) {
			table_line(2, "and so for %zu more parties", runs->n - i);
			return;
		}
		print_results(p);
		if (p->leads && run_has_own_rows(p->run))
			table_line(2, "labels are with the parties");
	}
}

/* Prints the sizes of clusters, from the first process that has them. */
static void print_clusters(const struct run_dir *runs)
{
	const struct json *sizes = NULL;
	const struct process *p = runs->process;
	struct buf text = { 0 };

	for (; p < runs->process + runs->n; p++)
		if ((sizes = run_list(run_object(p->run, "result"), "cluster_sizes")))
			break;
	if (!sizes || !json_first(sizes))
		return;
	buf_printf(&text, "clusters%s%s: %zu, of", p->leads ? "" : " at ", p->leads ? "" : p->name,
		   json_count(sizes));
	add_numbers(&text, sizes);
	buf_printf(&text, " %s", run_things(p->run, false));
	show_end_line(2, &text);
}

/* Prints the confidence of labels, for each process that has it. */
static void print_confidence(const struct run_dir *runs)
{
	for (size_t i = 0; i < runs->n; i++) {
		const struct process *p = &runs->process[i];
		const struct json *facts = run_object(p->run, "facts");
		const struct json *tenths = run_list(facts, "confidence_tenths");
		double rows = run_number(run_object(p->run, "result"), "rows");

		if (tenths)
			table_line(
			    2,
			    "confidence%s%s: %.3f (0: between two clusters, 1: at a centre); "
			    "%.0f of %.0f %s are unsure (below 0.1)",
			    p->leads ? "" : " at ", p->leads ? "" : p->name,
			    run_number(facts, "confidence"), rows * run_element(json_first(tenths)),
			    rows, run_things(p->run, false));
	}
}

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
		printf("\n"),
		    table_line(0, "ACC %.4f   NMI %.4f   ARI %.4f   macro-F1 %.4f   of %.0f rows",
			       run_number(score, "acc"), run_number(score, "nmi"),
			       run_number(score, "ari"), run_number(score, "f1"),
			       run_number(score, "rows"));
	run_labels_release(&labels);
	json_free(score);
	return err;
}

static void print_warning(void *unused, const char *code, const char *sentence, const char *names)
{
	(void)unused;
	table_line(2, "warning: %s: %s (%s)", names, sentence, code);
}

static enum err show_print(const struct arguments *a, const struct run_dir *runs)
{
	const struct process *first = &runs->process[0];
	struct json *whole = NULL;

	if (!first->sound) { /* prints the reason */
		enum err err = run_read(first->dir, &whole);

		json_free(whole);
		TRY(err);
	}
	print_head(first->run);
	print_where(runs);
	print_clusters(runs);
	print_selection(run_object(first->run, "facts"));
	print_confidence(runs);
	run_dir_warnings(runs, print_warning, NULL);
	if (a->truth)
		TRY(print_truth(runs, a->truth));
	if (!a->verbose) {
		printf("\n");
		table_line(2, "seconds, traffic and facts: coterie show %s --verbose", a->out);
		return ERR_OK;
	}
	print_phases(first->run);
	print_daemons(runs);
	print_facts(first->run);
	return ERR_OK;
}

static enum err show_run(void *arguments)
{
	const struct arguments *a = arguments;
	struct run_dir runs;
	enum err err;

	TRY(run_dir_read(a->out, &runs));
	for (size_t i = 0; i < runs.missing.n; i++)
		fprintf(stderr, "coterie show: %s: %s\n", runs.missing.item[i].subject,
			runs.missing.item[i].text);
	err = show_print(a, &runs);
	run_dir_release(&runs);
	return err;
}

int show_main(int argc, char **argv)
{
	static const struct argp argp = {
		.options = options,
		.parser = show_parse,
		.args_doc = "OUT",
		.doc = "Shows the result of a run: paths of the parties' labels, sizes of "
		       "clusters, label confidence and warnings; with --truth also scores.\vOUT "
		       "is the directory of coterie launch, or the output directory of one "
		       "daemon.",
	};
	return (int)args_run("show", &argp, argc, argv, &(struct arguments){ 0 }, show_run);
}
