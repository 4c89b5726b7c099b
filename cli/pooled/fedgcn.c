/* coterie fedgcn: new graphs by a party's model; and the whole of FedGCN in one process. */
#include "cli/args/args.h"
#include "cli/pooled/fedgcn_local.h"
#include "cli/args/results.h"
#include "cli/run/score.h"
#include "common/base/alloc.h"
#include "common/fedgcn/file.h"
#include "common/data/tu.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KEY_BASELINES = 256 };

struct arguments {
	const char *job, *model, *out;
	const char *data[FEDGCN_SETS_MAX];
	size_t sets;
	struct overrides set;
	unsigned threads;
	bool baselines;
};

/* ---- assign ---- */

static enum err score_assigned(const struct tu *tu, const uint32_t *label, struct json *result)
{
	uint32_t *truth;
	size_t classes;
	enum err err;

	if (!tu->class)
		return ERR_OK;
	ALLOC(truth, tu->graphs.count);
	tu_classes(tu, truth, &classes);
	err = score_rows(truth, label, tu->graphs.count, result);
	free(truth);
	return err;
}

static enum err assign_set(const struct arguments *a, const struct fedgcn_model *m,
			   const struct tu *tu)
{
	struct json *result = json_object(), *sizes;
	size_t n = tu->graphs.count;
	uint32_t *label;
	size_t *size;
	enum err err;

	ALLOC(label, n);
	ALLOC(size, m->k);
	err = fedgcn_assign(m, &tu->graphs, a->threads, label);
	if (!err) {
		json_put_number(result, "graphs", (double)n);
		json_put_number(result, "clusters", m->k);
		for (size_t i = 0; i < n; i++)
			size[label[i]]++;
		sizes = json_put_array(result, "sizes");
		for (size_t r = 0; r < m->k; r++)
			json_append_number(sizes, (double)size[r]);
		err = score_assigned(tu, label, result);
	}
	if (!err && a->out)
		err = results_write(a->out, NULL, label, n, result);
	if (!err)
		args_print(result);
	free(label);
	free(size);
	json_free(result);
	return err;
}

static enum err assign(void *arguments)
{
	struct arguments *a = arguments;
	struct fedgcn_model m = { 0 };
	struct tu tu = { 0 };
	enum err err = fedgcn_file_read(a->model, &m);

	if (!err)
		err = tu_read(a->data[0], &tu);
	if (!err)
		err = assign_set(a, &m, &tu);
	tu_release(&tu);
	fedgcn_model_release(&m);
	return err;
}

/* ---- all parties in this process ---- */

static enum err local(void *arguments)
{
	struct arguments *a = arguments;
	const struct fedgcn_local_params p = { .job = a->job,
					       .set = a->set.item,
					       .data = a->data,
					       .sets = a->sets,
					       .threads = args_cores(a->threads),
					       .baselines = a->baselines,
					       .out = a->out };
	struct json *result = json_object();
	enum err err = fedgcn_local(&p, result);

	if (!err)
		args_print(result);
	json_free(result);
	return err;
}

/* ---- arguments ---- */

static const struct argp_option assign_options[] = {
	{ "model", 'm', "FILE", 0, "model.fedgcn of a party's run", 0 },
	{ "graphs", 'g', "DIR", 0, "graphs in the TU format", 0 },
	ARGS_RESULTS,
	ARGS_THREADS('t'),
	{ 0 },
};

static const struct argp_option local_options[] = {
	{ "graphs", 'g', "DIR", 0, "a party's graphs in the TU format; once for each party", 0 },
	{ "job", 'j', "FILE", 0, "of kind fedgcn", 0 },
	{ "seed", 's', "S", 0, "the same as --set seed=S", 0 },
	ARGS_SET,
	{ "baselines", KEY_BASELINES, NULL, 0,
	  "score size, log-size, an untrained network and each party alone as well", 0 },
	{ "out", 'o', "DIR", 0, "where labels and model of each party go, by the sets' names", 0 },
	ARGS_THREADS('t'),
	{ 0 },
};

static error_t parse_common(struct arguments *a, int key, char *arg, struct argp_state *state)
{
	switch (key) {
	case 'g':
		if (a->sets == FEDGCN_SETS_MAX)
			argp_error(state, "more than %d sets", FEDGCN_SETS_MAX);
		a->data[a->sets++] = arg;
		return 0;
	case 'o':
		a->out = arg;
		return 0;
	case 't':
		a->threads = args_threads(state, arg);
		return 0;
	default:
		return args_none(key, arg, state);
	}
}

static error_t parse_assign(int key, char *arg, struct argp_state *state)
{
	struct arguments *a = state->input;

	switch (key) {
	case 'm':
		a->model = arg;
		return 0;
	case ARGP_KEY_END:
		args_need(state, a->model && a->sets == 1, "--model and one --graphs are needed");
		return 0;
	default:
		return parse_common(a, key, arg, state);
	}
}

static error_t parse_local(int key, char *arg, struct argp_state *state)
{
	struct arguments *a = state->input;

	switch (key) {
	case 'j':
		a->job = arg;
		return 0;
	case KEY_BASELINES:
		a->baselines = true;
		return 0;
	case ARGP_KEY_END:
		args_need(state, a->job && a->sets, "--job and at least one --graphs are needed");
		return 0;
	default:
		return args_override(key, arg, &a->set) ? 0 : parse_common(a, key, arg, state);
	}
}

int fedgcn_main(int argc, char **argv)
{
	static const struct argp assigning = { assign_options,
					       parse_assign,
					       NULL,
					       "Puts graphs into the clusters of a run of kind "
					       "fedgcn, by the model that a party keeps "
					       "of it. The graphs need not have been in the run. "
					       "With graph labels in the set it says "
					       "how well they were found.",
					       NULL,
					       NULL,
					       NULL };
	static const struct argp all_here = { local_options,
					      parse_local,
					      NULL,
					      "FedGCN with all parties in this process, each with "
					      "the set of one --graphs. Its sums "
					      "are in the same fixed point as those of daemons, so "
					      "its models and labels are the same "
					      "bits.\v"
					      "Scores are each party's, and their means over "
					      "parties, plain (mean) and weighted by "
					      "graphs (weighted).",
					      NULL,
					      NULL,
					      NULL };
	const char *what = argc > 1 ? argv[1] : "";
	struct arguments a = { 0 };
	enum err err = ERR_INPUT;

	if (!strcmp(what, "assign"))
		err = args_run("fedgcn assign", &assigning, argc - 1, argv + 1, &a, assign);
	else if (!strcmp(what, "local"))
		err = args_run("fedgcn local", &all_here, argc - 1, argv + 1, &a, local);
	else
		fprintf(stderr, "Usage: coterie fedgcn assign|local [OPTION...]\n"
				"coterie fedgcn assign --help says more.\n");
	overrides_release(&a.set);
	return (int)err;
}
