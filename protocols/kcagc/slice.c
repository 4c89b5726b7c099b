#include "protocols/kcagc/own.h"
#include "common/base/alloc.h"
#include "common/linalg/la.h"
#include "common/graph/graph.h"
#include "protocols/kcagc/order.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

size_t question_whole(const struct question *q)
{
	switch (q->kind) {
	case ASK_FACTS:
		return 2;
	case ASK_SPREADS:
		return (q->shares ? SLICE_SPREADS : (size_t)2 * SLICE_POWERS) +
		       (q->explained ? SLICE_EXPLAINED : 0) + q->degrees;
	case ASK_QUALITY:
		return q->labellings;
	default:
		return 0;
	}
}

size_t question_width(const struct question *q)
{
	switch (q->kind) {
	case ASK_FACTS:
	case ASK_CELLS:
	case ASK_NORMS:
		return 1;
	case ASK_PRODUCTS:
		return q->B->cols;
	case ASK_MEANS:
		return q->k;
	case ASK_QUALITY:
		return q->means ? q->k : 0;
	case ASK_SPREADS:
	case ASK_DEGREES:
		return 0;
	}
	return 0;
}

void question_scale(const struct question *q, double *square, size_t n)
{
	for (size_t i = 0; q->unit > 0 && i < n; i++)
		square[i] *= q->unit;
}

double question_most(const struct question *q, size_t n)
{
	switch (q->kind) {
	case ASK_PRODUCTS:
		return (double)n;
	case ASK_MEANS:
	case ASK_QUALITY:
		return 1;
	default:
		return 0;
	}
}

void slice_begin(struct slice *s, struct features *X, const struct graph *g, unsigned threads)
{
	size_t m = features_cols(X);

	*s = (struct slice){ .X = *X, .g = g, .threads = threads, .columns = m };
	*X = (struct features){ 0 };
	ALLOC(s->shift, m);
	ALLOC(s->weight, m);
	ALLOC(s->word, m);
	for (size_t j = 0; j < m; j++)
		s->weight[j] = 1;
}

/* Refuses a slice that one process would not form (wide_pays()). Ranks would form it, and the
 * result would not be bitwise identical. */
static enum err check_wide(const struct ranks *R, const struct csr *X)
{
	size_t entries = ranks_total(R, X->start[X->rows]);

	if (!wide_pays_for(R->n, X->cols, entries))
		return ERR_OK;
	return err_set(ERR_INPUT,
		       "features of %zu x %zu with %zu entries are filtered by landmark and gcc as "
		       "products alone, which ranks do not do: run without ranks",
		       R->n, X->cols, entries);
}

enum err slice_init(struct slice *s, struct features *X, const struct graph *g, unsigned threads)
{
	size_t n = features_rows(X), m = features_cols(X);

	slice_begin(s, X, g, threads);
	if (ranks_n(g->ranks, n) == 0 || m == 0)
		return err_set(ERR_INPUT, "features are %zu x %zu: nothing to cluster", n, m);
	if (n != g->adjacency.rows)
		return err_set(ERR_INPUT, "%zu rows of features for a graph of %zu nodes", n,
			       g->adjacency.rows);
	return s->X.is_sparse && g->ranks ? check_wide(g->ranks, &s->X.sparse) : ERR_OK;
}

void slice_release(struct slice *s)
{
	features_release(&s->X);
	mat_release(&s->filtered);
	if (s->wide)
		wide_release(s->wide);
	free(s->wide);
	free(s->shift);
	free(s->weight);
	free(s->word);
	*s = (struct slice){ 0 };
}

/* -- filtered features ---------------------------------------------------------------------- */

static void filter_wide(struct slice *s, unsigned order)
{
	ALLOC(s->wide, 1);
	wide_init(s->wide, &s->X.sparse, s->g, order, s->threads);
}

static enum err slice_filter_rows(struct slice *s, unsigned order)
{
	enum err err = ERR_OK;

