#include "cli/exposed.h"
#include "cli/args.h"
#include "cli/split.h"
#include "common/base/alloc.h"
#include "common/base/rng.h"
#include "common/data/dataset.h"
#include "common/job/fedsc.h"
#include "common/math/fedsc_pool.h"

#include <stdlib.h>
#include <string.h>

/* ---- sets of rows ---- */

/* A row is a random number and a set their sum: sets are equal where sums are, but for one chance
 * in 2^64 a pair. */
struct set {
	uint64_t sum;
	size_t rows;
};

/* All sets whose sums are known, and for each round who is in which. */
struct watch {
	size_t n;
	const uint64_t *mark; /* n */
	struct set *set;
	size_t sets, room;
	uint32_t *in; /* rounds x n: the set of each row */
	size_t rounds, rounds_room;
	bool *alone, *rest; /* n */
	struct exposed_sums found;
};

static void watch_init(struct watch *w, size_t n, const uint64_t *mark)
{
	*w = (struct watch){ .n = n, .mark = mark };
	ALLOC(w->alone, n);
	ALLOC(w->rest, n);
}

static void watch_release(struct watch *w)
{
	free(w->set);
	free(w->in);
	free(w->alone);
	free(w->rest);
}

static void add_set(struct watch *w, const struct set *s)
{
	if (w->sets == w->room) {
		w->room = w->room ? 2 * w->room : 1024;
		w->set = alloc_again(w->set, w->room, sizeof(*w->set));
	}
	w->set[w->sets++] = *s;
}

static uint32_t *add_round(struct watch *w)
{
	if (w->rounds == w->rounds_room) {
		w->rounds_room = w->rounds_room ? 2 * w->rounds_room : 16;
		w->in = alloc_again(w->in, w->rounds_room * w->n, sizeof(*w->in));
	}
	return w->in + w->rounds++ * w->n;
}

/* Counts are told: who is by himself could be read if sums came with them. */
static void watch_counts(struct watch *w, const uint32_t *label, const double *count)
{
	for (size_t i = 0; i < w->n; i++)
		w->alone[i] |= count[label[i]] == 1;
}

/* Sums are told, of centres with least rows or more; the rest follows from the sum of all. */
static void watch_sums(struct watch *w, const uint32_t *label, const struct fedkmeans_question *q)
{
	size_t first = w->sets;
	struct set rest = { 0 };
	uint32_t *in = add_round(w), *place;

	ALLOC(place, q->k);
	for (size_t r = 0; r < q->k; r++) {
		if (!(q->count[r] >= q->least))
			continue;
		place[r] = (uint32_t)(w->sets + 1);
		add_set(w, &(struct set){ 0 });
		w->found.sums++;
		if (!w->found.fewest || q->count[r] < (double)w->found.fewest)
			w->found.fewest = (size_t)q->count[r];
	}
	for (size_t i = 0; i < w->n; i++) {
		struct set *s = place[label[i]] ? &w->set[place[label[i]] - 1] : &rest;

		s->sum += w->mark[i];
		s->rows++;
		in[i] = place[label[i]] ? place[label[i]] - 1 : UINT32_MAX;
	}
	for (size_t i = 0; i < w->n; i++) {
		w->rest[i] |= rest.rows == 1 && in[i] == UINT32_MAX;
		in[i] = in[i] == UINT32_MAX ? (uint32_t)w->sets : in[i];
	}
	if (rest.rows && w->sets > first)
		add_set(w, &rest);
	free(place);
	w->found.rounds++;
}

static int by_sum(const void *a, const void *b)
{
	uint64_t x = ((const struct set *)a)->sum, y = ((const struct set *)b)->sum;

	return (x > y) - (x < y);
}

static bool is_known(const struct set *set, size_t sets, uint64_t sum, size_t rows)
{
	struct set key = { .sum = sum };
	const struct set *found = bsearch(&key, set, sets, sizeof(*set), by_sum);

	return found && found->rows == rows;
}

