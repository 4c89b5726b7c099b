#include "protocols/fedgcn/party.h"
#include "common/base/alloc.h"
#include "protocols/fedgcn/own.h"
#include "common/cluster/kmeans.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct fedgcn_own {
	struct gin net;
	float *F;
	float *W;     /* the trained numbers: net.weights weights, then k x FEDGCN_Z prototypes */
	float *joint; /* the same numbers as they were at the start of the round */
	/* Z: embeddings by the current weights; C: centres of the last clustering */
	struct mat Z, C;
	/* k entries: number of graphs of each prototype; 0: the prototype is withheld. */
	double *count;
	/* Used if fedgcn_is_stacked(): the prototypes of each epoch (fedgcn_upload_rows() rows) and
	 * their counts, in the order of epochs. */
	struct mat stack;
	double *stacked;
	struct fedgcn_model model; /* the last good model; its `weights` is 0 if there is none */
};

static void fedgcn_party_embed(struct fedgcn_party *party)
{
	struct fedgcn_own *o = party->own;

	mat_release(&o->Z);
	gin_embed(&o->net, party->graphs, o->F, o->W, party->p.threads, &o->Z);
}

/* Computes three things for each centre: the number of graphs, the sum of their Z, and the sum of
 * their squared distances. */
static enum err answer_centres(struct fedgcn_party *party, const double *q, double *x)
{
	struct fedgcn_own *o = party->own;
	size_t n = o->Z.rows, k = party->p.k, each = 2 + FEDGCN_Z;
	struct mat C = { k, FEDGCN_Z, NULL };
	double *D;

	if (q[0] != floor(q[0]) || q[0] < 1 || q[0] > (double)k)
		return err_set(ERR_PEER, "%g centres of at most %zu", q[0], k);
	C.rows = (size_t)q[0];
	ALLOC(C.a, C.rows * FEDGCN_Z);
	memcpy(C.a, q + 1, C.rows * FEDGCN_Z * sizeof(double));
	D = alloc(n * C.rows, sizeof(*D));
	kmeans_distances(&o->Z, &C, D);
	kmeans_assign(D, NULL, n, C.rows, party->label, NULL);
	memset(x, 0, k * each * sizeof(*x));
	for (size_t i = 0; i < n; i++) {
		size_t r = party->label[i];

		x[r * each]++;
		for (size_t j = 0; j < FEDGCN_Z; j++)
			x[r * each + 1 + j] += MAT(&o->Z, i, j);
		x[r * each + 1 + FEDGCN_Z] += D[i * C.rows + r];
	}
	for (size_t r = 0; r < k; r++)
		if (x[r * each] < party->p.min_cluster)
			memset(x + r * each, 0, each * sizeof(*x));
	free(D);
	free(C.a);
	return ERR_OK;
}

/* Copies the joint weights and prototypes into W, except weights that stay with the party. */
static void take_joint(struct fedgcn_party *party, unsigned round, const double *q)
{
	struct fedgcn_own *o = party->own;
	const struct fedgcn_params *p = &party->p;
	size_t travelling = fedgcn_travelling(p, &o->net), k = p->k;

	for (size_t i = 0; i < travelling; i++)
		o->W[i] = (float)q[i];
	if (round > 1 && p->prototypes == FEDGCN_OWN) {
		for (size_t i = 0; i < k * FEDGCN_Z; i++)
			o->W[o->net.weights + i] = (float)o->C.a[i];
	} else {
		for (size_t i = 0; i < k * FEDGCN_Z; i++)
			o->W[o->net.weights + i] = (float)q[travelling + i];
	}
}

/* Computes this party's prototypes C and their counts from Z. W contains the weights, then the
 * centres to start from. A cluster of fewer than min_cluster graphs gets count 0. */
static void prototypes_of(const struct fedgcn_party *party, const float *W, const struct mat *Z,
			  struct mat *C, double *count, uint32_t *label)
{
	size_t k = party->p.k, weights = party->own->net.weights;

