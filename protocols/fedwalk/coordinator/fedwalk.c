/* The paper's server. Line numbers are those of its Algorithms 1 and 2. */
#include "protocols/fedwalk/coordinator/fedwalk.h"
#include "common/base/alloc.h"
#include "common/base/file.h"
#include "common/data/npy.h"
#include "protocols/fedwalk/attack.h"
#include "protocols/fedwalk/bins.h"
#include "protocols/fedwalk/encode.h"
#include "protocols/fedwalk/facts.h"
#include "protocols/fedwalk/job.h"
#include "protocols/fedwalk/response.h"
#include "common/kind/tree.h"
#include "common/learn/sgns.h"
#include "server/run/align.h"
#include "protocols/fedwalk/coordinator/lists.h"
#include "server/run/relay.h"
#include "server/run/sum.h"

#include <stdlib.h>

_Static_assert((int)FEDWALK_DIMS == (int)SGNS_DIMS, "an embedding's length");

struct hub {
	struct run *run;
	struct align align;
	struct tree tree;
	const struct tree_node *root;
	uint64_t round;
	unsigned k;
	float *c; /* n x k: the dictionary */
	struct fedwalk_encoder_report encoder;
	struct batch_totals carried; /* totals of the relayed batches of walks */
	struct walks walks;
	struct fedwalk_guess guess;
	double counts[FEDWALK_COUNTS];
	float *x; /* n x FEDWALK_DIMS */
};

/* Checks that parties i and j do not host the same vertex. The rows of each party ascend. */
static enum err check_claims(const struct run *run, const struct align *a, size_t i, size_t j)
{
	size_t x = 0, y = 0, both = 0;

	while (x < a->nodes[i] && y < a->nodes[j]) {
		uint32_t p = a->row[i][x], q = a->row[j][y];

		both += p == q;
		x += p <= q;
		y += q <= p;
	}
	if (!both)
		return ERR_OK;
	return err_set(ERR_INPUT,
		       "%s and %s both claim %zu of the same vertices, expected each to be hosted "
		       "by one party: what data.vertices of these two names is to be disjoint",
		       run->name[i], run->name[j], both);
}

/* Aligns vertices. Then relays the directories of the parties, and the ties between them, both
 * sealed. */
static enum err server_fedwalk_agree(struct hub *h)
{
	struct run *run = h->run;
	struct batch_totals unused = { 0 };

	TRY(server_align(run, &h->align));
	for (size_t i = 0; i < run->L; i++)
		for (size_t j = i + 1; j < run->L; j++)
			TRY(check_claims(run, &h->align, i, j));
	if (run->n < 2)
		return err_set(ERR_JOB, "%zu vertices of all parties, expected 2 at least", run->n);
	run_phase(run, "directory");
	TRY(relay_batches(run, SEALED_DIRECTORY, &unused));
	return relay_batches(run, SEALED_TIES, &unused);
}

/* Algorithm 2, lines 5, 7 and 9: gathers the degree vectors and broadcasts the dictionary. */
static enum err server_fedwalk_agree_degrees(struct hub *h)
{
	struct run *run = h->run;
	size_t count;
	double *c; /* values as sent: first those of one party's rows, then those of all rows */
	enum err e = ERR_OK;

	run_phase(run, "degrees");
	h->k = fedwalk_job_bins(fedwalk_job(&run->job), run->n);
	if (h->k > run->n)
		return err_set(ERR_JOB, "job.bins is %u, of %zu vertices", h->k, run->n);
	count = run->n * h->k;
	ALLOC(c, count);
	ALLOC(h->c, count);
	for (size_t l = 0; l < run->L && e == ERR_OK; l++) {
		size_t own = h->align.nodes[l];

		e = channel_recv_reals(run->channel[l], MSG_DEGREES, (uint32_t)l, c, own * h->k);
		for (size_t i = 0; i < own && e == ERR_OK; i++)
			for (unsigned j = 0; j < h->k; j++)
				h->c[(size_t)h->align.row[l][i] * h->k + j] =
				    (float)c[i * h->k + j];
	}
	for (size_t i = 0; i < count; i++)
		c[i] = (double)h->c[i];
	for (size_t l = 0; l < run->L && e == ERR_OK; l++)
		e = channel_send_reals(run->channel[l], MSG_BLOCK, h->root->id, c, count);
	free(c);
	return e;
}

/* Makes the dissimilarities of Algorithm 2, lines 11 and 13, as published, from matrices of the
 * dictionary's rows. */
static enum err warp(struct hub *h, struct triangle *triangle)
{
	struct run *run = h->run;
	struct fedwalk_lists lists;
	struct fedwalk_matrices m = { .n = run->n, .k = h->k };
	size_t *start;
	float *row;

