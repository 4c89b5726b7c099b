#include "tests/unit/linalg/sample.h"
#include "cli/report/tsne.h"

/* -- one row ------------------------------------------------------------------------------- */

/* 2^entropy, from the definition. */
static double perplexity_of(const double *p, size_t n)
{
	double bits = 0;

	for (size_t j = 0; j < n; j++)
		bits -= p[j] > 0 ? p[j] * log2(p[j]) : 0;
	return exp2(bits);
}

/* Weights 3 : 1 have 2^(2 - 0.75 log2 3) = 1.75476535... as perplexity, so this one is theirs. */
static void row_known(void **state)
{
	static const double d2[3] = { 7, 0, 9 };
	double p[3];

	(void)state;
	assert_near(tsne_row(d2, 3, 1, exp2(2 - 0.75 * log2(3)), p), 1.7547653506033232, 1e-9);
	assert_near(p[0], 0.75, 1e-8);
	assert_true(p[1] == 0);
	assert_near(p[2], 0.25, 1e-8);
}

static void row_random(void **state)
{
	static const double scale[] = { 1, 1e-250, 1e250 }, want[] = { 1.5, 5, 30, 99, 190 };
	double d2[200], p[200], first[200], sum;
	struct rng rng;

	(void)state;
	rng_seed(&rng, 4, 0);
	for (int w = 0; w < 5; w++) {
		for (int j = 0; j < 200; j++) {
			double x = rng_normal(&rng);

			d2[j] = 1000 + x * x * x * x; /* all far away, some much farther */
		}
		for (int s = 0; s < 3; s++) {
			for (int j = 0; j < 200; j++)
				d2[j] *= scale[s];
			assert_near(tsne_row(d2, 200, 17, want[w], p), want[w], 1e-7);
			assert_near(perplexity_of(p, 200), want[w], 1e-7);
			assert_true(p[17] == 0);
			sum = 0;
			for (int j = 0; j < 200; j++) {
				sum += p[j];
				if (s)
					assert_near(p[j], first[j], 1e-7);
				d2[j] /= scale[s];
			}
			assert_near(sum, 1, 1e-12);
			memcpy(first, p, sizeof(first));
		}
	}
}

/* One point very far away sets the scale of nothing. */
static void row_outlier(void **state)
{
	static const double far[] = { 1e6, 1e15, 1e22, 1e200 };
	double d2[60], p[60];

	(void)state;
	for (int f = 0; f < 4; f++) {
		for (int j = 0; j < 60; j++)
			d2[j] = j == 59 ? far[f] : 1 + 0.1 * j;
		assert_near(tsne_row(d2, 60, 0, 8, p), 8, 1e-7);
		assert_near(perplexity_of(p, 60), 8, 1e-7);
		for (int j = 2; j < 59; j++)
			assert_true(p[j] < p[j - 1]);
	}
}

/* Perplexities that no width has: more ties than that; as many as there are. */
static void row_ties(void **state)
{
	double d2[26], p[26];

	(void)state;
	for (int j = 0; j < 26; j++)
		d2[j] = j <= 5 ? 0 : 1 + j;
	assert_near(tsne_row(d2, 26, 0, 3, p), 5, 1e-9);
	for (int j = 0; j < 26; j++)
		assert_near(p[j], j >= 1 && j <= 5 ? 0.2 : 0, 1e-9);
	for (int j = 0; j < 26; j++)
		d2[j] = j ? 2 : 0;
	assert_near(tsne_row(d2, 26, 0, 3, p), 25, 1e-9);
	for (int j = 0; j < 26; j++)
		assert_near(p[j], j ? 0.04 : 0, 1e-12);
	d2[3] = 2.5; /* 25 of 25 is asked for, which is there only for equal ones */
	assert_near(tsne_row(d2, 26, 0, 25, p), 25, 1e-4);
}

/* -- pairs --------------------------------------------------------------------------------- */

static double pair_of(const struct tsne_pairs *s, size_t i, size_t j)
{
	return (double)s->p[(i / TSNE_PANEL * s->n + j) * TSNE_PANEL + i % TSNE_PANEL];
}

