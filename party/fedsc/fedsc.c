/* A party's half of FedSC and of federated k-means: it receives what the coordinator says, and only
 * what is due, and sends its term of the sum. The end of the file is in the paper's order.
 *
 * Parameters come from this party's own job; the coordinator says nothing but what came of sums.
 * How often and about how many centres it may ask follows from the job and the number of rows
 * (fedsc_limits()). */
#include "party/fedsc/fedsc.h"
#include "common/base/alloc.h"
#include "common/base/log.h"
#include "common/fedsc/coordinator.h"
#include "common/fedsc/noise.h"
#include "common/kind/tree.h"
#include "common/privacy/parts.h"
#include "crypto/secret.h"
#include "party/work/noise.h"
#include "party/work/secure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct rows {
	struct work *work;
	struct tree tree;
	const struct tree_node *root; /* all parties */
	struct fedsc_params p;
	struct fedsc_party party;
	struct fedsc_limits limits; /* once the number of rows is known */
	double n, r;                /* rows of all parties; the width, once it is known */
	size_t d;                   /* rows of the last dictionary, or landmarks */
	unsigned answers;           /* so far */
};

enum err party_noise_rows(struct work *work, struct mat *X)
{
	const struct noise_source *source;
	struct fedsc_noise noise;
	size_t clipped;

	TRY(fedsc_noise_of(&work->job.fedsc, &noise));
	fedsc_noise_record(&work->job.fedsc, &noise, &work->record->facts);
	if (!(noise.sigma > 0))
		return ERR_OK;
	/* Of the data alone: whatever is said in this attempt or another, rows get this noise. */
	TRY(work_noise(work, "rows", (struct bytes){ 0 }, &source));
	TRY(noise_perturb_rows(source, noise.clip, noise.sigma, X, &clipped));
	facts_number(&work->record->facts, "clipped_rows", (double)clipped);
	return ERR_OK;
}

/* Takes over the features, as a dense copy if they are sparse; rows get their noise. */
static enum err open_rows(struct rows *rows, struct work *work)
{
	uint64_t draw = secagg_draw(work->secagg);
	struct features *from = work->features;
	size_t n = features_rows(from), m = features_cols(from);
	struct mat X;
	enum err e;

	*rows = (struct rows){ .work = work };
	tree_build(&rows->tree, work->L, true);
	rows->root = &rows->tree.node[rows->tree.count - 1];
	work_group(work, rows->root);
	TRY(fedsc_params_of(&work->job.fedsc, work->L, draw, work->threads, &rows->p));
	/* Sparse features may stand for far more numbers than they have. */
	if (m > 0 && n > MSG_REALS_MAX / m)
		return err_set(ERR_INPUT,
			       "features are %zu x %zu, expected at most %d values, zeros included",
			       n, m, MSG_REALS_MAX);
	if (from->is_sparse) {
		csr_to_dense(&from->sparse, &X);
		csr_release(&from->sparse);
	} else {
		X = from->dense;
	}
	*from = (struct features){ 0 };
	e = party_noise_rows(work, &X);
	if (e == ERR_OK)
		e = fedsc_party_init(&rows->party, &X, work->min_cluster, NULL, work->threads);
	mat_release(&X);
	return e;
}

static enum err send_parts(struct rows *rows, const double *x, size_t count)
{
	double *part, most = ldexp(1, PARTS_EXPONENT);
	enum err e;

	for (size_t i = 0; i < count; i++)
		if (!(fabs(x[i]) < most))
			return err_set(ERR_INPUT,
				       "sums of its features, or of their squares, are beyond "
				       "%g: they must be scaled down",
				       most);
	part = alloc(count, PARTS * sizeof(*part));
	parts_split(x, count, part);
	e = secure_send_wide(rows->work, rows->root, part, PARTS * count);
	wipe(part, count * PARTS * sizeof(*part));
	free(part);
	return e;
}

/* Blames the coordinator for a question that does not fit, otherwise this party's rows. */
static enum err blame(const struct rows *rows, enum err e)
{
	struct work *work = rows->work;

	if (e == ERR_PEER)
		return peer_fault(work->channel, "sent MATRIX that does not fit: %s", err_detail());
	return e;
}

