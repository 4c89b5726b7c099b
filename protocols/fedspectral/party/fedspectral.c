#include "protocols/fedspectral/party/fedspectral.h"
#include "common/base/alloc.h"
#include "protocols/fedspectral/job.h"
#include "protocols/fedspectral/party.h"
#include "protocols/fedspectral/private.h"
#include "common/privacy/parts.h"
#include "party/work/agree.h"
#include "party/work/align.h"
#include "party/work/noise.h"
#include "party/work/secure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Number of rows that are masked at once: some MB. */
enum { SLAB_ROWS = 1 << 14 };

/* A smaller degree would lose digits in the fixed point of the sum. */
static const double LEAST_DEGREE = 0x1p-100;

struct fedspectral_work {
	struct work *work;
	struct tree tree;
	const struct tree_node *root;
	struct fedspectral_params p;
	struct fedspectral_party part;
	uint32_t *row; /* joint row of each of the dataset's nodes */
};

/* Checks that a matrix has at most MSG_REALS_MAX numbers, as a message may. */
static enum err party_fedspectral_check_size(size_t rows, size_t cols)
{
	if (cols <= MSG_REALS_MAX && rows <= MSG_REALS_MAX / (cols ? cols : 1))
		return ERR_OK;
	return err_set(ERR_JOB, "%zu columns for %zu nodes are more than %d numbers", cols, rows,
		       MSG_REALS_MAX);
}

/* Sums the parties' degrees. The joint degrees are broadcast and verified. */
static enum err party_fedspectral_agree_degrees(struct fedspectral_work *s)
{
	struct work *work = s->work;
	double *own = alloc(work->n, sizeof(*own)), *joint = alloc(work->n, sizeof(*joint));
	double rounding = ldexp((double)work->L, -PARTS_FRACTION);
	enum err e = ERR_OK;

	work_phase(work, "degrees");
	fedspectral_party_degrees(&s->part, own);
	for (size_t i = 0; i < work->n && e == ERR_OK; i++)
		if (own[i] > 0 && own[i] < LEAST_DEGREE)
			e = err_set(ERR_INPUT,
				    "a node's edges weigh less than %g together, which the sum "
				    "does not resolve: multiply all parties' weights by one number",
				    LEAST_DEGREE);
	memcpy(joint, own, work->n * sizeof(*joint));
	if (e == ERR_OK)
		e = secure_sum_verified_parts(work, s->root, joint, work->n);
	/* If a joint degree is below this party's own, another party has sent a false term, because
	 * no true term is negative. */
	for (size_t i = 0; i < work->n && e == ERR_OK; i++) {
		if (joint[i] < own[i] * (1 - BLOCK_ROUNDING) - rounding)
			e = step_fault(work->channel,
				       "the joint degree of row %zu is less than this party's "
				       "part: another party has sent less than 0",
				       i);
		joint[i] = joint[i] > 0 ? joint[i] : 0;
	}
	if (e == ERR_OK) {
		fedspectral_regularize(joint, work->n, s->p.tau);
		fedspectral_party_join(&s->part, joint);
	}
	free(joint);
	free(own);
	return e;
}

/* Receives V and sends s o A_p (s o V), the product FEDSPECTRAL_PRODUCT, on the rows with an edge
 * at some party. Each slab is sent as it is computed. */
static enum err answer_product(struct fedspectral_work *s, size_t width)
{
	size_t m = s->part.A.rows, slab = m < SLAB_ROWS ? m : SLAB_ROWS;
	double *y = alloc(slab, width * sizeof(*y));
	struct secure *sum = NULL;
	struct mat V;
	enum err e;

	mat_init(&V, m, width);
	e = work_recv_block(s->work, s->root, &V);
	if (e == ERR_OK)
		e = secure_begin(s->work, s->root, m * width, true, &sum);
	for (size_t first = 0; e == ERR_OK && first < m; first += slab) {
		size_t count = m - first < slab ? m - first : slab;

		spectral_graph_rows(&s->part.part, &V, first, count, y);
		e = secure_add(sum, y, count * width);
	}
	if (e == ERR_OK)
		e = secure_end(sum);
	secure_free(sum);
	mat_release(&V);
	free(y);
	return e;
}

