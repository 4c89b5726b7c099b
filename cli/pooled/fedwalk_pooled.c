#include "cli/pooled/fedwalk_pooled.h"
#include "common/base/alloc.h"
#include "common/base/clock.h"
#include "common/base/rng.h"
#include "common/fedwalk/account.h"
#include "common/fedwalk/attack.h"
#include "common/fedwalk/bins.h"
#include "common/fedwalk/encode.h"
#include "common/fedwalk/predict.h"
#include "common/fedwalk/response.h"
#include "common/fedwalk/walk.h"
#include "common/linalg/parallel.h"

#include <assert.h>
#include <stdlib.h>
#include <unistd.h>

enum { BLOCK = 64 };
/* Of the seed: what devices draw. A job has their CSPRNG for it. */
enum { NOISE_SEED = 1, WALK_SEED = 2, POOL_SEED = 3, TREE_SEED = 4 };

struct plan {
	const struct csr *g;
	const struct fedwalk_pooled_params *p;
	unsigned k;
	uint8_t *bin;
	float *c; /* n x k */
	bool *isolated;
	struct fedwalk_tree tree;
	struct half half;
	struct fedwalk_encoder encoder;
	struct fedwalk_encoder_report report;
	struct fedwalk_pools pools;
	struct walks *w;
	uint64_t *messages; /* of each block of vertices */
};

static uint64_t seed_of(const struct plan *f, unsigned what)
{
	return 8 * f->p->seed + what;
}

static double lap(double *clock)
{
	double now = clock_now_s(), took = now - *clock;

	*clock = now;
	return took;
}

/* -- steps 1 to 4 ---------------------------------------------------------------------------- */

static enum err count(struct plan *f)
{
	const struct csr *g = f->g;

	fedwalk_bins(g->rows, f->k, f->p->seed, f->bin);
	for (size_t v = 0; v < g->rows; v++) {
		struct rng rng;
		struct noise_source source = draw_from_rng(&rng);

		if (f->isolated[v])
			continue;
		rng_seed(&rng, seed_of(f, NOISE_SEED), v);
		TRY(fedwalk_counts(&source, f->p->eps, f->bin, f->k, g->index + g->start[v],
				   g->start[v + 1] - g->start[v], f->c + v * f->k));
	}
	return ERR_OK;
}

static void warp(struct plan *f)
{
	const struct csr *g = f->g;
	struct fedwalk_matrices m = { .n = g->rows, .k = f->k, .start = g->start };
	float *row;

	ALLOC(row, g->start[g->rows] * f->k);
	for (size_t v = 0; v < g->rows; v++)
		fedwalk_matrix(f->c, f->k, g->index + g->start[v], g->start[v + 1] - g->start[v],
			       row + g->start[v] * f->k);
	m.row = row;
	fedwalk_dtw(&m, f->p->dtw_rows, f->p->threads, &f->half);
	free(row);
}

static void grow_tree(struct plan *f, struct json *seconds)
{
	double clock = clock_now_s();
	struct half used;

	if (f->p->how == FEDWALK_LANDMARKS) {
		fedwalk_tree_landmarks(&f->tree, f->c, f->g->rows, f->k, seed_of(f, TREE_SEED),
				       f->p->threads);
		json_put_seconds(seconds, "tree", lap(&clock));
		return;
	}
	if (f->p->how == FEDWALK_DTW)
		warp(f);
	else
		fedwalk_l1(f->c, f->g->rows, f->k, f->p->threads, &f->half);
	json_put_seconds(seconds, "dissimilarity", lap(&clock));
	half_copy(&used, &f->half);
	fedwalk_tree_average(&f->tree, &used);
	half_release(&used);
	json_put_seconds(seconds, "tree", lap(&clock));
}

/* -- steps 5 and 6 --------------------------------------------------------------------------- */

static void prepare(struct plan *f, struct json *seconds)
{
	struct fedwalk_dissimilarity d = {
		.n = f->g->rows, .half = f->half.n ? &f->half : NULL, .c = f->c, .k = f->k
	};
	double clock = clock_now_s();

	fedwalk_encoder_init(&f->encoder, &f->tree, &d, f->p->eps, f->p->threads, &f->report);
	half_release(&f->half);
	json_put_seconds(seconds, "encoder", lap(&clock));
	fedwalk_pools_init(&f->pools, &f->tree, f->c, f->bin, f->k, f->isolated,
			   seed_of(f, POOL_SEED), f->p->threads);
	json_put_seconds(seconds, "pools", lap(&clock));
}

