/* Attacks FedSpectral by reconstructing edges from messages. The inputs are a party's plaintext
 * blocks (as in the paper), one masked upload, and the sums of `exact`. Prints the results.
 *
 * Real graphs are attacked only if COTERIE_PURSUIT is set. The attack takes minutes and samples the
 * nodes of ego-facebook. With the value "all" it attacks all nodes and takes hours. */
#include "crypto/fixed.h"
#include "tests/unit/both/federation.h"
#include "tests/unit/protocols/fedspectral/pursuit.h"
#include "tests/unit/protocols/fedspectral/parts.h"

enum { PARTIES = 5, CLUSTERS = 10, FRACTION = 24, SAMPLE = 200 };

/* ---- intercepted messages ---- */

/* Parties with recorded traffic: each V as sent, and each answer Y. */
struct tap {
	struct parts *parts;
	struct secagg *secagg; /* makes the masks of party 0 */
	struct mat V[128], Y[128], masked[128];
	size_t blocks;
	double *degree; /* n */
};

static enum err tap_degrees(struct tap *t, const void *question, double *degree)
{
	TRY(parties_sum(&t->parts->parties, question, degree, t->parts->n));
	memcpy(t->degree, degree, t->parts->n * sizeof(*degree));
	return ERR_OK;
}

/* Computes a product as a job does: V in floats, terms in fixed point. */
static enum err tap_product(struct tap *t, const struct mat *V, double *x)
{
	struct fixed fixed = { .modulus_bits = 64, .fraction_bits = FRACTION, .parties = PARTIES };
	size_t count = V->rows * V->cols;
	double *term = alloc(count, sizeof(*term));
	uint64_t *sum = alloc(count, sizeof(*sum)), *words = alloc(count, sizeof(*words));
	struct mat sent;

	mat_copy(&sent, V);
	for (size_t i = 0; i < count; i++)
		sent.a[i] = (double)(float)V->a[i];
	for (size_t l = 0; l < t->parts->count; l++) {
		spectral_graph_rows(&t->parts->party[l].part, &sent, 0, V->rows, term);
		TRY(fixed_encode(&fixed, term, count, words, NULL));
		fixed_add(&fixed, sum, words, count);
	}
	fixed_decode(&fixed, sum, count, x);
	t->V[t->blocks] = sent;
	mat_init(&t->Y[t->blocks], V->rows, V->cols);
	memcpy(t->Y[t->blocks++].a, x, count * sizeof(*x));
	free(sum);
	free(words);
	free(term);
	return ERR_OK;
}

/* Masks party 0's term. Writes the masked words, decoded as numbers, to `masked`. */
static void mask_term(struct tap *t, const struct mat *term, struct mat *masked)
{
	static const uint8_t transcript[SECAGG_HASH_LEN];
	static const size_t all[PARTIES] = { 0, 1, 2, 3, 4 };
	struct fixed fixed = { .modulus_bits = 64, .fraction_bits = FRACTION, .parties = PARTIES };
	size_t count = term->rows * term->cols;
	uint64_t *words = alloc(count, sizeof(*words)), round;
	struct mask *m;

	assert_ok(fixed_encode(&fixed, term->a, count, words, NULL));
	assert_ok(secagg_open(t->secagg, all, PARTIES, transcript, &m, &round));
	mask_add(m, words, count);
	mask_close(m);
	mat_init(masked, term->rows, term->cols);
	fixed_decode(&fixed, words, count, masked->a);
	free(words);
}

/* Records the blocks of party 0 before and after masking. */
static enum err tap_powers(struct tap *t, const struct fedspectral_question *q, double *x)
{
	const struct mat *V = q->V;

	memset(x, 0, V->rows * V->cols * sizeof(*x));
	for (size_t l = 0; l < t->parts->count; l++) {
		struct mat term;

		mat_copy(&term, V);
		fedspectral_party_powers(&t->parts->party[l], q->iterations, &term);
		for (size_t i = 0; i < V->rows * V->cols; i++)
			x[i] += term.a[i];
		if (l == 0) {
			mask_term(t, &term, &t->masked[t->blocks]);
			mat_copy(&t->V[t->blocks], V);
			t->Y[t->blocks++] = term;
		} else {
			mat_release(&term);
		}
	}
	return ERR_OK;
}

