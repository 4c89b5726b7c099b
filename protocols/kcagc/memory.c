/* Memory estimates of kCAGC with each of its methods, of its predictions, and of kmeans.columns. */
#include "protocols/kcagc/job.h"
#include "common/linalg/svd.h"

#include <math.h>
#include <stdint.h>

/* Returns the memory for features and adjacency while they are read: the text and its CSR. Dense
 * features are read by panels. */
static double data_of(const struct kind_sizes *s)
{
	return (s->dense ? 8 * s->n * s->columns : 24 * s->entries) + 24 * s->edges;
}

/* Returns the memory of filtering, or 0 if there are many columns. Few columns are filtered
 * directly (common/graph/filtered.h). Besides the data, this takes a dense copy, and first two
 * panels, then the projection and its source. */
static double formed(const struct kcagc_job *job, const struct kind_sizes *s)
{
	double dims = kcagc_dims(job);
	double most = KRYLOV_STEPS_USUAL * (double)krylov_width(kcagc_dims(job), SIZE_MAX);

	if (s->columns >= most)
		return 0;
	return data_of(s) +
	       8 * s->n * ((s->dense ? 0 : s->columns) + fmax(2 * FILTER_PANEL, 3 * dims));
}

/* Returns the memory of a slice of landmark or gcc. A dense slice is filtered in place. The larger
 * of two phases counts: two panels and the filter's plan; then a block of k + 10 columns and the
 * received floats. */
static double sliced(const struct kcagc_job *job, const struct kind_sizes *s)
{
	double copy = job->method == METHOD_LANDMARK && !s->again ? s->columns : 0;

	return data_of(s) +
	       8 * s->n * (copy + fmax(2 * FILTER_PANEL + 6, 1.5 * (job->clusters + 10.0)));
}

static double at_party(const struct kcagc_job *job, const struct kind_sizes *s)
{
	/* Entries of the dense slice, unless it is so large and sparse that it is not formed
	 * (protocols/kcagc/wide.c). */
	double cells = fmin(s->n * s->columns, fmax(8 * s->entries, 0x1p26));

	if (job->method == METHOD_GCC || job->method == METHOD_LANDMARK)
		return s->dense ? sliced(job, s) : data_of(s) + 1.6 * 8 * cells;
	if (job->filter_order == KCAGC_ORDER_AUTO)
		return data_of(s) + 1.5 * 8 * cells;
	if (s->dense && formed(job, s) > 0)
		return formed(job, s);
	if (s->dense)
		return data_of(s) + 8 * s->n * fmax(2 * FILTER_PANEL, 4.5 * kcagc_dims(job));
	/* the Krylov block, the projection and virtual nodes have n x dims numbers each */
	return fmax(formed(job, s), 1.6 * data_of(s) + 4.5 * 8 * s->n * kcagc_dims(job));
}

static double at_coordinator(const struct kcagc_job *job, const struct kind_sizes *s)
{
	double k = job->clusters, local = kcagc_local_clusters(job);
	double cells = fmin(s->n, pow(local, fmin(s->parties, 4))), margins = 0;

	switch (job->method) {
	case METHOD_GCC: /* blocks, sums and their products: n by two or three times k */
		return 20 * 8 * s->n * k;
	case METHOD_LANDMARK:
		/* k-means takes 16 k columns; before it, Q, F and K F take 7 k + 50 */
		return 8 * s->n * fmax(16 * k, 7 * k + 50);
	case METHOD_BASIC:
		cells = s->n;
		margins = 8 * s->n * kcagc_starts(job, (size_t)s->n);
		break;
	case METHOD_TREE:
	case METHOD_FLAT:
		break;
	}
	if (job->exchange == EXCHANGE_GRAM && job->method != METHOD_BASIC)
		return 2 * 8 * cells * (cells + 1) / 2 + 90 * 8 * s->n;
	/* Each start takes a row of items. A round has as many starts as KCAGC_START_WORDS
	 * permits. */
	return 130 * s->n + margins +
	       2 * 8 * fmin(KCAGC_START_WORDS / 4.0, fmax(job->starts, 1) * cells * k);
}

double kcagc_memory(const void *p, const struct kind_sizes *s)
{
	return KIND_MEMORY_LEAST + (s->coordinator ? at_coordinator(p, s) : at_party(p, s));
}

double kcagc_predict_memory(const void *p, const struct kind_sizes *s)
{
	const struct kcagc_job *job = p;
	double cells = fmin(s->n * s->columns, fmax(8 * s->entries, 0x1p26));

	return KIND_MEMORY_LEAST + (s->coordinator
					? 4 * 8 * 0x1p20 + 8 * s->n
					: data_of(s) + 1.6 * 8 * cells + 8 * s->n * job->clusters);
}

double kmeans_columns_predict_memory(const void *p, const struct kind_sizes *s)
{
	if (s->coordinator)
		return kcagc_predict_memory(p, s);
	return KIND_MEMORY_LEAST + data_of(s) + 8 * s->n * (s->columns + 1);
}

/* Returns the memory of kmeans.columns. A party has the data as read, dense rows, and the copy that
 * kmeans() makes of up to 64 columns. Distances enter sums block by block, so there is no n x k
 * array of them. */
double kmeans_columns_memory(const void *p, const struct kind_sizes *s)
{
	const struct kcagc_job *job = p;
	double starts = job->method == METHOD_BASIC ? kcagc_starts(job, (size_t)s->n) : 1;

	if (s->coordinator)
		return kcagc_memory(p, s);
	return KIND_MEMORY_LEAST + data_of(s) + 8 * s->n * (2 * s->columns + 8) + 8 * s->n * starts;
}