	for (size_t i = 0; i < k * FEDGCN_Z; i++)
		C->a[i] = W[weights + i];
	fedgcn_lloyd(Z, C, label);
	memset(count, 0, k * sizeof(*count));
	for (size_t i = 0; i < Z->rows; i++)
		count[label[i]]++;
	for (size_t r = 0; r < k; r++)
		if (count[r] < party->p.min_cluster)
			count[r] = 0;
}

/* Algorithm 1, line 13: stacks the prototypes of epoch e. */
static void stack_epoch(void *arg, unsigned e, const float *W)
{
	struct fedgcn_party *party = arg;
	struct fedgcn_own *o = party->own;
	size_t k = party->p.k;
	struct mat Z, C = { k, FEDGCN_Z, o->stack.a + e * k * FEDGCN_Z };
	uint32_t *label;

	ALLOC(label, party->graphs->count);
	gin_embed(&o->net, party->graphs, o->F, W, party->p.threads, &Z);
	prototypes_of(party, W, &Z, &C, o->stacked + e * k, label);
	mat_release(&Z);
	free(label);
}

static size_t recluster(struct fedgcn_party *party, bool first)
{
	struct fedgcn_own *o = party->own;
	size_t n = o->Z.rows, k = party->p.k, changed = 0;
	uint32_t *label;

	ALLOC(label, n);
	prototypes_of(party, o->W, &o->Z, &o->C, o->count, label);
	for (size_t i = 0; i < n; i++)
		changed += first || label[i] != party->label[i];
	if (fedgcn_is_stacked(&party->p)) {
		memcpy(o->stack.a + (party->p.epochs - 1) * k * FEDGCN_Z, o->C.a,
		       k * FEDGCN_Z * sizeof(double));
		memcpy(o->stacked + (party->p.epochs - 1) * k, o->count, k * sizeof(double));
	}
	memcpy(party->label, label, n * sizeof(*label));
	free(label);
	return changed;
}

/* Bounds Z, because during training Z can grow without limit (4e5 after ten rounds). Z consists of
 * the network's part and, with features "drawing", of the drawing. If the network's part is too
 * long, scales down the last map of the readout. Without a drawing, also scales all prototypes,
 * including stacked ones, so that no cluster changes. With a drawing, the bound of the network's
 * part is FEDGCN_BESIDE times the drawing's length. */
static void hold_together(struct fedgcn_party *party)
{
	struct fedgcn_own *o = party->own;
	const struct gin_part *last = &o->net.part[GIN_READ_B];
	size_t n = o->Z.rows * o->Z.cols;
	struct mat drawn;
	double most, scale;

	gin_drawn(&o->net, party->graphs, o->F, &drawn);
	for (size_t i = 0; i < n; i++)
		o->Z.a[i] -= drawn.a[i];
	most =
	    o->net.lines ? FEDGCN_BESIDE * mat_norm(drawn.a, n) : FEDGCN_RADIUS * sqrt((double)n);
	scale = fmin(1, most / fmax(mat_norm(o->Z.a, n), 1e-300));
	for (size_t i = 0; i < n; i++)
		o->Z.a[i] = drawn.a[i] + scale * o->Z.a[i];
	for (size_t i = 0; i < (last->in + 1) * last->out; i++)
		o->W[last->at + i] *= (float)scale;
	for (size_t i = 0; !o->net.lines && i < party->p.k * (size_t)FEDGCN_Z; i++)
		o->W[o->net.weights + i] *= (float)scale;
	for (size_t i = 0; i < o->stack.rows * o->stack.cols; i++)
		o->stack.a[i] *= scale;
	mat_release(&drawn);
}

static enum err within_bounds(const struct fedgcn_party *party, unsigned round)
{
	const struct fedgcn_own *o = party->own;

