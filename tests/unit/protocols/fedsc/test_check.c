/* Tests noise in sums: the number of rounds, and the parties that must add noise.
 * tests/vectors/job-refusals.txt lists refused jobs. */
#include "protocols/fedsc/job.h"
#include "tests/unit/job/jobs.h"

#define SUMS(kind, more)                                                                           \
	"{\"kind\": \"" kind "\", \"clusters\": 5, \"noise\": {\"on\": \"sums\", \"eps\": 0.5, "   \
	"\"delta\": 1e-5, \"clip\": 2" more "}}"

/* Each round takes a part of eps, so a job has few rounds by default: 7 in kmeans, 6 in fedsc,
 * which also sums products of the rows' landmark weights with noise. */
TEST(test_rounds)
{
	struct job j;

	assert_ok(parse(&j, SUMS("kmeans", ""), NULL));
	assert_int_equal(fedsc_job(&j)->how.lloyd, 7);
	assert_ok(parse(&j, SUMS("fedsc", ""), NULL));
	assert_int_equal(fedsc_job(&j)->how.lloyd, 6);
}

/* At least one party must not collude, so that its noise remains. */
TEST(test_colluders_of_so_many)
{
	struct fedsc_params p;
	struct job j;

	assert_ok(parse(&j, SUMS("kmeans", ", \"colluders\": 3"), NULL));
	assert_ok(fedsc_params_of(fedsc_job(&j), 4, 1, &p));
	assert_true(p.colluders == 3 && p.multiplier > 0 && p.clip == 2);
	fedsc_job(&j)->noise_colluders = JOB_AUTO; /* "auto": half of the parties, rounded down */
	for (unsigned parties = 2; parties <= 9; parties++) {
		assert_ok(fedsc_params_of(fedsc_job(&j), parties, 1, &p));
		assert_int_equal(p.colluders, parties / 2);
	}
	fedsc_job(&j)->noise_colluders = 3;
	assert_err(fedsc_params_of(fedsc_job(&j), 3, 1, &p), ERR_INPUT,
		   "job.noise.colluders is 3, of 3 parties");
}
