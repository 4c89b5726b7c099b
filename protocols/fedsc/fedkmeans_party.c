#include "protocols/fedsc/fedkmeans.h"
#include "common/base/alloc.h"
#include "common/linalg/distance.h"
#include "common/cluster/kmeans.h"
#include "common/linalg/parallel.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

size_t fedkmeans_words(const struct fedkmeans_question *q, size_t m)
{
	size_t words = 0;

	if (q->kind == FEDKMEANS_COUNTS)
		return q->centres->rows;
	if (q->kind == FEDKMEANS_MARGIN)
		return 1;
	for (size_t i = 0; i < q->k; i++)
		words += q->count[i] >= q->least ? m + 1 : 0;
	return words;
}

void fedkmeans_party_init(struct fedkmeans_party *p, const struct mat *X, double min_cluster,
			  unsigned threads)
{
	*p = (struct fedkmeans_party){ .X = X, .min_cluster = min_cluster, .threads = threads };
	ALLOC(p->label, X->rows);
	ALLOC(p->near, X->rows);
	ALLOC(p->next, X->rows);
}

void fedkmeans_party_release(struct fedkmeans_party *p)
{
	free(p->label);
	free(p->near);
	free(p->next);
	*p = (struct fedkmeans_party){ 0 };
}

struct assignment {
	struct fedkmeans_party *p;
	const struct mat *c;
	struct distance *to;
	double **D; /* one per worker: DISTANCE_ROWS x k */
};

/* Rows per task: whole blocks of distance.h, so that results do not depend on the worker. */
enum { TASK_ROWS = 16 * DISTANCE_ROWS };

static double second(const double *D, size_t k, size_t first)
{
	double least = INFINITY;

	for (size_t r = 0; r < k; r++)
		if (r != first && D[r] < least)
			least = D[r];
	return least;
}

static void fedkmeans_party_assign_rows(void *ctx, unsigned worker, size_t task)
{
	struct assignment *a = ctx;
	size_t n = a->p->X->rows, k = a->c->rows, first = task * TASK_ROWS;
	size_t end = n - first < TASK_ROWS ? n : first + TASK_ROWS;
	struct distance *to = &a->to[worker];

	if (!a->D[worker]) {
		distance_init(to, k, a->c->cols);
		distance_set(to, a->c->a);
		ALLOC(a->D[worker], DISTANCE_ROWS * k);
	}
	for (size_t i = first; i < end; i += DISTANCE_ROWS) {
		size_t rows = end - i < DISTANCE_ROWS ? end - i : DISTANCE_ROWS;
		const double *D = a->D[worker];

		distance_block(to, ROW(a->p->X, i), rows, a->D[worker]);
		kmeans_assign(D, NULL, rows, k, a->p->label + i, NULL);
		for (size_t b = 0; b < rows; b++) {
			a->p->near[i + b] = D[b * k + a->p->label[i + b]];
			a->p->next[i + b] = second(D + b * k, k, a->p->label[i + b]);
		}
	}
}

static void own_counts(const struct fedkmeans_party *p, double *count)
{
	size_t n = p->X->rows;
	struct rowsum s;

	ranks_sum_begin(p->ranks, &s, p->k, NULL, NULL);
	for (size_t b = 0; b < rowsum_blocks(n); b++) {
		double *to = rowsum_open(&s);

		for (size_t i = 0; i < rowsum_rows(n, b); i++)
			to[p->label[b * ROWSUM_ROWS + i]]++;
		rowsum_close(&s);
	}
	ranks_sum_end(p->ranks, &s, count);
}

static enum err answer_counts(struct fedkmeans_party *p, const struct mat *c, double *x)
{
	size_t tasks = (p->X->rows + TASK_ROWS - 1) / TASK_ROWS;
	unsigned workers = parallel_workers(p->threads, tasks);
	struct assignment a = { .p = p, .c = c };

	if (c->rows == 0 || c->rows >= UINT32_MAX || c->cols != p->X->cols)
		return err_set(ERR_PEER, "%zu centres of %zu columns for rows of %zu", c->rows,
			       c->cols, p->X->cols);
	for (size_t i = 0; i < c->rows * c->cols; i++)
		if (!isfinite(c->a[i]))
			return err_set(ERR_PEER, "column %zu of centre %zu is %g", i % c->cols,
				       i / c->cols, c->a[i]);
	p->k = c->rows;
	ALLOC(a.to, workers);
	ALLOC(a.D, workers);
	parallel(p->threads, tasks, fedkmeans_party_assign_rows, &a);
	for (unsigned w = 0; w < workers; w++) {
		distance_release(&a.to[w]);
		free(a.D[w]);
	}
	free(a.D);
	free(a.to);
	own_counts(p, x);
	return ERR_OK;
}