	for (size_t i = 0; i < o->Z.rows * o->Z.cols; i++)
		if (!(fabs(o->Z.a[i]) <= FEDGCN_Z_MAX))
			return err_set(
			    ERR_JOB,
			    "round %u: the embedding of graph %zu explodes to %g, beyond %g", round,
			    i / o->Z.cols + 1, o->Z.a[i], FEDGCN_Z_MAX);
	return ERR_OK;
}

static void fedgcn_party_keep_model(struct fedgcn_party *party)
{
	struct fedgcn_own *o = party->own;
	size_t weights = o->net.weights, k = party->p.k;

	fedgcn_model_release(&o->model);
	o->model = (struct fedgcn_model){ .features = party->p.features,
					  .k = party->p.k,
					  .weights = weights };
	ALLOC(o->model.W, weights);
	mat_init(&o->model.C, k, FEDGCN_Z);
	for (size_t i = 0; i < weights; i++)
		o->model.W[i] = o->W[i];
	for (size_t i = 0; i < k * FEDGCN_Z; i++)
		o->model.C.a[i] = o->W[weights + i];
}

/* Computes the answer to TRAIN, for n graphs: n W of the sent weights, n, n KL, n reconstruction,
 * changes. With "matched", the answer also has counts and sums of Z. */
static enum err answer_train(struct fedgcn_party *party, const struct fedgcn_question *q, double *x)
{
	struct fedgcn_own *o = party->own;
	struct fedgcn_training t = { .net = &o->net,
				     .g = party->graphs,
				     .F = o->F,
				     .p = &party->p,
				     .round = q->round,
				     .epoch = fedgcn_is_stacked(&party->p) ? stack_epoch : NULL,
				     .arg = party };
	size_t travelling = fedgcn_travelling(&party->p, &o->net), k = party->p.k, changed;
	double n = (double)party->graphs->count;

	take_joint(party, q->round, q->x);
	fedgcn_party_keep_model(party);
	if (party->p.sharing == FEDGCN_PROX) {
		memcpy(o->joint, o->W, o->net.weights * sizeof(float));
		t.joint = o->joint;
	}
	TRY(fedgcn_train(&t, o->W, &party->kl, &party->reconstruction));
	fedgcn_party_embed(party);
	TRY(within_bounds(party, q->round));
	if (party->p.bounded)
		hold_together(party);
	changed = recluster(party, q->round == 1);
	for (size_t i = 0; i < travelling; i++)
		*x++ = n * (double)o->W[i];
	*x++ = n;
	*x++ = n * party->kl;
	*x++ = n * party->reconstruction;
	*x++ = (double)changed;
	if (party->p.prototypes != FEDGCN_MATCHED)
		return ERR_OK;
	for (size_t r = 0; r < k; r++)
		*x++ = o->count[r];
	for (size_t r = 0; r < k; r++)
		for (size_t j = 0; j < FEDGCN_Z; j++)
			*x++ = o->count[r] * MAT(&o->C, r, j);
	return ERR_OK;
}

enum err fedgcn_answer(struct fedgcn_party *party, const struct fedgcn_question *q, double *x)
{
	struct fedgcn_own *o = party->own;
	size_t n = fedgcn_down(&party->p, q->kind), k = party->p.k;

	for (size_t i = 0; i < n; i++)
		if (!(fabs(q->x[i]) <= FEDGCN_Z_MAX))
			return err_set(
			    ERR_PEER, "question %s of round %u: number %zu of %zu is %g, beyond %g",
			    fedgcn_kind_name(q->kind), q->round, i, n, q->x[i], FEDGCN_Z_MAX);
	switch (q->kind) {
	case FEDGCN_START:
		for (size_t i = 0; i < o->net.weights; i++)
			o->W[i] = (float)q->x[i];
		fedgcn_party_embed(party);
		x[0] = (double)party->graphs->count;
		break;
	case FEDGCN_CENTRES:
		return answer_centres(party, q->x, x);
	case FEDGCN_TRAIN:
		return answer_train(party, q, x);
	case FEDGCN_FINAL:
		take_joint(party, q->round + 1, q->x);
		fedgcn_party_embed(party);
		TRY(within_bounds(party, q->round));
		fedgcn_party_keep_model(party);
		TRY(fedgcn_cluster(&party->p, &o->Z, &o->model, party->label));
		memset(x, 0, k * sizeof(*x));
		for (size_t i = 0; i < party->graphs->count; i++)
			x[party->label[i]]++;
		break;
	}
	return ERR_OK;
}

