/* The party's side of FedSC and of federated k-means. It runs protocols/fedsc/coordinator.h for
 * itself on sums that it verifies, and contributes its own term of each. Parameters come from this
 * party's own job; the coordinator decides nothing. */
#include "protocols/fedsc/party/fedsc.h"
#include "common/base/alloc.h"
#include "common/base/log.h"
#include "common/data/standard.h"
#include "protocols/fedsc/coordinator.h"
#include "protocols/fedsc/job.h"
#include "protocols/fedsc/noise.h"
#include "protocols/fedsc/party/keep.h"
#include "protocols/fedsc/party/pairwise.h"
#include "common/job/shortfall.h"
#include "party/ranks/workers.h"
#include "party/work/columns.h"
#include "party/work/noise.h"
#include "party/work/verified.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct rows {
	struct work *work;
	struct fedsc_params p;
	struct fedsc_party party;
	bool *unscaled;            /* columns that are not scaled; owned */
	struct standard_by own;    /* used with standardize "local" */
	struct pairwise *pairwise; /* variant "pairwise": set once C is computed; owned */
};

enum err party_noise_rows(struct work *work, struct mat *X)
{
	struct fedsc_noise noise;
	size_t clipped;

	TRY(fedsc_noise_of(fedsc_job(&work->job), &noise));
	fedsc_noise_record(fedsc_job(&work->job), &noise, &work->record->facts);
	if (!(noise.sigma > 0))
		return ERR_OK;
	TRY(noise_perturb_rows(work_noise(work, NOISE_ON_OWN), noise.clip, noise.sigma, X,
			       &clipped));
	facts_number(&work->record->facts, "clipped_rows", (double)clipped);
	return ERR_OK;
}

/* Opens rows that are distributed over ranks. This process has only their dimensions. */
static enum err open_rows_distributed(struct rows *rows, struct work *work)
{
	rows->party.X.rows = features_rows(work->features);
	rows->party.X.cols = features_cols(work->features);
	return workers_rows_begin(work->workers, work->min_cluster);
}

/* Takes over the features and adds noise to the rows. Sparse features become a dense copy. */
static enum err open_rows(struct rows *rows, struct work *work)
{
	struct features *from = work->features;
	size_t n = features_rows(from), m = features_cols(from);
	struct mat X;
	enum err e;

	*rows = (struct rows){ .work = work };
	TRY(fedsc_params_of(fedsc_job(&work->job), work->L, work->threads, &rows->p));
	if (work->workers)
		return open_rows_distributed(rows, work);
	/* Sparse features may expand to many more numbers than they store, so check the size
	 * first. */
	if (m > 0 && n > MSG_REALS_MAX / m)
		return err_set(ERR_INPUT,
			       "features are %zu x %zu, expected at most %d values, zeros included",
			       n, m, MSG_REALS_MAX);
	rows->unscaled = standard_unscaled(from, work_columns(work));
	if (rows->p.standardize == STANDARDIZE_NONE)
		standard_warn(from, work_columns(work), false);
	else
		standard_warn_zero(from);
	if (from->is_sparse) {
		csr_to_dense(&from->sparse, &X);
		csr_release(&from->sparse);
	} else {
		X = from->dense;
	}
	*from = (struct features){ 0 };
	e = party_noise_rows(work, &X);
	if (e == ERR_OK && rows->p.standardize == STANDARDIZE_LOCAL)
		e = standard_own(&X, rows->unscaled, work_columns(work), false, &rows->own);
	if (e == ERR_OK)
		e = fedsc_party_init(&rows->party, &X, work->min_cluster, NULL, work->threads);
	rows->party.unscaled = rows->unscaled;
	if (e == ERR_OK && rows->p.profile)
		fedsc_party_mark(&rows->party);
	if (fedsc_job(&work->job)->noise != NOISE_NONE || rows->p.profile)
		rows->party.noise = work_noise(work, NOISE_IN_SUM);
	mat_release(&X);
	return e;
}

/* Binds the masks to values that this party computed from earlier sums. All parties must have
 * computed the same values. */