static void check_pairs(size_t n, size_t m, double perplexity)
{
	double *d2 = alloc(n, sizeof(*d2)), *p = alloc(n, sizeof(*p)), sum = 0;
	struct tsne_pairs s;
	struct mat X, joint;

	sample_normal(&X, n, m, n);
	mat_init(&joint, n, n);
	for (size_t i = 0; i < n; i++) {
		for (size_t j = 0; j < n; j++) {
			d2[j] = 0;
			for (size_t c = 0; c < m; c++)
				d2[j] += pow(MAT(&X, i, c) - MAT(&X, j, c), 2);
		}
		tsne_row(d2, n, i, perplexity, p);
		for (size_t j = 0; j < n; j++) {
			MAT(&joint, i, j) += p[j] / (2 * (double)n);
			MAT(&joint, j, i) += p[j] / (2 * (double)n);
		}
	}
	tsne_pairs_make(&X, perplexity, 2, &s);
	assert_true(s.perplexity == perplexity);
	assert_int_equal(s.panels, (n + TSNE_PANEL - 1) / TSNE_PANEL);
	for (size_t i = 0; i < s.panels * TSNE_PANEL; i++)
		for (size_t j = 0; j < n; j++) {
			assert_near(pair_of(&s, i, j), i < n ? MAT(&joint, i, j) : 0,
				    i < n ? 1e-6 * MAT(&joint, i, j) + 1e-12 : 0);
			sum += pair_of(&s, i, j);
		}
	assert_near(sum, 1, 1e-6);
	tsne_pairs_release(&s);
	mat_release(&joint);
	mat_release(&X);
	free(p);
	free(d2);
}

static void pairs(void **state)
{
	(void)state;
	check_pairs(40, 3, 7);
	check_pairs(16, 2, 4);
	check_pairs(65, 70, 20);
	check_pairs(300, 5, 30);
}

/* -- gradient and divergence --------------------------------------------------------------- */

/* Equations 2 and 5, term by term in doubles. */
static double reference(const struct tsne_pairs *s, const struct mat *Y, double exaggeration,
			struct mat *G)
{
	size_t n = s->n;
	double z = 0, kl = 0;

	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < n; j++)
			z += i == j ? 0
				    : 1 / (1 + pow(MAT(Y, i, 0) - MAT(Y, j, 0), 2) +
					   pow(MAT(Y, i, 1) - MAT(Y, j, 1), 2));
	memset(G->a, 0, 2 * n * sizeof(*G->a));
	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < n; j++) {
			double gap[2] = { MAT(Y, i, 0) - MAT(Y, j, 0),
					  MAT(Y, i, 1) - MAT(Y, j, 1) };
			double q = 1 / (1 + gap[0] * gap[0] + gap[1] * gap[1]);
			double p = pair_of(s, i, j);

			for (int c = 0; c < 2; c++)
				MAT(G, i, c) += 4 * (exaggeration * p - q / z) * gap[c] * q;
			if (i != j && p > 0)
				kl += p * log(p / (q / z));
		}
	return kl;
}

static void check_gradient(size_t n, double spread, double exaggeration)
{
	struct mat X, Y, G, exact;
	struct tsne_pairs s;
	double largest = 0, kl;

	sample_normal(&X, n, 4, n);
	sample_normal(&Y, n, 2, n + 1);
	for (size_t e = 0; e < 2 * n; e++)
		Y.a[e] *= spread;
	mat_init(&G, n, 2);
	mat_init(&exact, n, 2);
	tsne_pairs_make(&X, 10, 1, &s);
	kl = reference(&s, &Y, exaggeration, &exact);
	for (size_t e = 0; e < 2 * n; e++)
		largest = fmax(largest, fabs(exact.a[e]));
	tsne_gradient(&s, &Y, exaggeration, 1, &G);
	assert_mat_near(&G, &exact, 1e-5 * largest);
	assert_near(tsne_divergence(&s, &Y, 1), kl, 1e-12 * fabs(kl));
	tsne_pairs_release(&s);
	mat_release(&exact);
	mat_release(&G);
	mat_release(&Y);
	mat_release(&X);
}

static void gradient(void **state)
{
	(void)state;
	check_gradient(37, 1, 1);
	check_gradient(37, 1, 12);
	check_gradient(32, 1e-4, 12); /* as it begins */
	check_gradient(600, 20, 1);   /* as it ends; more than one run of floats */
}

