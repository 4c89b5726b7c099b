#include "lab/pooled/central.h"
#include "common/base/alloc.h"
#include "common/cluster/kmeans.h"
#include "common/cluster/spectral.h"
#include "protocols/fedsc/party.h"
#include "common/graph/knn.h"
#include "common/linalg/distance.h"

#include <stdlib.h>

struct central_rows {
	const struct mat *X;
	double *square;
	double r;
};

static void central_block(void *ctx, size_t first, size_t count, double *S)
{
	const struct central_rows *rows = ctx;

	kernel_distances(ROW(rows->X, first), rows->square + first, count, rows->X, rows->square,
			 S);
	kernel_of_distances(S, count * rows->X->rows, rows->r);
}

void central_neighbours(const struct mat *X, double r, size_t k, unsigned threads, struct csr *S)
{
	struct central_rows rows = { .X = X, .r = r };
	struct knn_source source = { X->rows, &rows, central_block };

	ALLOC(rows.square, X->rows);
	kernel_squares(X, rows.square);
	knn_graph(&source, k, threads, S);
	free(rows.square);
}

void central_defaults(struct central_params *p, unsigned k, uint64_t seed, unsigned threads)
{
	*p = (struct central_params){
		.k = k, .width_factor = 1, .restarts = 20, .seed = seed, .threads = threads
	};
}

enum err central_spectral(const struct mat *X, const struct central_params *p, uint32_t *label)
{
	struct spectral_params how;
	size_t alone = 0;
	struct csr S;
	enum err err = ERR_OK;
	double r;

	if (p->k < 1 || p->k > X->rows)
		return err_set(ERR_INPUT, "%u clusters of %zu rows", p->k, X->rows);
	r = p->width_factor * kernel_mean_distance(X, p->threads);
	if (!(r > 0))
		return err_set(ERR_INPUT, "r is %g: all %zu rows are equal", r, X->rows);
	central_neighbours(X, r, p->neighbours ? p->neighbours : knn_rule(X->rows), p->threads, &S);
	/* If the width is far below the distances, every kernel value is 0. Spectral clustering of
	 * a graph without edges would give random labels. */
	for (size_t i = 0; i < S.rows; i++) {
		double degree = 0;

		for (size_t e = S.start[i]; e < S.start[i + 1]; e++)
			degree += S.value[e];
		alone += !(degree > 0);
	}
	if (alone)
		err = err_set(ERR_INPUT,
			      "with a kernel of width %.3g, %zu of %zu rows are like no other row: "
			      "a larger width is needed",
			      r, alone, S.rows);
	if (!err) {
		spectral_defaults(&how, X->rows, p->k, p->seed, p->threads);
		err = spectral_cluster(&S, &how, p->restarts, label, NULL);
	}
	csr_release(&S);
	return err;
}

struct dsc {
	const struct mat *X;
	const uint32_t *part;
	const struct central_params *p;
	uint32_t *label;
	struct mat mean; /* parties x k rows: the mean of each cluster of each party */
	double *size;    /* parties x k entries: number of rows of each cluster */
};

/* Sets labels, means and sizes of party l's own clusters. */
static enum err dsc_party(struct dsc *d, uint32_t l)
{
	struct mat own, mean;
	size_t at = 0, k = d->p->k;
	uint32_t *label;
	enum err err = ERR_OK;

	fedsc_deal(d->X, d->part, l, &own);
	ALLOC(label, own.rows);
	if (own.rows > k)
		err = central_spectral(&own, d->p, label);
	else
		for (size_t i = 0; i < own.rows; i++)
			label[i] = (uint32_t)i;
	mean = (struct mat){ k, own.cols, ROW(&d->mean, l * k) };
	if (!err)
		kmeans_centres(&own, NULL, label, &mean);
	for (size_t i = 0; !err && i < d->X->rows; i++)
		if (d->part[i] == l) {
			d->label[i] = label[at++];
			d->size[l * k + d->label[i]]++;
		}
	free(label);
	mat_release(&own);
	return err ? err_prefix(err, "party %u", (unsigned)l) : ERR_OK;
}

enum err central_dsc(const struct mat *X, const uint32_t *part, size_t parties, bool matched,
		     const struct central_params *p, uint32_t *label)
{
	struct dsc d = { .X = X, .part = part, .p = p, .label = label };
	struct kmeans_params how = { .k = p->k,
				     .restarts = p->restarts,
				     .iterations = 100,
				     .seed = p->seed,
				     .threads = p->threads };
	enum err err = ERR_OK;
	uint32_t *number;

	if (p->k < 1 || p->k > X->rows)
		return err_set(ERR_INPUT, "%u clusters of %zu rows", p->k, X->rows);
	mat_init(&d.mean, parties * p->k, X->cols);
	ALLOC(d.size, parties * p->k);
	ALLOC(number, d.mean.rows);
	for (uint32_t l = 0; !err && l < parties; l++)
		err = dsc_party(&d, l);
	if (!err && matched) {
		kmeans(&d.mean, d.size, &how, number, NULL, NULL);
		for (size_t i = 0; i < X->rows; i++)
			label[i] = number[part[i] * p->k + label[i]];
	}
	free(number);
	free(d.size);
	mat_release(&d.mean);
	return err;
}
