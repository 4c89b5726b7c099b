#include "protocols/fedsc/party.h"
#include "protocols/fedsc/private.h"
#include "common/base/alloc.h"
#include "common/linalg/distance.h"
#include "common/linalg/la.h"
#include "common/cluster/spectral.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static size_t fedsc_party_triangle_words(size_t d)
{
	return d * (d + 1) / 2;
}

size_t fedsc_words(const struct fedsc_question *q, size_t m)
{
	switch (q->kind) {
	case FEDSC_TOTALS:
		return 1 + m;
	case FEDSC_SPREAD:
		return q->columns ? 2 * m : 1;
	case FEDSC_SCALE:
		return q->width;
	case FEDSC_CLUSTERS:
		return fedkmeans_words(q->clusters, m);
	case FEDSC_SPECTRUM:
	case FEDSC_ANCHOR:
	case FEDSC_NOISY_ANCHOR:
		return fedsc_party_triangle_words(q->Z->rows);
	case FEDSC_DICTIONARY:
		return q->Z->rows * m + 1;
	case FEDSC_DEGREES:
		return q->Z->rows;
	case FEDSC_DENSE:
		return fedsc_party_triangle_words(q->d);
	case FEDSC_COUNT:
		return 1;
	case FEDSC_NOISY:
		return q->Z->rows * (m + 2);
	case FEDSC_SIZES:
		return q->k;
	case FEDSC_PROFILE:
		return fedsc_profile_words(q, m);
	case FEDSC_EMBED:
	case FEDSC_UPLOAD:
	case FEDSC_PAIRWISE:
	case FEDSC_BALL:
	case FEDSC_NEAREST:
		return 0;
	}
	return 0;
}

static enum err fedsc_party_check_finite(enum err code, const char *what, const double *x, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!isfinite(x[i]))
			return err_set(code, "%s: value %zu of %zu is %g", what, i, n, x[i]);
	return ERR_OK;
}

enum err fedsc_party_init(struct fedsc_party *p, struct mat *X, double min_cluster,
			  const struct noise_source *noise, unsigned threads)
{
	*p = (struct fedsc_party){
		.X = *X, .min_cluster = min_cluster, .noise = noise, .threads = threads
	};
	*X = (struct mat){ 0 };
	if (p->X.rows < 2 || p->X.cols == 0)
		return err_set(ERR_INPUT,
			       "features are %zu x %zu, expected at least 2 rows and 1 column",
			       p->X.rows, p->X.cols);
	for (size_t i = 0; i < p->X.rows; i++)
		for (size_t j = 0; j < p->X.cols; j++)
			if (!isfinite(MAT(&p->X, i, j)))
				return err_set(ERR_INPUT, "row %zu, column %zu is %g", i, j,
					       MAT(&p->X, i, j));
	return ERR_OK;
}

void fedsc_party_part(struct fedsc_party *p, struct mat *X, double min_cluster,
		      const struct ranks *ranks)
{
	*p = (struct fedsc_party){
		.X = *X, .min_cluster = min_cluster, .threads = 1, .ranks = ranks
	};
	*X = (struct mat){ 0 };
}

static void forget_dictionary(struct fedsc_party *p)
{
	fedsc_basis_release(&p->basis);
	mat_release(&p->Z);
	free(p->t);
	p->t = NULL;
}

void fedsc_party_release(struct fedsc_party *p)
{
	forget_dictionary(p);
	fedsc_anchor_release(&p->anchor);
	fedkmeans_party_release(&p->clusters);
	mat_release(&p->embedding);
	mat_release(&p->X);
	free(p->present);
	*p = (struct fedsc_party){ 0 };
}

static enum err fedsc_party_add_noise(const struct fedsc_party *p, double sigma, double *x,
				      size_t n)
{
	if (sigma == 0)
		return ERR_OK;
	if (!p->noise)
		return err_set(ERR_PEER, "asked for noise of %g when none was agreed", sigma);
	return noise_add(p->noise, sigma, x, n);
}

