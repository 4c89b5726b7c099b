/* coterie-lab kmeans, sc, dsc: baselines of FedSC on pooled rows. */
#include "lab/lab.h"
#include "cli/run/score.h"
#include "common/base/alloc.h"
#include "common/base/clock.h"
#include "common/base/rng.h"
#include "common/data/dataset.h"
#include "common/data/limits.h"
#include "common/kind/tree.h"
#include "common/cluster/kmeans.h"
#include "protocols/kcagc/columns.h"
#include "common/data/skew.h"
#include "lab/pooled/central.h"

#include <math.h>
#include <stdlib.h>

enum method { KMEANS, SC, DSC };
enum { CLUSTERS_MAX = 65536, KMEANS_ITERATIONS = 100 };

struct arguments {
	enum method method;
	const char *data, *out;
	struct central_params p;
	size_t parties;
	double skew, noise;
	bool unmatched, standardize;
};

enum { KEY_NEIGHBOURS = 256, KEY_WIDTH, KEY_NOISE, KEY_SKEW, KEY_UNMATCHED, KEY_STANDARDIZE };

/* Indices at which the options of sc and of kmeans begin. sc has those of kmeans and some more, dsc
 * has all. */
enum { SC_OPTIONS = 3, KMEANS_OPTIONS = 5 };
static const struct argp_option options[] = {
	{ "parties", 'l', "L", 0, "how many; default 8", 0 },
	{ "skew", KEY_SKEW, "SHARE", 0,
	  "of the rows go to parties by their class in labels.txt, 0 to 1; default 0", 0 },
	{ "unmatched", KEY_UNMATCHED, NULL, 0,
	  "keep each party's own cluster numbers, as FedSC's tables seem to", 0 },
	{ "neighbours", KEY_NEIGHBOURS, "N", 0, "default: ln n, rounded up", 0 },
	{ "width", KEY_WIDTH, "C", 0, "of the kernel, in mean distances; default 1", 0 },
	{ "data", 'd', "DIR", 0, "features.npy|mtx|csv; labels.txt if there is one", 0 },
	{ "clusters", 'k', "K", 0, "how many", 0 },
	ARGS_SEED,
	{ "restarts", 'r', "R", 0, "of k-means; default 20", 0 },
	{ "noise", KEY_NOISE, "BETA", 0,
	  "add Gaussian noise of so many standard deviations of all values first, by the seed", 0 },
	{ "standardize", KEY_STANDARDIZE, NULL, 0,
	  "bring each column to mean 0 and deviation 1 first; those that are the same in all rows "
	  "are left out",
	  0 },
	ARGS_RESULTS,
	ARGS_THREADS('t'),
	{ 0 },
};

static error_t pooled_points_parse(int key, char *arg, struct argp_state *state)
{
	struct arguments *a = state->input;

	switch (key) {
	case 'd':
		a->data = arg;
		return 0;
	case 'k':
		a->p.k = (unsigned)args_whole(state, "clusters", arg, 1, CLUSTERS_MAX);
		return 0;
	case 's':
		a->p.seed = args_seed(state, arg);
		return 0;
	case 'r':
		a->p.restarts = (unsigned)args_whole(state, "restarts", arg, 1, 10000);
		return 0;
	case KEY_NOISE:
		a->noise = args_number(state, "noise", arg, 0, 1e6);
		return 0;
	case KEY_NEIGHBOURS:
		a->p.neighbours = args_whole(state, "neighbours", arg, 1, ROWS_MAX);
		return 0;
	case KEY_WIDTH:
		a->p.width_factor = args_number(state, "width", arg, 1e-6, 1e6);
		return 0;
	case 'l':
		a->parties = args_whole(state, "parties", arg, 1, PARTIES_MAX);
		return 0;
	case KEY_SKEW:
		a->skew = args_number(state, "skew", arg, 0, 1);
		return 0;
	case KEY_UNMATCHED:
		a->unmatched = true;
		return 0;
	case KEY_STANDARDIZE:
		a->standardize = true;
		return 0;
	case 'o':
		a->out = arg;
		return 0;
	case 't':
		a->p.threads = args_threads(state, arg);
		return 0;
	case ARGP_KEY_END:
		args_need(state, a->data && a->p.k, "--data and --clusters are needed");
		return 0;
	default:
		return args_none(key, arg, state);
	}
}

/* -- data ----------------------------------------------------------------------------------- */

struct points {
	struct mat X;
	struct labels truth; /* empty if there is no labels.txt */
};

/* Adds reproducible noise, for an experiment. It gives no privacy. */
static void pooled_points_add_noise(struct mat *X, double beta, uint64_t seed)
{
	size_t values = X->rows * X->cols;
	double mean = 0, square = 0;
	struct rng rng;

	for (size_t e = 0; e < values; e++)
		mean += X->a[e] / (double)values;
	for (size_t e = 0; e < values; e++)
		square += (X->a[e] - mean) * (X->a[e] - mean) / (double)values;
	rng_seed(&rng, seed, 0x6e6f697365);
	for (size_t e = 0; e < values; e++)
		X->a[e] += beta * sqrt(square) * rng_normal(&rng);
}

