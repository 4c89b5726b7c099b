/* Devices of one party: the vertices that it hosts. Line numbers are those of the paper's
 * Algorithms 1 and 2. */
#include "protocols/fedwalk/party/fedwalk.h"
#include "common/base/alloc.h"
#include "common/data/dataset.h"
#include "common/data/embeddings.h"
#include "protocols/fedwalk/attack.h"
#include "protocols/fedwalk/bins.h"
#include "protocols/fedwalk/facts.h"
#include "protocols/fedwalk/job.h"
#include "protocols/fedwalk/response.h"
#include "common/kind/tree.h"
#include "protocols/fedwalk/party/walking.h"
#include "party/work/noise.h"
#include "party/work/secure.h"

#include <stdlib.h>
#include <string.h>

struct devices {
	struct work *work;
	struct tree tree;
	const struct tree_node *root;
	struct vertices v;
	unsigned k;
	uint8_t *bin; /* n */
	float *c;     /* n x k: the dictionary */
	struct fedwalk_encoder encoder;
	struct fedwalk_pools pools;
	double counts[FEDWALK_COUNTS];
};

static size_t degree_of(const struct vertices *v, size_t i)
{
	return v->start[i + 1] - v->start[i];
}

/* Opens the source of noise on the party's ties. The noise depends on eps, the vertices in their
 * order, and the ties. */
static enum err begin_noise(struct devices *d, const struct noise_source **source)
{
	const struct vertices *v = &d->v;
	const double *eps = &fedwalk_job(&d->work->job)->eps;
	const struct bytes answer[] = {
		{ (const uint8_t *)eps, sizeof(*eps) },
		{ (const uint8_t *)v->row, v->own * sizeof(*v->row) },
		{ (const uint8_t *)v->start, (v->own + 1) * sizeof(*v->start) },
		{ (const uint8_t *)v->neighbour, v->start[v->own] * sizeof(*v->neighbour) },
	};

	*source = work_noise(d->work, NOISE_ON_OWN);
	return noise_begin(*source, answer, sizeof(answer) / sizeof(*answer));
}

/* Algorithm 2, lines 1, 9 and 15 to 17: sends noisy degree vectors and receives the dictionary. If
 * a row is zero, its vertex has no neighbours. */
static enum err party_fedwalk_agree_degrees(struct devices *d)
{
	struct work *work = d->work;
	const struct vertices *v = &d->v;
	unsigned k = d->k = fedwalk_job_bins(fedwalk_job(&work->job), work->n);
	size_t count = work->n * k;
	const struct noise_source *source;
	double *own, *c;
	enum err e = ERR_OK;

	work_phase(work, "degrees");
	TRY(begin_noise(d, &source));
	if (k > work->n)
		return err_set(ERR_JOB, "job.bins is %u, of %zu vertices", k, work->n);
	ALLOC(d->bin, work->n);
	fedwalk_bins(work->n, k, work->job.seed, d->bin); /* line 1 */
	ALLOC(own, v->own * k);
	ALLOC(c, count);
	for (size_t i = 0; i < v->own && e == ERR_OK; i++) {
		float row[FEDWALK_BINS_MAX] = { 0 };

		if (degree_of(v, i) > 0)
			e = fedwalk_counts(source, fedwalk_job(&work->job)->eps, d->bin, k,
					   v->neighbour + v->start[i], degree_of(v, i), row);
		for (unsigned j = 0; j < k; j++)
			own[i * k + j] = (double)row[j];
	}
	if (e == ERR_OK)
		e = channel_send_reals(work->channel, MSG_DEGREES, (uint32_t)work->own, own,
				       v->own * k);
	if (e == ERR_OK)
		e = channel_recv_reals(work->channel, MSG_BLOCK, d->root->id, c, count);
	for (size_t i = 0; i < v->own && e == ERR_OK; i++)
		if (memcmp(c + (size_t)v->row[i] * k, own + i * k, k * sizeof(*c)) != 0)
			e = peer_fault(work->channel,
				       "sent a dictionary whose row %u is not what this party sent",
				       v->row[i]);
	ALLOC(d->c, count);
	for (size_t i = 0; i < count; i++)
		d->c[i] = (float)c[i];
	free(c);
	free(own);
	return e;
}

static enum err send_lists(struct devices *d, const uint32_t *count, const uint32_t *item,
			   size_t items)
{
	struct work *work = d->work;

	TRY(channel_send_labels(work->channel, MSG_TIES, (uint32_t)work->own, (uint32_t)work->n,
				count, d->v.own));
	return channel_send_labels(work->channel, MSG_TIES, (uint32_t)work->own, (uint32_t)work->n,
				   item, items);
}

