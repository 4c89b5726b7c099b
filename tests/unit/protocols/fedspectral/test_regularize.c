/* Tests parameters that change exact and fedspectral+ from the published method: tau, added to
 * degrees, and rows without unit length. The graph has two camps and a tail of four nodes at a node
 * of one camp. */
#include "tests/unit/protocols/fedspectral/parts.h"
#include "protocols/fedspectral/job.h"
#include "common/job/job.h"

enum { CAMPS = 120, TAIL = 4, ALL = CAMPS + TAIL };

static struct csr tailed;
static uint32_t camp[ALL];

static int plant(void **state)
{
	struct csr A;
	struct triple *t;
	size_t count = 0;

	(void)state;
	parts_planted(&A, CAMPS, 2, 1500, 0.35, 0, camp);
	ALLOC(t, A.start[CAMPS] + 2 * TAIL);
	for (size_t i = 0; i < CAMPS; i++)
		for (size_t e = A.start[i]; e < A.start[i + 1]; e++)
			t[count++] = (struct triple){ (uint32_t)i, A.index[e], 1 };
	for (uint32_t i = CAMPS; i < ALL; i++) { /* the first tail node is linked to node 0 */
		uint32_t to = i == CAMPS ? 0 : i - 1;

		t[count++] = (struct triple){ i, to, 1 };
		t[count++] = (struct triple){ to, i, 1 };
		camp[i] = camp[0];
	}
	csr_from_triples(&tailed, ALL, ALL, t, count);
	free(t);
	csr_release(&A);
	return 0;
}

static int uproot(void **state)
{
	(void)state;
	csr_release(&tailed);
	return 0;
}

static void cluster(size_t parties, double tau, uint32_t *label, struct fedspectral_report *r)
{
	struct fedspectral_params p;
	struct parts parts;

	parts_deal(&parts, &tailed, parties, 1, 1, 1);
	fedspectral_defaults(&p, 2, 1, 1);
	p.tau = tau;
	assert_ok(fedspectral_exact(&parts.parties, parts.n, &p, label, r));
	parts_release(&parts);
}

/* Without tau the cut separates the tail, as any normalised cut does. With tau it separates the
 * camps, for any number of parties. */
TEST(test_a_tail_is_no_cluster)
{
	struct fedspectral_report r;
	uint32_t label[ALL], other[ALL];
	size_t small = 0;

	cluster(3, 0, label, &r);
	for (size_t i = 0; i < ALL; i++)
		small += label[i] == 1;
	assert_true(small <= TAIL + 1);
	assert_int_equal(r.near_1, 1);
	cluster(3, 0.1, label, &r);
	assert_agree(camp, label, ALL, 0.9, "tau .1");
	assert_int_equal(r.near_1, 0); /* near_1 counts nothing if tau > 0 */
	assert_true(r.value[0] < 1 - 1e-3);
	cluster(1, 0.1, other, &r);
	assert_agree(other, label, ALL, 1, "one party");
}

/* Regularising adds tau times the harmonic mean of the nonzero degrees to each nonzero degree. The
 * harmonic mean is 1.5 here, also with a hub of very high degree. */
TEST(test_degrees)
{
	double degree[] = { 2, 0, 1, 2 }, same[] = { 4, 0, 1, 1 };
	double hub[] = { 1, 1, 1e6 };

	fedspectral_regularize(degree, 4, 0.5);
	assert_true(degree[0] == 2.75 && degree[1] == 0 && degree[2] == 1.75 && degree[3] == 2.75);
	fedspectral_regularize(hub, 3, 0.5);
	assert_near(hub[0], 1.75, 1e-6);
	fedspectral_regularize(same, 4, 0);
	assert_true(same[0] == 4 && same[2] == 1);
}

/* Rows of fedspectral+ as published (Algorithm 4) keep lengths that grow with the node's degree, so
 * unit rows give other clusters. */
TEST(test_rows_as_they_are)
{
	struct fedspectral_params p;
	uint32_t unit[ALL], raw[ALL];
	struct parts parts;

	parts_deal(&parts, &tailed, 2, 1, 1, 1);
	fedspectral_defaults(&p, 4, 1, 1);
	assert_true(p.unit_rows);
	assert_ok(fedspectral_plus(&parts.parties, parts.n, &p, unit, NULL));
	p.unit_rows = false;
	assert_ok(fedspectral_plus(&parts.parties, parts.n, &p, raw, NULL));
	assert_true(memcmp(unit, raw, sizeof(raw)) != 0);
	parts_release(&parts);
}

static enum err parse(struct job *job, const char *text)
{
	return job_parse(job, (struct bytes){ (const uint8_t *)text, strlen(text) }, "job", NULL);
}

static double default_of(const char *rest)
{
	char text[200];
	struct job job;

	snprintf(text, sizeof(text), "{ \"kind\": \"fedspectral\", \"clusters\": 4%s }", rest);
	assert_ok(parse(&job, text));
	return fedspectral_job(&job)->how.tau;
}

/* The default tau of 0.2 is for `exact` without noise only. */
TEST(test_default)
{
	assert_true(default_of("") == 0.2);
	assert_true(default_of(", \"variant\": \"exact\"") == 0.2);
	assert_true(default_of(", \"noise\": { \"on\": \"none\" }") == 0.2);
	assert_true(default_of(", \"noise\": { \"on\": \"sums\", \"eps\": 1, "
			       "\"delta\": 1e-5 }") == 0);
	assert_true(default_of(", \"variant\": \"fedspectral+\"") == 0);
	assert_true(default_of(", \"regularize\": 0") == 0);
}

TEST(test_jobs)
{
	struct job job;

	assert_ok(parse(&job, "{ \"kind\": \"fedspectral\", \"clusters\": 4, \"tau\": 0.1 }"));
	assert_true(fedspectral_job(&job)->how.tau == 0.1 && fedspectral_job(&job)->how.unit_rows);
	assert_err(parse(&job, "{ \"kind\": \"fedspectral\", \"clusters\": 4, \"tau\": 0.1, "
			       "\"variant\": \"fedspectral+\" }"),
		   ERR_INPUT, "job.tau is read by variant \"exact\" only; remove it");
	assert_err(parse(&job, "{ \"kind\": \"fedspectral\", \"clusters\": 4, \"tau\": 0.1, "
			       "\"noise\": { \"on\": \"sums\", \"eps\": 1, \"delta\": 1e-5 } }"),
		   ERR_INPUT, "job.tau is read where job.noise.on is \"none\" only; remove it");
	assert_err(parse(&job, "{ \"kind\": \"fedspectral\", \"clusters\": 4, \"tau\": -1 }"),
		   ERR_INPUT, "job.tau is -1");
	assert_err(parse(&job, "{ \"kind\": \"fedspectral\", \"clusters\": 4, \"regularize\": 1 }"),
		   ERR_INPUT, "use tau, in harmonic means of the degrees");
}

TESTS_BETWEEN(plant, uproot)
