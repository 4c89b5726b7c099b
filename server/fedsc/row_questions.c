#include "server/fedsc/row_questions.h"
#include "common/base/alloc.h"
#include "common/base/log.h"
#include "common/fedsc/job.h"
#include "common/privacy/parts.h"
#include "server/run/sum.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct tree_node *root_of(const struct row_questions *rows)
{
	return &rows->tree.node[rows->tree.count - 1];
}

/* ---- what is said ---- */

static enum err tell_choice(struct row_questions *rows, enum choice what, uint64_t value)
{
	for (size_t l = 0; l < rows->run->L; l++)
		TRY(channel_send_choice(rows->run->channel[l], what, value));
	return ERR_OK;
}

static enum err tell_reals(struct row_questions *rows, const double *x, size_t count)
{
	for (size_t l = 0; l < rows->run->L; l++)
		TRY(channel_send_reals(rows->run->channel[l], MSG_MATRIX, root_of(rows)->id, x,
				       count));
	return ERR_OK;
}

static enum err check_size(size_t count, size_t cols)
{
	if (cols && count > MSG_REALS_MAX / cols)
		return err_set(ERR_INPUT,
			       "%zu rows of %zu numbers, expected at most %d numbers: a smaller "
			       "job.dims is needed",
			       count, cols, MSG_REALS_MAX);
	return ERR_OK;
}

static enum err tell_rows(struct row_questions *rows, const struct mat *M)
{
	TRY(check_size(M->rows, M->cols));
	TRY(tell_choice(rows, CHOICE_ROWS, M->rows));
	return tell_reals(rows, M->a, M->rows * M->cols);
}

/* The counting before was not followed by sums. */
static enum err skip_sums(struct row_questions *rows)
{
	if (!rows->counted)
		return ERR_OK;
	rows->counted = false;
	return tell_choice(rows, CHOICE_SUMS, 0);
}

static enum err end_clustering(struct row_questions *rows)
{
	TRY(skip_sums(rows));
	if (!rows->clustering)
		return ERR_OK;
	rows->clustering = false;
	rows->rounds = 0;
	return tell_choice(rows, CHOICE_ROWS, 0);
}

/* r is told once, if it came of a sum. */
static enum err tell_width(struct row_questions *rows, double r)
{
	if (rows->r > 0 || !fedsc_width_is_summed(&rows->run->job.fedsc))
		return ERR_OK;
	rows->r = r;
	return tell_reals(rows, &r, 1);
}

/* The end of Stage I, which a job of no rounds has too. */
static enum err end_learning(struct row_questions *rows, double r)
{
	TRY(end_clustering(rows));
	TRY(tell_width(rows, r));
	return tell_choice(rows, CHOICE_ROWS, 0);
}

static enum err tell_clusters(struct row_questions *rows, const struct fedkmeans_question *ask)
{
	if (ask->kind == FEDKMEANS_SUMS) {
		rows->counted = false;
		TRY(tell_choice(rows, CHOICE_SUMS, 1));
		return tell_reals(rows, ask->count, ask->k);
	}
	TRY(skip_sums(rows));
	if (!rows->rounds)
		run_phase(rows->run,
			  rows->embedded || rows->run->job.fedsc.variant == FEDSC_BY_KMEANS
			      ? "kmeans"
			      : "landmarks");
	rows->counted = true;
	run_progress(rows->run, ++rows->rounds, 0);
	return tell_rows(rows, ask->centres);
}

static enum err tell_dictionary(struct row_questions *rows, const struct fedsc_question *ask)
{
	if (rows->clustering) {
		TRY(end_clustering(rows));
		TRY(tell_width(rows, ask->r));
		run_phase(rows->run, "stage-1");
	}
	run_progress(rows->run, ++rows->rounds, 0);
	return tell_rows(rows, ask->Z);
}

static enum err tell_means(struct row_questions *rows, const double *mean)
{
	size_t m = rows->run->columns;
	double *x = alloc(1 + m, sizeof(*x));
	enum err e;

	x[0] = (double)rows->run->n;
	memcpy(x + 1, mean, m * sizeof(*x));
	e = tell_reals(rows, x, 1 + m);
	free(x);
	return e;
}