/* Algorithm 1, line 1: receives the encoder's lists in place of the matrix of dissimilarities. */
static enum err take_encoder(struct devices *d)
{
	struct work *work = d->work;
	uint32_t n = (uint32_t)work->n, group = d->root->id;
	size_t most = work->n * FEDWALK_CANDIDATES_MAX, total, again;
	uint32_t *count = alloc(n, sizeof(*count)), *item = NULL, *upto = NULL;
	enum err e;

	e = channel_recv_labels(work->channel, MSG_LISTS, group, n, count, n);
	if (e == ERR_OK)
		e = channel_recv_labels_some(work->channel, MSG_LISTS, group, n, most, &item,
					     &total);
	if (e == ERR_OK)
		e = channel_recv_labels_some(work->channel, MSG_LISTS, group, UINT32_MAX, total,
					     &upto, &again);
	if (e == ERR_OK && again != total)
		e = err_set(ERR_PEER, "%s sent LISTS of %zu candidates with %zu probabilities",
			    channel_peer(work->channel), total, again);
	if (e == ERR_OK) {
		e = fedwalk_encoder_from(&d->encoder, n, count, item, upto, total);
		if (e != ERR_OK)
			err_prefix(e, "%s sent LISTS", channel_peer(work->channel));
	}
	free(upto);
	free(item);
	free(count);
	return e;
}

/* Makes the pools of all vertices u (Algorithm 1, lines 21 to 25) from the tree and the
 * dictionary. */
static enum err take_tree(struct devices *d)
{
	struct work *work = d->work;
	size_t n = work->n, children = 2 * (n - 1);
	uint32_t *child = alloc(children, sizeof(*child));
	struct fedwalk_tree tree = { 0 };
	bool *left_out = alloc(n, sizeof(*left_out));
	enum err e;

	e = channel_recv_labels(work->channel, MSG_TREE, d->root->id, (uint32_t)(2 * n), child,
				children);
	if (e != ERR_OK)
		goto out;
	e = fedwalk_tree_from(&tree, n, child);
	if (e != ERR_OK) {
		err_prefix(e, "%s sent TREE", channel_peer(work->channel));
		goto out;
	}
	/* Without this check, a malicious coordinator could fill the memory by a dictionary with
	 * large counts. */
	e = work_check_memory(work, "degree vectors whose pools",
			      sizeof(uint32_t) * fedwalk_pools_members(d->c, n, d->k));
	if (e != ERR_OK)
		goto out;
	/* A row of zeros means that the vertex has no neighbours. */
	for (size_t i = 0; i < n; i++) {
		left_out[i] = true;
		for (unsigned j = 0; j < d->k && left_out[i]; j++)
			left_out[i] = d->c[i * d->k + j] == 0;
	}
	fedwalk_pools_init(&d->pools, &tree, d->c, d->bin, d->k, left_out, work->job.seed,
			   work->threads);
out:
	fedwalk_tree_release(&tree);
	free(left_out);
	free(child);
	return e;
}

static enum err party_fedwalk_walk(struct devices *d)
{
	struct work *work = d->work;
	struct walking w = { .work = work, .v = &d->v, .encoder = &d->encoder, .pools = &d->pools };
	enum err e;

	work_phase(work, "walks");
	e = walking(&w);
	d->counts[FEDWALK_WALKED] = (double)w.begun;
	d->counts[FEDWALK_MESSAGES] = (double)w.messages;
	d->counts[FEDWALK_CROSSING] = (double)w.crossing;
	d->counts[FEDWALK_CAME] = (double)w.came;
	if (e == ERR_OK) /* line 17 */
		e = channel_send_labels(work->channel, MSG_WALKS, (uint32_t)work->own,
					(uint32_t)work->n, w.token,
					w.finished * fedwalk_job(&work->job)->length);
	walking_release(&w);
	return e;
}

static enum err walks(struct devices *d)
{
	const struct vertices *v = &d->v;

	TRY(party_fedwalk_agree_degrees(d));
	work_phase(d->work, "tree");
	if (fedwalk_job(&d->work->job)->dissimilarity == DISSIMILARITY_DTW) {
		/* Algorithm 2, lines 18 and 19. The rows of ordered degree matrices are rows of the
		 * dictionary, so the party sends only their numbers. The coordinator orders these
		 * rows by the dictionary. */
		uint32_t *count = alloc(v->own, sizeof(*count));
		enum err e;

		for (size_t i = 0; i < v->own; i++)
			count[i] = (uint32_t)degree_of(v, i);
		e = send_lists(d, count, v->neighbour, v->start[v->own]);
		free(count);
		TRY(e);
	}
	TRY(take_tree(d));
	TRY(take_encoder(d));
	/* All parties compare the broadcast values before the walks. If a party had a different
	 * dictionary, its batches would look faulty. If a party's dictionary lacked the rows of
	 * other parties, its walks would use ties only. */
	TRY(broadcasts_confirm(d->work));
	return party_fedwalk_walk(d);
}

