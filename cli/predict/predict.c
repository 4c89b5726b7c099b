/* coterie predict: assigns new rows by the model that a run of kmeans, or of fedsc with anchors,
 * stored at a party. */
#include "cli/args/args.h"
#include "cli/run/rows.h"
#include "common/base/alloc.h"
#include "common/data/dataset.h"
#include "protocols/fedsc/model.h"

#include <stdlib.h>

struct arguments {
	const char *model, *data, *out;
	unsigned threads;
};

static void predict_put_result(const struct fedsc_model *m, const uint32_t *label,
			       const double *confidence, size_t n, struct json *result)
{
	size_t k = m->centre.rows, *size;
	struct json *sizes;
	double sum = 0;

	ALLOC(size, k);
	for (size_t i = 0; i < n; i++) {
		size[label[i]]++;
		sum += confidence[i];
	}
	json_put_number(result, "rows", (double)n);
	json_put_number(result, "clusters", (double)k);
	sizes = json_put_array(result, "sizes");
	for (size_t r = 0; r < k; r++)
		json_append_number(sizes, (double)size[r]);
	json_put_number(result, "confidence", n ? sum / (double)n : 0);
	free(size);
}

static enum err predict_place(const struct arguments *a, const struct fedsc_model *m,
			      struct dataset *d, const char *labels)
{
	struct json *result = json_object();
	uint32_t *label = alloc(d->n, sizeof(*label));
	double *confidence = alloc(d->n, sizeof(*confidence));
	enum err err;
	struct mat X;

	if (d->X.is_sparse) {
		csr_to_dense(&d->X.sparse, &X);
	} else {
		X = d->X.dense;
		d->X.dense = (struct mat){ 0 };
	}
	err = fedsc_model_assign(m, &X, &d->columns, args_cores(a->threads), label, confidence);
	if (!err) {
		predict_put_result(m, label, confidence, d->n, result);
		err = rows_finish(d, labels, label, confidence, a->out, result);
	}
	mat_release(&X);
	free(confidence);
	free(label);
	json_free(result);
	return err;
}

static enum err predict_run(void *arguments)
{
	const struct arguments *a = arguments;
	struct fedsc_model m = { 0 };
	struct dataset_files files;
	struct dataset d = { 0 };
	enum err err;

	TRY(results_check(a->out));
	TRY(fedsc_model_read(a->model, &m));
	err = dataset_find(a->data, DATASET_FEATURES, &files);
	if (!err) {
		err = dataset_load(&d, files.features, NULL, files.ids);
		if (!err)
			err = predict_place(a, &m, &d, files.labels);
		dataset_release(&d);
		dataset_files_release(&files);
	}
	fedsc_model_release(&m);
	return err;
}

static const struct argp_option options[] = {
	{ "model", 'm', "FILE", 0, FEDSC_MODEL_FILE " of a party", 0 },
	{ "data", 'd', "DIR", 0,
	  "directory with features.npy|mtx|csv of the new rows, and optional ids.txt and "
	  "labels.txt",
	  0 },
	ARGS_RESULTS,
	ARGS_THREADS('t'),
	{ 0 },
};

static error_t predict_parse(int key, char *arg, struct argp_state *state)
{
	struct arguments *a = state->input;
	const struct args_field fields[] = {
		{ 'm', ARGS_TO(a->model) },
		{ 'd', ARGS_TO(a->data) },
		{ 'o', ARGS_TO(a->out) },
		{ 't', ARGS_TO(a->threads), 1, ARGS_THREADS_MAX },
		{ 0 },
	};

	if (key == ARGP_KEY_END)
		args_need(state, a->model && a->data, "--model and --data are needed");
	return args_take(options, fields, key, arg, state);
}

int predict_main(int argc, char **argv)
{
	static const struct argp argp = {
		.options = options,
		.parser = predict_parse,
		.doc = "Assigns new rows to the clusters of a run of kind kmeans, or fedsc with "
		       "anchors, by a party's " FEDSC_MODEL_FILE
		       ". Nothing leaves this host.\vThe rows need the run's columns in the "
		       "same order and units, not standardised. Rows of the run get the same "
		       "labels. In labels.csv, confidence is 1 - a / b, where a and b are the "
		       "distances to the nearest two centres. If parties have different columns "
		       "(kcagc), run a job of kind kcagc.predict."
	};
	struct arguments a = { 0 };

	return (int)args_run("predict", &argp, argc, argv, &a, predict_run);
}
