/* Tests the lengths that Theorem 3.9 of the FedSC paper assumes to be bounded: those of scaled
 * rows, and of the rows of a party's dictionary. */
#include "tests/unit/protocols/fedsc/defaults.h"
#include "tests/unit/linalg/sample.h"
#include "protocols/fedsc/coordinator.h"

enum { N = 40, M = 3, D = 6 };

struct lab {
	struct fedsc_party party[2];
	struct memory memory;
	double clip, ball; /* the latest request */
	size_t dictionaries;
};

static double longest(const double *x, size_t rows, size_t cols)
{
	double most = 0;

	for (size_t i = 0; i < rows; i++) {
		double square = 0;

		for (size_t j = 0; j < cols; j++)
			square += x[i * cols + j] * x[i * cols + j];
		most = fmax(most, sqrt(square));
	}
	return most;
}

/* Checks the lengths of rows and dictionaries against the bounds. The sum that it gets is the
 * weighted mean of both parties' dictionaries, which is in the ball if both dictionaries are. */
static enum err watch(void *watcher, const void *question, double *x, size_t n)
{
	const struct fedsc_question *q = question;
	struct lab *lab = watcher;

	(void)n;
	if (q->kind == FEDSC_SCALE) {
		lab->clip = q->clip;
		for (size_t l = 0; lab->clip > 0 && l < 2; l++)
			assert_true(longest(lab->party[l].X.a, lab->party[l].X.rows, M) <=
				    lab->clip * (1 + 1e-12));
	}
	if (q->kind != FEDSC_DICTIONARY)
		return ERR_OK;
	lab->ball = q->ball;
	lab->dictionaries++;
	if (lab->ball > 0)
		assert_true(longest(x, q->Z->rows, M) <= lab->ball * (1 + 1e-12));
	return ERR_OK;
}

static enum err run(struct lab *lab, const struct fedsc_params *p, double *longest_row,
		    double *longest_z)
{
	struct fedsc_report report;
	struct parties parties;
	struct rng rng;
	enum err err;

	rng_seed(&rng, 4, 0);
	*lab = (struct lab){
		.memory = { .kind = &fedsc_in_memory, .count = 2, .watch = watch, .watcher = lab }
	};
	for (size_t l = 0; l < 2; l++) {
		struct mat X;

		mat_init(&X, N, M);
		for (size_t e = 0; e < N * M; e++)
			X.a[e] = rng_normal(&rng) + (double)(4 * (e / M % 2));
		assert_ok(fedsc_party_init(&lab->party[l], &X, 0, NULL, 1));
	}
	lab->memory.party = lab->party;
	parties_in_memory(&parties, &lab->memory);
	err = fedsc_run(&parties, M, p, &report);
	*longest_row = fmax(longest(lab->party[0].X.a, N, M), longest(lab->party[1].X.a, N, M));
	*longest_z = lab->party[0].Z.a ? longest(lab->party[0].Z.a, lab->party[0].Z.rows, M) : 0;
	fedsc_report_release(&report);
	for (size_t l = 0; l < 2; l++)
		fedsc_party_release(&lab->party[l]);
	return err;
}

TEST(shortened)
{
	struct fedsc_params p;
	struct lab lab;
	double row, z;

	assert_ok(fedsc_defaults(&p, FEDSC_BY_DENSE, 2, 1, 1));
	p.dims = D;
	p.least = 1;
	assert_ok(run(&lab, &p, &row, &z));
	assert_true(row > 2 && z > 0.9); /* the bounds below shorten these lengths */
	assert_true(lab.clip == 0 && lab.ball == 0 && lab.dictionaries == p.rounds);
	p.clip = 1;
	p.ball = 0.5;
	assert_ok(run(&lab, &p, &row, &z));
	assert_true(lab.clip == 1 && lab.ball == 0.5 && lab.dictionaries == p.rounds);
	assert_near(row, 1, 1e-12); /* shortened rows have the bound as length */
	assert_true(z <= 0.5 * (1 + 1e-12));
	p.clip = -1;
	assert_err(run(&lab, &p, &row, &z), ERR_INPUT, "lengths of -1 and 0.5");
	p.clip = 0;
	p.ball = NAN;
	assert_err(run(&lab, &p, &row, &z), ERR_INPUT, "lengths of 0 and nan");
}
