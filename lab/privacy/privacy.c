#include "lab/privacy/privacy.h"
#include "lab/lab.h"
#include "cli/split/split.h"
#include "common/base/alloc.h"
#include "common/data/dataset.h"
#include "protocols/fedsc/job.h"
#include "common/job/job.h"
#include "common/job/startup.h"
#include "protocols/kcagc/job.h"
#include "common/kind/tree.h"
#include "lab/privacy/entropy.h"
#include "common/cluster/kmeans.h"
#include "common/linalg/parallel.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* -- measures ------------------------------------------------------------------------------- */

struct sample {
	double y;
	uint32_t node;
};

static int privacy_by_value(const void *a, const void *b)
{
	const struct sample *p = a, *q = b;

	return p->y < q->y ? -1 : p->y > q->y;
}

struct centre {
	const struct sample *s;
	const double *y;
	size_t n, nodes;
	unsigned neighbours;
	const uint8_t *has;
	uint8_t **x; /* n entries per worker */
	/* One entry per column; NaN: too few nodes have a zero in the column, or too few have a
	 * non-zero. */
	double *bits;
};

static void one_column(void *ctx, unsigned worker, size_t j)
{
	struct centre *c = ctx;
	uint8_t *x = c->x[worker];
	size_t with = 0;

	for (size_t i = 0; i < c->n; i++)
		with += x[i] = c->has[j * c->nodes + c->s[i].node];
	c->bits[j] = with > c->neighbours && c->n - with > c->neighbours
			 ? entropy_mutual_class(x, c->y, c->n, c->neighbours)
			 : NAN;
}

/* Computes h(Y) for centre r, and I(Y;X) for each column. Y: the distinct distances to the centre,
 * ascending. Repeated values are left out, because they have no density. They occur because nodes
 * with equal data at all parties have equal distances, except for rounding. */
static enum err one_centre(const struct mat *D, size_t r, const uint8_t *has, size_t m,
			   unsigned neighbours, unsigned threads, struct privacy *p, double *bits)
{
	unsigned workers = parallel_workers(threads, m);
	struct mat y = { 0 };
	struct sample *s;
	size_t n = 0;
	double h, rounding;
	enum err e = ERR_OK;

	ALLOC(s, D->rows);
	for (size_t i = 0; i < D->rows; i++)
		s[i] = (struct sample){ MAT(D, i, r), (uint32_t)i };
	qsort(s, D->rows, sizeof(*s), privacy_by_value);
	rounding = PRIVACY_ROUNDING * s[D->rows - 1].y;
	for (size_t i = 0; i < D->rows; i++)
		if (n == 0 || s[i].y - s[n - 1].y > rounding)
			s[n++] = s[i];
	p->repeated += D->rows - n;
	if (n <= neighbours)
		e = err_set(ERR_INPUT,
			    "of the distances to centre %zu only %zu differ, expected more than %u",
			    r, n, neighbours);
	mat_init(&y, n, 1);
	for (size_t i = 0; i < n; i++)
		y.a[i] = s[i].y;
	if (!e)
		e = entropy_of(&y, neighbours, threads, &h);
	if (!e) {
		struct centre c = { s, y.a, n, D->rows, neighbours, has, NULL, bits };

		p->entropy += h / (double)D->cols;
		ALLOC(c.x, workers);
		for (unsigned w = 0; w < workers; w++)
			ALLOC(c.x[w], n);
		parallel(threads, m, one_column, &c);
		for (unsigned w = 0; w < workers; w++)
			free(c.x[w]);
		free(c.x);
	}
	mat_release(&y);
	free(s);
	return e;
}

enum err privacy_of(const struct mat *D, const uint8_t *has, size_t m, unsigned neighbours,
		    unsigned threads, struct privacy *p)
{
	double *bits, *sum;
	enum err e = ERR_OK;

	*p = (struct privacy){ .most = -INFINITY };
	ALLOC(bits, m);
	ALLOC(sum, m);
	for (size_t r = 0; r < D->cols && !e; r++) {
		e = one_centre(D, r, has, m, neighbours, threads, p, bits);
		for (size_t j = 0; j < m && !e; j++)
			sum[j] += bits[j] / (double)D->cols;
	}
	for (size_t j = 0; j < m && !e; j++) {
		if (isnan(sum[j]))
			continue;
		p->columns++;
		p->mutual += sum[j];
		p->most = fmax(p->most, sum[j]);
	}
	if (!e && !p->columns)
		e = err_set(ERR_INPUT,
			    "none of %zu columns is there at more than %u nodes and missing at "
			    "more than %u: such features have nothing to tell",
			    m, neighbours, neighbours);
	if (!e)
		p->mutual /= (double)p->columns;
	free(bits);
	free(sum);
	return e;
}

/* -- the parties' computation, from pooled data --------------------------------------------- */

struct arguments {
	const char *data, *job;
	struct overrides set;
	size_t parties;
	unsigned threads, neighbours;
};

