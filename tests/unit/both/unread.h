/* unread.h -- runs jobs of every kind over small data, and collects all that is visible of a run:
 * messages, labels, facts. It leaves out what differs between two runs of one job, as masks and
 * keys do. */
#ifndef TESTS_UNIT_BOTH_UNREAD_H
#define TESTS_UNIT_BOTH_UNREAD_H

#include "common/data/dataset.h"
#include "protocols/fedwalk/job.h"
#include "crypto/hash.h"
#include "crypto/numbering.h"
#include "tests/unit/both/federation.h"
#include "tests/unit/graph/graphs.h"

#include <math.h>

/* Data that are split by columns have NODES nodes, all other data FEWER. */
enum { L = 4, NODES = 240, FEWER = 96, COLUMNS = 16, GRAPHS = 8 };

/* ---- what is seen ---- */

/* A message, or a result (type SEEN_...). It is compared in chunks of CHUNK bytes, aligned to its
 * end, so that each word of a sum is one chunk. */
struct item {
	unsigned type;
	size_t len;
	uint8_t *body;
	bool *loose; /* for each chunk: whether two runs of one job differ in it */
};
enum { CHUNK = 8, SEEN_LABELS = 250, SEEN_FACT, SEEN_RESULT, SEEN_TYPES };

/* Least and greatest number of bytes (or of messages) of each type, over runs of one job. */
struct total {
	double least[SEEN_TYPES], most[SEEN_TYPES];
};

struct list {
	struct item *item;
	size_t count;
	struct total count_of, bytes_of;
};

/* Lists 0 .. L - 1: the messages of each party to the coordinator. L .. 2L - 1: the coordinator's
 * messages to each party. 2L: the results. */
enum { LISTS = 2 * L + 1 };
struct seen {
	struct list by[LISTS];
};

struct ear {
	struct seen *seen;
	bool party;
};

static void see(struct list *to, unsigned type, const void *p, size_t n)
{
	struct item *i;

	to->item = alloc_again(to->item, to->count + 1, sizeof(*to->item));
	i = &to->item[to->count++];
	*i = (struct item){ .type = type, .len = n, .body = alloc(n + 1, 1) };
	i->loose = alloc(n / CHUNK + 1, sizeof(*i->loose));
	memcpy(i->body, p, n);
	assert_true(type < SEEN_TYPES);
	to->count_of.most[type] = ++to->count_of.least[type];
	to->bytes_of.most[type] = to->bytes_of.least[type] += (double)n;
}

static void hear(void *arg, size_t l, enum msg_type type, struct bytes body)
{
	const struct ear *e = arg;

	see(&e->seen->by[e->party ? L + l : l], type, body.p, body.n);
}

static void see_result(struct seen *s, const struct half *h, bool party)
{
	struct list *to = &s->by[2 * L];
	const struct facts *facts = &h->record.facts;

	see(to, SEEN_RESULT, &h->result, sizeof(h->result));
	see(to, SEEN_RESULT, &h->clusters, sizeof(h->clusters));
	if (h->labelled || party)
		see(to, SEEN_LABELS, h->label, h->n * sizeof(*h->label));
	if (h->confidence)
		see(to, SEEN_LABELS, h->confidence, h->n * sizeof(*h->confidence));
	if (h->embedding)
		see(to, SEEN_LABELS, h->embedding, h->n * FEDWALK_DIMS * sizeof(*h->embedding));
	for (size_t i = 0; i < h->record.sums; i++) {
		const struct record_sum *sum = &h->record.sum[i];

		see(to, SEEN_FACT, &sum->inertia, sizeof(sum->inertia));
		see(to, SEEN_FACT, sum->objective, sum->objectives * sizeof(*sum->objective));
	}
	for (size_t i = 0; i < facts->count; i++) {
		const struct fact *f = &facts->item[i];

		see(to, SEEN_FACT, f->name, strlen(f->name));
		if (f->value)
			see(to, SEEN_FACT, f->value, f->values * sizeof(*f->value));
		else
			see(to, SEEN_FACT, f->text, strlen(f->text));
	}
}

static void seen_release(struct seen *s)
{
	for (size_t i = 0; i < LISTS; i++) {
		for (size_t m = 0; m < s->by[i].count; m++) {
			free(s->by[i].item[m].body);
			free(s->by[i].item[m].loose);
		}
		free(s->by[i].item);
	}
	*s = (struct seen){ 0 };
}

/* Returns the length of chunk c of an item. The last chunk begins CHUNK bytes before the end. */
static size_t chunk_of(const struct item *i, size_t c, const uint8_t **p)
{
	size_t first = i->len % CHUNK;

	*p = i->body + (c ? first + (c - 1) * CHUNK : 0);
	return c ? CHUNK : first;
}