static enum err tap_sum(void *ctx, const void *question, enum parties_how how, double most,
			double *x, size_t n)
{
	const struct fedspectral_question *q = question;
	struct tap *t = ctx;

	(void)how;
	(void)most;
	switch (q->kind) {
	case FEDSPECTRAL_DEGREES:
		return tap_degrees(t, question, x);
	case FEDSPECTRAL_PRODUCT:
		return tap_product(t, q->V, x);
	case FEDSPECTRAL_POWERS:
		return tap_powers(t, q, x);
	default:
		return parties_sum(&t->parts->parties, question, x, n);
	}
}

static void tap_on(struct tap *t, struct parties *parties, struct parts *parts)
{
	static const struct parties_backend tapped = { .sum = tap_sum };

	*t = (struct tap){ .parts = parts };
	ALLOC(t->degree, parts->n);
	*parties = (struct parties){ .count = parts->count, .backend = &tapped, .ctx = t };
}

static void tap_release(struct tap *t)
{
	for (size_t b = 0; b < t->blocks; b++) {
		mat_release(&t->V[b]);
		mat_release(&t->Y[b]);
		mat_release(&t->masked[b]);
	}
	free(t->degree);
}

/* Copies all blocks side by side into `to`. */
static void side_by_side(const struct mat *block, size_t blocks, struct mat *to)
{
	size_t at = 0;

	for (size_t b = 0; b < blocks; b++) {
		for (size_t i = 0; i < to->rows; i++)
			memcpy(ROW(to, i) + at, ROW(&block[b], i), block[b].cols * sizeof(*to->a));
		at += block[b].cols;
	}
}

static size_t columns(const struct tap *t)
{
	size_t sum = 0;

	for (size_t b = 0; b < t->blocks; b++)
		sum += t->V[b].cols;
	return sum;
}

/* ---- the three attacks ---- */

static double share(size_t part, size_t whole)
{
	return whole ? (double)part / (double)whole : 0;
}

static size_t with_edges(const struct csr *A)
{
	size_t count = 0;

	for (size_t i = 0; i < A->rows; i++)
		count += A->start[i + 1] > A->start[i];
	return count;
}

/* Scores an attack and prints the result. Nodes without edges do not count: nothing is left to
 * find. */
static void tell(const char *graph, const char *what, size_t cols, const struct pursuit *p,
		 const struct csr *A, struct pursuit_score *s)
{
	size_t none = A->rows - with_edges(A);

	*s = pursuit_score(p, A);
	s->explained -= s->explained < none ? s->explained : none;
	print_message("%s, %s, %zu columns: %zu of %zu edges (%.1f %%), %zu of %zu neighbour "
		      "lists; %zu edges that are not there\n",
		      graph, what, cols, s->found, s->edges, 100 * share(s->found, s->edges),
		      s->explained, with_edges(A), s->wrong);
}

/* Attacks fedspectral+ with one power iteration: V is known, and Y is N_0 V, with the normalised
 * adjacency matrix N_0 of party 0. */
static void clear_uploads(const char *graph, const struct tap *t, struct pursuit_score *s)
{
	const struct csr *A = &t->parts->party[0].A;
	size_t cols = columns(t), passes = 1;
	struct pursuit p;

	pursuit_init(&p, t->parts->n, cols);
	side_by_side(t->V, t->blocks, &p.V);
	side_by_side(t->Y, t->blocks, &p.Y);
	pursuit_condition(&p);
	for (size_t i = 0; i < p.n; i++)
		p.tolerance[i] = 1e-7 * sqrt(pursuit_dot(ROW(&p.Y, i), ROW(&p.Y, i), p.m));
	pursuit_pass(&p, NULL, p.n);
	tell(graph, "one party's blocks in clear, node by node", cols, &p, A, s);
	while (pursuit_pass(&p, NULL, p.n))
		passes++;
	tell(graph, "the same, from node to node", cols, &p, A, s);
	assert_int_equal(s->wrong, 0);
	pursuit_release(&p);
}