/* Answers products as long as the coordinator asks for them, within the job's limits. */
static enum err party_fedspectral_exact(struct fedspectral_work *s)
{
	size_t widest;

	TRY(work_group_key(s->work));
	TRY(party_fedspectral_agree_degrees(s));
	widest = fedspectral_block(s->p.k, s->p.block, s->part.A.rows);
	TRY(party_fedspectral_check_size(s->part.A.rows, widest));
	work_phase(s->work, "lanczos");
	for (unsigned round = 1;; round++) {
		uint64_t width;

		TRY(channel_recv_choice(s->work->channel, CHOICE_WIDTH,
					round <= s->p.rounds ? widest : 0, &width));
		if (!width)
			return ERR_OK;
		TRY(answer_product(s, (size_t)width));
		work_progress(s->work, round, 0);
	}
}

static enum err answer_degrees(struct fedspectral_work *s)
{
	struct discrete_share share;
	double *own = alloc(s->work->n, sizeof(*own));
	enum err e = fedspectral_noisy_of(&s->p, s->work->L, 0, &share, NULL);

	work_phase(s->work, "degrees");
	if (e == ERR_OK)
		e = fedspectral_noisy_degrees(&s->part, &share, own);
	if (e == ERR_OK)
		e = secure_send_wide(s->work, s->root, own, s->work->n);
	free(own);
	return e;
}

static enum err answer_noisy(struct fedspectral_work *s, unsigned round, size_t cols)
{
	size_t n = s->work->n;
	double *y = alloc(n, cols * sizeof(*y));
	struct discrete_share share;
	struct mat X;
	enum err e;

	mat_init(&X, n, cols);
	e = channel_recv_reals(s->work->channel, MSG_BLOCK, s->root->id, X.a, n * cols);
	if (e == ERR_OK)
		e = fedspectral_noisy_of(&s->p, s->work->L, cols, &share, NULL);
	if (e == ERR_OK)
		e = fedspectral_noisy_product(&s->part, &X, &share, y);
	if (e == ERR_OK)
		e = secure_send_wide(s->work, s->root, y, n * cols);
	work_progress(s->work, round, 0);
	mat_release(&X);
	free(y);
	return e;
}

/* Answers exactly as many products, of as many columns, as the job specifies. Each product uses up
 * a fixed part of eps, whatever X the coordinator sends. */
static enum err noisy(struct fedspectral_work *s)
{
	size_t n = s->work->n, k = s->p.k, cols = s->p.block < n ? s->p.block : n;

	fedspectral_record_noise(fedspectral_job(&s->work->job), &s->work->record->facts);
	TRY(party_fedspectral_check_size(n, cols > k ? cols : k));
	s->part.noise = work_noise(s->work, NOISE_IN_SUM);
	TRY(answer_degrees(s));
	work_phase(s->work, "power");
	for (unsigned round = 1; round <= s->p.rounds; round++)
		TRY(answer_noisy(s, round, cols));
	work_phase(s->work, "kmeans");
	for (unsigned t = 1; t <= FEDSPECTRAL_COUNTING; t++)
		TRY(answer_noisy(s, s->p.rounds + t, k));
	return ERR_OK;
}

/* Runs Algorithm 3 once per round of the job. */
static enum err plus(struct fedspectral_work *s)
{
	TRY(party_fedspectral_check_size(s->work->n, s->p.k));
	work_phase(s->work, "power");
	for (unsigned round = 1; round <= s->p.rounds; round++) {
		struct mat V;
		enum err e;

		mat_init(&V, s->work->n, s->p.k);
		e = work_recv_block(s->work, s->root, &V);
		if (e == ERR_OK) {
			fedspectral_party_powers(&s->part, s->p.iterations, &V);
			e = secure_send_wide(s->work, s->root, V.a, V.rows * V.cols);
		}
		mat_release(&V);
		TRY(e);
		work_progress(s->work, round, 0);
	}
	return ERR_OK;
}