/* -- methods -------------------------------------------------------------------------------- */

static enum err by_dsc(const struct arguments *a, const struct points *data, uint32_t *label)
{
	size_t n = data->X.rows;
	uint32_t *part;
	enum err err;

	if (a->parties > n)
		return err_set(ERR_INPUT, "%zu rows for %zu parties", n, a->parties);
	if (a->skew > 0 && !data->truth.n)
		return err_set(ERR_INPUT, "--skew needs %s/labels.txt", a->data);
	ALLOC(part, n);
	skew_parts(data->truth.label, n, a->parties, a->skew, a->p.seed, part);
	err = central_dsc(&data->X, part, a->parties, !a->unmatched, &a->p, label);
	free(part);
	return err;
}

static enum err pooled_points_cluster(const struct arguments *a, const struct points *data)
{
	const struct mat *X = &data->X;
	const struct kmeans_params how = { .k = a->p.k,
					   .restarts = a->p.restarts,
					   .iterations = KMEANS_ITERATIONS,
					   .seed = a->p.seed,
					   .threads = a->p.threads };
	struct json *result = json_object();
	double start = clock_now_s();
	uint32_t *label;
	enum err err = ERR_OK;

	json_put_number(result, "rows", (double)X->rows);
	json_put_number(result, "features", (double)X->cols);
	json_put_number(result, "clusters", a->p.k);
	json_put_number(result, "seed", (double)a->p.seed);
	ALLOC(label, X->rows);
	if (a->method == SC)
		err = central_spectral(X, &a->p, label);
	else if (a->method == DSC)
		err = by_dsc(a, data, label);
	else if (a->p.k > X->rows)
		err = err_set(ERR_INPUT, "%u clusters of %zu rows", a->p.k, X->rows);
	else
		kmeans(X, NULL, &how, label, NULL, NULL);
	json_put_seconds(result, "seconds", clock_now_s() - start);
	if (!err && data->truth.n)
		err = score_rows(data->truth.label, label, X->rows, result);
	if (!err && a->out)
		err = results_write(a->out, NULL, label, NULL, X->rows, result);
	if (!err)
		args_print(result);
	free(label);
	json_free(result);
	return err;
}

static enum err pooled_points_run(void *arguments)
{
	struct arguments *a = arguments;
	struct points data = { 0 };
	struct features rows = { 0 };
	struct dataset_files files;
	enum err err;

	a->p.threads = args_cores(a->p.threads);
	TRY(results_check(a->out));
	TRY(dataset_find(a->data, DATASET_FEATURES, &files));
	err = features_read(files.features, &rows);
	if (!err)
		err = columns_points(&rows, a->standardize, NULL, &data.X, NULL);
	if (!err && files.labels)
		err = labels_read(files.labels, &data.truth);
	if (!err && data.truth.n && data.truth.n != data.X.rows)
		err = err_set(ERR_INPUT, "%s: %zu labels for %zu rows of features", files.labels,
			      data.truth.n, data.X.rows);
	features_release(&rows);
	dataset_files_release(&files);
	if (!err && a->noise > 0)
		pooled_points_add_noise(&data.X, a->noise, a->p.seed);
	if (!err)
		err = pooled_points_cluster(a, &data);
	labels_release(&data.truth);
	mat_release(&data.X);
	return err;
}

static int points_main(enum method method, const char *name, const char *doc, int argc, char **argv)
{
	static const int first[] = { [KMEANS] = KMEANS_OPTIONS, [SC] = SC_OPTIONS, [DSC] = 0 };
	const struct argp argp = { .options = options + first[method],
				   .parser = pooled_points_parse,
				   .doc = doc };
	struct arguments a = { .method = method, .parties = 8 };

	central_defaults(&a.p, 0, 1, 0);
	return (int)args_run(name, &argp, argc, argv, &a, pooled_points_run);
}

int kmeans_main(int argc, char **argv)
{
	return points_main(
	    KMEANS, "kmeans",
	    "Clusters pooled rows by k-means with greedy k-means++ seeds.\vWith labels.txt in the "
	    "data directory the result says how well they were found.",
	    argc, argv);
}

int sc_main(int argc, char **argv)
{
	return points_main(
	    SC, "sc",
	    "Clusters pooled rows by spectral clustering of the nearest neighbours in a Gaussian "
	    "kernel, as wide as the mean distance: what FedSC comes near to without pooling.\vWith "
	    "labels.txt in the data directory the result says how well they were found.",
	    argc, argv);
}

int dsc_main(int argc, char **argv)
{
	return points_main(
	    DSC, "dsc",
	    "Clusters rows by spectral clustering at each party by itself (DSC, Hernandez-Pereira "
	    "et al. 2021), then matches the parties' clusters by their means.\vWith labels.txt in "
	    "the data directory the result says how well they were found.",
	    argc, argv);
}
