#include "lab/privacy/privacy.h"
#include "lab/lab.h"
#include "cli/split/split.h"
#include "common/base/alloc.h"
#include "common/base/rng.h"
#include "common/data/dataset.h"
#include "common/data/standard.h"
#include "protocols/fedsc/job.h"
#include "protocols/fedsc/coordinator.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* -- sets of rows --------------------------------------------------------------------------- */

/* A set of rows. Each row has a random number. Two sets count as equal if the sums of their rows'
 * numbers are equal; unequal sets collide with probability 2^-64. The coordinator sees the number
 * of rows of a set, and its sums. */
struct set {
	uint64_t sum;
	size_t rows;
	/* Index of the set's m + 1 numbers: the sum of each of m columns, then the sum of the rows'
	 * squared lengths. */
	size_t numbers;
	double sum_off;    /* largest error of the sum, caused by fixed-point rounding */
	double square_off; /* largest error of the sum of squared lengths */
};

/* All sets whose sums are known, and each row's set in each round. */
struct watch {
	size_t n, m;
	double off;           /* error of one number of a sum, caused by fixed-point rounding */
	const uint64_t *mark; /* n: the random number of each row */
	/* Whether the coordinator knows the sum of all rows. If rows are centred, this sum is 0;
	 * otherwise it must have seen the sum. */
	bool sum_is_known;
	struct set all;
	struct set *set;
	size_t sets, room;
	double *number;
	size_t numbers_room;
	struct mat centres;
	uint32_t *in; /* rounds x n: the set of each row */
	size_t rounds, rounds_room;
	/* n entries each. alone: the row was the only one at a centre in some round. rest: it was
	 * the only row that was in no sum of some round. */
	bool *alone, *rest;
	struct exposed_sums found;
};

static void exposed_watch_init(struct watch *w, size_t n, size_t m, const uint64_t *mark,
			       double off)
{
	*w = (struct watch){ .n = n, .m = m, .mark = mark, .off = off };
	ALLOC(w->alone, n);
	ALLOC(w->rest, n);
}

static void watch_release(struct watch *w)
{
	mat_release(&w->centres);
	free(w->number);
	free(w->set);
	free(w->in);
	free(w->alone);
	free(w->rest);
}

static double *numbers_of(const struct watch *w, const struct set *s)
{
	return w->number + s->numbers * (w->m + 1);
}

/* Adds a set whose sums are zero. The pointer is valid until the next call. */
static struct set *add_set(struct watch *w)
{
	if (w->sets == w->room) {
		w->room = w->room ? 2 * w->room : 1024;
		w->set = alloc_again(w->set, w->room, sizeof(*w->set));
		w->number = alloc_again(w->number, w->room, (w->m + 1) * sizeof(*w->number));
	}
	w->set[w->sets] = (struct set){ .numbers = w->sets };
	memset(numbers_of(w, &w->set[w->sets]), 0, (w->m + 1) * sizeof(*w->number));
	return &w->set[w->sets++];
}

/* Stores the sums of a set. Uses sum ||x||^2 = sum ||x - c||^2 + 2 c' sum x - rows ||c||^2. */
static void exposed_take_numbers(struct watch *w, struct set *s, const double *x, const double *c,
				 size_t rows)
{
	double *to = numbers_of(w, s), square = x[w->m], length = 0;

	for (size_t j = 0; j < w->m; j++) {
		to[j] = x[j];
		square += 2 * c[j] * x[j] - (double)rows * c[j] * c[j];
		length += c[j] * c[j];
	}
	to[w->m] = square;
	s->sum_off = w->off * sqrt((double)w->m);
	s->square_off = w->off + 2 * sqrt(length) * s->sum_off;
}

/* Makes the set of rows that were left out of a round: all rows minus the sets of the round, which
 * start at `first`. */
static void take_rest(struct watch *w, struct set *rest, size_t first)
{
	double *to = numbers_of(w, rest);

	rest->sum_off = w->all.sum_off;
	rest->square_off = w->all.square_off;
	memcpy(to, numbers_of(w, &w->all), (w->m + 1) * sizeof(*to));
	for (const struct set *s = w->set + first; s < rest; s++) {
		for (size_t j = 0; j <= w->m; j++)
			to[j] -= numbers_of(w, s)[j];
		rest->sum_off += s->sum_off;
		rest->square_off += s->square_off;
	}
}

/* Records the sums of centres that have at least q->least rows. If the sum of all rows is known,
 * also records the sum of the remaining rows. */