static void party_fedsc_bind_masks(struct work *work, const struct fedsc_question *q, size_t m)
{
	const struct mat *matrix[] = { q->Z, q->R, q->clusters ? q->clusters->centres : NULL };
	const double number[] = { (double)q->kind, q->scale, q->r, q->n };

	work_bind(work, number, sizeof(number));
	if (q->mean)
		work_bind(work, q->mean, m * sizeof(*q->mean));
	if (q->unit)
		work_bind(work, q->unit, m * sizeof(*q->unit));
	if (q->shown)
		work_bind(work, q->shown, q->k * sizeof(*q->shown));
	for (size_t i = 0; i < sizeof(matrix) / sizeof(*matrix); i++)
		if (matrix[i])
			work_bind(work, matrix[i]->a,
				  matrix[i]->rows * matrix[i]->cols * sizeof(double));
}

static enum err party_fedsc_answer(struct verified *v, const void *question, double *x, size_t n)
{
	const struct fedsc_question *q = question;
	struct rows *rows = v->party;

	(void)n;
	party_fedsc_bind_masks(v->work, q, rows->party.X.cols);
	if (v->work->workers)
		return workers_ask(v->work->workers, q, x);
	return fedsc_answer(&rows->party, q, x);
}

/* Variant "pairwise": computes C. No other process sees C unencrypted. */
static enum err open_pairwise(struct rows *rows, const struct fedsc_question *q)
{
	struct mat C;
	enum err e;

	log_warn("variant \"pairwise\": the coordinator receives the similarity of any two rows; "
		 "other parties can compute this party's rows from similarities with their own");
	TRY(fedsc_upload(&rows->party, q->Z, q->r, q->lambda, 0, 0, &C));
	e = pairwise_new(rows->work, &C, &rows->party.basis.Kzz, (size_t)q->n, q->lambda,
			 &rows->pairwise);
	mat_release(&C);
	return e;
}

static enum err party_fedsc_exchange(struct verified *v, const void *question,
				     enum parties_batches what)
{
	struct rows *rows = v->party;

	if (what == PARTIES_PRODUCTS)
		return pairwise_products(rows->pairwise);
	TRY(open_pairwise(rows, question));
	return pairwise_ciphers(rows->pairwise);
}

/* Variant "pairwise": sends own rows of K^. */
static enum err upload_similarities(struct verified *v, const struct fedsc_question *q)
{
	struct rows *rows = v->party;
	const struct mat *K = pairwise_rows(rows->pairwise);

	party_fedsc_bind_masks(v->work, q, rows->party.X.cols);
	return channel_send_reals(v->work->channel, MSG_UPLOAD, (uint32_t)v->work->own, K->a,
				  K->rows * K->cols);
}

static enum err party_fedsc_upload(struct verified *v, const void *question)
{
	const struct fedsc_question *q = question;
	struct rows *rows = v->party;
	size_t n = rows->party.X.rows, d = q->Z->rows;
	struct mat C;
	enum err e;

	if (q->kind == FEDSC_PAIRWISE)
		return upload_similarities(v, q);
	log_warn("variant \"paper\": this party's coefficients C go to the coordinator "
		 "unmasked; every row can be computed from C and the dictionary Z");
	if (n > MSG_REALS_MAX / d)
		return err_set(ERR_INPUT, "C is %zu x %zu, expected at most %d numbers", n, d,
			       MSG_REALS_MAX);
	party_fedsc_bind_masks(v->work, q, rows->party.X.cols);
	TRY(fedsc_upload(&rows->party, q->Z, q->r, q->lambda, q->noise_c, q->sigma_c, &C));
	e = channel_send_reals(v->work->channel, MSG_UPLOAD, (uint32_t)v->work->own, C.a, n * d);
	mat_release(&C);
	return e;
}

/* Variants "paper" and "pairwise": receives the labels of this party's uploaded rows. Each party
 * receives other labels. */
static enum err party_fedsc_receive_labels(struct verified *v, size_t values)
{
	struct rows *rows = v->party;
	uint32_t *label = alloc(v->work->n, sizeof(*label));
	enum err e;

	v->work->broadcasts.per_party = true;
	e = work_recv_clusters(v->work, MSG_RESULT, v->root, (uint32_t)values, label, v->work->n);
	if (e == ERR_OK)
		e = fedsc_take_labels(&rows->party, label, v->work->n);
	free(label);
	return e;
}

