/* coterie-lab fedwalk: FedWalk on a pooled graph in one process. It computes the same as a job of
 * kind fedwalk with any number of parties, except that random numbers come from a seed. */
#include "lab/pooled/embed_graph.h"
#include "lab/lab.h"
#include "common/base/alloc.h"
#include "common/base/clock.h"
#include "common/base/machine.h"
#include "protocols/fedwalk/attack.h"
#include "protocols/fedwalk/bins.h"
#include "protocols/fedwalk/encode.h"
#include "protocols/fedwalk/facts.h"
#include "protocols/fedwalk/job.h"
#include "protocols/fedwalk/response.h"
#include "protocols/fedwalk/walk.h"
#include "common/job/job.h"
#include "common/linalg/parallel.h"
#include "lab/pooled/seeded.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK = 64 };
/* Seeds of the devices' draws. A job uses the devices' CSPRNG. */
enum { NOISE_SEED = 1, WALK_SEED = 2, POOL_SEED = 3, TREE_SEED = 4 };

struct plan {
	const struct fedwalk_job *job;
	enum fedwalk_how how; /* method by which the tree is made */
	unsigned threads;
	const struct csr *g; /* n x n; its values are not used */
	unsigned k;
	uint8_t *bin;
	float *c; /* n x k */
	bool *isolated;
	struct fedwalk_tree tree;
	struct triangle triangle;
	struct fedwalk_encoder encoder;
	struct fedwalk_encoder_report report;
	struct fedwalk_pools pools;
	struct walks *w; /* walks, grouped by vertex; isolated vertices have none */
	uint64_t *messages;
	struct json *result, *seconds;
	double clock;
};

static uint64_t seed_of(const struct plan *f, unsigned what)
{
	return 8 * f->job->seed + what;
}

static void lap(struct plan *f, const char *name)
{
	double now = clock_now_s();

	json_put_seconds(f->seconds, name, now - f->clock);
	f->clock = now;
}

/* -- Algorithm 2: the tree ------------------------------------------------------------------ */

static void grow_tree(struct plan *f)
{
	const struct csr *g = f->g;
	struct triangle used;

	if (f->how == FEDWALK_LANDMARKS) {
		fedwalk_tree_landmarks(&f->tree, f->c, g->rows, f->k, seed_of(f, TREE_SEED),
				       f->threads);
		lap(f, "tree");
		return;
	}
	if (f->how == FEDWALK_DTW) {
		float *row = alloc(g->start[g->rows] * f->k, sizeof(*row));
		struct fedwalk_matrices m = { g->rows, f->k, g->start, row };

		for (size_t v = 0; v < g->rows; v++)
			fedwalk_matrix(f->c, f->k, g->index + g->start[v],
				       g->start[v + 1] - g->start[v], row + g->start[v] * f->k);
		fedwalk_dtw(&m, f->job->dtw_rows, f->threads, &f->triangle);
		free(row);
	} else {
		fedwalk_l1(f->c, g->rows, f->k, f->threads, &f->triangle);
	}
	lap(f, "dissimilarity");
	triangle_copy(&used, &f->triangle);
	fedwalk_tree_average(&f->tree, &used);
	triangle_release(&used);
	lap(f, "tree");
}

/* -- Algorithm 1: the walks ----------------------------------------------------------------- */

/* Makes one walk; returns the number of messages between devices. */
static uint64_t pooled_fedwalk_walk(const struct plan *f, uint32_t at, uint32_t *token,
				    struct draw *d)
{
	const struct csr *g = f->g;
	uint64_t messages = 0;
	unsigned left = f->job->length;

	while (left) {
		struct fedwalk_turn turn;

		fedwalk_take_turn(g->index + g->start[at], g->start[at + 1] - g->start[at],
				  &f->pools, f->job->p, left, d, &turn);
		for (unsigned i = 0; i < turn.tokens; i++)
			*token++ = fedwalk_encode(&f->encoder, turn.token[i], d);
		messages += turn.left > 0;
		left = turn.left;
		at = turn.next;
	}
	return messages;
}

static void pooled_fedwalk_walk_block(void *ctx, unsigned worker, size_t block)
{
	const struct plan *f = ctx;
	size_t n = f->g->rows, end = (block + 1) * BLOCK < n ? (block + 1) * BLOCK : n;

	(void)worker;
	for (size_t v = block * BLOCK; v < end; v++) {
		struct rng rng;
		struct noise_source source = seeded_source(&rng);
		struct draw draw;
		enum err err;

		if (f->isolated[v])
			continue;
		rng_seed(&rng, seed_of(f, WALK_SEED), v);
		draw_init(&draw, &source);
		for (unsigned i = 0; i < f->job->walks; i++)
			f->messages[block] += pooled_fedwalk_walk(
			    f, (uint32_t)v, f->w->token + (i * n + v) * f->job->length, &draw);
		err = draw_end(&draw);
		assert(!err); /* a seeded source does not fail */
		(void)err;
	}
}