/* Computes Z (n x d): the parties' points next to each other. *first: number of columns of the
 * first party, whose columns come first. */
static enum err embed_parties(const struct dataset *d, const struct job *job,
			      const struct arguments *a, struct mat *Z, size_t *first)
{
	struct embed_params how = kcagc_embed_params(kcagc_job(job), a->threads);
	size_t m = features_cols(&d->X), at = 0;
	uint32_t *part, *col_of;
	enum err e = ERR_OK;

	ALLOC(part, m);
	ALLOC(col_of, m);
	split_parts(m, a->parties, job->seed, part);
	mat_init(Z, d->n, a->parties * how.dims);
	for (uint32_t l = 0; l < a->parties && !e; l++) {
		size_t count = split_places(part, m, l, col_of);
		struct features X;
		struct mat own;

		split_cut(&d->X, d->n, NULL, count, col_of, &X);
		e = embed(&X, &d->g, &how, &own);
		features_release(&X);
		for (size_t i = 0; i < d->n && !e; i++)
			memcpy(ROW(Z, i) + at, ROW(&own, i), own.cols * sizeof(*own.a));
		at += e ? 0 : own.cols;
		if (l == 0)
			*first = at;
		if (!e)
			mat_release(&own);
	}
	free(part);
	free(col_of);
	return e;
}

/* Computes the squared distances of all rows to the centres at the end of Protocol 2. */
static void last_distances(const struct mat *Z, const struct job *job, unsigned threads,
			   struct mat *D)
{
	struct kmeans_params p = { .k = job->clusters,
				   .restarts = kcagc_job(job)->restarts,
				   .iterations = kcagc_job(job)->iterations,
				   .ninth = true,
				   .seed = job->seed,
				   .threads = threads };
	struct mat centres;
	uint32_t *label;

	ALLOC(label, Z->rows);
	kmeans(Z, NULL, &p, label, &centres, NULL);
	mat_init(D, Z->rows, job->clusters);
	kmeans_distances(Z, &centres, D->a);
	mat_release(&centres);
	free(label);
}

static uint8_t *presence(const struct features *X)
{
	size_t n = features_rows(X), m = features_cols(X);
	uint8_t *has;

	ALLOC(has, n * m);
	for (size_t i = 0; X->is_sparse && i < n; i++)
		for (size_t e = X->sparse.start[i]; e < X->sparse.start[i + 1]; e++)
			has[X->sparse.index[e] * n + i] =
			    !X->sparse.value || X->sparse.value[e] != 0;
	for (size_t i = 0; !X->is_sparse && i < n; i++)
		for (size_t j = 0; j < m; j++)
			has[j * n + i] = MAT(&X->dense, i, j) != 0;
	return has;
}

/* Returns the mutual information between all k distances of a node and the first party's columns of
 * Z. */
static double joint_bits(const struct mat *Z, size_t first, const struct mat *D,
			 const struct arguments *a)
{
	struct mat own;
	double bits;

	mat_init(&own, Z->rows, first);
	for (size_t i = 0; i < Z->rows; i++)
		memcpy(ROW(&own, i), ROW(Z, i), first * sizeof(*own.a));
	bits = entropy_mutual(&own, D, a->neighbours, a->threads);
	mat_release(&own);
	return bits;
}

static double leakage(double mutual)
{
	return 1 - exp2(-mutual);
}

static enum err privacy_measure(struct dataset *d, const struct job *job, const struct arguments *a)
{
	size_t m = features_cols(&d->X), first = 0;
	struct mat Z = { 0 }, D = { 0 };
	struct privacy p = { 0 };
	struct json *v;
	uint8_t *has;
	double joint;
	enum err e;

	if (m < a->parties)
		return err_set(ERR_INPUT,
			       "%s has %zu columns, expected at least one for each of %zu parties",
			       a->data, m, a->parties);
	if (d->n < job->clusters || d->n <= a->neighbours)
		return err_set(ERR_INPUT,
			       "%s has %zu nodes, expected at least %u, as there are clusters, and "
			       "more than %u",
			       a->data, d->n, job->clusters, a->neighbours);
	e = embed_parties(d, job, a, &Z, &first);
	if (!e) {
		last_distances(&Z, job, a->threads, &D);
		has = presence(&d->X);
		e = privacy_of(&D, has, m, a->neighbours, a->threads, &p);
		free(has);
	}
	if (!e) {
		joint = joint_bits(&Z, first, &D, a);
		v = json_object();
		json_put_number(v, "parties", (double)a->parties);
		json_put_number(v, "seed", (double)job->seed);
		json_put_number(v, "rows", (double)D.rows);
		json_put_number(v, "centres", (double)D.cols);
		json_put_number(v, "columns", (double)p.columns);
		json_put_number(v, "repeated", (double)p.repeated);
		json_put_number(v, "neighbours", a->neighbours);
		json_put_number(v, "entropy_bits", p.entropy);
		json_put_number(v, "mutual_bits", p.mutual);
		json_put_number(v, "privacy_level", exp2(p.entropy - p.mutual));
		json_put_number(v, "privacy_leakage", leakage(p.mutual));
		json_put_number(v, "leakage_of_worst_column", leakage(p.most));
		json_put_number(v, "joint_columns", (double)first);
		json_put_number(v, "joint_bits", joint);
		json_put_number(v, "joint_leakage", leakage(joint));
		args_print(v);
		json_free(v);
	}
	mat_release(&Z);
	mat_release(&D);
	return e;
}

