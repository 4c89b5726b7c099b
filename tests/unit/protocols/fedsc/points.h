/* points.h -- Deals rows of separate balls to parties and runs FedSC and k-means on them, with
 * messages and, for comparison, in memory. */
#ifndef TESTS_UNIT_FEDSC_POINTS_H
#define TESTS_UNIT_FEDSC_POINTS_H

#include "protocols/fedsc/job.h"
#include "common/cluster/metrics.h"
#include "common/data/skew.h"
#include "crypto/fixed.h"
#include "tests/unit/protocols/kcagc/products.h"

#include <math.h>

struct points {
	struct mat X;
	uint32_t *truth, *part;
};

/* Makes k balls of `each` rows in m columns, about `apart` deviations from each other. Deals them
 * at random to L parties, whose numbers of rows differ by at most 1. */
static inline void points_make(struct points *p, size_t k, size_t each, size_t m, double apart,
			       size_t L, uint64_t seed)
{
	struct rng rng;
	struct mat centre;

	rng_seed(&rng, seed, 0);
	mat_init(&centre, k, m);
	for (size_t i = 0; i < k * m; i++)
		centre.a[i] = apart * rng_normal(&rng);
	mat_init(&p->X, k * each, m);
	ALLOC(p->truth, p->X.rows);
	ALLOC(p->part, p->X.rows);
	for (size_t i = 0; i < p->X.rows; i++) {
		p->truth[i] = (uint32_t)(i / each);
		for (size_t j = 0; j < m; j++)
			MAT(&p->X, i, j) = MAT(&centre, p->truth[i], j) + rng_normal(&rng);
	}
	skew_parts(p->truth, p->X.rows, L, 0, seed, p->part);
	mat_release(&centre);
}

static inline void points_release(struct points *p)
{
	mat_release(&p->X);
	free(p->truth);
	free(p->part);
}

static inline struct job points_job(const char *settings)
{
	static const char text[] = "{\"kind\":\"fedsc\",\"clusters\":3,\"allow_single\":true,"
				   "\"secure_sum\":{\"group\":\"x25519\"}}";

	return job_of(text, sizeof(text) - 1, settings);
}

static inline void points_open(struct federation *f, const struct mat *X, const uint32_t *part,
			       size_t L, const struct job *job)
{
	federation_frame(f, X->rows, L, job);
	f->server.columns = X->cols;
	for (size_t l = 0; l < L; l++) {
		struct mat own;

		fedsc_deal(X, part, (uint32_t)l, &own);
		federation_seat(f, l, own.rows);
		f->party[l].X.dense = own;
	}
	federation_keys(f, L, job);
}

static inline struct federation *points_federation(const struct points *p, size_t L,
						   const struct job *job)
{
	struct federation *f;

	ALLOC(f, 1);
	points_open(f, &p->X, p->part, L, job);
	federation_join(f);
	return f;
}

static inline void assert_all_done(const struct federation *f)
{
	if (f->server.result != ERR_OK)
		fail_msg("coordinator: %s", f->server.why);
	for (size_t l = 0; l < f->server.L; l++)
		if (f->party[l].result != ERR_OK)
			fail_msg("%s: %s", f->names[l], f->party[l].why);
}

/* Returns the parties' labels in the order of X. The caller frees them. */
static inline uint32_t *points_labels(const struct federation *f, const uint32_t *part, size_t n)
{
	size_t next[FED_MAX] = { 0 };
	uint32_t *label;

	ALLOC(label, n);
	for (size_t i = 0; i < n; i++)
		label[i] = f->party[part[i]].label[next[part[i]]++];
	return label;
}

/* Runs a federation and returns its labels. Writes the federation to *out unless that is NULL. */
static inline uint32_t *points_run(const struct points *p, size_t L, const struct job *job,
				   struct federation **out)
{
	struct federation *f = points_federation(p, L, job);
	uint32_t *label;

	federation_run(f);
	assert_all_done(f);
	label = points_labels(f, p->part, p->X.rows);
	if (out)
		*out = f;
	else
		products_end(f);
	return label;
}

/* Decodes the numbers of a SUM that is sent in one piece. The caller frees them. */
static inline double *points_sum_told(enum msg_type type, struct bytes body, size_t *count)
{
	struct fixed f = { 64, JOB_WIDE_FRACTION, 1 };
	struct msg m;
	double *x;

	assert_ok(msg_decode(&m, type, body));
	assert_true(m.masked.offset == 0 && m.masked.words.n == 8 * m.masked.count);
	*count = m.masked.count;
	x = alloc(*count, sizeof(*x));
	fixed_decode(&f, m.masked.words.p, *count, x);
	return x;
}

static inline double points_fact(const struct record *r, const char *name)
{
	for (size_t i = 0; i < r->facts.count; i++)
		if (strcmp(r->facts.item[i].name, name) == 0 && r->facts.item[i].values)
			return r->facts.item[i].value[0];
	fail_msg("no fact %s", name);
	return 0;
}

/* Writes the rows of X to S, scaled as the parties scale them: centred by column, and divided by
 * the joint deviation. */
static inline void points_scaled(const struct mat *X, struct mat *S)
{
	size_t n = X->rows, m = X->cols;
	double mean = 0, square = 0, size = (double)(n * m), *column = alloc(m, sizeof(*column));

	mat_copy(S, X);
	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < m; j++) {
			mean += MAT(S, i, j) / size;
			column[j] += MAT(S, i, j) / (double)n;
		}
	for (size_t e = 0; e < n * m; e++)
		square += (S->a[e] - mean) * (S->a[e] - mean) / size;
	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < m; j++)
			MAT(S, i, j) = (MAT(S, i, j) - column[j]) / sqrt(square);
	free(column);
}

/* ---- the same run in memory ---- */

static inline struct fedsc_params points_params(const struct job *job, size_t L)
{
	struct fedsc_params p;

	assert_ok(fedsc_params_of(fedsc_job(job), L, 1, &p));
	return p;
}

static inline uint32_t *points_twin(const struct mat *X, const uint32_t *part, size_t L,
				    const struct fedsc_params *params, struct fedsc_report *report)
{
	struct fedsc_party party[FED_MAX];
	struct memory memory = { .kind = &fedsc_in_memory, .party = party, .count = L };
	struct parties parties;
	uint32_t *label;

	for (size_t l = 0; l < L; l++) {
		struct mat own;

		fedsc_deal(X, part, (uint32_t)l, &own);
		assert_ok(fedsc_party_init(&party[l], &own, 0, NULL, 1));
	}
	parties_in_memory(&parties, &memory);
	assert_ok(fedsc_run(&parties, X->cols, params, report));
	label = fedsc_gather(party, L, part, X->rows);
	for (size_t l = 0; l < L; l++)
		fedsc_party_release(&party[l]);
	return label;
}

#endif