/* Are types, lengths and all chunks that are not loose equal? With `mark`, differing chunks become
 * loose. */
static bool same_item(struct item *base, const struct item *now, bool mark)
{
	if (base->type != now->type || base->len != now->len)
		return false;
	for (size_t c = 0; c <= base->len / CHUNK; c++) {
		const uint8_t *p, *q;
		size_t n = chunk_of(base, c, &p);

		chunk_of(now, c, &q);
		if (base->loose[c] || !memcmp(p, q, n))
			continue;
		if (!mark)
			return false;
		base->loose[c] = true;
	}
	return true;
}

static void total_widen(struct total *to, const struct total *now)
{
	for (size_t t = 0; t < SEEN_TYPES; t++) {
		to->least[t] = fmin(to->least[t], now->least[t]);
		to->most[t] = fmax(to->most[t], now->most[t]);
	}
}

/* Is a total far outside the range of runs of one job? The margin excludes chance. */
static bool total_exceeds(const struct total *base, const struct total *now)
{
	for (size_t t = 0; t < SEEN_TYPES; t++) {
		double range = base->most[t] - base->least[t];
		double slack = range > 0 ? 2 * range + base->most[t] / 10 : 0;

		if (now->least[t] < base->least[t] - slack || now->most[t] > base->most[t] + slack)
			return true;
	}
	return false;
}

/* Marks as loose all that differs in another run of the same job. Drops all messages from the first
 * message of another type or length on. */
static void seen_loosen(struct seen *base, const struct seen *now)
{
	for (size_t i = 0; i < LISTS; i++) {
		struct list *a = &base->by[i];
		const struct list *b = &now->by[i];
		size_t m = 0;

		while (m < a->count && m < b->count && same_item(&a->item[m], &b->item[m], true))
			m++;
		for (size_t rest = m; rest < a->count; rest++) {
			free(a->item[rest].body);
			free(a->item[rest].loose);
		}
		a->count = m;
		total_widen(&a->count_of, &b->count_of);
		total_widen(&a->bytes_of, &b->bytes_of);
	}
}

static bool seen_differs(struct seen *base, const struct seen *now)
{
	for (size_t i = 0; i < LISTS; i++) {
		struct list *a = &base->by[i];
		const struct list *b = &now->by[i];

		if (b->count < a->count || total_exceeds(&a->count_of, &b->count_of) ||
		    total_exceeds(&a->bytes_of, &b->bytes_of))
			return true;
		for (size_t m = 0; m < a->count; m++)
			if (!same_item(&a->item[m], &b->item[m], false))
				return true;
	}
	return false;
}

/* ---- data, of any kind ---- */

static struct planted planted;
static struct dataset tied[L];   /* fedspectral: a party's edges; all parties know all nodes */
static struct dataset hosted[L]; /* fedwalk: ties of a party's vertices */
static struct graphs graphs[L];  /* fedgcn: a party's graphs */
static char output[64];          /* fedgcn: one directory for all models */
/* directories of the parties' secrets, which make noise equal in all runs */
static char *secrets[L];
static const uint8_t digest[SHA256_LEN] = { 1 }, numbers[NUMBERING_KEY_LEN] = { 2 };
static const struct numbering numbering = { true, { 3 } };

static size_t tie(struct triple *t, size_t count, uint32_t i, uint32_t j)
{
	if (i == j)
		return count;
	t[count] = (struct triple){ i, j, 1 };
	t[count + 1] = (struct triple){ j, i, 1 };
	return count + 2;
}

/* With `hosts`, makes the ties of the party's vertices. Otherwise makes a share of all edges, and
 * EXTRA more edges between clusters at each L-th node, so that different starts of k-means have
 * different results. */
static void make_ties(struct dataset *d, size_t l, bool hosts)
{
	enum { EXTRA = 4 };
	const struct csr *A = &planted.g.adjacency;
	struct triple *t = alloc(A->start[FEWER] + 2 * EXTRA * FEWER, sizeof(*t));
	struct buf names = { 0 };
	size_t count = 0;
	struct csr a;

	*d = (struct dataset){ .has_ids = true, .n = FEWER };
	for (size_t i = 0; i < FEWER; i++)
		buf_printf(&names, "node%03zu\n", i);
	assert_ok(ids_parse((struct bytes){ names.p, names.n }, "test", &d->ids));
	buf_release(&names);
	if (hosts)
		ALLOC(d->hosted, FEWER);
	for (uint32_t i = 0; i < FEWER; i++) {
		if (hosts)
			d->hosted[i] = i % L == l;
		for (size_t e = A->start[i]; e < A->start[i + 1]; e++) {
			uint32_t j = A->index[e];

			if (i < j && j < FEWER &&
			    (hosts ? i % L == l || j % L == l : (i + j) * 7 % L == l))
				count = tie(t, count, i, j);
		}
		for (uint32_t e = 1; e <= EXTRA && !hosts && i % L == l; e++)
			count = tie(t, count, i, (i * (100 + e) + 37 * e) % FEWER);
	}
	csr_from_triples(&a, FEWER, FEWER, t, count);
	graph_init(&d->g, &a);
	free(t);
}

