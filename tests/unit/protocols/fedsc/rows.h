/* rows.h -- Parties in memory that hold rows of one matrix, with a record of the questions they
 * get. */
#ifndef TESTS_UNIT_FEDSC_ROWS_H
#define TESTS_UNIT_FEDSC_ROWS_H

#include "tests/unit/graph/data.h"
#include "protocols/fedsc/coordinator.h"
#include "common/data/skew.h"

enum { ROWS_PARTIES_MAX = 8, ROWS_ASKED_MAX = 4096 };

/* A question that the parties got. */
struct asked {
	enum fedsc_kind kind;
	enum fedkmeans_kind clusters;
	size_t words;
	/* FEDSC_CLUSTERS: least count in an answer of counts, or least count of the clusters whose
	 * sums are requested; otherwise infinity */
	double least_count;
};

struct rows_lab {
	struct parties parties;
	struct memory memory;
	struct fedsc_party party[ROWS_PARTIES_MAX];
	struct noise_source noise;
	struct rng rng;
	uint32_t *part;
	size_t n, m, asked_count;
	struct asked asked[ROWS_ASKED_MAX];
};

static inline enum err rows_weak_bytes(void *ctx, void *p, size_t n)
{
	uint8_t *to = p;

	for (size_t i = 0; i < n; i++)
		to[i] = (uint8_t)(rng_u64(ctx) >> 32);
	return ERR_OK;
}

static inline enum err rows_watch(void *watcher, const void *question, double *x, size_t n)
{
	const struct fedsc_question *q = question;
	struct rows_lab *lab = watcher;
	struct asked *a = &lab->asked[lab->asked_count++];

	assert_true(lab->asked_count <= ROWS_ASKED_MAX);
	*a = (struct asked){ .kind = q->kind, .words = n, .least_count = INFINITY };
	if (q->kind != FEDSC_CLUSTERS)
		return ERR_OK;
	a->clusters = q->clusters->kind;
	if (q->clusters->kind == FEDKMEANS_COUNTS) {
		for (size_t i = 0; i < a->words; i++)
			a->least_count = fmin(a->least_count, x[i]);
	} else {
		for (size_t i = 0; i < q->clusters->k; i++)
			if (q->clusters->count[i] >= q->clusters->least)
				a->least_count = fmin(a->least_count, q->clusters->count[i]);
	}
	return ERR_OK;
}

/* Gives row i of X to party part[i]. Copies `part`; X must stay valid. */
static inline void rows_deal(struct rows_lab *lab, const struct mat *X, const uint32_t *part,
			     size_t parties, unsigned threads)
{
	*lab = (struct rows_lab){ .n = X->rows, .m = X->cols };
	ALLOC(lab->part, X->rows);
	memcpy(lab->part, part, X->rows * sizeof(*part));
	rng_seed(&lab->rng, 5, 5);
	lab->noise = (struct noise_source){ .ctx = &lab->rng, .bytes = rows_weak_bytes };
	for (uint32_t l = 0; l < parties; l++) {
		struct mat own;

		fedsc_deal(X, part, l, &own);
		assert_ok(fedsc_party_init(&lab->party[l], &own, 0, &lab->noise, threads));
	}
	lab->memory = (struct memory){ .kind = &fedsc_in_memory,
				       .party = lab->party,
				       .count = parties,
				       .watch = rows_watch,
				       .watcher = lab };
	parties_in_memory(&lab->parties, &lab->memory);
}

static inline void rows_lab_init(struct rows_lab *lab, const struct mat *X, const uint32_t *truth,
				 size_t parties, double skew, unsigned threads)
{
	uint32_t *part;

	ALLOC(part, X->rows);
	skew_parts(truth, X->rows, parties, skew, 7, part);
	rows_deal(lab, X, part, parties, threads);
	free(part);
}

static inline void rows_lab_release(struct rows_lab *lab)
{
	for (size_t l = 0; l < lab->memory.count; l++)
		fedsc_party_release(&lab->party[l]);
	free(lab->part);
}

/* Runs FedSC and returns the labels in the order of X. */
static inline uint32_t *rows_run(struct rows_lab *lab, const struct fedsc_params *p,
				 struct fedsc_report *report)
{
	assert_ok(fedsc_run(&lab->parties, lab->m, p, report));
	return fedsc_gather(lab->party, lab->memory.count, lab->part, lab->n);
}

/* Makes k balls of `each` rows with spread 1, their centres about `apart` deviations from each
 * other, in class order. Values are multiples of 2^-10, so that their sums are exact. */
static inline void rows_balls(struct mat *X, uint32_t *truth, size_t k, size_t each, size_t m,
			      double apart, uint64_t seed)
{
	struct mat centre;
	struct rng rng;

	rng_seed(&rng, seed, 6);
	sample_normal(&centre, k, m, seed + 1);
	mat_init(X, k * each, m);
	for (size_t i = 0; i < X->rows; i++) {
		truth[i] = (uint32_t)(i / each);
		for (size_t j = 0; j < m; j++)
			MAT(X, i, j) = nearbyint(1024 * (apart * MAT(&centre, truth[i], j) +
							 rng_normal(&rng))) /
				       1024;
	}
	mat_release(&centre);
}

/* Reads a point set of the shared data as doubles; false if it is missing. Its features must be a
 * two-dimensional "<f4" array. */
static inline bool rows_read(const char *set, struct mat *X, uint32_t **truth, unsigned *k)
{
	FILE *f = data_file(set, "features.npy"), *labels = data_file(set, "labels.txt");
	unsigned char head[10];
	char text[4096];
	size_t rows, cols, length;

	if (!f || !labels) {
		if (f)
			fclose(f);
		if (labels)
			fclose(labels);
		return false;
	}
	assert_int_equal(fread(head, 1, 10, f), 10);
	length = head[8] + 256u * head[9];
	assert_true(length < sizeof(text) && fread(text, 1, length, f) == length);
	text[length] = 0;
	assert_non_null(strstr(text, "'<f4'"));
	assert_int_equal(sscanf(strstr(text, "'shape': ("), "'shape': (%zu, %zu)", &rows, &cols),
			 2);
	mat_init(X, rows, cols);
	ALLOC(*truth, rows);
	*k = 0;
	for (size_t i = 0; i < rows * cols; i++) {
		float v;

		assert_int_equal(fread(&v, sizeof(v), 1, f), 1);
		X->a[i] = v;
	}
	for (size_t i = 0; i < rows; i++) {
		assert_int_equal(fscanf(labels, "%u", &(*truth)[i]), 1);
		*k = (*truth)[i] >= *k ? (*truth)[i] + 1 : *k;
	}
	fclose(labels);
	fclose(f);
	return true;
}

#endif