static void masked_uploads(const char *graph, const struct tap *t, struct pursuit_score *s)
{
	const struct csr *A = &t->parts->party[0].A;
	/* expected right guesses if each row's guess is random */
	double by_chance = share(A->start[A->rows], A->rows);
	size_t guesses, most;
	struct pursuit p;

	pursuit_init(&p, t->parts->n, columns(t));
	side_by_side(t->V, t->blocks, &p.V);
	side_by_side(t->masked, t->blocks, &p.Y);
	for (size_t i = 0; i < p.n; i++)
		p.tolerance[i] = 1e-2 * sqrt(pursuit_dot(ROW(&p.Y, i), ROW(&p.Y, i), p.m));
	guesses = pursuit_guesses(&p, A);
	pursuit_pass(&p, NULL, p.n < SAMPLE ? p.n : SAMPLE);
	tell(graph, "the same blocks masked", p.m, &p, A, s);
	print_message("  the best guess for each row is a neighbour %zu times, by chance %.1f\n",
		      guesses, by_chance);
	/* The deviation of the number of right guesses is at most the root of its mean. */
	most = (size_t)(by_chance + 5 * sqrt(by_chance) + 1);
	assert_in_range(guesses, 0, most);
	assert_int_equal(s->found + s->wrong + s->explained, 0);
	pursuit_release(&p);
}

/* Makes the joint graph of the nodes that have edges. */
static void active_graph(const struct tap *t, const struct csr *A, struct csr *joint)
{
	size_t n = A->rows, m;
	uint32_t *active = alloc(n, sizeof(*active));
	struct triple *e = alloc(A->start[n], sizeof(*e));

	m = fedspectral_active(t->degree, n, active);
	for (uint32_t i = 0, at = 0; i < n; i++)
		for (size_t k = A->start[i]; k < A->start[i + 1]; k++)
			e[at++] = (struct triple){ active[i], active[A->index[k]], 1 };
	csr_from_triples(joint, m, m, e, A->start[n]);
	free(e);
	free(active);
}

/* Attacks the coordinator's view of `exact`. The coordinator knows the degrees s_i^2 of all nodes
 * i, which are whole numbers. So it can multiply row i of Y by s_i and divide row i of V by s_i:
 * the adjacency matrix then gives the one from the other. */
static void exact_sums(const char *graph, const struct tap *t, const struct csr *A, bool all,
		       struct pursuit_score *s)
{
	size_t cols = columns(t), sampled = 0;
	uint32_t *node;
	struct pursuit p;
	struct csr joint;

	active_graph(t, A, &joint);
	pursuit_init(&p, joint.rows, cols);
	ALLOC(p.weight, joint.rows);
	ALLOC(node, joint.rows);
	side_by_side(t->V, t->blocks, &p.V);
	side_by_side(t->Y, t->blocks, &p.Y);
	for (size_t i = 0, at = 0; i < A->rows; i++) {
		double root = sqrt(t->degree[i]);

		if (root == 0)
			continue;
		for (size_t c = 0; c < cols; c++) {
			MAT(&p.V, at, c) /= root;
			MAT(&p.Y, at, c) *= root;
		}
		p.weight[at] = t->degree[i];
		p.tolerance[at++] =
		    root * PARTIES * ldexp(1, -FRACTION) * sqrt((double)cols); /* rounding error */
	}
	for (uint32_t i = 0; i < joint.rows; i++)
		if (all || i % (joint.rows / SAMPLE) == 0)
			node[sampled++] = i;
	pursuit_pass(&p, node, sampled);
	if (all)
		tell(graph, "sums of exact, node by node", cols, &p, &joint, s);
	*s = pursuit_score(&p, &joint);
	if (!all)
		print_message("%s, sums of exact, %zu columns: %zu of %zu sampled neighbour "
			      "lists; %zu edges that are not there\n",
			      graph, cols, s->explained, sampled, s->wrong);
	while (all && pursuit_pass(&p, node, sampled))
		;
	if (all)
		tell(graph, "the same, from node to node", cols, &p, &joint, s);
	assert_int_equal(s->wrong, 0);
	free(node);
	pursuit_release(&p);
	csr_release(&joint);
}