	if (s->degrees == DEGREES_ALONE) {
		mat_init(&s->filtered, features_rows(&s->X), 0);
		features_release(&s->X);
		return ERR_OK;
	}
	if (s->g->ranks)
		features_form(&s->X);
	if (s->X.is_sparse && wide_pays(&s->X.sparse)) {
		filter_wide(s, order);
		return ERR_OK;
	}
	if (s->X.is_sparse) {
		err = graph_filter_sparse(s->g, FILTER_MEAN, order, s->threads, &s->X.sparse,
					  &s->filtered);
	} else {
		err = graph_filter(s->g, FILTER_MEAN, order, s->threads, &s->X.dense);
		s->filtered = s->X.dense;
		s->X.dense = (struct mat){ 0 };
	}
	features_release(&s->X);
	return err;
}

/* Filters T^p X, p above 0, further to a higher order. */
static enum err filter_further(struct slice *s, unsigned order)
{
	unsigned more = order - s->order;

	s->order = order;
	if (s->wide) {
		wide_release(s->wide);
		free(s->wide);
		filter_wide(s, order);
		return ERR_OK;
	}
	return graph_filter(s->g, FILTER_MEAN, more, s->threads, &s->filtered);
}

enum err slice_filter(struct slice *s, unsigned order)
{
	/* T^p X with a column of degrees must not be filtered further. */
	if (s->is_filtered && (order < s->order || (order > s->order && s->degrees != DEGREES_OFF)))
		return err_set(ERR_PEER, "asked for filter order %u after %u", order, s->order);
	if (order > SLICE_ORDER_MAX)
		return err_set(ERR_PEER, "asked for filter order %u, expected at most %d", order,
			       SLICE_ORDER_MAX);
	if (s->is_filtered)
		return order > s->order ? filter_further(s, order) : ERR_OK;
	s->order = order;
	s->is_filtered = true;
	TRY(slice_filter_rows(s, order));
	if (s->degrees != DEGREES_OFF)
		slice_put_degrees(s);
	return ERR_OK;
}

/* Number of rows of a product that are computed at once. They are whole tiles of la.h, so that the
 * rows are bitwise identical to those of all rows together. */
enum { PIECE_ROWS = 4 * ROWSUM_ROWS };

struct stream {
	slice_values *each;
	void *arg;
};

static enum err slice_emit(const struct stream *to, const double *x, size_t count)
{
	return to->each(to->arg, x, count);
}

/* Passes on rows of X_l C', for C (d x m_l). */
static enum err slice_emit_rows(const struct slice *s, const struct mat *C, const struct stream *to)
{
	const struct mat *F = &s->filtered;
	enum err err = ERR_OK;

	for (size_t first = 0; first < F->rows && !err; first += PIECE_ROWS) {
		struct mat Y,
		    some = { min_size(PIECE_ROWS, F->rows - first), F->cols, ROW(F, first) };

		la_mul_nt(&some, C, s->threads, &Y);
		err = slice_emit(to, Y.a, Y.rows * Y.cols);
		mat_release(&Y);
	}
	return err;
}

/* Makes B = G D^-1 (n x k), with G and D as in sums_means() (sums.h). The answer X_l M'
 * of ASK_MEANS is then X_l (X_l' B), as of ASK_PRODUCTS. */
static void indicator(const uint32_t *label, size_t k, size_t n, struct mat *B)
{
	double *size;

	ALLOC(size, k);
	for (size_t i = 0; i < n; i++)
		size[label[i]]++;
	mat_init(B, n, k);
	for (size_t i = 0; i < n; i++)
		MAT(B, i, label[i]) = 1 / size[label[i]];
	free(size);
}

void slice_means(const struct slice *s, const uint32_t *label, size_t k, struct mat *M)
{
	struct mat B;

	if (s->wide) {
		indicator(label, k, s->X.sparse.rows, &B);
		wide_means(s->wide, &B, M);
		mat_release(&B);
		return;
	}
	mat_init(M, k, s->filtered.cols);
	kmeans_centres_of(s->g->ranks, &s->filtered, NULL, label, M);
}

/* Computes X_l (X_l' B) or X_l M' for a wide X_l, all rows at once. */
static enum err slice_emit_wide(const struct slice *s, const struct question *q,
				const struct stream *to)
{
	struct mat B = { 0 }, Y;
	enum err err;

	if (q->kind != ASK_PRODUCTS)
		indicator(q->label, q->k, s->X.sparse.rows, &B);
	wide_products(s->wide, q->kind == ASK_PRODUCTS ? q->B : &B, &Y);
	err = slice_emit(to, Y.a, Y.rows * Y.cols);
	mat_release(&Y);
	mat_release(&B);
	return err;
}