/* For each row and each set that it is in: is there a set without it that is otherwise the same? */
static void watch_end(struct watch *w)
{
	struct set all = { 0 }, *sorted;
	bool *pair;

	for (size_t i = 0; i < w->n; i++) {
		all.sum += w->mark[i];
		all.rows++;
	}
	add_set(w, &all);
	add_set(w, &(struct set){ 0 });
	ALLOC(sorted, w->sets);
	memcpy(sorted, w->set, w->sets * sizeof(*sorted));
	qsort(sorted, w->sets, sizeof(*sorted), by_sum);
	ALLOC(pair, w->n);
	for (size_t t = 0; t < w->rounds; t++)
		for (size_t i = 0; i < w->n; i++) {
			const struct set *s = &w->set[w->in[t * w->n + i]];

			pair[i] =
			    pair[i] || is_known(sorted, w->sets, s->sum - w->mark[i], s->rows - 1);
		}
	for (size_t i = 0; i < w->n; i++) {
		pair[i] |= is_known(sorted, w->sets, all.sum - w->mark[i], all.rows - 1);
		w->found.alone += w->alone[i];
		w->found.rest += w->rest[i];
		w->found.exposed += pair[i];
	}
	free(pair);
	free(sorted);
}

/* ---- a run that is watched ---- */

struct run {
	struct fedsc_memory memory;
	struct fedsc_pool inner;
	const uint32_t *part;
	struct watch rows, embedding;
	struct exposed *e;
};