static enum err tell(struct row_questions *rows, const struct fedsc_question *ask)
{
	switch (ask->kind) {
	case FEDSC_TOTALS:
		run_phase(rows->run, "totals");
		return ERR_OK;
	case FEDSC_SPREAD:
		return tell_means(rows, ask->mean);
	case FEDSC_SCALE:
		rows->clustering = true;
		return tell_reals(rows, &ask->scale, 1);
	case FEDSC_CLUSTERS:
		return tell_clusters(rows, ask->clusters);
	case FEDSC_SPECTRUM:
		TRY(end_clustering(rows));
		run_phase(rows->run, "dims");
		rows->clustering = true;
		TRY(tell_width(rows, ask->r));
		return tell_rows(rows, ask->Z);
	case FEDSC_DICTIONARY:
		return tell_dictionary(rows, ask);
	case FEDSC_DEGREES:
		TRY(end_learning(rows, ask->r));
		run_phase(rows->run, "dense");
		return tell_rows(rows, ask->Z);
	case FEDSC_DENSE:
		return tell_reals(rows, ask->t, ask->d);
	case FEDSC_ANCHOR:
		TRY(end_clustering(rows));
		run_phase(rows->run, "anchor");
		return tell_rows(rows, ask->Z);
	case FEDSC_EMBED:
		rows->clustering = rows->embedded = true;
		rows->rounds = 0;
		return tell_reals(rows, ask->R->a, ask->R->rows * ask->R->cols);
	}
	return ERR_OK;
}

/* ---- what comes back ---- */

static enum err sum_in_parts(struct row_questions *rows, double *x, size_t count)
{
	double *part = alloc(count, PARTS * sizeof(*part));
	enum err e = secure_sum_wide(rows->run, root_of(rows), &rows->round, part, PARTS * count);

	if (e == ERR_OK)
		parts_join(part, count, x);
	free(part);
	return e;
}

static enum err keep_total(struct row_questions *rows, double n)
{
	struct run *run = rows->run;

	if (!(n >= 2 * (double)run->L && n <= MSG_ITEMS_MAX) || n != nearbyint(n))
		return step_fault(
		    rows->run->channel[0],
		    "the parties say that they have %.17g rows, expected %zu to %d of %zu parties",
		    n, 2 * run->L, MSG_ITEMS_MAX, run->L);
	run->n = (size_t)n;
	if (run->job.clusters > run->n)
		return err_set(ERR_INPUT, "job.clusters is %u, of %zu rows of all parties",
			       run->job.clusters, run->n);
	if (run->job.fedsc.variant != FEDSC_BY_KMEANS && run->job.fedsc.dims != JOB_AUTO &&
	    run->job.fedsc.dims > run->n)
		return err_set(ERR_INPUT, "job.dims is %u, of %zu rows of all parties",
			       run->job.fedsc.dims, run->n);
	return ERR_OK;
}

/* Every row is in one cluster. */
static enum err check_counts(const struct row_questions *rows, const double *count, size_t k)
{
	double sum = 0;

	for (size_t i = 0; i < k; i++) {
		if (count[i] < 0 || count[i] != nearbyint(count[i]))
			return step_fault(rows->run->channel[0],
					  "the parties say that cluster %zu of %zu has %.17g rows",
					  i, k, count[i]);
		sum += count[i];
	}
	if (sum != (double)rows->run->n)
		return step_fault(rows->run->channel[0],
				  "the parties say that %zu clusters have %.17g rows of %zu", k,
				  sum, rows->run->n);
	return ERR_OK;
}

/* Weights: none is negative, and those of a row are 1 in all. */
static enum err check_weights(const struct row_questions *rows, const double *x, size_t d)
{
	double n = (double)rows->run->n, sum = 0, least = 0;

	for (size_t i = 0; i < d; i++)
		for (size_t j = 0; j <= i; j++, x++) {
			sum += (i == j ? 1 : 2) * *x;
			least = fmin(least, *x);
		}
	if (least < 0 || fabs(sum - n) > 1e-3 * n)
		return step_fault(rows->run->channel[0],
				  "the parties' weights of %zu landmarks add to %.6g for %g rows, "
				  "the least of them to %.3g",
				  d, sum, n, least);
	return ERR_OK;
}