static void answer_totals(const struct fedsc_party *p, double *x)
{
	size_t n = p->X.rows, m = p->X.cols;
	struct rowsum s;

	ranks_sum_begin(p->ranks, &s, 1 + m, NULL, NULL);
	for (size_t b = 0; b < rowsum_blocks(n); b++) {
		size_t rows = rowsum_rows(n, b);
		double *to = rowsum_open(&s);

		to[0] = (double)rows;
		for (size_t i = 0; i < rows; i++)
			for (size_t j = 0; j < m; j++)
				to[1 + j] += MAT(&p->X, b * ROWSUM_ROWS + i, j);
		rowsum_close(&s);
	}
	ranks_sum_end(p->ranks, &s, x);
}

static enum err answer_spread(struct fedsc_party *p, const struct fedsc_question *q, double *x)
{
	size_t n = p->X.rows, m = p->X.cols;
	struct rowsum s;

	TRY(fedsc_party_check_finite(ERR_PEER, "column means", q->mean, m));
	memset(x, 0, fedsc_words(q, m) * sizeof(*x));
	ranks_sum_begin(p->ranks, &s, q->columns ? m : 1, NULL, NULL);
	for (size_t b = 0; b < rowsum_blocks(n); b++) {
		double *to = rowsum_open(&s), *row = ROW(&p->X, b * ROWSUM_ROWS);

		for (size_t i = 0; i < rowsum_rows(n, b); i++, row += m)
			for (size_t j = 0; j < m; j++) {
				row[j] -= q->mean[j];
				to[q->columns ? j : 0] += row[j] * row[j];
			}
		rowsum_close(&s);
	}
	ranks_sum_end(p->ranks, &s, x);
	for (size_t j = 0; q->columns && p->unscaled && j < m; j++)
		x[m + j] = p->unscaled[j];
	return ERR_OK;
}

static enum err answer_scale(struct fedsc_party *p, const struct fedsc_question *q, double *x)
{
	size_t m = p->X.cols, values = p->X.rows * m;

	if (!(q->scale > 0) || !isfinite(q->scale))
		return err_set(ERR_PEER, "scale is %g, expected a number above 0", q->scale);
	for (size_t j = 0; q->unit && j < m; j++)
		if (!(q->unit[j] > 0) || !isfinite(q->unit[j]))
			return err_set(ERR_PEER,
				       "the unit of column %zu is %g, expected a number above 0", j,
				       q->unit[j]);
	for (size_t e = 0; e < values; e++)
		p->X.a[e] /= q->unit ? q->unit[e % m] : q->scale;
	if (q->clip > 0)
		noise_clip_rows(&p->X, q->clip);
	TRY(fedsc_party_add_noise(p, q->beta, p->X.a, values));
	if (q->width)
		*x = kernel_mean_distance(&p->X, p->threads);
	return ERR_OK;
}

const struct mat *fedsc_rows_clustered(const struct fedsc_party *p)
{
	return p->embedding.a ? &p->embedding : &p->X;
}

static enum err check_dictionary(const struct fedsc_party *p, const struct mat *Z)
{
	if (Z->rows == 0 || Z->cols != p->X.cols)
		return err_set(ERR_PEER, "a dictionary of %zu x %zu for rows of %zu columns",
			       Z->rows, Z->cols, p->X.cols);
	return fedsc_party_check_finite(ERR_PEER, "dictionary", Z->a, Z->rows * Z->cols);
}

static enum err check_kernel(double r, double lambda)
{
	if (!(r > 0) || !isfinite(r) || !(lambda >= 0) || !isfinite(lambda))
		return err_set(ERR_PEER, "r %g and lambda %g, expected numbers above 0", r, lambda);
	return ERR_OK;
}

static enum err take_dictionary(struct fedsc_party *p, const struct mat *Z, double r, double lambda)
{
	TRY(check_dictionary(p, Z));
	TRY(check_kernel(r, lambda));
	forget_dictionary(p);
	mat_copy(&p->Z, Z);
	return fedsc_basis_init(&p->basis, &p->Z, r, lambda, p->threads);
}