/* One walk; how many messages it took from device to device. */
static uint64_t walk(const struct plan *f, uint32_t at, uint32_t *token, struct draw *d)
{
	const struct csr *g = f->g;
	uint64_t messages = 0;
	unsigned left = f->p->length;

	while (left) {
		struct fedwalk_turn turn;

		fedwalk_take_turn(g->index + g->start[at], NULL, g->start[at + 1] - g->start[at],
				  &f->pools, f->p->p, left, d, &turn);
		for (unsigned i = 0; i < turn.tokens; i++)
			*token++ = fedwalk_encode(&f->encoder, turn.token[i], d);
		messages += turn.left > 0;
		left = turn.left;
		at = turn.next;
	}
	return messages;
}

static void walk_block(void *ctx, unsigned worker, size_t block)
{
	const struct plan *f = ctx;
	size_t n = f->g->rows, end = (block + 1) * BLOCK < n ? (block + 1) * BLOCK : n;

	(void)worker;
	for (size_t v = block * BLOCK; v < end; v++) {
		struct rng rng;
		struct noise_source source = draw_from_rng(&rng);
		struct draw draw;
		enum err err;

		if (f->isolated[v])
			continue;
		rng_seed(&rng, seed_of(f, WALK_SEED), v);
		draw_init(&draw, &source);
		for (unsigned i = 0; i < f->p->gamma; i++)
			f->messages[block] +=
			    walk(f, (uint32_t)v, f->w->token + (i * n + v) * f->p->length, &draw);
		err = draw_end(&draw);
		assert(!err); /* a seed does not fail */
		(void)err;
	}
}

static void put_messages(const struct plan *f, double walks, struct json *result)
{
	struct json *o = json_put_object(result, "messages");
	double sum = 0;

	for (size_t b = 0; b * BLOCK < f->g->rows; b++)
		sum += (double)f->messages[b];
	json_put_number(o, "device_to_device", sum);
	json_put_number(o, "per_walk", sum / walks);
	json_put_number(o, "expected_per_walk", fedwalk_messages(f->p->length, f->p->p));
	json_put_number(o, "by_the_paper", fedwalk_messages_paper(f->p->length, f->p->p));
}

static void walk_all(struct plan *f, struct json *result, struct json *seconds)
{
	size_t n = f->g->rows, blocks = (n + BLOCK - 1) / BLOCK, linked = 0;
	double clock = clock_now_s();

	for (size_t v = 0; v < n; v++)
		linked += !f->isolated[v];
	walks_init(f->w, n * f->p->gamma, f->p->length);
	ALLOC(f->messages, blocks);
	parallel(f->p->threads, blocks, walk_block, f);
	json_put_seconds(seconds, "walks", lap(&clock));
	put_messages(f, (double)linked * f->p->gamma, result);
	free(f->messages);
}

/* -- what it tells --------------------------------------------------------------------------- */

static void attack(const struct plan *f, struct json *result, struct json *seconds)
{
	const struct csr *g = f->g;
	struct json *o = json_put_object(result, "edge_attack");
	struct fedwalk_attack_score score = { 0 };
	double clock = clock_now_s();
	struct fedwalk_guess guess;

	fedwalk_attack(f->w, g->rows, fedwalk_attack_size(f->c, g->rows, f->k), f->p->threads,
		       &guess);
	for (size_t v = 0; v < g->rows; v++)
		fedwalk_attack_judge(&guess, (uint32_t)v, g->index + g->start[v],
				     g->start[v + 1] - g->start[v], &score);
	json_put_number(o, "guessed", score.guessed);
	json_put_number(o, "precision", fedwalk_attack_precision(&score));
	json_put_number(o, "recall", fedwalk_attack_recall(&score));
	json_put_seconds(seconds, "edge_attack", lap(&clock));
	fedwalk_guess_release(&guess);
}

static void put_spent(const struct plan *f, struct json *result)
{
	struct fedwalk_account a = { .response = f->p->response,
				     .eps = f->p->eps,
				     .matrices = f->p->how == FEDWALK_DTW,
				     .eps0 = f->report.eps0,
				     .l = f->p->length,
				     .gamma = f->p->gamma,
				     .n = f->g->rows };
	struct json *spent = json_put_array(result, "privacy");
	struct fedwalk_spent s[FEDWALK_SPENT_MAX];
	size_t n = fedwalk_account(&a, s);

	for (size_t i = 0; i < n; i++) {
		struct json *o = json_append_object(spent);

		json_put_string(o, "mechanism", s[i].mechanism);
		json_put_string(o, "unit", s[i].unit);
		json_put_number(o, "eps_each", s[i].eps_each); /* null: infinite */
		json_put_number(o, "releases", s[i].releases);
		json_put_number(o, "eps", s[i].eps);
		json_put_string(o, "composition", s[i].composition);
	}
}