/* -- the command ---------------------------------------------------------------------------- */

static const struct argp_option options[] = {
	{ "data", 'd', "DIR", 0, "features.mtx|npy|csv, edges.tsv|mtx; ids.txt if there is one",
	  0 },
	{ "job", 'j', "FILE", 0, "what the parties compute", 0 },
	{ "parties", 'l', "L", 0, "over how many the columns are split", 0 },
	{ "seed", 's', "S", 0, "of the split and of the job, as with coterie launch", 0 },
	ARGS_SET,
	{ "neighbours", 'k', "K", 0, "of the estimators, default 3", 0 },
	ARGS_THREADS('t'),
	{ 0 },
};

static error_t privacy_parse(int key, char *arg, struct argp_state *state)
{
	struct arguments *a = state->input;

	switch (key) {
	case 'd':
		a->data = arg;
		return 0;
	case 'j':
		a->job = arg;
		return 0;
	case 'l':
		a->parties = args_whole(state, "parties", arg, 1, PARTIES_MAX);
		return 0;
	case 'k':
		a->neighbours = (unsigned)args_whole(state, "neighbours", arg, 1, 100);
		return 0;
	case 't':
		a->threads = args_threads(state, arg);
		return 0;
	case ARGP_KEY_END:
		args_need(state, a->data && a->job && a->parties,
			  "--data, --job and --parties are needed");
		return 0;
	default:
		return lab_override(key, arg, &a->set) ? 0 : args_none(key, arg, state);
	}
}

static enum err privacy_run(void *arguments)
{
	struct arguments *a = arguments;
	struct dataset_files files;
	struct dataset d = { 0 };
	struct job job;
	enum err err;

	TRY(job_read(&job, a->job, a->set.item));
	if (job.kind == &kind_fedsc || job.kind == &kind_kmeans)
		return exposed_print(a->data, &job, a->parties, a->threads);
	if (job.kind != &kind_kcagc)
		return err_set(ERR_INPUT, "%s: a job of kind %s, expected kcagc, fedsc or kmeans",
			       a->job, job.kind->name);
	if (kcagc_job(&job)->filter_order == KCAGC_ORDER_AUTO || kcagc_job(&job)->joint_norm)
		return err_set(ERR_INPUT,
			       "%s: filter.order \"auto\" and joint_norm are agreed by parties in "
			       "a run; give the order as a number, and joint_norm false",
			       a->job);
	TRY(dataset_find(a->data, DATASET_BOTH, &files));
	err = dataset_load(&d, files.features, files.edges, files.ids);
	if (!err)
		err = privacy_measure(&d, &job, a);
	dataset_release(&d);
	dataset_files_release(&files);
	return err;
}

int privacy_main(int argc, char **argv)
{
	static const struct argp argp = {
		.options = options,
		.parser = privacy_parse,
		.doc = "What the sums that parties share tell about their features, from pooled "
		       "data: for experiments, as no party could compute it alone.\vY is a squared "
		       "distance of a node to a final centre, summed over the parties; X is one "
		       "original feature: the node has it (not 0), or not. privacy_level is "
		       "2^h(Y|X), privacy_leakage is 1 - 2^-I(Y;X) = 1 - 2^(h(Y|X) - h(Y)) "
		       "(Agrawal, Aggarwal 2001; arXiv 2411.12329, Appendix C), with h and I as "
		       "means over all centres and columns; neither is differential privacy. h is "
		       "estimated as Kozachenko and Leonenko do, I as Ross does (2014).\n\n"
		       "The level is in units of Y: it doubles if all distances do. The leakage "
		       "has no unit. joint_bits is I of all distances of a node and all that the "
		       "first party brings to them, its row after projection (Kraskov, Stoegbauer, "
		       "Grassberger 2004): what one feature and one sum do not show. In so many "
		       "dimensions it is rather too low.\n\n"
		       "With a job of kind fedsc or kmeans the rows are split, and the sums of its "
		       "rounds of k-means are searched for what shows single rows. exposed counts "
		       "the rows by which two of the sets of rows differ whose sums are known: who "
		       "knows which two can take one sum from the other. alone counts those that a "
		       "sum of one would have shown, were centres dropped after the sums. The same "
		       "of the rows' embedding, and of the entries of B'B the number that one row "
		       "alone stands behind.",
	};
	struct arguments a = { .neighbours = 3, .threads = args_cores(0) };
	enum err err = args_run("privacy", &argp, argc, argv, &a, privacy_run);

	overrides_release(&a.set);
	return (int)err;
}