	TRY(fedwalk_gather_lists(run, &h->align, FEDWALK_ALL, &lists));
	ALLOC(start, run->n + 1);
	for (size_t i = 0; i < run->n; i++)
		start[i + 1] = start[i] + lists.count[i];
	ALLOC(row, start[run->n] * h->k);
	for (size_t i = 0; i < run->n; i++)
		fedwalk_matrix(h->c, h->k, lists.item + lists.at[i], lists.count[i],
			       row + start[i] * h->k);
	m.start = start;
	m.row = row;
	fedwalk_lists_release(&lists);
	fedwalk_dtw(&m, fedwalk_job(&run->job)->dtw_rows, run->threads, triangle);
	free(row);
	free(start);
	return ERR_OK;
}

/* Makes the tree (Algorithm 2, line 13) and the encoder (line 14), which depends on the tree and
 * the dissimilarities. */
static enum err make_tree(struct hub *h, struct fedwalk_tree *t, struct fedwalk_encoder *e)
{
	struct run *run = h->run;
	struct fedwalk_dissimilarity d = { .n = run->n, .c = h->c, .k = h->k };
	struct triangle triangle, used;

	if (fedwalk_tree_how(fedwalk_job(&run->job), run->n) == FEDWALK_LANDMARKS) {
		fedwalk_tree_landmarks(t, h->c, run->n, h->k, run->job.seed, run->threads);
		fedwalk_encoder_init(e, t, &d, fedwalk_job(&run->job)->eps, run->threads,
				     &h->encoder);
		return ERR_OK;
	}
	if (fedwalk_job(&run->job)->dissimilarity == DISSIMILARITY_DTW) {
		TRY(warp(h, &triangle));
		d.triangle = &triangle;
		triangle_copy(&used, &triangle);
	} else {
		/* The encoder needs the dissimilarities again. It recomputes them, because keeping
		 * them would take as much memory. */
		fedwalk_l1(h->c, run->n, h->k, run->threads, &used);
	}
	fedwalk_tree_average(t, &used);
	triangle_release(&used);
	fedwalk_encoder_init(e, t, &d, fedwalk_job(&run->job)->eps, run->threads, &h->encoder);
	if (d.triangle)
		triangle_release(&triangle);
	return ERR_OK;
}

static enum err server_fedwalk_send_labels(struct hub *h, enum msg_type type, uint32_t values,
					   const uint32_t *label, size_t count)
{
	return run_broadcast_labels(h->run, 0, h->run->L, type, h->root->id, values, label, count);
}

/* Runs all steps up to and including line 1 of Algorithm 1. Broadcasts the tree, and the encoder in
 * place of the dissimilarities. */
static enum err construct(struct hub *h)
{
	uint32_t n = (uint32_t)h->run->n, *count;
	struct fedwalk_tree t;
	struct fedwalk_encoder encoder;
	enum err e;

	TRY(server_fedwalk_agree_degrees(h));
	run_phase(h->run, "tree");
	TRY(make_tree(h, &t, &encoder));
	ALLOC(count, n);
	for (size_t i = 0; i < n; i++)
		count[i] = (uint32_t)(encoder.start[i + 1] - encoder.start[i]);
	e = server_fedwalk_send_labels(h, MSG_TREE, 2 * n, t.child, 2 * ((size_t)n - 1));
	if (e == ERR_OK)
		e = server_fedwalk_send_labels(h, MSG_LISTS, n, count, n);
	if (e == ERR_OK)
		e = server_fedwalk_send_labels(h, MSG_LISTS, n, encoder.v, encoder.start[n]);
	if (e == ERR_OK)
		e = server_fedwalk_send_labels(h, MSG_LISTS, UINT32_MAX, encoder.upto,
					       encoder.start[n]);
	if (e == ERR_OK)
		e = relay_told(h->run, h->root->id, 0, h->run->L);
	free(count);
	fedwalk_encoder_release(&encoder);
	fedwalk_tree_release(&t);
	return e;
}

/* Relays walks while the devices run lines 10 to 35 of Algorithm 1. Then receives each walk from
 * the party at which it ended (line 6). */
static enum err server_fedwalk_walk(struct hub *h)
{
	struct run *run = h->run;
	unsigned length = fedwalk_job(&run->job)->length;
	size_t most = run->n * fedwalk_job(&run->job)->walks * length, count;
	struct buf token = { 0 };
	enum err e = ERR_OK;