/* Returns the number of messages that equation 13 of the paper gives. This equation does not solve
 * the recurrence of fedwalk_messages(). */
static double messages_by_paper(unsigned l, double p)
{
	if (l < 2)
		return 0;
	return (l - 2) / (1 + p) + (2 - 2 * p - 1 / (1 + p)) * (1 - pow(-p, l - 2)) / (1 + p);
}

static void walk_all(struct plan *f)
{
	size_t n = f->g->rows, blocks = (n + BLOCK - 1) / BLOCK, linked = 0;
	double sum = 0;
	struct json *o;

	for (size_t v = 0; v < n; v++)
		linked += !f->isolated[v];
	walks_init(f->w, n * f->job->walks, f->job->length);
	ALLOC(f->messages, blocks);
	parallel(f->threads, blocks, pooled_fedwalk_walk_block, f);
	lap(f, "walks");
	for (size_t b = 0; b < blocks; b++)
		sum += (double)f->messages[b];
	free(f->messages);
	o = json_put_object(f->result, "messages");
	json_put_number(o, "device_to_device", sum);
	json_put_number(o, "per_walk", sum / ((double)linked * f->job->walks));
	json_put_number(o, "expected_per_walk", fedwalk_messages(f->job->length, f->job->p));
	json_put_number(o, "by_the_paper", messages_by_paper(f->job->length, f->job->p));
}

static void pooled_fedwalk_attack(struct plan *f)
{
	const struct csr *g = f->g;
	struct json *o = json_put_object(f->result, "edge_attack");
	struct fedwalk_attack_score score = { 0 };
	struct fedwalk_guess guess;

	fedwalk_attack(f->w, g->rows, fedwalk_attack_size(f->c, g->rows, f->k), f->threads, &guess);
	for (size_t v = 0; v < g->rows; v++)
		fedwalk_attack_judge(&guess, (uint32_t)v, g->index + g->start[v],
				     g->start[v + 1] - g->start[v], &score);
	json_put_number(o, "guessed", score.guessed);
	json_put_number(o, "precision", fedwalk_share(score.right, score.guessed));
	json_put_number(o, "recall", fedwalk_share(score.right, score.ties));
	lap(f, "edge_attack");
	fedwalk_guess_release(&guess);
}

/* -- the two modes -------------------------------------------------------------------------- */

static enum err by_walks(struct plan *f)
{
	const struct csr *g = f->g;
	struct fedwalk_dissimilarity d = { .n = g->rows, .c = f->c, .k = f->k };
	struct json *o;

	fedwalk_bins(g->rows, f->k, f->job->seed, f->bin);
	for (size_t v = 0; v < g->rows; v++) {
		struct rng rng;
		struct noise_source source = seeded_source(&rng);

		if (f->isolated[v])
			continue;
		rng_seed(&rng, seed_of(f, NOISE_SEED), v);
		TRY(fedwalk_counts(&source, f->job->eps, f->bin, f->k, g->index + g->start[v],
				   g->start[v + 1] - g->start[v], f->c + v * f->k));
	}
	lap(f, "counts");
	grow_tree(f);
	d.triangle = f->triangle.n ? &f->triangle : NULL;
	fedwalk_encoder_init(&f->encoder, &f->tree, &d, f->job->eps, f->threads, &f->report);
	triangle_release(&f->triangle);
	lap(f, "encoder");
	fedwalk_pools_init(&f->pools, &f->tree, f->c, f->bin, f->k, f->isolated,
			   seed_of(f, POOL_SEED), f->threads);
	lap(f, "pools");
	walk_all(f);
	o = json_put_object(f->result, "encoder");
	json_put_number(o, "eps0", f->report.eps0);
	json_put_number(o, "kept", f->report.kept);
	json_put_number(o, "kept_least", f->report.kept_least);
	json_put_number(o, "dropped", f->report.dropped);
	json_put_number(o, "longest", (double)f->report.longest);
	pooled_fedwalk_attack(f);
	return ERR_OK;
}

/* Makes walks on the graph of the edges that devices report. Each reported edge is used in both
 * directions. */
static enum err by_response(struct plan *f)
{
	const struct fedwalk_job *job = f->job;
	const struct csr *g = f->g;
	struct triple *t = NULL;
	struct csr said;
	size_t n = 0, room = 0;
	enum err err;

