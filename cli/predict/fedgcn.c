/* coterie fedgcn assign: assigns new graphs to clusters by the model that a fedgcn run stored at a
 * party. */
#include "cli/args/args.h"
#include "cli/run/score.h"
#include "common/base/alloc.h"
#include "common/data/tu.h"
#include "protocols/fedgcn/file.h"
#include "protocols/fedgcn/party.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct arguments {
	const char *model, *graphs, *out;
	unsigned threads;
};

static enum err predict_fedgcn_assign(void *arguments)
{
	const struct arguments *a = arguments;
	struct json *result = json_object(), *sizes;
	struct fedgcn_model m = { 0 };
	struct tu tu = { 0 };
	uint32_t *label = NULL, *truth = NULL;
	size_t *size = NULL, classes, n;
	enum err err = results_check(a->out);

	if (!err)
		err = fedgcn_file_read(a->model, &m);
	if (!err)
		err = tu_read(a->graphs, &tu);
	if (err)
		goto out;
	n = tu.graphs.count;
	ALLOC(label, n);
	ALLOC(truth, n);
	ALLOC(size, m.k);
	err = fedgcn_assign(&m, &tu.graphs, args_cores(a->threads), label);
	if (err)
		goto out;
	json_put_number(result, "graphs", (double)n);
	json_put_number(result, "clusters", m.k);
	for (size_t i = 0; i < n; i++)
		size[label[i]]++;
	sizes = json_put_array(result, "sizes");
	for (size_t r = 0; r < m.k; r++)
		json_append_number(sizes, (double)size[r]);
	if (tu.class) {
		tu_classes(&tu, truth, &classes);
		err = score_rows(truth, label, n, result);
	}
	if (!err && a->out)
		err = results_write(a->out, NULL, label, NULL, n, result);
	if (!err)
		args_print(result);
out:
	free(truth);
	free(label);
	free(size);
	json_free(result);
	tu_release(&tu);
	fedgcn_model_release(&m);
	return err;
}

static const struct argp_option options[] = {
	{ "model", 'm', "FILE", 0, "model.fedgcn of a party", 0 },
	{ "graphs", 'g', "DIR", 0, "graphs in the TU format", 0 },
	ARGS_RESULTS,
	ARGS_THREADS('t'),
	{ 0 },
};

static error_t predict_fedgcn_parse(int key, char *arg, struct argp_state *state)
{
	struct arguments *a = state->input;
	const struct args_field fields[] = {
		{ 'm', ARGS_TO(a->model) },
		{ 'g', ARGS_TO(a->graphs) },
		{ 'o', ARGS_TO(a->out) },
		{ 't', ARGS_TO(a->threads), 1, ARGS_THREADS_MAX },
		{ 0 },
	};

	if (key == 'g' && a->graphs)
		argp_error(state, "--graphs is there twice");
	if (key == ARGP_KEY_END)
		args_need(state, a->model && a->graphs, "--model and one --graphs are needed");
	return args_take(options, fields, key, arg, state);
}

int fedgcn_main(int argc, char **argv)
{
	static const struct argp argp = {
		.options = options,
		.parser = predict_fedgcn_parse,
		.doc = "Assigns graphs to the clusters of a fedgcn run, by a party's model. If "
		       "the set has graph labels, it prints scores."
	};
	const char *what = argc > 1 ? argv[1] : "";
	bool assign = !strcmp(what, "assign");

	if (assign || !strcmp(what, "--help"))
		return (int)args_run("fedgcn assign", &argp, argc - assign, argv + assign,
				     &(struct arguments){ 0 }, predict_fedgcn_assign);
	fprintf(stderr, "Usage: coterie fedgcn assign [OPTION...]\n"
			"coterie fedgcn assign --help prints its options.\n");
	return ERR_INPUT;
}