static bool has_product(const struct question *q)
{
	return q->kind == ASK_PRODUCTS || q->kind == ASK_MEANS || q->means;
}

size_t slice_words_before(const struct question *q, size_t n)
{
	return has_product(q) ? question_whole(q) : question_words(q, n);
}

static enum err find_whole(struct slice *s, const struct question *q, double *x)
{
	size_t n = s->g->adjacency.rows;

	if (q->kind == ASK_FACTS) {
		slice_facts(s, x);
		question_scale(q, x + 2, n);
	} else if (q->kind == ASK_NORMS) {
		slice_norms(s, false, x);
		question_scale(q, x, n);
	}
	if (q->kind == ASK_SPREADS)
		return slice_spreads(s, q, x);
	if (q->kind == ASK_DEGREES)
		s->degrees = q->take;
	for (size_t t = 0; q->kind == ASK_QUALITY && t < q->labellings; t++)
		x[t] = modularity(s->g, q->label + t * n, q->k) / (double)q->parties;
	return ERR_OK;
}

enum err slice_begin_answer(struct slice *s, const struct question *q, double *x, struct mat *C)
{
	*C = (struct mat){ 0 };
	if (has_product(q))
		TRY(slice_filter(s, q->order));
	TRY(find_whole(s, q, x));
	if (!has_product(q) || s->wide)
		return ERR_OK;
	if (q->kind == ASK_PRODUCTS)
		/* (X_l' B)' instead of X_l' B, because long rows are faster */
		la_mul_tn_of(s->g->ranks, q->B, &s->filtered, s->threads, C);
	else
		slice_means(s, q->label, q->k, C);
	return ERR_OK;
}

void slice_product_rows(const struct slice *s, const struct mat *C, size_t first, size_t rows,
			double *x)
{
	struct mat some = { rows, s->filtered.cols, ROW(&s->filtered, first) }, Y;

	assert(first % LA_TILE == 0);
	la_mul_nt(&some, C, s->threads, &Y);
	memcpy(x, Y.a, Y.rows * Y.cols * sizeof(*x));
	mat_release(&Y);
}

enum err slice_stream(struct slice *s, const struct question *q, slice_values *each, void *arg)
{
	size_t count = slice_words_before(q, s->g->adjacency.rows);
	struct stream to = { each, arg };
	struct mat C;
	double *x;
	enum err err;

	if (q->kind == ASK_CELLS)
		return ERR_OK;
	x = alloc(count, sizeof(*x));
	err = slice_begin_answer(s, q, x, &C);
	if (!err && count)
		err = slice_emit(&to, x, count);
	free(x);
	if (!err && has_product(q))
		err = s->wide ? slice_emit_wide(s, q, &to) : slice_emit_rows(s, &C, &to);
	mat_release(&C);
	return err;
}

enum err slice_keep(void *arg, const double *x, size_t count)
{
	double **to = arg;

	memcpy(*to, x, count * sizeof(*x));
	*to += count;
	return ERR_OK;
}

enum err slice_answer(struct slice *s, const struct question *q, double *x)
{
	return slice_stream(s, q, slice_keep, &x);
}

unsigned slice_rule(const double *spreads, size_t n, size_t m)
{
	return psi_gcc(spreads + SLICE_POWERS, spreads[0], n, min_size(m, n), SLICE_ORDER_MAX);
}

unsigned slice_order(const double *spreads, size_t n, size_t m)
{
	return psi_share(spreads + (size_t)2 * SLICE_POWERS, slice_rule(spreads, n, m));
}

/* -- the party's own clusters --------------------------------------------------------------- */

/* Hashes doubles instead of bytes by FNV-1a. Detects accidental changes of a file. */
static uint64_t digest(const struct mat *X)
{
	uint64_t h = 0xcbf29ce484222325;

	for (size_t i = 0; i < X->rows * X->cols; i++) {
		uint64_t bits;

		memcpy(&bits, &X->a[i], sizeof(bits));
		h = (h ^ bits) * 0x100000001b3;
		h ^= h >> 32; /* so that the high bits affect the low ones */
	}
	return h;
}