	for (size_t u = 0; u < g->rows; u++) {
		struct rng rng;
		struct noise_source source = seeded_source(&rng);
		uint32_t *report;
		size_t reports;

		rng_seed(&rng, seed_of(f, NOISE_SEED), u);
		err =
		    fedwalk_report(&source, job->eps, g->rows, (uint32_t)u, g->index + g->start[u],
				   g->start[u + 1] - g->start[u], &report, &reports);
		if (err) {
			free(t);
			return err;
		}
		if (n + 2 * reports > room) {
			room = 2 * (n + 2 * reports);
			t = alloc_again(t, room, sizeof(*t));
		}
		for (size_t i = 0; i < reports; i++) {
			t[n++] = (struct triple){ (uint32_t)u, report[i], 1 };
			t[n++] = (struct triple){ report[i], (uint32_t)u, 1 };
		}
		free(report);
	}
	csr_from_triples(&said, g->rows, g->rows, t, n);
	free(t);
	free(said.value);
	said.value = NULL;
	json_put_number(f->result, "reported", (double)(said.start[said.rows] / 2));
	json_put_number(f->result, "flip", fedwalk_flip(job->eps));
	lap(f, "reports");
	fedwalk_debias(&said, job->eps, f->threads);
	lap(f, "debias");
	walks_random(f->w, &said, job->walks, job->length, seed_of(f, WALK_SEED), f->threads);
	lap(f, "walks");
	csr_release(&said);
	return ERR_OK;
}

static enum err pooled_fedwalk_check(const struct plan *f)
{
	size_t n = f->g->rows;
	double need = fedwalk_tree_bytes(n, f->k, f->how, (double)f->g->start[n]);

	if (f->k > n || f->k > FEDWALK_BINS_MAX)
		return err_set(ERR_INPUT,
			       "%u bins for %zu vertices, expected at most %d and as "
			       "many as there are vertices",
			       f->k, n, FEDWALK_BINS_MAX);
	if (f->job->mode != FEDWALK_WALKS)
		return ERR_OK;
	return machine_fits("--dissimilarity",
			    "that of all pairs of vertices (landmarks take less)", need);
}

/* Makes walks on g, and reports in result. w is initialised here. ERR_INPUT: there are too many
 * bins, or memory does not suffice. */
static enum err pooled(const struct csr *g, const struct fedwalk_job *job, enum fedwalk_how how,
		       unsigned threads, struct walks *w, struct json *result)
{
	struct plan f = {
		.job = job, .how = how, .threads = threads, .g = g, .w = w, .result = result
	};
	struct fedwalk_spent spent[FEDWALK_SPENT_MAX];
	struct json *privacy;
	size_t mechanisms;
	enum err err;

	f.seconds = json_put_object(result, "seconds");
	f.clock = clock_now_s();
	f.k = fedwalk_job_bins(job, g->rows);
	TRY(pooled_fedwalk_check(&f));
	ALLOC(f.bin, g->rows);
	ALLOC(f.c, g->rows * f.k);
	ALLOC(f.isolated, g->rows);
	for (size_t v = 0; v < g->rows; v++)
		f.isolated[v] = g->start[v] == g->start[v + 1];
	json_put_number(result, "bins", f.k);
	err = job->mode == FEDWALK_RESPONSE ? by_response(&f) : by_walks(&f);
	if (err)
		goto out;
	privacy = json_put_array(result, "privacy");
	mechanisms = fedwalk_account(job, f.report.eps0, spent);
	for (size_t i = 0; i < mechanisms; i++) {
		struct json *o = json_append_object(privacy);

		json_put_string(o, "mechanism", spent[i].mechanism);
		json_put_string(o, "unit", spent[i].unit);
		/* JSON null stands for infinity. */
		json_put_number(o, "eps_each", spent[i].eps_each);
		json_put_number(o, "releases", spent[i].releases);
		json_put_number(o, "eps", spent[i].eps);
		json_put_string(o, "composition", spent[i].composition);
	}
out:
	fedwalk_tree_release(&f.tree);
	fedwalk_encoder_release(&f.encoder);
	fedwalk_pools_release(&f.pools);
	triangle_release(&f.triangle);
	free(f.bin);
	free(f.c);
	free(f.isolated);
	return err;
}

/* -- the command ---------------------------------------------------------------------------- */

struct arguments {
	struct embed_graph_arguments graph;
	struct job job;
	enum fedwalk_how how;
};

enum { KEY_EPSILON = 256, KEY_BINS, KEY_MODE };

static const struct argp_option options[] = {
	{ "mode", KEY_MODE, "MODE", 0,
	  "walks (the paper; default), or randomized-response: each pair is reported with noise "
	  "once, the rest is made of that",
	  0 },
	{ "epsilon", KEY_EPSILON, "E", 0, "of the noise; default 2; of the response: 8", 0 },
	{ "bins", KEY_BINS, "K", 0, "default: floor(ln n)", 0 },
	{ "predict", 'p', "P", 0, "how often the two-hop predictor is asked; default 0.2", 0 },
	{ "dissimilarity", 'd', "HOW", 0,
	  "l1 (default), dtw (the paper), dtw-32 (of at most 32 rows), landmarks", 0 },
	{ 0 },
};