static void write_triangle(const struct mat *M, double *x)
{
	for (size_t i = 0; i < M->rows; i++)
		for (size_t j = 0; j <= i; j++)
			*x++ = MAT(M, i, j);
}

/* Adds Gaussian noise to x twice. Its standard deviation is first `relative` times that of the
 * entries of x, then `absolute`. */
static enum err add_both(const struct fedsc_party *p, double relative, double absolute, double *x,
			 size_t n)
{
	double mean = 0, square = 0;

	for (size_t i = 0; i < n; i++)
		mean += x[i] / (double)n;
	for (size_t i = 0; i < n; i++)
		square += (x[i] - mean) * (x[i] - mean);
	TRY(fedsc_party_add_noise(p, relative * sqrt(square / (double)n), x, n));
	return fedsc_party_add_noise(p, absolute, x, n);
}

static enum err answer_dictionary(struct fedsc_party *p, const struct fedsc_question *q, double *x)
{
	size_t words = q->Z->rows * p->X.cols;
	double omega = (double)p->X.rows / q->n;
	struct mat Z;
	enum err err;

	TRY(check_dictionary(p, q->Z));
	TRY(check_kernel(q->r, q->lambda));
	if (!(q->n >= (double)p->X.rows))
		return err_set(ERR_PEER, "%g rows in all, fewer than the %zu here", q->n,
			       p->X.rows);
	err = fedsc_round(&p->X, q->Z, q->r, q->lambda, q->inner, p->threads, &Z);
	if (!err && q->ball > 0)
		noise_clip_rows(&Z, q->ball);
	if (!err)
		err = add_both(p, q->noise_z, q->sigma_z, Z.a, words);
	for (size_t e = 0; !err && e < words; e++)
		x[e] = omega * Z.a[e];
	x[words] = omega;
	mat_release(&Z);
	return err;
}

enum err fedsc_upload(struct fedsc_party *p, const struct mat *Z, double r, double lambda,
		      double noise_c, double sigma_c, struct mat *C)
{
	enum err err;

	*C = (struct mat){ 0 };
	TRY(take_dictionary(p, Z, r, lambda));
	mat_init(C, p->X.rows, Z->rows);
	err = fedsc_coefficients(&p->basis, p->X.a, p->X.rows, C->a);
	if (!err)
		err = add_both(p, noise_c, sigma_c, C->a, C->rows * C->cols);
	if (err)
		mat_release(C);
	return err;
}

enum err fedsc_take_labels(struct fedsc_party *p, const uint32_t *label, size_t n)
{
	if (n != p->X.rows)
		return err_set(ERR_PEER, "received %zu labels for %zu rows", n, p->X.rows);
	fedkmeans_party_release(&p->clusters);
	fedkmeans_party_init(&p->clusters, &p->X, p->min_cluster, p->threads);
	memcpy(p->clusters.label, label, n * sizeof(*label));
	return ERR_OK;
}

/* Computes a block of F. Once t is known (the sum of DEGREES, party.h), divides each row by the
 * square root of its degree in F t. */
static enum err factor_block(struct fedsc_party *p, size_t first, struct mat *F)
{
	TRY(fedsc_factor_block(&p->basis, &p->X, first, p->threads, F));
	for (size_t i = 0; p->t && i < F->rows; i++) {
		double delta = 0;

		for (size_t j = 0; j < F->cols; j++)
			delta += MAT(F, i, j) * p->t[j];
		if (!(delta > 0)) {
			mat_release(F);
			return err_set(ERR_JOB,
				       "row %zu has degree %.3g: it resembles no entry of the "
				       "dictionary; increase r or the dictionary",
				       first + i, delta);
		}
		for (size_t j = 0; j < F->cols; j++)
			MAT(F, i, j) /= sqrt(delta);
	}
	return ERR_OK;
}

/* Computes F'F. Once t is known, factor_block() has weighted the rows of F. */
static enum err answer_gram(struct fedsc_party *p, double *x)
{
	size_t d = p->Z.rows;
	struct mat M;
	enum err err;

