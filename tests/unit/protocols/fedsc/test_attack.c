/* Attacks FedSC with the messages that a coordinator receives. Variant `paper` lets it recover
 * rows; the other variants disclose only sums. */
#include "tests/unit/protocols/fedsc/points.h"
#include "tests/unit/protocols/fedsc/trilaterate.h"
#include "tests/unit/server/run/chi.h"

#include "common/base/file.h"
#include "common/data/dataset.h"
#include "protocols/fedsc/job.h"

enum { K = 3, EACH = 40, M = 5, L = 3 };

/* Everything that a coordinator has: the parties' messages and its own broadcasts. */
struct ear {
	struct federation *f;
	struct buf upload[L], masked[L]; /* numbers of uploads; words of masked sums */
	double *mean, scale;             /* rows x are scaled to (x - mean) / scale */
	double *counts; /* counts of rows at the landmarks, from the current round; NULL after the
			   round's sums */
	double least;   /* min_cluster */
	struct mat Z;   /* dictionary or landmarks of the embedding */
	size_t columns;
};

static void heard_by_server(void *arg, size_t l, enum msg_type type, struct bytes body)
{
	struct ear *ear = arg;
	struct bytes part;
	struct msg m;

	if (type == MSG_SEALED) /* the group key; the coordinator cannot decrypt it */
		return;
	assert_ok(msg_decode(&m, type, body));
	part = type == MSG_UPLOAD ? m.reals.values : m.masked.words;
	assert_true(type == MSG_UPLOAD || type == MSG_MASKED);
	buf_add(type == MSG_UPLOAD ? &ear->upload[l] : &ear->masked[l], part.p, part.n);
}

/* Records the broadcast sums, each in one piece here. They give the dictionary and the landmarks.
 */
static void heard_by_party(void *arg, size_t l, enum msg_type type, struct bytes body)
{
	struct ear *ear = arg;
	size_t m = ear->columns, count, kept = 0;
	const char *phase;
	double *x;

	if (type != MSG_SUM)
		return;
	phase = record_now(&ear->f->party[l].record)->name;
	x = points_sum_told(type, body, &count);
	if (!strcmp(phase, "landmarks") && !ear->counts) {
		ear->counts = x; /* a round sends counts, then sums */
		return;
	}
	if (!strcmp(phase, "landmarks")) {
		mat_release(&ear->Z);
		mat_init(&ear->Z, count / (m + 1), m);
		for (size_t i = 0; kept < ear->Z.rows; i++)
			if (ear->counts[i] >= ear->least) {
				for (size_t j = 0; j < m; j++)
					MAT(&ear->Z, kept, j) =
					    x[kept * (m + 1) + j] / ear->counts[i];
				kept++;
			}
		free(ear->counts);
		ear->counts = NULL;
	}
	if (!strcmp(phase, "stage-1")) {
		mat_release(&ear->Z);
		mat_init(&ear->Z, (count - 1) / m, m);
		for (size_t e = 0; e < count - 1; e++)
			ear->Z.a[e] = x[e] / x[count - 1];
	}
	free(x);
}

static void listen_to(struct ear *ear, const struct points *p, const char *settings)
{
	struct job job = points_job(settings);

	*ear = (struct ear){ .f = points_federation(p, L, &job),
			     .columns = p->X.cols,
			     .least = fedsc_job(&job)->how.least };
	ear->f->server.saw = heard_by_server;
	ear->f->party[0].saw = heard_by_party;
	ear->f->server.saw_arg = ear->f->party[0].saw_arg = ear;
	federation_run(ear->f);
	assert_all_done(ear->f);
	assert_non_null(ear->Z.a);
	ear->scale = points_fact(&ear->f->server.record, "scale");
	ALLOC(ear->mean, ear->columns);
	for (size_t i = 0; i < p->X.rows; i++)
		for (size_t j = 0; j < ear->columns; j++)
			ear->mean[j] += MAT(&p->X, i, j) / (double)p->X.rows;
}