static void put_encoder(const struct plan *f, struct json *result)
{
	struct json *o = json_put_object(result, "encoder");

	json_put_number(o, "eps0", f->report.eps0);
	json_put_number(o, "kept", f->report.kept);
	json_put_number(o, "kept_least", f->report.kept_least);
	json_put_number(o, "dropped", f->report.dropped);
	json_put_number(o, "longest", (double)f->report.longest);
}

/* -- the two modes --------------------------------------------------------------------------- */

static enum err by_walks(struct plan *f, struct json *result, struct json *seconds)
{
	double clock = clock_now_s();

	TRY(count(f));
	json_put_seconds(seconds, "counts", lap(&clock));
	grow_tree(f, seconds);
	prepare(f, seconds);
	walk_all(f, result, seconds);
	put_encoder(f, result);
	attack(f, result, seconds);
	return ERR_OK;
}

/* All reports, both ways. */
static enum err gather_reports(const struct plan *f, struct csr *said)
{
	const struct csr *g = f->g;
	struct triple *t = NULL;
	size_t n = 0, room = 0;
	enum err err = ERR_OK;

	for (size_t u = 0; u < g->rows && !err; u++) {
		struct rng rng;
		struct noise_source source = draw_from_rng(&rng);
		uint32_t *report;
		size_t reports;

		rng_seed(&rng, seed_of(f, NOISE_SEED), u);
		err =
		    fedwalk_report(&source, f->p->eps, g->rows, (uint32_t)u, g->index + g->start[u],
				   g->start[u + 1] - g->start[u], &report, &reports);
		if (err)
			break;
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
	if (!err) {
		csr_from_triples(said, g->rows, g->rows, t, n);
		free(said->value);
		said->value = NULL;
	}
	free(t);
	return err;
}

static enum err by_response(struct plan *f, struct json *result, struct json *seconds)
{
	double clock = clock_now_s();
	struct csr said;

	TRY(gather_reports(f, &said));
	json_put_number(result, "reported", (double)(said.start[said.rows] / 2));
	json_put_number(result, "flip", fedwalk_flip(f->p->eps));
	json_put_seconds(seconds, "reports", lap(&clock));
	fedwalk_debias(&said, f->p->eps, f->p->threads);
	json_put_seconds(seconds, "debias", lap(&clock));
	walks_random(f->w, &said, f->p->gamma, f->p->length, seed_of(f, WALK_SEED), f->p->threads);
	json_put_seconds(seconds, "walks", lap(&clock));
	csr_release(&said);
	return ERR_OK;
}

static enum err check(const struct plan *f)
{
	double have = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
	double need =
	    fedwalk_tree_bytes(f->g->rows, f->k, f->p->how, (double)f->g->start[f->g->rows]);

	if (f->k > f->g->rows || f->k > FEDWALK_BINS_MAX)
		return err_set(ERR_INPUT,
			       "%u bins for %zu vertices, expected at most %d and as "
			       "many as there are vertices",
			       f->k, f->g->rows, FEDWALK_BINS_MAX);
	if (!f->p->response && need > have)
		return err_set(ERR_INPUT,
			       "the dissimilarities of %zu vertices take %.1f GiB; this host has "
			       "%.1f: ask for landmarks",
			       f->g->rows, need / 0x1p30, have / 0x1p30);
	return ERR_OK;
}

enum err fedwalk_pooled(const struct csr *g, const struct fedwalk_pooled_params *p, struct walks *w,
			struct json *result)
{
	struct plan f = { .g = g, .p = p, .w = w };
	struct json *seconds = json_put_object(result, "seconds");
	enum err err;

	f.k = p->bins ? p->bins : fedwalk_bins_default(g->rows);
	TRY(check(&f));
	ALLOC(f.bin, g->rows);
	ALLOC(f.c, g->rows * f.k);
	ALLOC(f.isolated, g->rows);
	for (size_t v = 0; v < g->rows; v++)
		f.isolated[v] = g->start[v] == g->start[v + 1];
	json_put_number(result, "bins", f.k);
	err = p->response ? by_response(&f, result, seconds) : by_walks(&f, result, seconds);
	if (!err)
		put_spent(&f, result);
	fedwalk_tree_release(&f.tree);
	fedwalk_encoder_release(&f.encoder);
	fedwalk_pools_release(&f.pools);
	half_release(&f.half);
	free(f.bin);
	free(f.c);
	free(f.isolated);
	return err;
}
