#include "cli/run/graph_scores.h"
#include "common/base/alloc.h"
#include "common/base/file.h"
#include "common/cluster/metrics.h"
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

static const char *const score_names[GRAPH_SCORES] = { "acc", "nmi", "ari", "f1" };

static const char *way_name(unsigned way)
{
	static const char *const first[WAY_BASELINES] = { "result", "majority" };

	return way < WAY_BASELINES ? first[way] : graph_baseline_names[way - WAY_BASELINES];
}

enum err graph_ways_score(struct graph_ways *s, unsigned way, const uint32_t *truth,
			  const uint32_t *label)
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

static bool has_any(const struct graph_ways *s)
{
	for (unsigned w = 0; w < GRAPH_WAYS; w++)
		if (s->has[w])
			return true;
	return false;
}

static void put_scores(struct json *to, unsigned way, const double score[GRAPH_SCORES])
{
	struct json *o = json_put_object(to, way_name(way));

	for (unsigned i = 0; i < GRAPH_SCORES; i++)
		json_put_number(o, score_names[i], score[i]);
}

static void graph_scores_put_mean(struct json *to, const struct graph_ways *s, size_t parties,
				  unsigned way, bool weighted)
{
	double sum[GRAPH_SCORES] = { 0 }, all = 0;

	for (size_t l = 0; l < parties; l++) {
		double weight = weighted ? (double)s[l].n : 1;

		if (!has_any(&s[l]))
			continue;
		if (!s[l].has[way])
			return;
		all += weight;
		for (unsigned i = 0; i < GRAPH_SCORES; i++)
			sum[i] += weight * s[l].score[way][i];
	}
	if (!(all > 0))
		return;
	for (unsigned i = 0; i < GRAPH_SCORES; i++)
		sum[i] /= all;
	put_scores(to, way, sum);
}

void graph_ways_put(struct json *to, const struct graph_ways *s, size_t parties)
{
	struct json *list = json_put_array(to, "parties"), *mean, *weighted;

	for (size_t l = 0; l < parties; l++) {
		struct json *o = json_append_object(list), *ways;

		json_put_string(o, "party", s[l].name);
		json_put_number(o, "graphs", (double)s[l].n);
		if (!has_any(&s[l]))
			continue;
		ways = json_put_object(o, "ways");
		for (unsigned w = 0; w < GRAPH_WAYS; w++)
			if (s[l].has[w])
				put_scores(ways, w, s[l].score[w]);
	}
	mean = json_put_object(to, "mean");
	weighted = json_put_object(to, "weighted");
	for (unsigned w = 0; w < GRAPH_WAYS; w++) {
		graph_scores_put_mean(mean, s, parties, w, false);
		graph_scores_put_mean(weighted, s, parties, w, true);
	}
}

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

static enum err graph_scores_score_party(struct graph_ways *s, const struct process *p,
					 const char *truth)
{
	const char *own = json_text(run_object(p->run, "data"), "graphs");
	char *set;
	uint32_t *class = NULL, *one = NULL;
	struct tu tu = { 0 };
	size_t classes;
	enum err err;

	*s = (struct graph_ways){ .name = p->name };
	if (!strcmp(truth, "own") && !*own)
		return err_set(ERR_INPUT, "%s: its run.json does not say where its graphs are",
			       p->dir);
	set = !strcmp(truth, "own") ? alloc_copy(own) : file_join(truth, p->name);
	err = tu_read(set, &tu);
	if (!err && !tu.class)
		err = err_set(ERR_INPUT, "%s: no graph labels there, by which to score", set);
	if (err)
		goto out;
	s->n = tu.graphs.count;
	ALLOC(class, s->n);
	ALLOC(one, s->n);
	tu_classes(&tu, class, &classes);
	err = graph_ways_score(s, WAY_MAJORITY, class, one);
	for (unsigned w = 0; w < GRAPH_WAYS && !err; w++) {
		char *path = way_files[w] ? file_join(p->dir, way_files[w]) : NULL;

		if (path && (w == WAY_RESULT || file_exists(path)))
			err = score_file(s, w, class, path, set);
		free(path);
	}
out:
	free(one);
	free(class);
	tu_release(&tu);
	free(set);
	return err;
}

enum err graph_scores_make(const struct run_dir *runs, const char *truth, struct json **e)
{
	struct graph_ways *s;
	size_t n = 0;
	enum err err = ERR_OK;

	*e = NULL;
	ALLOC(s, runs->n);
	for (size_t i = 0; i < runs->n && !err; i++)
		if (!runs->process[i].leads)
			err = graph_scores_score_party(&s[n++], &runs->process[i], truth);
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

static void graph_scores_print_row(const char *name, double graphs, const struct json *ways)
{
	printf("%-16s %7.0f", name, graphs);
	for (unsigned w = 0; w < GRAPH_WAYS; w++) {
		const struct json *o = run_object(ways, way_name(w));

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
		const struct json *o = run_object(ways, way_name(w));

		if (!o)
			continue;
		printf("%-16s %-9s", w ? "" : key, way_name(w));
		for (unsigned i = 0; i < GRAPH_SCORES; i++) {
			printf(" %s %.4f", score_names[i], json_number_of(o, score_names[i], 0));
		}
		printf("\n");
	}
}

void graph_scores_print(const struct json *e)
{
	double graphs = 0;

	printf("\n%-16s %7s", "ACC", "graphs");
	for (unsigned w = 0; w < GRAPH_WAYS; w++)
		printf(" %9s", way_name(w));
	printf("\n");
	for (const struct json *p = run_first(e, "parties"); p; p = run_next(p)) {
		graph_scores_print_row(json_text(p, "party"), run_number(p, "graphs"),
				       run_object(p, "ways"));
		graphs += run_number(p, "graphs");
	}
	graph_scores_print_row("mean", graphs, run_object(e, "mean"));
	graph_scores_print_row("weighted", graphs, run_object(e, "weighted"));
	printf("\n");
	print_means(e, "mean");
	print_means(e, "weighted");
}