/* Records the accuracy of the reports in this party's own record. Other processes get only numbers
 * that can be computed from the reports. */
static void note_reports(struct devices *d, const struct fedwalk_guess *reports)
{
	struct facts *facts = &d->work->record->facts;
	struct fedwalk_attack_score score = { 0 };

	for (size_t i = 0; i < d->v.own; i++)
		fedwalk_attack_judge(reports, d->v.row[i], d->v.neighbour + d->v.start[i],
				     degree_of(&d->v, i), &score);
	facts_number(facts, "own_ties", score.ties);
	facts_number(facts, "own_reports", score.guessed);
	facts_number(facts, "own_reports_right", score.right);
}

static enum err respond(struct devices *d)
{
	const struct vertices *v = &d->v;
	const struct noise_source *source;
	struct fedwalk_guess all = { 0 };
	uint32_t *count;
	enum err e = ERR_OK;

	work_phase(d->work, "reports");
	TRY(begin_noise(d, &source));
	ALLOC(count, v->own);
	for (size_t i = 0; i < v->own && e == ERR_OK; i++) {
		uint32_t *report;
		size_t reported;

		e = fedwalk_report(source, fedwalk_job(&d->work->job)->eps, d->work->n, v->row[i],
				   v->neighbour + v->start[i], degree_of(v, i), &report, &reported);
		count[i] = (uint32_t)reported;
		all.u = alloc_again(all.u, all.count + reported, sizeof(*all.u));
		all.v = alloc_again(all.v, all.count + reported, sizeof(*all.v));
		for (size_t j = 0; j < reported; j++, all.count++) {
			all.u[all.count] = v->row[i];
			all.v[all.count] = report[j];
		}
		free(report);
	}
	if (e == ERR_OK)
		e = send_lists(d, count, all.v, all.count);
	if (e == ERR_OK)
		note_reports(d, &all);
	fedwalk_guess_release(&all);
	free(count);
	return e;
}

static enum err take_embeddings(struct devices *d)
{
	struct work *work = d->work;
	size_t count = d->v.own * FEDWALK_DIMS;
	double *x = alloc(count, sizeof(*x));
	float *all;
	enum err e;

	work_phase(work, "result");
	work->broadcasts.per_party = true;
	e = channel_recv_reals(work->channel, MSG_EMBEDDING, d->root->id, x, count);
	work->broadcasts.per_party = false;
	ALLOC(all, work->dataset->n * FEDWALK_DIMS);
	free(work->protocol);
	work->protocol = all;
	for (size_t i = 0; i < d->v.own; i++)
		for (size_t j = 0; degree_of(&d->v, i) > 0 && j < FEDWALK_DIMS; j++)
			all[(size_t)d->v.node[i] * FEDWALK_DIMS + j] =
			    (float)x[i * FEDWALK_DIMS + j];
	free(x);
	return e;
}

/* Receives the coordinator's guesses about pairs whose lower vertex is this party's. A pair is
 * given by its rows. */
static enum err take_guess(struct devices *d, struct fedwalk_guess *g)
{
	struct work *work = d->work;
	uint32_t *count = alloc(d->v.own, sizeof(*count)), n = (uint32_t)work->n;
	size_t at = 0;
	enum err e = channel_recv_labels(work->channel, MSG_LISTS, d->root->id, n, count, d->v.own);

	if (e == ERR_OK)
		e = channel_recv_labels_some(work->channel, MSG_LISTS, d->root->id, n,
					     MSG_ITEMS_MAX, &g->v, &g->count);
	ALLOC(g->u, g->count);
	for (size_t i = 0; i < d->v.own && e == ERR_OK; i++)
		for (uint32_t j = 0; j < count[i] && e == ERR_OK; j++, at++) {
			if (at == g->count || g->v[at] >= n || g->v[at] <= d->v.row[i] ||
			    (j > 0 && g->v[at] <= g->v[at - 1]))
				e = peer_fault(work->channel,
					       "sent LISTS of guesses that are no rising pairs");
			else
				g->u[at] = d->v.row[i];
		}
	if (e == ERR_OK && at != g->count)
		e = peer_fault(work->channel, "sent LISTS of %zu guesses, expected %zu", g->count,
			       at);
	free(count);
	return e;
}

