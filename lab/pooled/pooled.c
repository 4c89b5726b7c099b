/* coterie-lab agc, gcc: baselines of kcagc on pooled features and graph. */
#include "lab/lab.h"
#include "cli/run/rows.h"
#include "common/base/alloc.h"
#include "common/base/clock.h"
#include "common/data/dataset.h"
#include "common/job/job.h"
#include "protocols/kcagc/job.h"
#include "common/job/startup.h"
#include "protocols/kcagc/order.h"
#include "lab/pooled/agc.h"
#include "protocols/kcagc/gcc.h"

#include <stdlib.h>

/* Fills label (d->n entries of the caller) from the data, which it may use up. May add to the
 * result, which already has rows, features, clusters and seed. The caller adds seconds and score.
 */
typedef enum err pooled_method(struct dataset *d, const struct job *job, unsigned threads,
			       uint32_t *label, struct json *result);

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
	{ "clusters", 'k', "K", 0, "the same as --set clusters=K", 0 },
	ARGS_SET,
	ARGS_RESULTS,
	ARGS_THREADS('t'),
	{ 0 },
};

static error_t pooled_parse(int key, char *arg, struct argp_state *state)
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
		return lab_override(key, arg, &a->set) ? 0 : args_none(key, arg, state);
	}
}

static enum err pooled_cluster(const struct arguments *a, const struct job *job,
			       const struct dataset_files *files, struct dataset *d)
{
	struct json *result = json_object();
	uint32_t *label = alloc(d->n, sizeof(*label));
	double start = clock_now_s();
	enum err err;

	json_put_number(result, "rows", (double)d->n);
	json_put_number(result, "features", (double)features_cols(&d->X));
	json_put_number(result, "clusters", job->clusters);
	json_put_number(result, "seed", (double)job->seed);
	err = a->method(d, job, a->threads, label, result);
	json_put_seconds(result, "seconds", clock_now_s() - start);
	if (!err)
		err = rows_finish(d, files->labels, label, NULL, a->out, result);
	free(label);
	json_free(result);
	return err;
}

static enum err pooled_run_method(void *arguments)
{
	struct arguments *a = arguments;
	struct dataset_files files;
	struct dataset d = { 0 };
	struct job job;
	enum err err;

	TRY(results_check(a->out));
	TRY(job_read(&job, a->job, a->set.item));
	if (job.kind != &kind_kcagc)
		return err_set(ERR_INPUT, "%s: a job of kind %s; kcagc is expected", a->job,
			       job.kind->name);
	TRY(dataset_find(a->data, DATASET_BOTH, &files));
	a->threads = args_cores(a->threads);
	err = dataset_load(&d, files.features, files.edges, files.ids);
	if (!err)
		err = pooled_cluster(a, &job, &files, &d);
	dataset_release(&d);
	dataset_files_release(&files);
	return err;
}

static int pooled_main(const char *name, const char *doc, pooled_method *method, int argc,
		       char **argv)
{
	const struct argp argp = { .options = options, .parser = pooled_parse, .doc = doc };
	struct arguments a = { .method = method };
	enum err err = args_run(name, &argp, argc, argv, &a, pooled_run_method);

	overrides_release(&a.set);
	return (int)err;
}

/* -- the methods ---------------------------------------------------------------------------- */

/* Values of the paper's comparison. They replace the restarts of the job, which are for the joint
 * k-means. */
enum { AGC_RESTARTS = 10, AGC_ITERATIONS = 100 };

static enum err by_agc(struct dataset *d, const struct job *job, unsigned threads, uint32_t *label,
		       struct json *result)
{
	struct agc_params p = { .k = job->clusters,
				.filter = kcagc_job(job)->filter_kind,
				.psi = kcagc_job(job)->filter_order,
				.restarts = AGC_RESTARTS,
				.iterations = AGC_ITERATIONS,
				.seed = job->seed,
				.threads = threads };

	if (kcagc_job(job)->filter_order == KCAGC_ORDER_AUTO)
		TRY(agc_order(&d->X, &d->g, &p, &p.psi));
	json_put_number(result, "order", p.psi);
	return agc(&d->X, &d->g, &p, label);
}

int agc_main(int argc, char **argv)
{
	return pooled_main(
	    "agc",
	    "Clusters pooled data: k-means on the leading singular vectors of the filtered "
	    "features (AGC, Zhang et al. 2019), the baseline that a federated run is compared "
	    "with.\vThe job's filter.order may be \"auto\": AGC's own rule. With labels.txt in the "
	    "data directory the result says how well they were found.",
	    by_agc, argc, argv);
}

/* Writes the filter orders that were tried, and their modularity, under the names that run.json
 * has. */
static void put_orders(struct json *result, const struct sums_basis *basis)
{
	struct json *tried = json_put_array(result, "orders_tried");
	struct json *modularity = json_put_array(result, "orders_modularity");

	json_append_number(tried, basis->first);
	json_append_number(tried, basis->tried);
	for (int t = 0; t < 2; t++)
		json_append_number(modularity, basis->fit[t]);
}

static enum err pooled_by_gcc(struct dataset *d, const struct job *job, unsigned threads,
			      uint32_t *label, struct json *result)
{
	struct memory memory = { .kind = &slices_in_memory, .count = 1 };
	struct gcc_report report;
	struct gcc_params p;
	struct slice slice;
	struct parties parties;
	enum err err;

	gcc_defaults(&p, job->clusters, job->seed, threads);
	p.degrees = kcagc_degrees(kcagc_job(job));
	err = slice_init(&slice, &d->X, &d->g, threads);
	if (!err) {
		slice.degrees = p.degrees == DEGREES_AUTO ? DEGREES_OFF : p.degrees;
		memory.party = &slice;
		parties_in_memory(&parties, &memory);
		err = gcc_run(&parties, features_rows(&slice.X), &p, label, &report);
	}
	slice_release(&slice);
	if (err)
		return err;
	json_put_number(result, "order", report.basis.order);
	if (report.basis.tried)
		put_orders(result, &report.basis);
	if (p.degrees == DEGREES_AUTO)
		json_put_string(result, "degrees",
				report.basis.degrees == DEGREES_ALONE ? "alone" : "off");
	json_put_bool(result, "idf", report.basis.idf);
	json_put_number(result, "iterations", report.iterations);
	json_put_string(result, "clusters_of", report.scaled ? "scaled rows" : "rows as they are");
	if (!report.scaled)
		json_put_number(result, "loss", report.loss);
	return ERR_OK;
}

int gcc_main(int argc, char **argv)
{
	return pooled_main("gcc",
			   "Clusters pooled data by embedding and clustering in turn (GCC, Fettal, "
			   "Labiod, Nadif 2022): the labels that method \"gcc\" finds for any "
			   "number of parties. Of the job, clusters, degrees and seed count; the "
			   "order of the filter is told from the data.\vWith labels.txt in the "
			   "data directory the result says how well they were found.",
			   pooled_by_gcc, argc, argv);
}