	run_phase(run, "walks");
	for (unsigned t = 1; t < length; t++) {
		TRY(relay_batches(run, SEALED_WALKS, &h->carried));
		run_progress(run, t, 0);
	}
	for (size_t l = 0; l < run->L && e == ERR_OK; l++) {
		uint32_t *part;

		e = channel_recv_labels_some(run->channel[l], MSG_WALKS, (uint32_t)l,
					     (uint32_t)run->n, most, &part, &count);
		for (size_t i = 0; i < count && e == ERR_OK; i++)
			if (part[i] >= run->n || count % length)
				e = peer_fault(run->channel[l],
					       "sent WALKS of %zu tokens, with %u of %zu vertices, "
					       "expected walks of %u",
					       count, part[i], run->n, length);
		if (e == ERR_OK)
			buf_add(&token, part, count * sizeof(*part));
		most -= e == ERR_OK ? count : 0;
		free(part);
	}
	h->walks = (struct walks){ .count = token.n / sizeof(uint32_t) / length,
				   .length = length,
				   .token = (uint32_t *)(void *)token.p };
	if (e == ERR_OK && !h->walks.count)
		e = err_set(ERR_JOB, "no party's vertices have ties: there are no walks");
	return e;
}

static void mirror(const struct fedwalk_lists *lists, size_t n, struct csr *g)
{
	size_t *at;

	*g = (struct csr){ .rows = n, .cols = n };
	ALLOC(g->start, n + 1);
	for (size_t u = 0; u < n; u++) {
		g->start[u + 1] += lists->count[u];
		for (size_t i = 0; i < lists->count[u]; i++)
			g->start[lists->item[lists->at[u] + i] + 1]++;
	}
	ALLOC(at, n);
	for (size_t u = 0; u < n; u++) {
		g->start[u + 1] += g->start[u];
		at[u] = g->start[u];
	}
	ALLOC(g->index, g->start[n]);
	/* When u is visited, its list already has all lower neighbours, so each list ascends. */
	for (size_t u = 0; u < n; u++)
		for (size_t i = 0; i < lists->count[u]; i++) {
			uint32_t v = lists->item[lists->at[u] + i];

			g->index[at[u]++] = v;
			g->index[at[v]++] = (uint32_t)u;
		}
	free(at);
}

/* Estimates the score of an attack that guesses that every reported pair is a tie. An exact count
 * of right guesses would be another release of the ties. */
static void expect_ties(struct hub *h, double reported)
{
	double eps = fedwalk_job(&h->run->job)->eps;

	h->counts[FEDWALK_GUESSED] = reported;
	h->counts[FEDWALK_TIES] = fedwalk_ties_expected(eps, h->run->n, reported);
	h->counts[FEDWALK_RIGHT] = h->counts[FEDWALK_TIES] * (1 - fedwalk_flip(eps));
}

static enum err reports(struct hub *h)
{
	struct run *run = h->run;
	struct fedwalk_lists lists;
	struct csr g;

	run_phase(run, "reports");
	TRY(fedwalk_gather_lists(run, &h->align, FEDWALK_HIGHER, &lists));
	mirror(&lists, run->n, &g);
	facts_number(&run->record->facts, "reported", (double)lists.items);
	expect_ties(h, (double)lists.items);
	fedwalk_lists_release(&lists);
	fedwalk_debias(&g, fedwalk_job(&run->job)->eps, run->threads);
	run_phase(run, "walks");
	walks_random(&h->walks, &g, fedwalk_job(&run->job)->walks, fedwalk_job(&run->job)->length,
		     run->job.seed, run->threads);
	csr_release(&g);
	return ERR_OK;
}

static void trained(void *ctx, double done, double loss)
{
	struct hub *h = ctx;

	run_progress(h->run, (unsigned)(100 * done), 0);
	facts_number(&h->run->record->facts, "loss", loss);
}

/* Trains SkipGram (Algorithm 1, line 7) on all walks at once. */
static enum err server_fedwalk_train(struct hub *h)
{
	struct run *run = h->run;
	struct sgns_params p = { .n = run->n,
				 .window = fedwalk_job(&run->job)->window,
				 .seed = run->job.seed,
				 .threads = run->threads,
				 .progress = trained,
				 .ctx = h };
	enum err e = ERR_OK;

	run_phase(run, "train");
	ALLOC(h->x, run->n * FEDWALK_DIMS);
	sgns(&h->walks, &p, h->x);
	run_phase(run, "result");
	for (size_t l = 0; l < run->L && e == ERR_OK; l++) {
		size_t own = h->align.nodes[l];
		double *x = alloc(own * FEDWALK_DIMS, sizeof(*x));

		for (size_t i = 0; i < own; i++)
			for (size_t j = 0; j < FEDWALK_DIMS; j++)
				x[i * FEDWALK_DIMS + j] =
				    (double)h->x[(size_t)h->align.row[l][i] * FEDWALK_DIMS + j];
		e = channel_send_reals(run->channel[l], MSG_EMBEDDING, h->root->id, x,
				       own * FEDWALK_DIMS);
		free(x);
	}
	return e;
}