static enum err ask_all(void *ctx, const struct fedsc_question *ask, const bool *member, double *x)
{
	struct row_questions *rows = ctx;
	size_t m = rows->embedded ? rows->run->job.clusters : rows->run->columns;
	size_t words = fedsc_words(ask, m);

	(void)member; /* parties draw who takes part; the others send zeros */
	TRY(check_size(words, 1));
	TRY(tell(rows, ask));
	if (ask->kind == FEDSC_TOTALS || ask->kind == FEDSC_SPREAD)
		TRY(sum_in_parts(rows, x, words));
	else if (words)
		TRY(secure_sum_wide(rows->run, root_of(rows), &rows->round, x, words));
	if (ask->kind == FEDSC_TOTALS)
		return keep_total(rows, x[0]);
	if (ask->kind == FEDSC_CLUSTERS && ask->clusters->kind == FEDKMEANS_COUNTS)
		return check_counts(rows, x, words);
	if (ask->kind == FEDSC_ANCHOR)
		return check_weights(rows, x, ask->Z->rows);
	return ERR_OK;
}

/* ---- variant paper ---- */

static enum err gather_uploads(struct row_questions *rows, struct mat *C)
{
	struct run *run = rows->run;
	size_t at = 0;

	for (size_t l = 0; l < run->L; l++) {
		size_t most = C->rows - at - 2 * (run->L - 1 - l); /* the others have 2 or more */

		TRY(channel_recv_rows(run->channel[l], MSG_UPLOAD, (uint32_t)l, C->cols, 2, most,
				      ROW(C, at), &rows->own[l]));
		at += rows->own[l];
	}
	if (at != C->rows)
		return step_fault(rows->run->channel[0], "the parties uploaded %zu rows of %zu", at,
				  C->rows);
	return ERR_OK;
}

static enum err upload(void *ctx, const struct mat *Z, double r, double lambda, double noise_c,
		       double sigma_c, struct mat *C)
{
	struct row_questions *rows = ctx;
	struct run *run = rows->run;
	enum err e;

	(void)lambda; /* the job says these to all */
	(void)noise_c;
	(void)sigma_c;
	TRY(end_learning(rows, r));
	run_phase(run, "upload");
	log_warn("variant \"paper\": parties upload the coefficients C of their rows in clear, and "
		 "with the dictionary Z every row can be computed from them");
	TRY(check_size(run->n, Z->rows));
	TRY(tell_rows(rows, Z));
	mat_init(C, run->n, Z->rows);
	ALLOC(rows->own, run->L);
	e = gather_uploads(rows, C);
	if (e != ERR_OK)
		mat_release(C);
	return e;
}

static enum err hand_back(void *ctx, const uint32_t *label, size_t n)
{
	struct row_questions *rows = ctx;
	struct run *run = rows->run;
	size_t at = 0;

	run_phase(run, "result");
	ALLOC(rows->label, n);
	memcpy(rows->label, label, n * sizeof(*label));
	for (size_t l = 0; l < run->L; l++) {
		TRY(channel_send_labels(run->channel[l], MSG_RESULT, root_of(rows)->id,
					run->job.clusters, label + at, rows->own[l]));
		at += rows->own[l];
	}
	return ERR_OK;
}

/* ---- the pool ---- */

void row_questions_open(struct row_questions *rows, struct run *run, struct fedsc_pool *pool)
{
	*rows = (struct row_questions){ .run = run };
	tree_build(&rows->tree, run->L, true);
	*pool = (struct fedsc_pool){ .m = run->columns,
				     .parties = run->L,
				     .ctx = rows,
				     .ask = ask_all,
				     .upload = upload,
				     .hand_back = hand_back };
}

enum err row_questions_end(struct row_questions *rows)
{
	return end_clustering(rows);
}

uint32_t *row_questions_take_labels(struct row_questions *rows)
{
	uint32_t *label = rows->label;

	rows->label = NULL;
	return label;
}

void row_questions_close(struct row_questions *rows)
{
	free(rows->own);
	free(rows->label);
}