/* Runs Algorithm 1 on own nodes in their own order. It does not use the joint row numbers: these
 * are random, so with them the result of k-means would change from job to job. */
static enum err plain(struct fedspectral_work *s)
{
	struct work *work = s->work;
	const struct csr *graph = &work->graph->adjacency;
	uint32_t *label = alloc(work->n, sizeof(*label)), *own = alloc(graph->rows, sizeof(*own));
	unsigned k = work->job.clusters;
	struct fedspectral_party alone;
	enum err e;

	work_phase(work, "local");
	fedspectral_party_init(&alone, graph, NULL, graph->rows, work->threads);
	e = fedspectral_party_cells(&alone, s->p.k, s->p.restarts, s->p.seed, own);
	fedspectral_party_release(&alone);
	for (size_t i = 0; i < work->n; i++)
		label[i] = k;
	for (size_t i = 0; i < graph->rows && e == ERR_OK; i++)
		label[s->row[i]] = own[i];
	if (e == ERR_OK)
		e = channel_send_labels(work->channel, MSG_LOCAL_CLUSTERS, (uint32_t)work->own, k,
					label, work->n);
	free(own);
	free(label);
	return e;
}

/* Receives the labels. If there are nodes without edges, they form one more cluster. */
static enum err receive_labels(struct fedspectral_work *s, uint32_t *label)
{
	struct work *work = s->work;
	unsigned k = work->job.clusters;
	unsigned least = k == JOB_AUTO ? 2 : k;
	unsigned most = (k == JOB_AUTO ? FEDSPECTRAL_AUTO_MAX : k) + 1;
	uint64_t clusters;

	work_phase(work, "result");
	TRY(channel_recv_choice(work->channel, CHOICE_CLUSTERS, most, &clusters));
	if (clusters < least)
		return peer_fault(work->channel, "sent CHOICE of %u clusters, expected %u at least",
				  (unsigned)clusters, least);
	TRY(party_own_labels(work, s->row, work->dataset->n, MSG_RESULT, s->root->id,
			     (uint32_t)clusters - 1, label));
	work->job.clusters = (unsigned)clusters;
	return ERR_OK;
}

/* Runs all steps, from the alignment of nodes to the labels of the dataset's own nodes. Sets
 * work->n to the joint number of nodes. Sets work->job.clusters to the number of clusters found,
 * plus one if there are nodes without edges. Labels are below that number. */
static enum err party_fedspectral_run(struct work *work, uint32_t *label)
{
	struct fedspectral_work s = { .work = work,
				      .p = fedspectral_params_of(fedspectral_job(&work->job),
								 work->threads),
				      .row = alloc(work->dataset->n, sizeof(uint32_t)) };
	enum err e;

	tree_build(&s.tree, work->L, true);
	s.root = &s.tree.node[s.tree.count - 1];
	e = party_align(work, work->dataset, s.row);
	if (e == ERR_OK)
		e = party_agree_rows(work, work->dataset, s.row,
				     fedspectral_job(&work->job)->allow_disjoint);
	if (e != ERR_OK)
		goto out;
	facts_number(&work->record->facts, "nodes", (double)work->n);
	fedspectral_party_init(&s.part, &work->graph->adjacency, s.row, work->n, work->threads);
	switch (fedspectral_job(&work->job)->variant) {
	case FEDSPECTRAL_EXACT:
		e = s.p.product > 0 ? noisy(&s) : party_fedspectral_exact(&s);
		break;
	case FEDSPECTRAL_PLUS:
		e = plus(&s);
		break;
	case FEDSPECTRAL_PLAIN:
		e = plain(&s);
		break;
	}
	if (e == ERR_OK)
		e = receive_labels(&s, label);
	fedspectral_party_release(&s.part);
out:
	free(s.row);
	return e;
}

const struct party_kind party_kind_fedspectral = {
	.allow_eps = party_allow_claim,
	.accept = "",
	.run = party_fedspectral_run,
	.keep = party_keep_labels,
};