static void forget(struct ear *ear)
{
	for (size_t l = 0; l < L; l++) {
		buf_release(&ear->upload[l]);
		buf_release(&ear->masked[l]);
	}
	free(ear->mean);
	free(ear->counts);
	mat_release(&ear->Z);
	products_end(ear->f);
}

static double width(const struct ear *ear)
{
	const struct record *r = &ear->f->server.record;

	for (size_t i = 0; i < r->facts.count; i++)
		if (!strcmp(r->facts.item[i].name, "r"))
			return r->facts.item[i].value[0];
	return 1; /* variant anchor has no width */
}

/* Writes party l's rows to X, scaled as the job scales them. */
static void rows_of(const struct ear *ear, const struct points *p, size_t l, struct mat *X)
{
	fedsc_deal(&p->X, p->part, (uint32_t)l, X);
	for (size_t i = 0; i < X->rows; i++)
		for (size_t j = 0; j < X->cols; j++)
			MAT(X, i, j) = (MAT(X, i, j) - ear->mean[j]) / ear->scale;
}

/* Takes the numbers as coefficients C of the first rows of X, and recovers these rows from C.
 * Returns the median error. */
static double attack(const struct ear *ear, const struct mat *X, const double *number, size_t count)
{
	struct mat C = { .rows = count / ear->Z.rows, .cols = ear->Z.rows }, known = *X;
	double error;

	C.rows = C.rows < X->rows ? C.rows : X->rows;
	known.rows = C.rows;
	assert_true(C.rows > 0);
	mat_init(&C, C.rows, C.cols);
	memcpy(C.a, number, C.rows * C.cols * sizeof(*number));
	error = trilaterate(&ear->Z, &C, width(ear), 1e-2, &known);
	mat_release(&C);
	return error;
}

static void find_rows(const struct points *p, const char *settings)
{
	struct ear ear;

	listen_to(&ear, p, settings);
	for (size_t l = 0; l < L; l++) {
		size_t count = ear.upload[l].n / sizeof(double);
		double error, *number = alloc(count, sizeof(*number));
		struct mat X;

		memcpy(number, ear.upload[l].p, count * sizeof(*number));
		rows_of(&ear, p, l, &X);
		assert_int_equal(count, X.rows * ear.Z.rows);
		error = attack(&ear, &X, number, count);
		if (!(error < 1e-6))
			fail_msg("%s: the rows of party %zu are off by %g", settings, l, error);
		mat_release(&X);
		free(number);
	}
	forget(&ear);
}

TEST(test_paper_gives_rows_away)
{
	struct points p;

	points_make(&p, K, EACH, M, 4, L, 1);
	find_rows(&p, "variant=paper dims=12");
	find_rows(&p, "variant=paper dims=12 rounds=0 kernel.width=1.5");
	points_release(&p);
}

/* If the upload has noise, the same attack is off by more than 5 % in the median. */
static void blurs_rows(const char *settings)
{
	struct points p;
	struct ear ear;

	points_make(&p, K, EACH, M, 4, L, 1);
	listen_to(&ear, &p, settings);
	for (size_t l = 0; l < L; l++) {
		size_t count = ear.upload[l].n / sizeof(double);
		double *number = alloc(count, sizeof(*number));
		struct mat X;

		memcpy(number, ear.upload[l].p, count * sizeof(*number));
		rows_of(&ear, &p, l, &X);
		assert_true(attack(&ear, &X, number, count) > 0.05);
		mat_release(&X);
		free(number);
	}
	forget(&ear);
	points_release(&p);
}

TEST(test_noise_blurs_rows)
{
	struct points p;

	blurs_rows("variant=paper dims=12 noise.on=factors noise.beta=0.5");
	blurs_rows("variant=paper dims=12 noise.on=factors noise.beta_c=0.5");
	/* Noise on Z_p, the party's dictionary, does not help alone: C is exact, and the dictionary
	 * Z that C belongs to is broadcast. */
	points_make(&p, K, EACH, M, 4, L, 1);
	find_rows(&p, "variant=paper dims=12 noise.on=factors noise.beta=0.5 noise.beta_c=0");
	points_release(&p);
}