/* What this party was told, and how often it has answered, decide the noise of the next answer. */
static enum err begin_noise(struct rows *rows)
{
	struct work *work = rows->work;
	struct buf asked = { 0 };
	enum err e;

	if (work->job.fedsc.noise == NOISE_NONE)
		return ERR_OK;
	buf_add(&asked, work->transcript, sizeof(work->transcript));
	buf_printf(&asked, "%u", rows->answers++);
	e = work_noise(work, "answer", (struct bytes){ asked.p, asked.n }, &rows->party.noise);
	buf_release(&asked);
	return e;
}

static enum err answer(struct rows *rows, const struct fedsc_question *q)
{
	size_t cols = rows->party.embedding.a ? rows->party.embedding.cols : rows->party.X.cols;
	size_t count = fedsc_words(q, cols);
	double *x;
	enum err e;

	TRY(begin_noise(rows));
	ALLOC(x, count);
	e = fedsc_answer(&rows->party, q, x);
	if (e != ERR_OK)
		e = blame(rows, e);
	else if (q->kind == FEDSC_TOTALS || q->kind == FEDSC_SPREAD)
		e = send_parts(rows, x, count);
	else if (count)
		e = secure_send_wide(rows->work, rows->root, x, count);
	wipe(x, count * sizeof(*x));
	free(x);
	return e;
}

static enum err recv_reals(struct rows *rows, double *x, size_t count)
{
	return channel_recv_reals(rows->work->channel, MSG_MATRIX, rows->root->id, x, count);
}

static enum err recv_matrix(struct rows *rows, size_t count, size_t cols, struct mat *M)
{
	enum err e;

	mat_init(M, count, cols);
	e = recv_reals(rows, M->a, count * cols);
	if (e != ERR_OK)
		mat_release(M);
	return e;
}

/* M has as many rows as the coordinator says, at most so many: none if it says 0. */
static enum err recv_rows(struct rows *rows, size_t most, size_t cols, struct mat *M)
{
	uint64_t count;

	*M = (struct mat){ 0 };
	most = most < MSG_REALS_MAX / cols ? most : MSG_REALS_MAX / cols;
	TRY(channel_recv_choice(rows->work->channel, CHOICE_ROWS, most, &count));
	return count ? recv_matrix(rows, (size_t)count, cols, M) : ERR_OK;
}

/* A dictionary, or landmarks, down: some there must be; and what the question makes of them up. */
static enum err answer_about(struct rows *rows, enum fedsc_kind kind)
{
	const struct fedsc_params *p = &rows->p;
	struct work *work = rows->work;
	struct fedsc_question q = {
		.kind = kind, .r = rows->r, .lambda = p->lambda, .near = p->near
	};
	size_t n = rows->party.X.rows;
	struct mat Z, C = { 0 };
	enum err e;

	TRY(recv_rows(rows, rows->limits.centres, rows->party.X.cols, &Z));
	rows->d = Z.rows;
	q.Z = &Z;
	if (Z.rows == 0) {
		e = peer_fault(work->channel, "sent CHOICE of a dictionary of no rows");
	} else if (kind != FEDSC_UPLOAD) {
		e = answer(rows, &q);
	} else if (n > MSG_REALS_MAX / Z.rows) {
		e = err_set(ERR_INPUT, "C is %zu x %zu, expected at most %d numbers", n, Z.rows,
			    MSG_REALS_MAX);
	} else {
		e = begin_noise(rows);
		if (e == ERR_OK)
			e = fedsc_upload(&rows->party, &Z, q.r, q.lambda, p->noise_c, p->sigma_c,
					 &C);
		e = e == ERR_OK ? channel_send_reals(work->channel, MSG_UPLOAD, (uint32_t)work->own,
						     C.a, n * Z.rows)
				: blame(rows, e);
		mat_release(&C);
	}
	mat_release(&Z);
	return e;
}

/* Rows, means and the global deviation; rows are centred and scaled. */
static enum err agree(struct rows *rows)
{
	struct work *work = rows->work;
	double *total = alloc(1 + rows->party.X.cols, sizeof(*total)), scale;
	size_t least = rows->party.X.rows + 2 * (work->L - 1); /* others have 2 or more each */
	struct fedsc_question q = { .kind = FEDSC_TOTALS };
	enum err e;

