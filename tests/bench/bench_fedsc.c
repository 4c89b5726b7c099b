/* bench_fedsc -- runs FedSC in memory: measures how well it finds known classes, and how its time
 * grows.
 *
 *   bench_fedsc                        growth: seconds per row and ratios, 10^4 and 10^5 rows
 *   bench_fedsc growth N...            the same for these numbers of rows
 *   bench_fedsc DIR VARIANT [KEY=VALUE...]
 *       DIR has features.npy and labels.txt. VARIANT is anchor, dense, paper, kmeans or pooled
 *       (k-means). set() lists the keys and the parameter that each sets. step=N rounds answers
 *       to multiples of 2^-N. */
#include "tests/bench/bench.h"
#include "tests/unit/protocols/fedsc/defaults.h"
#include "common/base/alloc.h"
#include "common/base/clock.h"
#include "common/base/rng.h"
#include "common/data/labels.h"
#include "common/data/npy.h"
#include "common/linalg/distance.h"
#include "protocols/fedsc/coordinator.h"
#include "common/cluster/kmeans.h"
#include "common/linalg/la.h"
#include "common/cluster/metrics.h"
#include "common/data/skew.h"

#include <math.h>
#include <string.h>
#include <sys/resource.h>

struct lab {
	struct mat X;
	uint32_t *truth;
	size_t n;
	const char *variant;
	unsigned k, parties, seeds;
	double skew, step;
	struct fedsc_params p;
	struct fedsc_report report;
};

static enum err weak_bytes(void *ctx, void *p, size_t n) /* a bench needs no secrets */
{
	uint8_t *to = p;

	for (size_t i = 0; i < n; i++)
		to[i] = (uint8_t)(rng_u64(ctx) >> 32);
	return ERR_OK;
}

static enum fedsc_variant variant_of(const char *name)
{
	return !strcmp(name, "dense")    ? FEDSC_BY_DENSE
	       : !strcmp(name, "paper")  ? FEDSC_BY_PAPER
	       : !strcmp(name, "kmeans") ? FEDSC_BY_KMEANS
					 : FEDSC_BY_ANCHORS;
}

static uint32_t *federated(struct lab *lab, uint64_t seed)
{
	struct fedsc_party *party;
	struct memory memory = { .kind = &fedsc_in_memory,
				 .count = lab->parties,
				 .step = lab->step };
	struct noise_source noise;
	struct parties parties;
	struct rng rng;
	uint32_t *part, *label;

	rng_seed(&rng, seed, 77);
	noise = (struct noise_source){ .ctx = &rng, .bytes = weak_bytes };
	ALLOC(party, lab->parties);
	ALLOC(part, lab->n);
	skew_parts(lab->truth, lab->n, lab->parties, lab->skew, seed, part);
	memory.party = party;
	for (uint32_t l = 0; l < lab->parties; l++) {
		struct mat own;

		fedsc_deal(&lab->X, part, l, &own);
		need(fedsc_party_init(&party[l], &own, 0, &noise, lab->p.threads));
	}
	parties_in_memory(&parties, &memory);
	lab->p.seed = seed;
	need(fedsc_run(&parties, lab->X.cols, &lab->p, &lab->report));
	label = fedsc_gather(party, lab->parties, part, lab->n);
	for (unsigned l = 0; l < lab->parties; l++)
		fedsc_party_release(&party[l]);
	free(part);
	free(party);
	return label;
}

static uint32_t *central(struct lab *lab, uint64_t seed)
{
	struct kmeans_params how = { .k = lab->k, .restarts = lab->p.restarts, .iterations = 100 };
	uint32_t *label;

	how.seed = seed;
	how.threads = lab->p.threads;
	ALLOC(label, lab->n);
	kmeans(&lab->X, NULL, &how, label, NULL, NULL);
	return label;
}