TEST(test_paper_gives_iris_away)
{
	const char *root = getenv("COTERIE_DATA");
	struct features features;
	struct points p = { 0 };
	char path[4096];

	snprintf(path, sizeof(path), "%s/iris/features.npy", root ? root : "../shared/data");
	if (!file_exists(path))
		skip();
	assert_ok(features_read(path, &features));
	p.X = features.dense;
	ALLOC(p.part, p.X.rows);
	for (size_t i = 0; i < p.X.rows; i++)
		p.part[i] = (uint32_t)(i % L);
	find_rows(&p, "variant=paper");
	points_release(&p);
}

/* -- masked words ---------------------------------------------------------------------------- */

static uint64_t word_at(const struct buf *words, size_t i)
{
	uint64_t word = 0;

	for (int b = 7; b >= 0; b--)
		word = word << 8 | words->p[8 * i + (size_t)b];
	return word;
}

/* Decodes words as fixed-point numbers, as an attacker would. */
static double *numbers_in(const struct buf *words)
{
	size_t count = words->n / 8;
	double *x = alloc(count, sizeof(*x));

	for (size_t i = 0; i < count; i++)
		x[i] = ldexp((double)(int64_t)word_at(words, i), -JOB_WIDE_FRACTION);
	return x;
}

/* Checks that the bytes of a party's words are uniform. */
static void assert_uniform(const struct buf *words)
{
	size_t seen[256] = { 0 };
	double expected[256];

	for (size_t i = 0; i < words->n; i++)
		seen[words->p[i]]++;
	for (int b = 0; b < 256; b++)
		expected[b] = (double)words->n / 256;
	assert_true(chi_square(seen, expected, 256) < chi_limit(255));
}

/* Adds up the words of all parties. The masks cancel, so the result is the protocol's sums, all
 * between -2^62 and 2^62. */
static void sum_words(const struct ear *ear, struct buf *sum)
{
	size_t bytes = ear->masked[0].n;

	for (size_t i = 0; i < bytes / 8; i++) {
		uint64_t word = 0;
		uint8_t *to = buf_extend(sum, 8);

		for (size_t l = 0; l < L; l++)
			word += word_at(&ear->masked[l], i);
		assert_true((word + (UINT64_C(1) << 62)) >> 63 == 0);
		for (int b = 0; b < 8; b++)
			to[b] = (uint8_t)(word >> 8 * b);
	}
}

static void find_nothing(const struct points *p, const char *settings)
{
	struct buf sum = { 0 };
	struct ear ear;

	listen_to(&ear, p, settings);
	for (size_t l = 0; l < L; l++) {
		double *x = numbers_in(&ear.masked[l]);
		struct mat X;

		assert_int_equal(ear.upload[l].n, 0);
		assert_int_equal(ear.masked[l].n, ear.masked[0].n);
		assert_uniform(&ear.masked[l]);
		rows_of(&ear, p, l, &X);
		assert_true(attack(&ear, &X, x, ear.masked[l].n / 8) > 0.5);
		mat_release(&X);
		free(x);
	}
	sum_words(&ear, &sum);
	for (size_t l = 0; l < L; l++) {
		double *x = numbers_in(&sum);
		struct mat X;

		rows_of(&ear, p, l, &X);
		assert_true(attack(&ear, &X, x, sum.n / 8) > 0.5);
		mat_release(&X);
		free(x);
	}
	buf_release(&sum);
	forget(&ear);
}

TEST(test_others_have_only_sums)
{
	struct points p;

	points_make(&p, K, EACH, M, 4, L, 1);
	find_nothing(&p, "variant=anchor");
	find_nothing(&p, "variant=dense dims=12");
	points_release(&p);
}