/* Compares the guesses about own pairs with the ties, and sends the counts in a secure sum. */
static enum err party_fedwalk_judge_guess(struct devices *d)
{
	struct work *work = d->work;
	struct fedwalk_attack_score score = { 0 };
	struct fedwalk_guess g = { 0 };
	enum err e;

	work->broadcasts.per_party = true; /* each party receives values for its own vertices */
	e = take_guess(d, &g);
	work->broadcasts.per_party = false;
	for (size_t i = 0; i < d->v.own && e == ERR_OK; i++)
		fedwalk_attack_judge(&g, d->v.row[i], d->v.neighbour + d->v.start[i],
				     degree_of(&d->v, i), &score);
	fedwalk_guess_release(&g);
	TRY(e);
	d->counts[FEDWALK_GUESSED] = score.guessed;
	d->counts[FEDWALK_RIGHT] = score.right;
	d->counts[FEDWALK_TIES] = score.ties;
	d->counts[FEDWALK_ISOLATED] = (double)d->v.isolated;
	d->counts[FEDWALK_ONE_SIDED] = (double)d->v.one_sided;
	d->counts[FEDWALK_UNHOSTED] = (double)d->v.unhosted;
	work_group(work, d->root);
	return secure_send_wide(work, d->root, d->counts, FEDWALK_SUMMED);
}

/* Receives the counts over all parties; in mode "walks" judges the guesses first. Earlier messages
 * differed between parties, so work_group() begins the transcript of the root's group again. */
static enum err take_account(struct devices *d)
{
	struct work *work = d->work;

	work_phase(work, "attack");
	if (fedwalk_job(&work->job)->mode == FEDWALK_WALKS)
		TRY(party_fedwalk_judge_guess(d));
	else
		work_group(work, d->root);
	return channel_recv_reals(work->channel, MSG_MATRIX, d->root->id, d->counts,
				  FEDWALK_COUNTS);
}

/* Runs the job. Sets work->protocol to FEDWALK_DIMS floats for each node of the dataset. Nodes that
 * another party hosts and nodes without ties get zeros. There are no labels. */
static enum err party_fedwalk_take_part(struct work *work, uint32_t *label)
{
	struct devices d = { .work = work };
	enum err e;

	(void)label;
	tree_build(&d.tree, work->L, true);
	d.root = &d.tree.node[d.tree.count - 1];
	e = party_vertices(work, work->dataset, &d.v);
	if (e == ERR_OK && work->n < 2)
		e = err_set(ERR_JOB, "%zu vertices of all parties, expected 2 at least", work->n);
	if (e == ERR_OK)
		e = fedwalk_job(&work->job)->mode == FEDWALK_RESPONSE ? respond(&d) : walks(&d);
	if (e == ERR_OK)
		e = take_embeddings(&d);
	if (e == ERR_OK)
		e = take_account(&d);
	if (e == ERR_OK) {
		fedwalk_record(fedwalk_job(&work->job), work->n, d.counts, &work->record->facts);
		facts_number(&work->record->facts, "own_vertices", (double)d.v.own);
	}
	fedwalk_pools_release(&d.pools);
	fedwalk_encoder_release(&d.encoder);
	vertices_release(&d.v);
	free(d.bin);
	free(d.c);
	return e;
}

static enum err party_fedwalk_keep_embeddings(struct work *work, const uint32_t *label)
{
	const struct dataset *d = work->dataset;
	const float *x = work->protocol;
	char **id;
	float *own;
	size_t n = 0;
	enum err e;

	(void)label;
	ALLOC(id, d->n);
	ALLOC(own, d->n * FEDWALK_DIMS);
	for (size_t i = 0; i < d->n; i++) {
		if (!d->hosted[i])
			continue;
		memcpy(own + n * FEDWALK_DIMS, x + i * FEDWALK_DIMS, FEDWALK_DIMS * sizeof(*own));
		id[n++] = d->ids.id[i];
	}
	e = embeddings_write(work->output, id, own, n, FEDWALK_DIMS);
	free(own);
	free(id);
	return e;
}

/* Refuses the job if policy.max_eps is set: the job promises privacy of single ties, but the policy
 * limits eps for a whole vertex. */
static enum err party_fedwalk_allow_eps(const struct party_config *config, const struct work *work)
{
	return err_set(ERR_PEER,
		       "the offered job of kind fedwalk promises at most job.eps, %g, for single "
		       "ties; policy.max_eps of %s is %g, for all that one vertex or row has",
		       fedwalk_job(&work->job)->eps, config->common.name, config->policy.max_eps);
}

const struct party_kind party_kind_fedwalk = {
	.allow_eps = party_fedwalk_allow_eps,
	.accept = "",
	.run = party_fedwalk_take_part,
	.keep = party_fedwalk_keep_embeddings,
};