/* Against the slope of the divergence itself. */
static void gradient_is_slope(void **state)
{
	enum { N = 21 };
	const double h = 1e-5;
	struct mat X, Y, G;
	struct tsne_pairs s;

	(void)state;
	sample_normal(&X, N, 3, 1);
	sample_normal(&Y, N, 2, 2);
	mat_init(&G, N, 2);
	tsne_pairs_make(&X, 5, 1, &s);
	tsne_gradient(&s, &Y, 1, 1, &G);
	for (size_t e = 0; e < 2 * N; e++) {
		double y = Y.a[e], slope;

		Y.a[e] = y + h;
		slope = tsne_divergence(&s, &Y, 1);
		Y.a[e] = y - h;
		slope = (slope - tsne_divergence(&s, &Y, 1)) / (2 * h);
		Y.a[e] = y;
		assert_near(G.a[e], slope, 1e-6);
	}
	tsne_pairs_release(&s);
	mat_release(&G);
	mat_release(&Y);
	mat_release(&X);
}

/* -- the whole ----------------------------------------------------------------------------- */

/* Group i % groups at 10 along an axis of its own, with spread 1. */
static void sample_groups(struct mat *X, size_t n, size_t groups)
{
	sample_normal(X, n, groups, 77);
	for (size_t i = 0; i < n; i++)
		MAT(X, i, i % groups) += 10;
}

/* How many of the 10 nearest in the plane are of the same group. */
static double purity(const struct mat *Y, size_t groups)
{
	enum { NEAREST = 10 };
	size_t good = 0;

	for (size_t i = 0; i < Y->rows; i++) {
		double d[NEAREST];
		size_t who[NEAREST], count = 0;

		for (size_t j = 0; j < Y->rows; j++) {
			double d2 = pow(MAT(Y, i, 0) - MAT(Y, j, 0), 2) +
				    pow(MAT(Y, i, 1) - MAT(Y, j, 1), 2);
			size_t at;

			if (j == i || (count == NEAREST && d2 >= d[NEAREST - 1]))
				continue;
			for (at = count < NEAREST ? count++ : NEAREST - 1; at && d[at - 1] > d2;
			     at--) {
				d[at] = d[at - 1];
				who[at] = who[at - 1];
			}
			d[at] = d2;
			who[at] = j;
		}
		for (size_t a = 0; a < count; a++)
			good += who[a] % groups == i % groups;
	}
	return (double)good / (double)(Y->rows * NEAREST);
}

/* Twelve groups have no plane in which PCA could tell them apart. */
static void groups_come_apart(void **state)
{
	enum { N = 360, GROUPS = 12 };
	struct mat X, Y;
	struct tsne_result r;
	double divergence = INFINITY;

	(void)state;
	sample_groups(&X, N, GROUPS);
	for (unsigned steps = 0; steps <= 500; steps += 250) {
		assert_ok(tsne(&X, 20, steps, 2, &Y, &r));
		assert_near(r.perplexity, 20, 0);
		if (steps == 0) {
			assert_true(r.after == r.before);
			assert_true(purity(&Y, GROUPS) < 0.7);
		} else {
			assert_true(purity(&Y, GROUPS) > 0.99);
		}
		assert_true(r.after < divergence);
		divergence = r.after;
		mat_release(&Y);
	}
	assert_true(r.after < 0.25 * r.before);
	mat_release(&X);
}

static void is_centred(const struct mat *Y)
{
	double sum[2] = { 0 }, size = 0;

	for (size_t i = 0; i < Y->rows; i++)
		for (int c = 0; c < 2; c++) {
			assert_true(isfinite(MAT(Y, i, c)));
			sum[c] += MAT(Y, i, c);
			size += fabs(MAT(Y, i, c));
		}
	assert_near(sum[0], 0, 1e-9 * size);
	assert_near(sum[1], 0, 1e-9 * size);
}

static void threads(void **state)
{
	struct mat X, Y, again;
	struct tsne_result r, other;

	(void)state;
	sample_groups(&X, 333, 5);
	assert_ok(tsne(&X, 30, 60, 1, &Y, &r));
	is_centred(&Y);
	for (unsigned t = 1; t <= 5; t += 2) {
		assert_ok(tsne(&X, 30, 60, t, &again, &other));
		assert_same_bits(&Y, &again);
		assert_memory_equal(&r, &other, sizeof(r));
		mat_release(&again);
	}
	mat_release(&Y);
	mat_release(&X);
}

