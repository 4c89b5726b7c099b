#include "cli/graph_scores.h"
#include "common/base/alloc.h"
#include "common/base/file.h"
#include "common/data/labels.h"
#include "common/data/tu.h"
#include "common/math/metrics.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WAYS = 6, RESULT = 0, MAJORITY, SCORES = 4 };
static const char *const way_names[WAYS] = { "result",   "majority",  "size",
					     "log-size", "untrained", "alone" };
static const char *const way_files[WAYS] = { "labels.csv",
					     NULL,
					     "baseline-size.csv",
					     "baseline-log-size.csv",
					     "baseline-untrained.csv",
					     "baseline-alone.csv" };
static const char *const score_names[SCORES] = { "acc", "nmi", "ari", "f1" };

/* One party. */
struct scored {
	const char *name; /* borrowed */
	size_t n;
	bool has[WAYS];
	double score[WAYS][SCORES];
};

bool graph_scores_apply(const struct json *run)
{
	return !strcmp(run_string(run_object(run, "job"), "kind"), "fedgcn");
}

/* ---- one party ---- */

static enum err score(struct scored *s, unsigned way, const uint32_t *truth, const uint32_t *label)
{
	struct metrics m;

	TRY(metrics_of(truth, label, s->n, &m));
	s->has[way] = true;
	s->score[way][0] = m.acc;
	s->score[way][1] = m.nmi;
	s->score[way][2] = m.ari;
	s->score[way][3] = m.f1;
	return ERR_OK;
}

static enum err score_file(struct scored *s, unsigned way, const uint32_t *truth, const char *path,
			   const char *set)
{
	struct labels l;
	enum err err;

	TRY(labels_read(path, &l));
	err = l.n == s->n
		  ? score(s, way, truth, l.label)
		  : err_set(ERR_INPUT, "%s has %zu labels, %s %zu graphs", path, l.n, set, s->n);
	labels_release(&l);
	return err;
}

static enum err score_ways(struct scored *s, const struct process *p, const uint32_t *truth,
			   const char *set)
{
	uint32_t *one = alloc(s->n, sizeof(*one));
	enum err err = score(s, MAJORITY, truth, one);

	for (unsigned w = 0; w < WAYS && !err; w++) {
		char *path = way_files[w] ? file_join(p->dir, way_files[w]) : NULL;

		if (path && (w == RESULT || file_exists(path)))
			err = score_file(s, w, truth, path, set);
		free(path);
	}
	free(one);
	return err;
}

static enum err score_set(struct scored *s, const struct process *p, const char *set)
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

static enum err score_party(struct scored *s, const struct process *p, const char *truth)
{
	const char *own = run_string(run_object(p->run, "data"), "graphs");
	char *set;
	enum err err;

	*s = (struct scored){ .name = p->name };
	if (!strcmp(truth, "own") && !*own)
		return err_set(ERR_INPUT, "%s: its run.json does not say where its graphs are",
			       p->dir);
	set = !strcmp(truth, "own") ? alloc_copy(own) : file_join(truth, p->name);
	err = score_set(s, p, set);
	free(set);
	return err;
}

/* ---- all of them ---- */

static void put_scores(struct json *to, unsigned way, const double score[SCORES])
{
	struct json *o = json_put_object(to, way_names[way]);

	for (unsigned i = 0; i < SCORES; i++)
		json_put_number(o, score_names[i], score[i]);
}

static void put_means(struct json *root, const char *key, const struct scored *s, size_t n,
		      bool weighted)
{
	struct json *o = json_put_object(root, key);

	for (unsigned w = 0; w < WAYS; w++) {
		double sum[SCORES] = { 0 }, all = 0;
		bool has = true;

		for (size_t l = 0; l < n; l++) {
			double weight = weighted ? (double)s[l].n : 1;

			has &= s[l].has[w];
			all += weight;
			for (unsigned i = 0; i < SCORES; i++)
				sum[i] += weight * s[l].score[w][i];
		}
		for (unsigned i = 0; i < SCORES; i++)
			sum[i] /= all;
		if (has)
			put_scores(o, w, sum);
	}
}

static struct json *put_all(const struct scored *s, size_t n, const char *truth)
{
	struct json *root = json_object(), *list;

	json_put_string(root, "truth", truth);
	list = json_put_array(root, "parties");
	for (size_t l = 0; l < n; l++) {
		struct json *o = json_append(list, json_object()), *ways;

		json_put_string(o, "party", s[l].name);
		json_put_number(o, "graphs", (double)s[l].n);
		ways = json_put_object(o, "ways");
		for (unsigned w = 0; w < WAYS; w++)
			if (s[l].has[w])
				put_scores(ways, w, s[l].score[w]);
	}
	put_means(root, "mean", s, n, false);
	put_means(root, "weighted", s, n, true);
	return root;
}

enum err graph_scores_make(const struct run_dir *runs, const char *truth, struct json **e)
{
	struct scored *s;
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
	if (!err)
		*e = put_all(s, n, truth);
	free(s);
	return err;
}

/* ---- for people ---- */

static void print_row(const char *name, double graphs, const struct json *ways)
{
	printf("%-16s %7.0f", name, graphs);
	for (unsigned w = 0; w < WAYS; w++) {
		const struct json *o = run_object(ways, way_names[w]);

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

	for (unsigned w = 0; w < WAYS; w++) {
		const struct json *o = run_object(ways, way_names[w]), *v;

		if (!o)
			continue;
		printf("%-16s %-9s", w ? "" : key, way_names[w]);
		for (unsigned i = 0; i < SCORES; i++) {
			v = json_get(o, score_names[i]); /* ARI may be below 0 */
			printf(" %s %.4f", score_names[i],
			       v && json_type(v) == JSON_NUMBER ? json_number(v) : 0);
		}
		printf("\n");
	}
}

void graph_scores_print(const struct json *e)
{
	double graphs = 0;

	printf("\n%-16s %7s", "ACC", "graphs");
	for (unsigned w = 0; w < WAYS; w++)
		printf(" %9s", way_names[w]);
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
