#include "cli/pooled/pooled.h"
#include "cli/args/args.h"
#include "cli/run/score.h"
#include "common/base/alloc.h"
#include "common/base/clock.h"
#include "common/base/file.h"
#include "common/kcagc/job.h"
#include "common/job/startup.h"

#include <stdlib.h>

struct arguments {
	const char *data, *job, *out;
	struct overrides set;
	unsigned threads;
	pooled_method *method;
};

static const struct argp_option options[] = {
	{ "data", 'd', "DIR", 0,
	  "features.mtx|npy|csv, edges.tsv|mtx; ids.txt and labels.txt if there are any", 0 },
	{ "job", 'j', "FILE", 0,
	  "of which clusters, seed and what the method has parameters for count", 0 },
	{ "seed", 's', "S", 0, "the same as --set seed=S", 0 },
	ARGS_SET,
	ARGS_RESULTS,
	ARGS_THREADS('t'),
	{ 0 },
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct arguments *a = state->input;

	switch (key) {
	case 'd':
		a->data = arg;
		return 0;
	case 'j':
		a->job = arg;
		return 0;
	case 'o':
		a->out = arg;
		return 0;
	case 't':
		a->threads = args_threads(state, arg);
		return 0;
	case ARGP_KEY_END:
		args_need(state, a->data && a->job, "--data and --job are needed");
		return 0;
	default:
		return args_override(key, arg, &a->set) ? 0 : args_none(key, arg, state);
	}
}

/* labels.csv, labels.npy and result.json. */
static enum err write_results(const char *out, const struct dataset *d, const uint32_t *label,
			      const struct json *result)
{
	char *csv = file_join(out, "labels.csv"), *npy = file_join(out, "labels.npy"),
	     *json = file_join(out, "result.json");
	struct buf text = { 0 };
	enum err err = file_make_dirs(out);

	json_write_pretty(result, &text);
	if (!err)
		err = dataset_write_labels_csv(csv, d, label);
	if (!err)
		err = dataset_write_labels_npy(npy, d, label);
	if (!err)
		err = file_write(json, (struct bytes){ text.p, text.n }, FILE_PUBLIC);
	buf_release(&text);
	free(csv);
	free(npy);
	free(json);
	return err;
}

static enum err add_score(const char *truth_path, const struct dataset *d, const uint32_t *label,
			  struct json *result)
{
	struct labels truth;
	uint32_t *own;
	enum err err = ERR_OK;

	TRY(labels_read(truth_path, &truth));
	if (truth.n != d->n)
		err =
		    err_set(ERR_INPUT,
			    "%s: %zu labels, expected %zu as there are that many rows of features",
			    truth_path, truth.n, d->n);
	own = dataset_own_order(d, label);
	if (!err)
		err = score_rows(truth.label, own, d->n, result);
	free(own);
	labels_release(&truth);
	return err;
}

static enum err cluster(const struct arguments *a, const struct job *job,
			const struct dataset_files *files, struct dataset *d)
{
	struct json *result = json_object();
	double start = clock_now_s();
	uint32_t *label;
	enum err err;

	json_put_number(result, "rows", (double)d->n);
	json_put_number(result, "features", (double)features_cols(&d->X));
	json_put_number(result, "clusters", job->clusters);
	json_put_number(result, "seed", (double)job->seed);
	ALLOC(label, d->n);
	err = a->method(d, job, a->threads, label, result);
	json_put_seconds(result, "seconds", clock_now_s() - start);
	if (!err && files->labels)
		err = add_score(files->labels, d, label, result);
	if (!err && a->out)
		err = write_results(a->out, d, label, result);
	if (!err)
		args_print(result);
	free(label);
	json_free(result);
	return err;
}

static enum err run(void *arguments)
{
	struct arguments *a = arguments;
	struct dataset_files files;
	struct dataset d = { 0 };
	struct job job;
	enum err err;

	TRY(job_read(&job, a->job, a->set.item));
	if (job.kind != &kind_kcagc)
		return err_set(ERR_INPUT, "%s: a job of kind %s; kcagc is expected", a->job,
			       job.kind->name);
	TRY(dataset_find(a->data, DATASET_BOTH, &files));
	a->threads = args_cores(a->threads);
	err = dataset_load(&d, files.features, files.edges, files.ids);
	if (!err)
		err = cluster(a, &job, &files, &d);
	dataset_release(&d);
	dataset_files_release(&files);
	return err;
}

int pooled_main(const char *name, const char *doc, pooled_method *method, int argc, char **argv)
{
	const struct argp argp = { options, parse, NULL, doc, NULL, NULL, NULL };
	struct arguments a = { .method = method };
	enum err err = args_run(name, &argp, argc, argv, &a, run);

	overrides_release(&a.set);
	return (int)err;
}