/* Equal rows are at one place, whatever their number. */
static void duplicates(void **state)
{
	struct mat X, Y;
	struct tsne_result r;

	(void)state;
	sample_normal(&X, 120, 4, 3);
	for (size_t i = 60; i < 120; i++)
		memcpy(ROW(&X, i), ROW(&X, i < 90 ? i - 60 : 0), 4 * sizeof(double));
	assert_ok(tsne(&X, 10, 200, 1, &Y, &r));
	is_centred(&Y);
	for (size_t i = 60; i < 120; i++)
		assert_memory_equal(ROW(&Y, i), ROW(&Y, i < 90 ? i - 60 : 0), 2 * sizeof(double));
	assert_true(MAT(&Y, 0, 0) != MAT(&Y, 1, 0));
	assert_true(r.after < r.before);
	mat_release(&Y);
	mat_release(&X);
	mat_init(&X, 50, 3);
	for (size_t i = 0; i < 150; i++)
		X.a[i] = 0.1;
	assert_ok(tsne(&X, 10, 50, 1, &Y, &r));
	for (size_t i = 0; i < 100; i++)
		assert_true(Y.a[i] == 0);
	mat_release(&Y);
	mat_release(&X);
}

static void fewer_points_than_perplexity(void **state)
{
	static const double three[3] = { 1, -1, 0 };
	struct mat X, Y;
	struct tsne_result r;

	(void)state;
	for (size_t n = 1; n <= 3; n++) { /* the PCA plane: here the numbers themselves */
		mat_init(&X, n, 1);
		memcpy(X.a, three, n * sizeof(double));
		assert_ok(tsne(&X, 30, 500, 1, &Y, &r));
		assert_int_equal(Y.rows, n);
		for (size_t i = 0; i < n; i++) {
			assert_near(MAT(&Y, i, 0), n == 1 ? 0 : three[i], 1e-12);
			assert_true(MAT(&Y, i, 1) == 0);
		}
		assert_true(r.perplexity == 0 && r.before == 0 && r.after == 0);
		mat_release(&Y);
		mat_release(&X);
	}
	for (size_t n = 4; n <= 20; n += 8) {
		sample_normal(&X, n, 3, n);
		assert_ok(tsne(&X, 30, 500, 1, &Y, &r));
		is_centred(&Y);
		assert_near(r.perplexity, fmax(1, (double)(n - 1) / 3), 0);
		assert_true(r.after < r.before);
		mat_release(&Y);
		mat_release(&X);
	}
}

/* Along a line no force leads away from it, and points on it cannot pass each other. */
static void points_on_a_line_spread(void **state)
{
	struct mat X, Y;
	struct tsne_result r;
	double off = 0, on = 0;

	(void)state;
	sample_normal(&X, 200, 1, 6);
	for (size_t i = 0; i < 200; i++)
		X.a[i] += 20 * (double)(i % 4);
	assert_ok(tsne(&X, 20, 300, 1, &Y, &r));
	is_centred(&Y);
	for (size_t i = 0; i < 200; i++) {
		on = fmax(on, fabs(MAT(&Y, i, 0)));
		off = fmax(off, fabs(MAT(&Y, i, 1)));
	}
	assert_true(off > 0.1 * on);
	assert_true(purity(&Y, 4) > 0.99);
	mat_release(&Y);
	mat_release(&X);
}

static void bad_input(void **state)
{
	struct mat X, Y, none = { 0, 3, NULL }, many = { TSNE_ROWS_MAX + 1, 1, NULL };
	struct tsne_result r;

	(void)state;
	assert_err(tsne(&none, 30, 10, 1, &Y, &r), ERR_INPUT, "0 x 3");
	assert_err(tsne(&many, 30, 10, 1, &Y, &r), ERR_INPUT, "10001 x 1");
	sample_normal(&X, 20, 3, 1);
	X.a[14] = NAN;
	assert_err(tsne(&X, 30, 10, 1, &Y, &r), ERR_INPUT, "row 4 has the value nan");
	X.a[14] = -1e160;
	assert_err(tsne(&X, 30, 10, 1, &Y, &r), ERR_INPUT, "row 4 has the value -1e+160");
	mat_release(&X);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(row_known),
		cmocka_unit_test(row_random),
		cmocka_unit_test(row_outlier),
		cmocka_unit_test(row_ties),
		cmocka_unit_test(pairs),
		cmocka_unit_test(gradient),
		cmocka_unit_test(gradient_is_slope),
		cmocka_unit_test(groups_come_apart),
		cmocka_unit_test(threads),
		cmocka_unit_test(duplicates),
		cmocka_unit_test(fewer_points_than_perplexity),
		cmocka_unit_test(points_on_a_line_spread),
		cmocka_unit_test(bad_input),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