	TRY(fedsc_basis_root(&p->basis, p->threads));
	mat_init(&M, d, d);
	for (size_t i = 0; i < p->X.rows; i += FEDSC_ROWS) {
		struct mat F, part;

		err = factor_block(p, i, &F);
		if (err) {
			mat_release(&M);
			return err;
		}
		la_gram_columns(&F, p->threads, &part);
		for (size_t e = 0; e < d * d; e++)
			M.a[e] += part.a[e];
		mat_release(&part);
		mat_release(&F);
	}
	write_triangle(&M, x);
	mat_release(&M);
	return ERR_OK;
}

static enum err fedsc_answer_degrees(struct fedsc_party *p, const struct fedsc_question *q,
				     double *x)
{
	TRY(take_dictionary(p, q->Z, q->r, q->lambda));
	TRY(fedsc_basis_root(&p->basis, p->threads));
	memset(x, 0, p->Z.rows * sizeof(*x));
	for (size_t i = 0; i < p->X.rows; i += FEDSC_ROWS) {
		struct mat F;

		TRY(factor_block(p, i, &F));
		for (size_t a = 0; a < F.rows; a++)
			for (size_t j = 0; j < F.cols; j++)
				x[j] += MAT(&F, a, j);
		mat_release(&F);
	}
	return ERR_OK;
}

static enum err answer_dense(struct fedsc_party *p, const struct fedsc_question *q, double *x)
{
	if (!p->basis.root.a || q->d != p->Z.rows)
		return err_set(ERR_PEER, "asked for a dense sum of %zu when degrees were of %zu",
			       q->d, p->basis.root.a ? p->Z.rows : 0);
	TRY(fedsc_party_check_finite(ERR_PEER, "degrees", q->t, q->d));
	free(p->t);
	ALLOC(p->t, q->d);
	memcpy(p->t, q->t, q->d * sizeof(*p->t));
	fedsc_anchor_release(&p->anchor);
	return answer_gram(p, x);
}

enum err fedsc_tie(struct fedsc_party *p, const struct fedsc_question *q)
{
	TRY(check_dictionary(p, q->Z));
	if (q->near < 1 || q->near >= q->Z->rows || q->near > FEDSC_NEAR_MAX)
		return err_set(ERR_PEER, "asked for the %u nearest of %zu landmarks", q->near,
			       q->Z->rows);
	forget_dictionary(p);
	fedsc_anchor_release(&p->anchor);
	fedsc_anchor_init(&p->anchor, &p->X, q->Z, q->near, p->threads);
	return ERR_OK;
}

static enum err answer_anchor(struct fedsc_party *p, const struct fedsc_question *q, double *x)
{
	TRY(fedsc_tie(p, q));
	fedsc_anchor_gram(&p->anchor, p->ranks, x);
	return ERR_OK;
}

static enum err take_embedding(struct fedsc_party *p, const struct mat *R)
{
	bool tied = p->anchor.d; /* Use the ties also at a rank without rows, so test d. */
	size_t d = tied ? p->anchor.d : p->t ? p->Z.rows : 0;
	struct mat E = { 0 };

	if (d == 0 || R->rows != d || R->cols == 0)
		return err_set(ERR_PEER, "an embedding of %zu x %zu for sums of %zu", R->rows,
			       R->cols, d);
	TRY(fedsc_party_check_finite(ERR_PEER, "embedding", R->a, R->rows * R->cols));
	if (tied)
		fedsc_anchor_embed(&p->anchor, R, p->threads, &E);
	else
		mat_init(&E, p->X.rows, R->cols);
	for (size_t i = 0; !tied && i < p->X.rows; i += FEDSC_ROWS) {
		struct mat F, part;
		enum err err = factor_block(p, i, &F);

		if (err) {
			mat_release(&E);
			return err;
		}
		la_mul_nn(&F, R, p->threads, &part);
		memcpy(ROW(&E, i), part.a, part.rows * part.cols * sizeof(double));
		mat_release(&part);
		mat_release(&F);
	}
	if (tied || d > 1) /* with one column, a unit row would be only the sign of its number */
		spectral_unit_rows(&E);
	fedkmeans_party_release(&p->clusters);
	mat_release(&p->embedding);
	p->embedding = E;
	return ERR_OK;
}