/* ---- on graphs ---- */

/* Attacks fedspectral+ with `rounds` rounds of ten columns. Each edge is at two of five parties, an
 * overlap of 40 %. The first upload is the product of a random block; later uploads reveal less. */
static void attack_uploads(const char *graph, const struct csr *A, unsigned rounds,
			   struct pursuit_score *clear, struct pursuit_score *masked)
{
	static const struct job job = { .group_bits = 2048, .modulus_bits = 64 };
	struct federation *f = alloc(1, sizeof(*f));
	struct parties tapped;
	struct fedspectral_params how;
	uint32_t *label = alloc(A->rows, sizeof(*label));
	struct parts parts;
	struct tap *t = alloc(1, sizeof(*t));

	for (size_t l = 0; l < PARTIES; l++) {
		snprintf(f->names[l], sizeof(f->names[l]), "p%zu", l);
		f->server.name[l] = f->names[l];
	}
	federation_keys(f, PARTIES, &job);
	parts_deal(&parts, A, PARTIES, 2, 1, 1);
	tap_on(t, &tapped, &parts);
	t->secagg = f->party[0].secagg;
	fedspectral_defaults(&how, CLUSTERS, 1, 2);
	how.tau = 0; /* without tau an upload is N_0 V */
	how.rounds = rounds;
	how.iterations = 1;
	how.restarts = 1;
	assert_ok(fedspectral_plus(&tapped, A->rows, &how, label, NULL));
	clear_uploads(graph, t, clear);
	masked_uploads(graph, t, masked);
	for (size_t l = 0; l < PARTIES; l++)
		secagg_free(f->party[l].secagg);
	tap_release(t);
	parts_release(&parts);
	free(t);
	free(label);
	free(f);
}

static void attack_sums(const char *graph, const struct csr *A, bool all, struct pursuit_score *s)
{
	struct parties tapped;
	struct fedspectral_params how;
	uint32_t *label = alloc(A->rows, sizeof(*label));
	struct parts parts;
	struct tap *t = alloc(1, sizeof(*t));

	parts_deal(&parts, A, PARTIES, 2, 1, 1);
	tap_on(t, &tapped, &parts);
	fedspectral_defaults(&how, CLUSTERS, 1, 2);
	how.tau = 0; /* without tau a sum is N V, with the joint graph's N */
	how.restarts = 1;
	assert_ok(fedspectral_exact(&tapped, A->rows, &how, label, NULL));
	exact_sums(graph, t, A, all, s);
	tap_release(t);
	parts_release(&parts);
	free(t);
	free(label);
}

TEST(planted_graph)
{
	enum { N = 300 };
	struct pursuit_score clear, masked, sums;
	uint32_t truth[N];
	struct csr A;

	parts_planted(&A, N, CLUSTERS, 2000, 0.02, 10, truth);
	attack_uploads("planted", &A, 4, &clear, &masked);
	attack_sums("planted", &A, true, &sums);
	assert_true(share(clear.found, clear.edges) > 0.5);
	assert_int_equal(masked.found, 0);
	assert_true(share(sums.found, sums.edges) > 0.5);
	csr_release(&A);
}

static bool wanted(const char *set, struct csr *A)
{
	return getenv("COTERIE_PURSUIT") && parts_read(set, A);
}

TEST(email)
{
	struct pursuit_score clear, masked, sums;
	struct csr A;

	if (!wanted("email-eu-core", &A))
		skip();
	attack_uploads("email-eu-core", &A, 10, &clear, &masked);
	attack_sums("email-eu-core", &A, true, &sums);
	assert_true(share(clear.found, clear.edges) > 0.4);
	assert_true(share(sums.found, sums.edges) > 0.5);
	csr_release(&A);
}

TEST(facebook)
{
	struct pursuit_score sums;
	struct csr A;

	if (!wanted("ego-facebook", &A))
		skip();
	attack_sums("ego-facebook", &A, strcmp(getenv("COTERIE_PURSUIT"), "all") == 0, &sums);
	assert_true(sums.explained > SAMPLE / 5);
	csr_release(&A);
}