static void scores(struct lab *lab)
{
	double acc[BENCH_RUNS_MAX], sum = 0, square = 0, nmi = 0, start = clock_now_s();

	for (unsigned t = 0; t < lab->seeds; t++) {
		uint32_t *label =
		    !strcmp(lab->variant, "pooled") ? central(lab, t) : federated(lab, t);
		struct metrics m;

		need(metrics_of(lab->truth, label, lab->n, &m));
		acc[t] = m.acc;
		sum += m.acc / lab->seeds;
		nmi += m.nmi / lab->seeds;
		free(label);
		if (t + 1 < lab->seeds)
			fedsc_report_release(&lab->report);
	}
	for (unsigned t = 0; t < lab->seeds; t++)
		square += (acc[t] - sum) * (acc[t] - sum) / lab->seeds;
	printf("%s acc %.4f +- %.4f nmi %.4f  d %zu r %.4g S %u change %.3g  %.2f s each  [",
	       lab->variant, sum, sqrt(square), nmi, lab->report.dims, lab->report.r,
	       lab->report.rounds, lab->report.change, (clock_now_s() - start) / lab->seeds);
	for (unsigned t = 0; t < lab->seeds; t++)
		printf("%s%.3f", t ? " " : "", acc[t]);
	printf("]\n");
	fedsc_report_release(&lab->report);
}

static void set(struct lab *lab, const char *word)
{
	const char *value = strchr(word, '=');
	double v = value ? strtod(value + 1, NULL) : 0;
	struct fedsc_params *p = &lab->p;
	const struct {
		const char *key;
		unsigned *whole;
		double *real;
	} keys[] = {
		{ "seeds=", &lab->seeds, NULL },
		{ "parties=", &lab->parties, NULL },
		{ "skew=", NULL, &lab->skew },
		{ "threads=", &p->threads, NULL },
		{ "restarts=", &p->restarts, NULL },
		{ "d=", &p->dims, NULL },
		{ "dmost=", &p->dims_most, NULL },
		{ "s=", &p->near, NULL },
		{ "mc=", &p->least, NULL },
		{ "S=", &p->rounds, NULL },
		{ "Q=", &p->inner, NULL },
		{ "r=", NULL, &p->width },
		{ "c=", NULL, &p->width_factor },
		{ "lambda=", NULL, &p->lambda },
		{ "tolerance=", NULL, &p->tolerance },
		{ "beta=", NULL, &p->beta },
		{ "nz=", NULL, &p->noise_z },
		{ "nc=", NULL, &p->noise_c },
		{ "share=", NULL, &p->share },
		{ "step=", NULL, &lab->step },
	};

	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++) {
		if (strncmp(word, keys[i].key, strlen(keys[i].key)) != 0)
			continue;
		if (keys[i].whole)
			*keys[i].whole = (unsigned)v;
		if (keys[i].real)
			*keys[i].real = v;
		return;
	}
	fprintf(stderr, "bench_fedsc: %s: no such key\n", word);
	exit(4);
}

static void on_data(int argc, char **argv)
{
	struct lab lab = { .variant = argv[2], .parties = 8, .seeds = 3 };
	struct labels truth;
	char path[4096];

	snprintf(path, sizeof(path), "%s/features.npy", argv[1]);
	need(npy_read(path, &lab.X));
	snprintf(path, sizeof(path), "%s/labels.txt", argv[1]);
	need(labels_read(path, &truth));
	lab.n = lab.X.rows;
	lab.truth = truth.label;
	for (size_t i = 0; i < lab.n; i++)
		lab.k = truth.label[i] >= lab.k ? truth.label[i] + 1 : lab.k;
	need(fedsc_defaults(&lab.p, variant_of(argv[2]), lab.k, 0, 2));
	for (int i = 3; i < argc; i++)
		set(&lab, argv[i]);
	if (lab.step > 0)
		lab.step = ldexp(1, -(int)lab.step);
	scores(&lab);
	labels_release(&truth);
	mat_release(&lab.X);
}

/* -- growth ---------------------------------------------------------------------------------- */

enum { GROWTH_COLS = 64, GROWTH_CLUSTERS = 10, GROWTH_DIMS = 600 };