	work_phase(work, "totals");
	e = answer(rows, &q);
	if (e == ERR_OK)
		e = recv_reals(rows, total, 1 + rows->party.X.cols);
	if (e == ERR_OK && !(total[0] >= (double)least && total[0] <= MSG_ITEMS_MAX))
		e = peer_fault(work->channel,
			       "sent MATRIX by which all parties have %g rows, expected %zu to %d",
			       total[0], least, MSG_ITEMS_MAX);
	if (e != ERR_OK)
		goto out;
	rows->n = total[0];
	fedsc_limits(&rows->p, rows->n, &rows->limits);
	facts_number(&work->record->facts, "rows", rows->n);
	q = (struct fedsc_question){ .kind = FEDSC_SPREAD, .mean = total + 1 };
	e = answer(rows, &q);
	if (e == ERR_OK)
		e = recv_reals(rows, &scale, 1);
	if (e != ERR_OK)
		goto out;
	facts_number(&work->record->facts, "scale", scale);
	q = (struct fedsc_question){ .kind = FEDSC_SCALE,
				     .scale = scale,
				     .beta = rows->p.beta,
				     .clip = rows->p.clip,
				     .width = fedsc_width_is_summed(&work->job.fedsc) };
	e = answer(rows, &q);
out:
	free(total);
	return e;
}

/* Counts up; where the coordinator wants sums, those of all parties decide which there are. */
static enum err answer_round(struct rows *rows, const struct mat *centres)
{
	struct fedkmeans_question counts = { .kind = FEDKMEANS_COUNTS, .centres = centres };
	struct fedkmeans_question sums = { .kind = FEDKMEANS_SUMS,
					   .k = centres->rows,
					   .least = rows->p.least };
	struct fedsc_question q = { .kind = FEDSC_CLUSTERS, .clusters = &counts };
	uint64_t wanted;
	double *count;
	enum err e;

	TRY(answer(rows, &q));
	TRY(channel_recv_choice(rows->work->channel, CHOICE_SUMS, 1, &wanted));
	if (!wanted)
		return ERR_OK;
	ALLOC(count, sums.k);
	sums.count = count;
	q.clusters = &sums;
	e = recv_reals(rows, count, sums.k);
	if (e == ERR_OK)
		e = answer(rows, &q);
	free(count);
	return e;
}

/* Rounds of k-means on rows or, once there is one, on their embedding, as long as the coordinator
 * wants more. */
static enum err cluster(struct rows *rows, const char *phase)
{
	const struct fedsc_limits *limits = &rows->limits;
	bool embedded = rows->party.embedding.a != NULL;
	size_t cols = embedded ? rows->party.embedding.cols : rows->party.X.cols;
	size_t most = embedded ? limits->embedded : limits->centres;
	unsigned rounds = embedded ? limits->embedded_rounds : limits->rounds;

	work_phase(rows->work, phase);
	for (unsigned s = 1;; s++) {
		struct mat centres;
		enum err e;

		TRY(recv_rows(rows, s <= rounds ? most : 0, cols, &centres));
		if (centres.rows == 0)
			return ERR_OK;
		e = answer_round(rows, &centres);
		mat_release(&centres);
		TRY(e);
		work_progress(rows->work, s, 0);
	}
}

/* Round s of Stage I, from 1 on: omega_p Z_p after Q inner steps. *more: there was one. */
static enum err learn_round(struct rows *rows, unsigned s, bool *more)
{
	const struct fedsc_params *p = &rows->p;
	struct work *work = rows->work;
	struct fedsc_question q = { .kind = FEDSC_DICTIONARY,
				    .r = rows->r,
				    .lambda = p->lambda,
				    .inner = p->inner,
				    .n = rows->n,
				    .ball = p->ball,
				    .noise_z = p->noise_z,
				    .sigma_z = p->sigma_z };
	size_t most = s <= p->rounds ? rows->limits.centres : 0, words;
	bool member[PARTIES_MAX];
	struct mat Z;
	double *zeros;
	enum err e;

	TRY(recv_rows(rows, most, rows->party.X.cols, &Z));
	*more = Z.rows > 0;
	if (!*more)
		return ERR_OK;
	q.Z = &Z;
	if (p->participants)
		fedsc_members(p->draw, s, work->L, p->participants, member);
	if (!p->participants || member[work->own]) {
		e = answer(rows, &q);
	} else { /* adds nothing */
		words = fedsc_words(&q, rows->party.X.cols);
		ALLOC(zeros, words);
		e = secure_send_wide(work, rows->root, zeros, words);
		free(zeros);
	}
	mat_release(&Z);
	work_progress(work, s, 0);
	return e;
}

