#include "cli/run/graph_scores.h"
#include "cli/run/graph_ways.h"
#include "common/base/alloc.h"
#include "common/base/file.h"
#include "common/data/labels.h"
#include "common/data/tu.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const way_files[GRAPH_WAYS] = { "labels.csv",
						   NULL,
						   "baseline-size.csv",
						   "baseline-log-size.csv",
						   "baseline-untrained.csv",
						   "baseline-alone.csv" };

bool graph_scores_apply(const struct json *run)
{
	return run_is_of_graphs(run);
}

/* ---- one party ---- */

static enum err score_file(struct graph_ways *s, unsigned way, const uint32_t *truth,
			   const char *path, const char *set)
{
	struct labels l;
	enum err err;

	TRY(labels_read(path, &l));
	err = l.n == s->n
		  ? graph_ways_score(s, way, truth, l.label)
		  : err_set(ERR_INPUT, "%s has %zu labels, %s %zu graphs", path, l.n, set, s->n);
	labels_release(&l);
	return err;
}

static enum err score_ways(struct graph_ways *s, const struct process *p, const uint32_t *truth,
			   const char *set)
{
	uint32_t *one = alloc(s->n, sizeof(*one));
	enum err err = graph_ways_score(s, WAY_MAJORITY, truth, one);

	for (unsigned w = 0; w < GRAPH_WAYS && !err; w++) {
		char *path = way_files[w] ? file_join(p->dir, way_files[w]) : NULL;

		if (path && (w == WAY_RESULT || file_exists(path)))
			err = score_file(s, w, truth, path, set);
		free(path);
	}
	free(one);
	return err;
}

static enum err score_set(struct graph_ways *s, const struct process *p, const char *set)
{
	uint32_t *truth;
	size_t classes;
	struct tu tu;
	enum err err;

	TRY(tu_read(set, &tu));
	s->n = tu.graphs.count;
	if (!tu.class) {
		tu_release(&tu);
		return err_set(ERR_INPUT, "%s: no graph labels there, by which to score", set);
	}
	ALLOC(truth, s->n);
	tu_classes(&tu, truth, &classes);
	err = score_ways(s, p, truth, set);
	free(truth);
	tu_release(&tu);
	return err;
}

static enum err score_party(struct graph_ways *s, const struct process *p, const char *truth)
{
	const char *own = run_string(run_object(p->run, "data"), "graphs");
	char *set;
	enum err err;

	*s = (struct graph_ways){ .name = p->name };
	if (!strcmp(truth, "own") && !*own)
		return err_set(ERR_INPUT, "%s: its run.json does not say where its graphs are",
			       p->dir);
	set = !strcmp(truth, "own") ? alloc_copy(own) : file_join(truth, p->name);
	err = score_set(s, p, set);
	free(set);
	return err;
}

/* ---- all of them ---- */

enum err graph_scores_make(const struct run_dir *runs, const char *truth, struct json **e)
{
	struct graph_ways *s;
	size_t n = 0;
	enum err err = ERR_OK;

	*e = NULL;
	ALLOC(s, runs->n);
	for (size_t i = 0; i < runs->n && !err; i++)
		if (!runs->process[i].leads)
			err = score_party(&s[n++], &runs->process[i], truth);
	if (!err && !n)
		err = err_set(ERR_INPUT,
			      "%s: the coordinator has no labels of a job of kind fedgcn: name a "
			      "directory with the parties' below it, or a party's",
			      runs->out);
	if (!err) {
		*e = json_object();
		json_put_string(*e, "truth", truth);
		graph_ways_put(*e, s, n);
	}
	free(s);
	return err;
}

/* ---- for people ---- */

static void print_row(const char *name, double graphs, const struct json *ways)
{
	printf("%-16s %7.0f", name, graphs);
	for (unsigned w = 0; w < GRAPH_WAYS; w++) {
		const struct json *o = run_object(ways, graph_way_name(w));

		if (!o)
			printf(" %9s", "-");
		else
			printf(" %9.4f", run_number(o, "acc"));
	}
	printf("\n");
}

static void print_means(const struct json *e, const char *key)
{
	const struct json *ways = run_object(e, key);

	for (unsigned w = 0; w < GRAPH_WAYS; w++) {
		const struct json *o = run_object(ways, graph_way_name(w)), *v;

		if (!o)
			continue;
		printf("%-16s %-9s", w ? "" : key, graph_way_name(w));
		for (unsigned i = 0; i < GRAPH_SCORES; i++) {
			v = json_get(o, graph_score_names[i]); /* ARI may be below 0 */
			printf(" %s %.4f", graph_score_names[i],
			       v && json_type(v) == JSON_NUMBER ? json_number(v) : 0);
		}
		printf("\n");
	}
}

void graph_scores_print(const struct json *e)
{
	double graphs = 0;

	printf("\n%-16s %7s", "ACC", "graphs");
	for (unsigned w = 0; w < GRAPH_WAYS; w++)
		printf(" %9s", graph_way_name(w));
	printf("\n");
	for (const struct json *p = run_first(e, "parties"); p; p = run_next(p)) {
		print_row(run_string(p, "party"), run_number(p, "graphs"), run_object(p, "ways"));
		graphs += run_number(p, "graphs");
	}
	print_row("mean", graphs, run_object(e, "mean"));
	print_row("weighted", graphs, run_object(e, "weighted"));
	printf("\n");
	print_means(e, "mean");
	print_means(e, "weighted");
}