void fedgcn_upload(const struct fedgcn_party *party, double *x)
{
	const struct fedgcn_own *o = party->own;
	bool stacked = fedgcn_is_stacked(&party->p);
	const struct mat *C = stacked ? &o->stack : &o->C;
	const double *count = stacked ? o->stacked : o->count;

	for (size_t r = 0; r < C->rows; r++)
		for (size_t j = 0; j < FEDGCN_Z; j++)
			*x++ = count[r] > 0 ? MAT(C, r, j) : 0;
	for (size_t r = 0; r < C->rows; r++)
		*x++ = count[r];
	*x = 0;
}

static enum err fedgcn_party_answer_in_memory(void *party, size_t l, const void *question,
					      double *x)
{
	(void)l;
	return fedgcn_answer(party, question, x);
}

static enum err fedgcn_party_upload_in_memory(void *party, const void *question, double *x)
{
	(void)question;
	fedgcn_upload(party, x);
	return ERR_OK;
}

const struct memory_kind fedgcn_in_memory = { .size = sizeof(struct fedgcn_party),
					      .answer = fedgcn_party_answer_in_memory,
					      .upload = fedgcn_party_upload_in_memory };

enum err fedgcn_party_init(struct fedgcn_party *party, const struct graphs *graphs,
			   const struct fedgcn_params *p)
{
	struct fedgcn_own *o;
	double *W;

	*party = (struct fedgcn_party){ .graphs = graphs, .p = *p };
	TRY(fedgcn_params_check(p));
	if (graphs->count < p->k)
		return err_set(
		    ERR_INPUT,
		    "%zu graphs for %u clusters; a party needs as many as clusters at least",
		    graphs->count, p->k);
	ALLOC(party->own, 1);
	o = party->own;
	TRY(graphs_features(graphs, p->features, p->threads, &o->F));
	gin_init(&o->net, p->features);
	ALLOC(o->W, o->net.weights + p->k * (size_t)FEDGCN_Z);
	ALLOC(o->joint, o->net.weights);
	ALLOC(o->count, p->k);
	ALLOC(party->label, graphs->count);
	mat_init(&o->C, p->k, FEDGCN_Z);
	if (fedgcn_is_stacked(p)) {
		mat_init(&o->stack, fedgcn_upload_rows(p), FEDGCN_Z);
		ALLOC(o->stacked, fedgcn_upload_rows(p));
	}
	ALLOC(W, o->net.weights);
	gin_draw(&o->net, p->seed, W);
	for (size_t i = 0; i < o->net.weights; i++)
		o->W[i] = (float)W[i];
	free(W);
	return ERR_OK;
}

void fedgcn_party_release(struct fedgcn_party *party)
{
	struct fedgcn_own *o = party->own;

	if (o) {
		free(o->F);
		free(o->W);
		free(o->joint);
		free(o->count);
		mat_release(&o->Z);
		mat_release(&o->C);
		mat_release(&o->stack);
		free(o->stacked);
		fedgcn_model_release(&o->model);
		free(o);
	}
	free(party->label);
	*party = (struct fedgcn_party){ 0 };
}

enum err fedgcn_party_model(const struct fedgcn_party *party, const struct fedgcn_model **m)
{
	*m = party->own ? &party->own->model : NULL;
	if (!*m || !(*m)->weights)
		return err_set(ERR_JOB, "no round has begun: there is no model");
	return ERR_OK;
}