/* Algorithm 1: similarity reconstruction. Z^0 are landmarks, of which there are d. */
static enum err learn(struct rows *rows)
{
	struct work *work = rows->work;
	bool more = true;

	TRY(cluster(rows, "landmarks"));
	rows->r = rows->p.width;
	if (fedsc_width_is_summed(&work->job.fedsc))
		TRY(recv_reals(rows, &rows->r, 1));
	if (!(rows->r > 0))
		return peer_fault(work->channel, "sent MATRIX with a width of %g", rows->r);
	facts_number(&work->record->facts, "r", rows->r);
	if (rows->p.dims == 0) {
		work_phase(work, "dims");
		TRY(answer_about(rows, FEDSC_SPECTRUM));
		TRY(cluster(rows, "landmarks"));
	}
	work_phase(work, "stage-1");
	for (unsigned s = 1; more; s++) /* for s = 1, ..., S */
		TRY(learn_round(rows, s, &more));
	return ERR_OK;
}

/* A matrix down, and what the question makes of it up. */
static enum err answer_matrix(struct rows *rows, enum fedsc_kind kind, size_t count, size_t cols)
{
	struct mat M;
	struct fedsc_question q = { .kind = kind, .d = rows->d, .R = &M };
	enum err e;

	TRY(recv_matrix(rows, count, cols, &M));
	q.t = M.a;
	e = answer(rows, &q);
	mat_release(&M);
	return e;
}

static enum err take_part(struct rows *rows, uint32_t *label)
{
	const struct fedkmeans_party *found = &rows->party.clusters;
	struct work *work = rows->work;
	enum fedsc_variant variant = rows->p.variant;

	TRY(agree(rows));
	if (fedsc_learns(variant))
		TRY(learn(rows));
	if (variant == FEDSC_BY_PAPER) { /* C goes up, labels of the own rows come back */
		work_phase(work, "upload");
		log_warn("variant \"paper\": this party's coefficients C go to the coordinator in "
			 "clear, and with the dictionary Z every row can be computed from them");
		TRY(answer_about(rows, FEDSC_UPLOAD));
		facts_number(&work->record->facts, "dims", (double)rows->d);
		work_phase(work, "result");
		work->told.apart = true; /* to each party its own */
		return work_recv_clusters(work, MSG_RESULT, rows->root, work->job.clusters, label,
					  work->n);
	}
	if (variant == FEDSC_BY_ANCHORS) { /* by landmarks alone: there is no dictionary to learn */
		TRY(cluster(rows, "landmarks"));
		work_phase(work, "anchor");
		TRY(answer_about(rows, FEDSC_ANCHOR)); /* landmarks down, B'B up */
	}
	if (variant == FEDSC_BY_DENSE) { /* on the whole of K^ = C' Kzz C, which nobody forms */
		work_phase(work, "dense");
		TRY(answer_about(rows, FEDSC_DEGREES)); /* Z down, F'1 up */
		TRY(answer_matrix(rows, FEDSC_DENSE, 1,
				  rows->d)); /* t down, F' diag(1 / F t) F up */
	}
	if (variant !=
	    FEDSC_BY_KMEANS) { /* R down: the embedding is what is clustered from now on */
		facts_number(&work->record->facts, "dims", (double)rows->d);
		TRY(answer_matrix(rows, FEDSC_EMBED, rows->d, rows->p.k));
	}
	TRY(cluster(rows, "kmeans"));
	if (found->k != rows->p.k)
		return peer_fault(work->channel,
				  "sent CHOICE that ends with %zu clusters, expected %u", found->k,
				  rows->p.k);
	memcpy(label, found->label, work->n * sizeof(*label));
	return ERR_OK;
}

enum err party_fedsc(struct work *work, uint32_t *label)
{
	struct rows rows;
	enum err e = open_rows(&rows, work);

	if (e == ERR_OK)
		e = take_part(&rows, label);
	fedsc_party_release(&rows.party);
	return e;
}