static void blobs(struct lab *lab, size_t n)
{
	double centre[GROWTH_CLUSTERS][GROWTH_COLS];
	struct rng rng;

	rng_seed(&rng, 1, 1);
	for (size_t c = 0; c < GROWTH_CLUSTERS; c++)
		for (size_t j = 0; j < GROWTH_COLS; j++)
			centre[c][j] = rng_normal(&rng);
	*lab = (struct lab){ .n = n, .variant = "anchor", .parties = 8, .k = GROWTH_CLUSTERS };
	mat_init(&lab->X, n, GROWTH_COLS);
	ALLOC(lab->truth, n);
	for (size_t i = 0; i < n; i++) {
		lab->truth[i] = (uint32_t)rng_below(&rng, GROWTH_CLUSTERS);
		for (size_t j = 0; j < GROWTH_COLS; j++)
			MAT(&lab->X, i, j) = centre[lab->truth[i]][j] + rng_normal(&rng);
	}
	need(fedsc_defaults(&lab->p, FEDSC_BY_ANCHORS, GROWTH_CLUSTERS, 1, 2));
	lab->p.dims = GROWTH_DIMS;
}

struct products {
	struct mat A, B;
	double C[DISTANCE_ROWS * GROWTH_DIMS];
};

static void multiply(void *ctx)
{
	struct products *p = ctx;

	la_block_nt(p->A.rows, p->B.rows, p->A.cols, p->A.a, p->B.a, p->C, p->B.rows);
}

/* Returns the seconds that dgemm takes for the distances of one row to all centres in a job of
 * growth(). The job has 4 rounds after each doubling of the landmarks, 10 more rounds with all of
 * them, and one for the anchors. */
static double products_of_row(void)
{
	struct products p;
	double each, centres = 1;
	struct rng rng;

	rng_seed(&rng, 2, 2);
	mat_init(&p.A, DISTANCE_ROWS, GROWTH_COLS);
	mat_init(&p.B, GROWTH_DIMS, GROWTH_COLS);
	for (size_t e = 0; e < p.A.rows * p.A.cols; e++)
		p.A.a[e] = rng_normal(&rng);
	for (size_t e = 0; e < p.B.rows * p.B.cols; e++)
		p.B.a[e] = rng_normal(&rng);
	each = bench_time(51, NULL, multiply, &p) / (DISTANCE_ROWS * GROWTH_DIMS);
	for (size_t k = 2; k < GROWTH_DIMS; k *= 2)
		centres += 4 * (double)k;
	centres += (4 + 10 + 1) * (double)GROWTH_DIMS;
	mat_release(&p.A);
	mat_release(&p.B);
	return each * centres;
}

static void growth(size_t n, double *before)
{
	struct metrics m;
	struct rusage used;
	struct lab lab;
	uint32_t *label;
	double start, each, products = products_of_row();

	blobs(&lab, n);
	start = bench_cpu_s();
	label = federated(&lab, 1);
	each = (bench_cpu_s() - start) / (double)n;
	need(metrics_of(lab.truth, label, n, &m));
	getrusage(RUSAGE_SELF, &used);
	printf(
	    "anchor n %zu m %d d %zu: %.3g cpu s, %.3g us a row, ratio %.2f, %.2f x dgemm of its "
	    "distances, acc %.4f, peak %ld MiB\n",
	    n, GROWTH_COLS, lab.report.dims, each * (double)n, each * 1e6,
	    *before > 0 ? each / *before : 1.0, each / products, m.acc, used.ru_maxrss / 1024);
	*before = each;
	free(label);
	free(lab.truth);
	mat_release(&lab.X);
	fedsc_report_release(&lab.report);
}

int main(int argc, char **argv)
{
	double before = 0;

	if (argc > 2 && strcmp(argv[1], "growth") != 0) {
		on_data(argc, argv);
		return 0;
	}
	for (int i = 2; i < argc; i++)
		growth(strtoul(argv[i], NULL, 10), &before);
	if (argc < 2) {
		growth(10000, &before);
		growth(100000, &before);
	}
	return 0;
}