/* Checks the counts that the coordinator sends. A party can verify only that they are not below its
 * own counts. */
static enum err fedkmeans_party_check_counts(const struct fedkmeans_party *p,
					     const struct fedkmeans_question *q)
{
	double *own;
	enum err err = ERR_OK;

	if (p->k == 0 || q->k != p->k)
		return err_set(ERR_PEER, "asked for sums of %zu clusters when %zu were counted",
			       q->k, p->k);
	ALLOC(own, p->k);
	own_counts(p, own);
	for (size_t i = 0; !err && i < p->k; i++)
		if (!(q->count[i] >= own[i]))
			err = err_set(ERR_PEER,
				      "cluster %zu is said to have %g rows, fewer than here", i,
				      q->count[i]);
	free(own);
	return err;
}

/* Adds the sums of a block of rows. place: offset of each cluster's sum in `to`; SIZE_MAX: the sum
 * is not requested. */
static void add_block(const struct fedkmeans_party *p, const size_t *place, size_t block,
		      double *to)
{
	size_t m = p->X->cols, first = block * ROWSUM_ROWS;

	for (size_t i = first; i < first + rowsum_rows(p->X->rows, block); i++) {
		const double *row = ROW(p->X, i);
		double *sum;

		if (place[p->label[i]] == SIZE_MAX)
			continue;
		sum = to + place[p->label[i]];
		for (size_t j = 0; j < m; j++)
			sum[j] += row[j];
		sum[m] += p->near[i];
	}
}

static enum err answer_sums(const struct fedkmeans_party *p, const struct fedkmeans_question *q,
			    double *x)
{
	size_t n = p->X->rows, m = p->X->cols, at = 0, *place;
	struct rowsum s;

	TRY(fedkmeans_party_check_counts(p, q));
	if (!(q->least >= 1) || q->least < p->min_cluster)
		return err_set(ERR_PEER,
			       "asked for sums of %g rows or more; this party gives none of fewer "
			       "than %g (min_cluster)",
			       q->least, p->min_cluster > 1 ? p->min_cluster : 1);
	ALLOC(place, p->k);
	for (size_t r = 0; r < p->k; r++) {
		place[r] = q->count[r] >= q->least ? at : SIZE_MAX;
		at += q->count[r] >= q->least ? m + 1 : 0;
	}
	ranks_sum_begin(p->ranks, &s, at, NULL, NULL);
	for (size_t b = 0; b < rowsum_blocks(n); b++) {
		add_block(p, place, b, rowsum_open(&s));
		rowsum_close(&s);
	}
	ranks_sum_end(p->ranks, &s, x);
	free(place);
	return ERR_OK;
}

static enum err answer_margin(const struct fedkmeans_party *p, const struct fedkmeans_question *q,
			      double *x)
{
	size_t n = p->X->rows;
	double all = 0;
	struct rowsum s;

	TRY(fedkmeans_party_check_counts(p, q));
	for (size_t i = 0; i < q->k; i++)
		all += q->count[i];
	if (!(all >= p->min_cluster))
		return err_set(ERR_PEER,
			       "asked for the margins of %g rows; this party gives no sum of fewer "
			       "than %g (min_cluster)",
			       all, p->min_cluster);
	ranks_sum_begin(p->ranks, &s, 1, NULL, NULL);
	for (size_t b = 0; b < rowsum_blocks(n); b++) {
		double *to = rowsum_open(&s);

		for (size_t i = 0; i < rowsum_rows(n, b); i++)
			*to += fedkmeans_margin(p, b * ROWSUM_ROWS + i);
		rowsum_close(&s);
	}
	ranks_sum_end(p->ranks, &s, x);
	return ERR_OK;
}

double fedkmeans_margin(const struct fedkmeans_party *p, size_t i)
{
	double next = p->next[i];

	return next > p->near[i] && next < INFINITY ? 1 - sqrt(p->near[i] / next) : 0;
}

enum err fedkmeans_answer(struct fedkmeans_party *p, const struct fedkmeans_question *q, double *x)
{
	switch (q->kind) {
	case FEDKMEANS_COUNTS:
		return answer_counts(p, q->centres, x);
	case FEDKMEANS_SUMS:
		return answer_sums(p, q, x);
	case FEDKMEANS_MARGIN:
		return answer_margin(p, q, x);
	}
	return ERR_INTERNAL;
}