static int by_number(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* Entries (i, j) of B'B, i >= j, by how many rows tie landmarks i and j. */
static void count_products(const struct fedsc_memory *memory, struct exposed *e)
{
	size_t pairs = 0, at = 0;
	uint64_t *pair;

	for (size_t l = 0; l < memory->parties; l++) {
		const struct fedsc_anchor *b = &memory->party[l].anchor;

		pairs += b->n * b->s * (b->s + 1) / 2;
	}
	ALLOC(pair, pairs);
	for (size_t l = 0; l < memory->parties; l++) {
		const struct fedsc_anchor *b = &memory->party[l].anchor;

		for (size_t i = 0; i < b->n; i++)
			for (unsigned p = 0; p < b->s; p++)
				for (unsigned q = 0; q <= p; q++) {
					uint64_t x = b->landmark[i * b->s + p];
					uint64_t y = b->landmark[i * b->s + q];

					pair[at++] = x > y ? x << 32 | y : y << 32 | x;
				}
	}
	qsort(pair, pairs, sizeof(*pair), by_number);
	for (size_t i = 0, next; i < pairs; i = next) {
		for (next = i + 1; next < pairs && pair[next] == pair[i];)
			next++;
		e->products++;
		e->single += next - i == 1;
	}
	free(pair);
}

static enum err ask_watched(void *ctx, const struct fedsc_question *q, const bool *member,
			    double *x)
{
	struct run *run = ctx;
	struct watch *w = run->memory.party[0].embedding.a ? &run->embedding : &run->rows;

	TRY(run->inner.ask(run->inner.ctx, q, member, x));
	if (q->kind == FEDSC_ANCHOR)
		count_products(&run->memory, run->e);
	if (q->kind == FEDSC_CLUSTERS) {
		uint32_t *label = fedsc_gather(&run->memory, run->part, w->n);

		if (q->clusters->kind == FEDKMEANS_COUNTS)
			watch_counts(w, label, x);
		else
			watch_sums(w, label, q->clusters);
		free(label);
	}
	return ERR_OK;
}

static enum err upload_as_is(void *ctx, const struct mat *Z, double r, double lambda,
			     double noise_c, double sigma_c, struct mat *C)
{
	struct run *run = ctx;

	return run->inner.upload(run->inner.ctx, Z, r, lambda, noise_c, sigma_c, C);
}

static enum err hand_back_as_is(void *ctx, const uint32_t *label, size_t n)
{
	struct run *run = ctx;

	return run->inner.hand_back(run->inner.ctx, label, n);
}

static enum err run_watched(struct run *run, const struct job *job, size_t parties,
			    unsigned threads)
{
	struct fedsc_pool pool;
	struct fedsc_params p;
	struct fedsc_report report = { 0 };
	enum err err;

	TRY(job_fedsc_params(job, parties, job->seed, threads, &p));
	fedsc_in_memory(&run->inner, &run->memory);
	pool = run->inner;
	pool.ctx = run;
	pool.ask = ask_watched;
	pool.upload = upload_as_is;
	pool.hand_back = hand_back_as_is;
	err = fedsc_run(&pool, &p, &report);
	fedsc_report_release(&report);
	return err;
}

static enum err check(const struct mat *X, const struct job *job, size_t parties)
{
	if (X->rows < 2 * parties)
		return err_set(ERR_INPUT, "%zu rows for %zu parties, expected at least 2 for each",
			       X->rows, parties);
	if (job->noise != NOISE_NONE)
		return err_set(ERR_INPUT,
			       "job.noise.on is \"%s\", expected \"none\": with noise it is noisy "
			       "rows that sums show",
			       job_noise_names[job->noise]);
	return ERR_OK;
}

/* Parties in memory with their rows; all of them are initialised, whatever comes. */
static enum err deal(struct run *run, const struct mat *X, const struct job *job, size_t parties,
		     unsigned threads)
{
	enum err err = ERR_OK;

	ALLOC(run->memory.party, parties);
	run->memory.parties = parties;
	for (uint32_t l = 0; l < parties && !err; l++) {
		struct mat own;

		fedsc_deal(X, run->part, l, &own);
		err =
		    fedsc_party_init(&run->memory.party[l], &own, job->min_cluster, NULL, threads);
	}
	return err;
}

enum err exposed_by(const struct mat *X, const struct job *job, size_t parties, unsigned threads,
		    struct exposed *e)
{
	struct run run = { .e = e };
	uint32_t *part;
	uint64_t *mark;
	struct rng rng;
	enum err err;

	*e = (struct exposed){ .parties = parties, .n = X->rows };
	TRY(check(X, job, parties));
	ALLOC(part, X->rows);
	split_parts(X->rows, parties, job->seed, part);
	run.part = part;
	ALLOC(mark, X->rows);
	rng_seed(&rng, 1, 0x6578706f736564);
	for (size_t i = 0; i < X->rows; i++)
		mark[i] = rng_u64(&rng);
	watch_init(&run.rows, X->rows, mark);
	watch_init(&run.embedding, X->rows, mark);
	err = deal(&run, X, job, parties, threads);
	if (!err)
		err = run_watched(&run, job, parties, threads);
	if (!err) {
		watch_end(&run.rows);
		e->rows = run.rows.found;
		watch_end(&run.embedding);
		e->embedding = run.embedding.found;
	}
	for (size_t l = 0; l < parties; l++)
		fedsc_party_release(&run.memory.party[l]);
	free(run.memory.party);
	watch_release(&run.rows);
	watch_release(&run.embedding);
	free(mark);
	free(part);
	return err;
}

/* ---- on stdout ---- */

static struct json *sums_json(const struct exposed_sums *s, size_t n)
{
	struct json *v = json_object();

	json_put_number(v, "rounds", (double)s->rounds);
	json_put_number(v, "sums", (double)s->sums);
	json_put_number(v, "fewest_rows", (double)s->fewest);
	json_put_number(v, "alone", (double)s->alone);
	json_put_number(v, "rest_of_one", (double)s->rest);
	json_put_number(v, "exposed", (double)s->exposed);
	json_put_number(v, "share", (double)s->exposed / (double)n);
	return v;
}

static void print(const struct exposed *e, const struct job *job)
{
	struct json *v = json_object();

	json_put_string(v, "kind", job_kind_name(job));
	if (job->kind == JOB_FEDSC)
		json_put_string(v, "variant", job_fedsc_names[job->fedsc_variant]);
	json_put_number(v, "parties", (double)e->parties);
	json_put_number(v, "seed", (double)job->seed);
	json_put_number(v, "points", (double)e->n);
	json_put(v, "rows", sums_json(&e->rows, e->n));
	if (e->embedding.rounds)
		json_put(v, "embedding", sums_json(&e->embedding, e->n));
	if (e->products) {
		json_put_number(v, "products", (double)e->products);
		json_put_number(v, "products_of_one", (double)e->single);
	}
	args_print(v);
	json_free(v);
}

enum err exposed_print(const char *dir, const struct job *job, size_t parties, unsigned threads)
{
	struct dataset_files files;
	struct dataset d = { 0 };
	struct exposed e;
	struct mat X = { 0 };
	enum err err;

	TRY(dataset_find(dir, DATASET_FEATURES, &files));
	err = dataset_load(&d, files.features, NULL, files.ids);
	if (!err && d.X.is_sparse)
		csr_to_dense(&d.X.sparse, &X);
	else if (!err)
		mat_copy(&X, &d.X.dense);
	dataset_release(&d);
	dataset_files_release(&files);
	if (!err)
		err = exposed_by(&X, job, parties, threads, &e);
	if (!err)
		print(&e, job);
	mat_release(&X);
	return err;
}