static struct job defaults(enum fedwalk_mode mode)
{
	char text[64];
	struct job job;
	enum err err;

	snprintf(text, sizeof(text), "{\"kind\": \"fedwalk\", \"mode\": \"%s\"}",
		 fedwalk_mode_names[mode]);
	err = job_parse(&job, (struct bytes){ (uint8_t *)text, strlen(text) }, "fedwalk", NULL);
	assert(!err);
	(void)err;
	return job;
}

static void parse_how(struct argp_state *state, const char *text, struct arguments *a)
{
	static const struct {
		const char *name;
		enum fedwalk_dissimilarity_by dissimilarity;
		enum fedwalk_how how;
		unsigned rows;
	} how[] = { { "l1", DISSIMILARITY_L1, FEDWALK_L1, 0 },
		    { "dtw", DISSIMILARITY_DTW, FEDWALK_DTW, 0 },
		    { "dtw-32", DISSIMILARITY_DTW, FEDWALK_DTW, FEDWALK_DTW_ROWS },
		    { "landmarks", DISSIMILARITY_L1, FEDWALK_LANDMARKS, 0 } };
	struct fedwalk_job *job = fedwalk_job(&a->job);

	for (size_t i = 0; i < sizeof(how) / sizeof(*how); i++) {
		if (strcmp(how[i].name, text) != 0)
			continue;
		job->dissimilarity = how[i].dissimilarity;
		a->how = how[i].how;
		job->dtw_rows = how[i].rows;
		return;
	}
	argp_error(state, "--dissimilarity is \"%s\", expected l1, dtw, dtw-32 or landmarks", text);
}

static error_t pooled_fedwalk_parse(int key, char *arg, struct argp_state *state)
{
	struct arguments *a = state->input;
	struct fedwalk_job *job = fedwalk_job(&a->job);

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &a->graph;
		a->job = defaults(FEDWALK_WALKS);
		job->eps = 0;
		a->how = FEDWALK_L1;
		return 0;
	case KEY_MODE:
		job->mode = strcmp(arg, "randomized-response") ? FEDWALK_WALKS : FEDWALK_RESPONSE;
		if (job->mode == FEDWALK_WALKS && strcmp(arg, "walks") != 0)
			argp_error(state, "--mode is \"%s\", expected walks or randomized-response",
				   arg);
		return 0;
	case KEY_EPSILON:
		job->eps = args_number(state, "epsilon", arg, FEDWALK_EPS_MIN, FEDWALK_EPS_MAX);
		return 0;
	case KEY_BINS:
		job->bins = (unsigned)args_whole(state, "bins", arg, 1, FEDWALK_BINS_MAX);
		return 0;
	case 'p':
		job->p = args_number(state, "predict", arg, 0, 1);
		return 0;
	case 'd':
		parse_how(state, arg, a);
		return 0;
	case ARGP_KEY_END:
		if (!(job->eps > 0)) {
			struct job standard = defaults(job->mode);

			job->eps = fedwalk_job(&standard)->eps;
		}
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static enum err pooled_fedwalk_run(void *arguments)
{
	struct arguments *a = arguments;
	struct json *result = json_object();
	struct dataset d;
	struct walks w;
	enum err err = embed_graph_read(&a->graph, &d, result);

	fedwalk_job(&a->job)->walks = a->graph.gamma;
	fedwalk_job(&a->job)->length = a->graph.length;
	a->job.seed = a->graph.seed;
	if (!err) {
		err = pooled(&d.g.adjacency, fedwalk_job(&a->job), a->how, a->graph.threads, &w,
			     result);
		if (!err) {
			err = embed_graph_finish(&a->graph, &d, &w, result);
			walks_release(&w);
		}
		dataset_release(&d);
	}
	if (!err)
		args_print(result);
	json_free(result);
	return err;
}

int fedwalk_main(int argc, char **argv)
{
	static const struct argp_child children[] = { { &embed_graph_argp, 0, NULL, 0 }, { 0 } };
	static const struct argp argp = {
		.options = options,
		.parser = pooled_fedwalk_parse,
		.doc = "Embeds the vertices of a pooled graph as a job of kind fedwalk does it for "
		       "vertices that are spread over parties, with random numbers from a seed: to "
		       "try parameters, and to see what a job would tell.\v"
		       "The result has the messages a walk takes from device to device, eps, with "
		       "delta 0, of a tie by discrete Laplace noise or randomised response and of "
		       "a token by the encoder's exponential mechanism, and how many ties the "
		       "walks give away. But for randomised response the whole has no "
		       "differential privacy that is of use.",
		.children = children,
	};
	struct arguments a = { .graph = EMBED_GRAPH_DEFAULTS };

	return (int)args_run("fedwalk", &argp, argc, argv, &a, pooled_fedwalk_run);
}