/* Makes data for jobs of every kind. Party 0's columns are 0 or 1, like words of a text. */
static int make_data(void **state)
{
	(void)state;
	federation_quiet();
	lab_dir(output);
	planted_make(&planted, &(struct plan){ .n = NODES, .m = COLUMNS, .seed = 4, .noise = 1.2 });
	for (size_t i = 0; i < NODES; i++)
		for (size_t j = 0; j < COLUMNS; j += L)
			MAT(&planted.X, i, j) = MAT(&planted.X, i, j) > 0.6;
	for (size_t l = 0; l < L; l++) {
		make_ties(&tied[l], l, false);
		make_ties(&hosted[l], l, true);
		random_graphs(&graphs[l], GRAPHS, 7, 0.4, 3 + l);
		lab_dir(secrets[l] = alloc(1, 64));
	}
	return 0;
}

static int forget_data(void **state)
{
	(void)state;
	lab_remove(output);
	planted_release(&planted);
	for (size_t l = 0; l < L; l++) {
		dataset_release(&tied[l]);
		dataset_release(&hosted[l]);
		graphs_release(&graphs[l]);
		lab_remove(secrets[l]);
		free(secrets[l]);
	}
	return 0;
}

/* Copies rows l, l + L, ... with all columns. */
static void own_rows(struct features *X, size_t l)
{
	*X = (struct features){ 0 };
	mat_init(&X->dense, FEWER / L, COLUMNS);
	for (size_t i = 0; i < FEWER / L; i++)
		memcpy(ROW(&X->dense, i), ROW(&planted.X, l + i * L), COLUMNS * sizeof(double));
}

static void seat_party(struct federation *f, size_t l)
{
	const struct kind *kind = f->server.job->kind;
	static const size_t sizes[] = { [SPLIT_COLUMNS] = NODES,
					[SPLIT_ROWS] = FEWER / L,
					[SPLIT_EDGES] = FEWER,
					[SPLIT_VERTICES] = FEWER,
					[SPLIT_GRAPHS] = GRAPHS };
	struct half *h = &f->party[l];

	federation_seat(f, l, sizes[kind->split]);
	h->data_hash = digest;
	h->numbering = &numbering;
	h->output = output;
	h->min_cluster = 2;
	if (kind->split == SPLIT_COLUMNS) {
		h->g = kind->needs & NEEDS_EDGES ? &planted.g : NULL;
		planted_slice(&planted, l, L, &h->X);
	} else if (kind->split == SPLIT_ROWS) {
		own_rows(&h->X, l);
		h->columns = COLUMNS;
	} else if (kind->split == SPLIT_GRAPHS) {
		h->graphs = &graphs[l];
	} else {
		h->dataset = kind->split == SPLIT_EDGES ? &tied[l] : &hosted[l];
	}
}

/* ---- a run ---- */

static char play_why[ERR_DETAIL_MAX];

/* Runs the job, and returns the coordinator's result with its error in play_why. With `steady`,
 * noise is the same in all runs of a job. A job that predicts takes its models from `models`; a job
 * that makes models stores them there. `models` may be NULL. */
static enum err play(const struct job *job, bool steady, struct model **models, struct seen *seen)
{
	struct ear hub = { seen, false }, party = { seen, true };
	struct federation *f = alloc(1, sizeof(*f));
	enum err result;

	*seen = (struct seen){ 0 };
	federation_frame(f, job->kind->split == SPLIT_COLUMNS ? NODES : 0, L, job);
	f->server.columns = job->kind->split == SPLIT_ROWS ? COLUMNS : 0;
	f->server.output = output;
	f->server.numbers = numbers;
	f->server.saw = hear;
	f->server.saw_arg = &hub;
	for (size_t l = 0; l < L; l++) {
		seat_party(f, l);
		f->party[l].state = steady ? secrets[l] : NULL;
		f->party[l].saw = hear;
		f->party[l].saw_arg = &party;
		f->party[l].model = job->kind->places ? models[l] : NULL;
	}
	federation_keys(f, L, job);
	federation_join(f);
	federation_run(f);
	result = f->server.result;
	snprintf(play_why, sizeof(play_why), "%s", f->server.why);
	see_result(seen, &f->server, false);
	for (size_t l = 0; l < L; l++) {
		see_result(seen, &f->party[l], true);
		if (models && !job->kind->places) {
			models[l] = f->party[l].model;
			f->party[l].model = NULL;
		}
	}
	federation_release(f);
	free(f);
	return result;
}

#endif