enum err fedsc_answer(struct fedsc_party *p, const struct fedsc_question *q, double *x)
{
	const struct mat *rows = fedsc_rows_clustered(p);

	switch (q->kind) {
	case FEDSC_TOTALS:
		answer_totals(p, x);
		break;
	case FEDSC_SPREAD:
		return answer_spread(p, q, x);
	case FEDSC_SCALE:
		return answer_scale(p, q, x);
	case FEDSC_CLUSTERS:
		if (p->clusters.X != rows) {
			fedkmeans_party_release(&p->clusters);
			fedkmeans_party_init(&p->clusters, rows, p->min_cluster, p->threads);
			p->clusters.ranks = p->ranks;
		}
		return fedkmeans_answer(&p->clusters, q->clusters, x);
	case FEDSC_SPECTRUM:
		TRY(take_dictionary(p, q->Z, q->r, q->lambda));
		return answer_gram(p, x);
	case FEDSC_DICTIONARY:
		return answer_dictionary(p, q, x);
	case FEDSC_DEGREES:
		return fedsc_answer_degrees(p, q, x);
	case FEDSC_DENSE:
		return answer_dense(p, q, x);
	case FEDSC_ANCHOR:
		return answer_anchor(p, q, x);
	case FEDSC_EMBED:
		return take_embedding(p, q->R);
	case FEDSC_COUNT:
		*x = (double)p->X.rows;
		break;
	case FEDSC_BALL:
		return fedsc_enter_ball(p, q->clip);
	case FEDSC_NOISY:
		return fedsc_answer_noisy(p, q, x);
	case FEDSC_NOISY_ANCHOR:
		return fedsc_answer_noisy_anchor(p, q, x);
	case FEDSC_SIZES:
		return fedsc_answer_sizes(p, q, x);
	case FEDSC_PROFILE:
		return fedsc_answer_profile(p, q, x);
	case FEDSC_NEAREST:
		return fedsc_take_centres(p, q->Z);
	case FEDSC_UPLOAD:
	case FEDSC_PAIRWISE:
		break;
	}
	return ERR_OK;
}

static enum err fedsc_party_answer_in_memory(void *party, size_t l, const void *question, double *x)
{
	(void)l;
	return fedsc_answer(party, question, x);
}

static enum err fedsc_party_upload_in_memory(void *party, const void *question, struct mat *C)
{
	const struct fedsc_question *q = question;

	return fedsc_upload(party, q->Z, q->r, q->lambda, q->noise_c, q->sigma_c, C);
}

static enum err take_in_memory(void *party, const uint32_t *label, size_t n, size_t *taken)
{
	struct fedsc_party *p = party;

	*taken = p->X.rows;
	return fedsc_take_labels(p, label, n < p->X.rows ? n : p->X.rows);
}

const struct memory_kind fedsc_in_memory = { .size = sizeof(struct fedsc_party),
					     .answer = fedsc_party_answer_in_memory,
					     .rows = fedsc_party_upload_in_memory,
					     .take = take_in_memory };

void fedsc_deal(const struct mat *X, const uint32_t *part, uint32_t l, struct mat *out)
{
	size_t rows = 0, at = 0;

	for (size_t i = 0; i < X->rows; i++)
		rows += part[i] == l;
	mat_init(out, rows, X->cols);
	for (size_t i = 0; i < X->rows; i++)
		if (part[i] == l)
			memcpy(ROW(out, at++), ROW(X, i), X->cols * sizeof(double));
}

uint32_t *fedsc_gather(const struct fedsc_party *party, size_t parties, const uint32_t *part,
		       size_t n)
{
	uint32_t *label;
	size_t *next;

	ALLOC(label, n);
	ALLOC(next, parties);
	for (size_t i = 0; i < n; i++)
		label[i] = party[part[i]].clusters.label[next[part[i]]++];
	free(next);
	return label;
}