static void watch_sums(struct watch *w, const uint32_t *label, const struct fedkmeans_question *q,
		       const double *x)
{
	size_t first = w->sets, *place; /* per centre: 1 + index of its set; 0: no set */
	uint32_t *in;
	struct set *rest;

	if (w->rounds == w->rounds_room) {
		w->rounds_room = w->rounds_room ? 2 * w->rounds_room : 16;
		w->in = alloc_again(w->in, w->rounds_room * w->n, sizeof(*w->in));
	}
	in = w->in + w->rounds++ * w->n;
	ALLOC(place, q->k);
	for (size_t r = 0; r < q->k; r++) {
		if (!(q->count[r] >= q->least))
			continue;
		exposed_take_numbers(w, add_set(w), x, ROW(&w->centres, r), (size_t)q->count[r]);
		x += w->m + 1;
		place[r] = w->sets;
		w->found.sums++;
		if (!w->found.fewest || q->count[r] < (double)w->found.fewest)
			w->found.fewest = (size_t)q->count[r];
	}
	rest = add_set(w);
	for (size_t i = 0; i < w->n; i++) {
		size_t at = place[label[i]] ? place[label[i]] - 1 : w->sets - 1;

		w->set[at].sum += w->mark[i];
		w->set[at].rows++;
		in[i] = (uint32_t)at;
	}
	free(place);
	w->found.rounds++;
	if (!w->sum_is_known && w->set[first].rows == w->n) {
		w->sum_is_known = true;
		w->all = w->set[first];
	}
	if (w->sum_is_known && rest->rows) {
		take_rest(w, rest, first);
		for (size_t i = 0; i < w->n; i++)
			w->rest[i] |= rest->rows == 1 && in[i] == w->sets - 1;
	} else {
		rest->sum = w->mark[0] + 1; /* with this sum and size, `rest` equals no other set */
		rest->rows = w->n + 1;
	}
}

/* -- sets that differ by one row ------------------------------------------------------------ */

static int exposed_by_size(const void *a, const void *b)
{
	const struct set *x = a, *y = b;

	if (x->rows != y->rows)
		return x->rows < y->rows ? -1 : 1;
	return (x->sum > y->sum) - (x->sum < y->sum);
}

static bool is_known(const struct set *set, size_t sets, uint64_t sum, size_t rows)
{
	struct set key = { .sum = sum, .rows = rows };

	return bsearch(&key, set, sets, sizeof(*set), exposed_by_size);
}

/* Makes the test that the coordinator can make: the difference of two sums must have the length of
 * a row. */
static bool looks_like_a_row(const struct watch *w, const struct set *more, const struct set *less)
{
	const double *a = numbers_of(w, more), *b = numbers_of(w, less);
	double square = 0, sum_off = more->sum_off + less->sum_off, off;

	for (size_t j = 0; j < w->m; j++)
		square += (a[j] - b[j]) * (a[j] - b[j]);
	off = more->square_off + less->square_off + (2 * sqrt(square) + sum_off) * sum_off;
	return fabs(square - (a[w->m] - b[w->m])) <= off;
}