static enum err send_guess(struct hub *h, size_t l)
{
	struct run *run = h->run;
	const struct fedwalk_guess *g = &h->guess;
	size_t own = h->align.nodes[l], items = 0, at = 0;
	uint32_t n = (uint32_t)run->n, *count = alloc(own, sizeof(*count));
	uint32_t *item = alloc(g->count, sizeof(*item));
	enum err e;

	for (size_t i = 0; i < own; i++) { /* both the rows and the pairs ascend */
		while (at < g->count && g->u[at] < h->align.row[l][i])
			at++;
		for (; at < g->count && g->u[at] == h->align.row[l][i]; at++, count[i]++)
			item[items++] = g->v[at];
	}
	e = channel_send_labels(run->channel[l], MSG_LISTS, h->root->id, n, count, own);
	if (e == ERR_OK)
		e = channel_send_labels(run->channel[l], MSG_LISTS, h->root->id, n, item, items);
	free(item);
	free(count);
	return e;
}

/* Guesses ties; the parties compare the guesses with their ties, in a secure sum. */
static enum err server_fedwalk_attack(struct hub *h)
{
	struct run *run = h->run;

	fedwalk_attack(&h->walks, run->n, fedwalk_attack_size(h->c, run->n, h->k), run->threads,
		       &h->guess);
	for (size_t l = 0; l < run->L; l++)
		TRY(send_guess(h, l));
	return secure_sum_wide(run, h->root, &h->round, h->counts, FEDWALK_SUMMED);
}

static enum err account(struct hub *h)
{
	struct run *run = h->run;
	double *counts = h->counts;

	run_phase(run, "attack");
	if (fedwalk_job(&run->job)->mode == FEDWALK_WALKS)
		TRY(server_fedwalk_attack(h));
	counts[FEDWALK_EPS0] = h->encoder.eps0;
	counts[FEDWALK_KEPT] = h->encoder.kept;
	counts[FEDWALK_BOXES] = (double)h->carried.boxes;
	counts[FEDWALK_BOX_BYTES] = (double)h->carried.bytes;
	TRY(channel_send_reals_all(run->channel, run->L, MSG_MATRIX, h->root->id, counts,
				   FEDWALK_COUNTS));
	fedwalk_record(fedwalk_job(&run->job), run->n, counts, &run->record->facts);
	return ERR_OK;
}

/* Runs the job. Sets run->n to the number of vertices. Unless job.keep_embeddings is false, sets
 * run->protocol to the embeddings, run->n x FEDWALK_DIMS floats by row. Each party gets the
 * embeddings of its own vertices. There are no labels. */
static enum err server_fedwalk_serve(struct run *run, uint32_t **label)
{
	bool walks = fedwalk_job(&run->job)->mode == FEDWALK_WALKS;
	struct hub h = { .run = run };
	enum err e;

	(void)label;
	tree_build(&h.tree, run->L, true);
	h.root = &h.tree.node[h.tree.count - 1];
	e = server_fedwalk_agree(&h);
	if (e == ERR_OK)
		e = walks ? construct(&h) : reports(&h);
	if (e == ERR_OK && walks)
		e = server_fedwalk_walk(&h);
	if (e == ERR_OK)
		e = server_fedwalk_train(&h);
	if (e == ERR_OK)
		e = account(&h);
	if (e == ERR_OK && fedwalk_job(&run->job)->keep_embeddings) {
		run->protocol = h.x;
		h.x = NULL;
	}
	align_release(&h.align);
	walks_release(&h.walks);
	fedwalk_guess_release(&h.guess);
	free(h.c);
	free(h.x);
	return e;
}

/* Writes the embeddings, unless job.keep_embeddings is false, in the order of vertex numbers. With
 * hashed ids the coordinator knows no ids that it could write. */
static enum err server_fedwalk_keep_embeddings(struct run *run, const uint32_t *label,
					       const char *output)
{
	const float *x = run->protocol;
	size_t n = run->n;
	char *npy;
	struct mat m;
	struct buf file = { 0 };
	enum err e;

	(void)label;
	if (!x)
		return ERR_OK;
	npy = file_join(output, "embeddings.npy");
	mat_init(&m, n, FEDWALK_DIMS);
	for (size_t i = 0; i < n * FEDWALK_DIMS; i++)
		m.a[i] = (double)x[i];
	npy_print(&m, &file);
	mat_release(&m);
	e = file_write(npy, (struct bytes){ file.p, file.n }, FILE_PUBLIC);
	buf_release(&file);
	free(npy);
	return e;
}

const struct server_kind server_kind_fedwalk = {
	.run = server_fedwalk_serve,
	.keep = server_fedwalk_keep_embeddings,
};