static void party_fedsc_keep_confidence(struct rows *rows)
{
	const struct fedkmeans_party *clusters = &rows->party.clusters;
	struct work *work = rows->work;

	if (!clusters->k) /* variants "paper" and "pairwise" have no margins */
		return;
	ALLOC(work->confidence, work->n);
	for (size_t i = 0; i < work->n; i++)
		work->confidence[i] = fedkmeans_margin(clusters, i);
}

/* Completes the model that places new rows. Variants "paper" and "pairwise" have no model. */
static void party_fedsc_take_model(const struct rows *rows, struct fedsc_model *model)
{
	struct fedsc_noise noise;
	struct work *work = rows->work;

	if (!model->m)
		return;
	if (rows->own.unit)
		fedsc_model_after(model, &rows->own);
	if (fedsc_noise_of(fedsc_job(&work->job), &noise) == ERR_OK && noise.sigma > 0)
		model->clip = noise.clip;
	fedsc_model_name(model, work_columns(work));
}

/* Moves results from the report into work->protocol. party_keep_rows() writes them later. */
static void party_fedsc_take_kept(const struct rows *rows, struct fedsc_report *report)
{
	struct fedsc_kept *kept;

	ALLOC(kept, 1);
	rows->work->protocol = kept;
	kept->model = report->model;
	report->model = (struct fedsc_model){ 0 };
	party_fedsc_take_model(rows, &kept->model);
	if (rows->p.standardize != STANDARDIZE_LOCAL) {
		kept->centres = report->centres;
		report->centres = (struct mat){ 0 };
	}
	kept->joint = report->profile;
	report->profile = (struct profile){ 0 };
}

static enum err party_fedsc_take_labels(const struct rows *rows, uint32_t *label)
{
	struct work *work = rows->work;

	if (!work->workers) {
		memcpy(label, rows->party.clusters.label, work->n * sizeof(*label));
		return ERR_OK;
	}
	ALLOC(work->confidence, work->n);
	return workers_nearest(work->workers, label, work->confidence);
}

/* Logs warnings about the sizes of clusters over all parties. Each party knows these sizes from
 * sums. */
static void party_fedsc_check_sizes(const struct work *work, const struct fedsc_report *report)
{
	uint64_t *size = alloc(report->k, sizeof(*size));

	for (unsigned c = 0; c < report->k && report->size; c++)
		size[c] = (uint64_t)(fmax(0, report->size[c]) + 0.5);
	shortfall_sizes(&work->job, size, report->k);
	free(size);
}

static void record(struct work *work, const struct fedsc_params *p,
		   const struct fedsc_report *report)
{
	struct facts *to = &work->record->facts;

	if (report->n > 0)
		facts_number(to, "rows", report->n);
	if (report->scale > 0)
		facts_number(to, "scale", report->scale);
	if (fedsc_learns(p->variant) && report->r > 0)
		facts_number(to, "r", report->r);
	if (p->variant != FEDSC_BY_KMEANS && report->dims)
		facts_number(to, "dims", (double)report->dims);
	record_selection(work->record, &report->selection);
	party_fedsc_check_sizes(work, report);
}

enum err party_fedsc(struct work *work, uint32_t *label)
{
	static const struct verified_kind kind = { .answer = party_fedsc_answer,
						   .upload = party_fedsc_upload,
						   .exchange = party_fedsc_exchange,
						   .take = party_fedsc_receive_labels };
	struct fedsc_report report = { 0 };
	struct verified v;
	struct rows rows;
	enum err e = open_rows(&rows, work);

	if (e == ERR_OK)
		e = verified_open(&v, work, &kind, &rows);
	if (e == ERR_OK)
		e = party_compare_columns(work, work_columns(work));
	if (e == ERR_OK) {
		e = fedsc_run(&v.parties, rows.party.X.cols, &rows.p, &report);
		record(work, &rows.p, &report);
		e = verified_error(&v, e);
	}
	if (e == ERR_OK && rows.p.k_from)
		work->job.clusters = report.k;
	if (e == ERR_OK)
		e = party_fedsc_take_labels(&rows, label);
	if (e == ERR_OK) {
		party_fedsc_keep_confidence(&rows);
		party_fedsc_take_kept(&rows, &report);
	}
	fedsc_report_release(&report);
	pairwise_free(rows.pairwise);
	fedsc_party_release(&rows.party);
	standard_by_release(&rows.own);
	free(rows.unscaled);
	return e;
}