/* Reads X again after it was released, and processes it as ASK_FACTS does. The file must have as
 * many rows and columns as before, and this digest. */
static enum err slice_read_again(struct slice *s, size_t rows, uint64_t expected)
{
	double *facts;

	TRY(s->source->read(s->source->ctx, &s->X));
	if (s->X.is_sparse || s->X.dense.rows != rows || s->X.dense.cols != s->columns)
		return err_set(ERR_INPUT, "features that were %zu x %zu are %zu x %zu now", rows,
			       s->columns, features_rows(&s->X), features_cols(&s->X));
	for (size_t j = 0; j < s->columns; j++) {
		s->shift[j] = 0;
		s->weight[j] = 1;
		s->word[j] = 0;
	}
	facts = alloc(2 + rows, sizeof(*facts));
	slice_facts(s, facts);
	free(facts);
	return digest(&s->X.dense) == expected
		   ? ERR_OK
		   : err_set(
			 ERR_INPUT,
			 "the features have changed since they were read: submit the job again");
}

/* Filters this party's rows by T^p, as if the slices of the other parties were like its own. Uses
 * up s. */
static enum err filter_alone(struct slice *s, unsigned order, size_t parties)
{
	double spreads[SLICE_SPREADS], *facts = alloc(2 + features_rows(&s->X), sizeof(*facts));
	struct question ask = { .kind = ASK_SPREADS, .square = facts + 2, .shares = !order };
	size_t m;
	enum err err;

	slice_facts(s, facts);
	ask.idf = facts[0] == 0;
	m = (size_t)facts[1] * parties;
	err = slice_spreads(s, &ask, spreads);
	free(facts);
	if (!err && !order)
		/* if spreads[0] is 0, all values are 0 and the order does not matter */
		order = spreads[0] > 0
			    ? slice_order(spreads, ranks_n(s->g->ranks, s->g->adjacency.rows), m)
			    : 1;
	return err ? err : slice_filter(s, order);
}

static enum err cluster_alone(const struct slice *s, size_t dims, const struct kmeans_params *how,
			      uint32_t *label)
{
	struct embed_params project = {
		.dims = dims, .unit_rows = true, .row_power = 1, .threads = s->threads
	};
	struct kmeans_params clusters = *how;
	bool settled;
	struct mat Z;

	clusters.ranks = s->g->ranks;
	TRY(s->wide ? embed_project_map(&s->wide->map, &project, &Z, &settled)
		    : embed_project(s->g->ranks, &s->filtered, &project, &Z));
	kmeans(&Z, NULL, &clusters, label, NULL, NULL);
	mat_release(&Z);
	return ERR_OK;
}

enum err slice_cluster(struct slice *s, unsigned order, size_t parties, size_t dims,
		       const struct kmeans_params *how, uint32_t *label)
{
	struct features X = { 0 };
	struct slice alone;
	bool gives = s->source && !s->X.is_sparse;
	size_t n = features_rows(&s->X);
	uint64_t was = 0;
	enum err err;

	if (gives) {
		was = digest(&s->X.dense);
		X = s->X;
		s->X = (struct features){ 0 };
	} else {
		features_copy(&X, &s->X);
	}
	slice_begin(&alone, &X, s->g, s->threads);
	alone.degrees = s->degrees;
	err = filter_alone(&alone, order, parties);
	if (!err)
		err = cluster_alone(&alone, dims, how, label);
	slice_release(&alone);
	if (!err && gives)
		err = slice_read_again(s, n, was);
	return err;
}

static enum err slice_answer_in_memory(void *slice, size_t l, const void *question, double *x)
{
	(void)l;
	return slice_answer(slice, question, x);
}

static enum err cluster_in_memory(void *slice, const void *question, uint32_t *label)
{
	const struct question *q = question;

	return slice_cluster(slice, q->order, q->parties, q->dims, q->how, label);
}

const struct memory_kind slices_in_memory = { .size = sizeof(struct slice),
					      .answer = slice_answer_in_memory,
					      .labels = cluster_in_memory };