/* Compares numbers, or structs that begin with a number. */
static int exposed_by_number(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

struct mark {
	uint64_t mark;
	size_t row;
};

/* Compares every set with every set that has one row less. */
static void search_pairs(struct watch *w, const struct set *set, size_t sets, bool *found)
{
	struct mark *mark;
	size_t first = 0;

	ALLOC(mark, w->n);
	for (size_t i = 0; i < w->n; i++)
		mark[i] = (struct mark){ w->mark[i], i };
	qsort(mark, w->n, sizeof(*mark), exposed_by_number);
	for (size_t i = 0; i < sets; i++) {
		while (set[first].rows + 1 < set[i].rows)
			first++;
		for (size_t j = first; set[j].rows < set[i].rows; j++) {
			struct mark key = { .mark = set[i].sum - set[j].sum };
			const struct mark *row;

			if (!looks_like_a_row(w, &set[i], &set[j]))
				continue;
			row = bsearch(&key, mark, w->n, sizeof(*mark), exposed_by_number);
			if (row)
				found[row->row] = true;
			else
				w->found.mistaken++;
		}
	}
	free(mark);
}

/* Finds, for each row and each of its sets, whether the same set without this row is known, too. */
static void watch_end(struct watch *w)
{
	struct set *sorted, *order;
	bool *pair, *found;
	size_t sets = 0;

	if (!w->rounds)
		return;
	add_set(w); /* the empty set */
	ALLOC(order, w->sets);
	memcpy(order, w->set, w->sets * sizeof(*order)); /* w->in refers to this order */
	ALLOC(sorted, w->sets); /* sets without duplicates, by size; the empty set is the first */
	qsort(w->set, w->sets, sizeof(*w->set), exposed_by_size);
	for (size_t i = 0; i < w->sets; i++)
		if (w->set[i].rows <= w->n &&
		    (!sets || exposed_by_size(&w->set[i], sorted + sets - 1)))
			sorted[sets++] = w->set[i];
	ALLOC(pair, w->n);
	ALLOC(found, w->n);
	for (size_t t = 0; t < w->rounds; t++)
		for (size_t i = 0; i < w->n; i++) {
			const struct set *s = &order[w->in[t * w->n + i]];

			pair[i] =
			    pair[i] || (s->rows <= w->n &&
					is_known(sorted, sets, s->sum - w->mark[i], s->rows - 1));
		}
	search_pairs(w, sorted, sets, found);
	for (size_t i = 0; i < w->n; i++) {
		pair[i] |=
		    w->sum_is_known && is_known(sorted, sets, w->all.sum - w->mark[i], w->n - 1);
		w->found.alone += w->alone[i];
		w->found.rest += w->rest[i];
		w->found.exposed += pair[i];
		w->found.found += found[i];
	}
	free(found);
	free(pair);
	free(sorted);
	free(order);
}

/* -- a watched run -------------------------------------------------------------------------- */

struct run {
	struct memory memory;
	struct fedsc_party *party;
	uint32_t *part;
	struct watch rows, embedding;
	/* m entries, owned: for each column, the sum of squares of the centred values before
	 * scaling. If all columns have one scale, the first entry is the sum over all columns. */
	double *spread;
	struct exposed *e;
};

/* Counts the entries (i, j), i >= j, of B'B (struct exposed) by the number of rows that have
 * weights for both landmarks i and j. */
static void count_products(struct run *run)
{
	struct exposed *e = run->e;
	size_t pairs = 0, at = 0;
	uint64_t *pair;

	for (size_t l = 0; l < run->memory.count; l++) {
		const struct fedsc_anchor *b = &run->party[l].anchor;

		pairs += b->n * b->s * (b->s + 1) / 2;
	}
	ALLOC(pair, pairs);
	for (size_t l = 0; l < run->memory.count; l++) {
		const struct fedsc_anchor *b = &run->party[l].anchor;

		for (size_t i = 0; i < b->n; i++)
			for (unsigned p = 0; p < b->s; p++)
				for (unsigned q = 0; q <= p; q++) {
					uint64_t x = b->landmark[i * b->s + p];
					uint64_t y = b->landmark[i * b->s + q];

					pair[at++] = x > y ? x << 32 | y : y << 32 | x;
				}
	}
	qsort(pair, pairs, sizeof(*pair), exposed_by_number);
	for (size_t i = 0, next; i < pairs; i = next) {
		for (next = i + 1; next < pairs && pair[next] == pair[i];)
			next++;
		e->products++;
		e->single += next - i == 1;
	}
	free(pair);
}

static enum err watch_sum(void *watcher, const void *question, double *x, size_t n)
{
	const struct fedsc_question *q = question;
	struct run *run = watcher;
	struct watch *w = run->party[0].embedding.a ? &run->embedding : &run->rows;

	(void)n;
	if (q->kind == FEDSC_SPREAD)
		memcpy(run->spread, x, (q->columns ? run->rows.m : 1) * sizeof(*x));
	if (q->kind == FEDSC_SCALE) { /* the sum of all rows is known, because they are centred */
		struct set *all = add_set(&run->rows);

		for (size_t i = 0; i < run->rows.n; i++)
			all->sum += run->rows.mark[i];
		all->rows = run->rows.n;
		numbers_of(&run->rows, all)[run->rows.m] = 0;
		for (size_t j = 0; j < (q->unit ? run->rows.m : 1); j++) {
			double unit = q->unit ? q->unit[j] : q->scale;

			numbers_of(&run->rows, all)[run->rows.m] += run->spread[j] / unit / unit;
		}
		all->sum_off = all->square_off = run->rows.off;
		run->rows.all = *all;
		run->rows.sum_is_known = true;
	}
	if (q->kind == FEDSC_ANCHOR)
		count_products(run);
	if (q->kind == FEDSC_CLUSTERS) {
		uint32_t *label = fedsc_gather(run->party, run->memory.count, run->part, w->n);

		if (q->clusters->kind == FEDKMEANS_COUNTS) {
			/* Marks rows that are alone at a centre. If the sum of such a centre were
			 * formed, the row would be readable. */
			mat_release(&w->centres);
			mat_copy(&w->centres, q->clusters->centres);
			for (size_t i = 0; i < w->n; i++)
				w->alone[i] |= x[label[i]] == 1;
		} else {
			watch_sums(w, label, q->clusters, x);
		}
		free(label);
	}
	return ERR_OK;
}

static enum err run_job(struct run *run, const struct mat *X, const struct job *job,
			unsigned threads)
{
	struct parties parties;
	struct fedsc_params p;
	struct fedsc_report report = { 0 };
	enum err err;

	for (uint32_t l = 0; l < run->memory.count; l++) {
		struct mat own;

		fedsc_deal(X, run->part, l, &own);
		if (fedsc_job(job)->how.standardize == STANDARDIZE_LOCAL)
			TRY(standard_own(&own, NULL, NULL, false, NULL));
		TRY(fedsc_party_init(&run->party[l], &own, fedsc_job(job)->how.least, NULL,
				     threads));
	}
	TRY(fedsc_params_of(fedsc_job(job), run->memory.count, threads, &p));
	parties_in_memory(&parties, &run->memory);
	err = fedsc_run(&parties, X->cols, &p, &report);
	fedsc_report_release(&report);
	return err;
}

enum err exposed_by(const struct mat *X, const struct job *job, size_t parties, unsigned threads,
		    struct exposed *e)
{
	struct run run = { .e = e };
	uint64_t *mark;
	struct rng rng;
	enum err err;

	*e = (struct exposed){ .parties = parties, .n = X->rows };
	if (X->rows < 2 * parties)
		return err_set(ERR_INPUT, "%zu rows for %zu parties, expected at least 2 for each",
			       X->rows, parties);
	if (fedsc_job(job)->noise != NOISE_NONE)
		return err_set(ERR_INPUT,
			       "job.noise.on is \"%s\", expected \"none\": with noise it is noisy "
			       "rows that sums show",
			       fedsc_noise_names[fedsc_job(job)->noise]);
	ALLOC(run.part, X->rows);
	split_parts(X->rows, parties, job->seed, run.part);
	ALLOC(mark, X->rows);
	rng_seed(&rng, 1, 0x6578706f736564);
	for (size_t i = 0; i < X->rows; i++)
		mark[i] = rng_u64(&rng);
	ALLOC(run.party, parties);
	ALLOC(run.spread, X->cols);
	run.memory = (struct memory){ .kind = &fedsc_in_memory,
				      .party = run.party,
				      .count = parties,
				      .step = ldexp(1, -JOB_WIDE_FRACTION),
				      .watch = watch_sum,
				      .watcher = &run };
	exposed_watch_init(&run.rows, X->rows, X->cols, mark,
			   (double)parties * run.memory.step / 2);
	exposed_watch_init(&run.embedding, X->rows, job->clusters, mark, run.rows.off);
	err = run_job(&run, X, job, threads);
	if (!err) {
		watch_end(&run.rows);
		e->rows = run.rows.found;
		watch_end(&run.embedding);
		e->embedding = run.embedding.found;
	}
	for (size_t l = 0; l < parties; l++)
		fedsc_party_release(&run.party[l]);
	free(run.party);
	free(run.spread);
	watch_release(&run.rows);
	watch_release(&run.embedding);
	free(mark);
	free(run.part);
	return err;
}

/* -- output --------------------------------------------------------------------------------- */

static struct json *sums_json(const struct exposed_sums *s, size_t n)
{
	struct json *v = json_object();

	json_put_number(v, "rounds", (double)s->rounds);
	json_put_number(v, "sums", (double)s->sums);
	json_put_number(v, "fewest_rows", (double)s->fewest);
	json_put_number(v, "alone", (double)s->alone);
	json_put_number(v, "rest_of_one", (double)s->rest);
	json_put_number(v, "exposed", (double)s->exposed);
	json_put_number(v, "found", (double)s->found);
	json_put_number(v, "mistaken", (double)s->mistaken);
	json_put_number(v, "share", (double)s->exposed / (double)n);
	return v;
}

enum err exposed_print(const char *dir, const struct job *job, size_t parties, unsigned threads)
{
	struct dataset_files files;
	struct dataset d = { 0 };
	struct exposed e;
	struct mat X = { 0 };
	struct json *v;
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
	mat_release(&X);
	TRY(err);
	v = json_object();
	json_put_string(v, "kind", job->kind->name);
	if (job->kind == &kind_fedsc)
		json_put_string(v, "variant", fedsc_variant_names[fedsc_job(job)->how.variant]);
	json_put_number(v, "parties", (double)e.parties);
	json_put_number(v, "seed", (double)job->seed);
	json_put_number(v, "points", (double)e.n);
	json_put(v, "rows", sums_json(&e.rows, e.n));
	if (e.embedding.rounds)
		json_put(v, "embedding", sums_json(&e.embedding, e.n));
	if (e.products) {
		json_put_number(v, "products", (double)e.products);
		json_put_number(v, "products_of_one", (double)e.single);
	}
	args_print(v);
	json_free(v);
	return ERR_OK;
}
