/* Checks which jobs a party's policy accepts and which it declines. */
#include "party/consent/policy.h"
#include "common/base/alloc.h"
#include "common/job/kinds.h"
#include "party/daemon/kinds.h"
#include "tests/unit/crypto/lab.h"

#define PIN "sha256:00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff"

/* Party "p0" with the peers hub and p1 .. p6, in its own folder. */
struct desk {
	char dir[64], path[96];
	struct party_config config;
	struct work *work;
};

static void desk_open(struct desk *d, const char *policy)
{
	FILE *f;

	lab_dir(d->dir);
	snprintf(d->path, sizeof(d->path), "%s/party.json", d->dir);
	f = fopen(d->path, "w");
	assert_non_null(f);
	fprintf(f, "{\"name\":\"p0\",\"coordinator\":\"localhost:7431\",\"identity\":{"
		   "\"certificate\":\"c\","
		   "\"key\":\"k\",\"ca\":\"a\"},\"peers\":{\"hub\":\"" PIN "\"");
	for (int l = 1; l <= 6; l++)
		fprintf(f, ",\"p%d\":\"" PIN "\"", l);
	fprintf(f,
		"},\"data\":{\"features\":\"f.npy\",\"edges\":\"e.tsv\"},\"output\":\"out\","
		"\"policy\":{%s}}",
		policy);
	fclose(f);
	assert_ok(party_config_read(&d->config, d->path, NULL));
	ALLOC(d->work, 1);
}

static void desk_close(struct desk *d)
{
	party_config_release(&d->config);
	free(d->work);
	lab_remove(d->dir);
}

/* `more` is a whole job, or further keys of a kcagc job. */
static void job_from(struct job *job, const char *more)
{
	char text[512];

	if (*more == '{')
		snprintf(text, sizeof(text), "%s", more);
	else
		snprintf(text, sizeof(text),
			 "{\"kind\":\"kcagc\",\"clusters\":3,\"filter\":{\"order\":2}%s%s}",
			 strstr(more, "\"method\"") ? "" : ",\"method\":\"tree\"", more);
	assert_ok(
	    job_parse(job, (struct bytes){ (const uint8_t *)text, strlen(text) }, "test", NULL));
}

static void offer(struct desk *d, size_t L, const char *more)
{
	job_from(&d->work->job, more);
	d->work->side = party_kind_of(d->work->job.kind);
	d->work->L = L;
	d->work->own = 0;
	d->work->attempt = 1;
	strcpy(d->work->submitter, "ann");
	for (size_t l = 0; l < L; l++)
		snprintf(d->work->name[l], sizeof(d->work->name[l]), "p%zu", l);
}

/* Offers p0 a job of L parties. The policy must refuse it with `message`, or accept it if `message`
 * is "". */
static void check(const char *policy, size_t L, const char *job, const char *message)
{
	struct desk d;

	desk_open(&d, policy);
	offer(&d, L, job);
	if (*message)
		assert_err(policy_check(&d.config, NULL, d.work), ERR_PEER, message);
	else
		assert_ok(policy_check(&d.config, NULL, d.work));
	desk_close(&d);
}

/* policy.min_parties bounds the members of the smallest sum from below: 2 in a tree (3 if it has
 * three parties), otherwise all parties. */
TEST(test_members_of_each_sum)
{
	static const char tree[] = ",\"method\":\"tree\"", flat[] = ",\"method\":\"flat\"",
			  basic[] = ",\"method\":\"basic\"";

	check("\"jobs\":[\"kcagc\"],\"min_parties\":2", 2, tree, "");
	check("\"jobs\":[\"kcagc\"],\"min_parties\":3", 3, tree, "");
	check("\"jobs\":[\"kcagc\"],\"min_parties\":3", 4, tree,
	      "sums of 2 parties, policy.min_parties is 3");
	check("\"jobs\":[\"kcagc\"],\"min_parties\":3", 7, tree, "method tree, 7 parties");
	check("\"jobs\":[\"kcagc\"],\"min_parties\":4", 3, flat,
	      "sums of 3 parties, policy.min_parties is 4");
	check("\"jobs\":[\"kcagc\"],\"min_parties\":4", 4, flat, "");
	check("\"jobs\":[\"kcagc\"],\"min_parties\":7", 7, basic, "");
	check("\"jobs\":[\"kcagc\"],\"min_parties\":7", 6, basic, "sums of 6 parties");
}

TEST(test_single_needs_both)
{
	static const char job[] = ",\"allow_single\":true";

	check("\"jobs\":[\"kcagc\"],\"allow_single\":true", 1, job, "");
	check("\"jobs\":[\"kcagc\"],\"allow_single\":false", 1, job, "masks nothing");
	check("\"jobs\":[\"kcagc\"],\"allow_single\":true", 1, "", "masks nothing");
}

/* Offers p0 attempt 2 with L parties, from which p6 has been left out if lefts is 1. */
static void check_loss(const char *policy, size_t L, size_t lefts, const char *message)
{
	struct desk d;

	desk_open(&d, policy);
	offer(&d, L, ",\"method\":\"flat\",\"on_loss\":\"attempt\",\"allow_single\":true");
	d.work->attempt = 2;
	d.work->lefts = lefts;
	d.work->left[0].attempt = 2;
	strcpy(d.work->left[0].name, "p6");
	if (*message)
		assert_err(policy_check(&d.config, NULL, d.work), ERR_PEER, message);
	else
		assert_ok(policy_check(&d.config, NULL, d.work));
	desk_close(&d);
}

TEST(test_parties_that_stay_away)
{
	check_loss("", 4, 0,
		   "may continue after a dropout (job.on_loss), "
		   "policy.allow_loss of p0 is 0");
	check_loss("", 4, 1, "policy.allow_loss of p0 is 0");
	check_loss("\"allow_subsets\":true", 4, 1, "policy.allow_loss of p0 is 0");
	check_loss("\"allow_loss\":4", 2, 0, ""); /* all parties take part */
	check_loss("\"allow_loss\":4", 4, 1, "");
	check_loss("\"allow_loss\":4", 3, 1, "3 parties are left, policy.allow_loss of p0 is 4");
	check_loss("\"allow_loss\":2,\"min_parties\":4", 3, 1, "policy.min_parties is 4");
	/* Permission for jobs of one party does not permit a job to continue with one party after a
	 * dropout. */
	check_loss("\"allow_loss\":1,\"allow_single\":true", 1, 0, "");
	check_loss("\"allow_loss\":1,\"allow_single\":true", 1, 1, "policy.min_parties is 2");
}

TEST(test_submitters)
{
	check("\"jobs\":[\"kcagc\"],\"submitters\":[\"bob\",\"ann\"]", 2, "", "");
	check("\"jobs\":[\"kcagc\"],\"submitters\":[\"bob\"]", 2, "",
	      "submitted by ann, whom policy.submitters of p0 does not name");
}

TEST(test_methods)
{
	check("\"jobs\":[\"kcagc\"],\"methods\":[\"flat\",\"tree\"]", 2, ",\"method\":\"tree\"",
	      "");
	check("\"jobs\":[\"kcagc\"],\"methods\":[\"flat\",\"tree\"]", 2, ",\"method\":\"basic\"",
	      "the offered method is basic, which policy.methods of p0 does not name");
}

/* Offers p0 a job that aligns rows. The policy must refuse it with `message`, or accept it if
 * `message` is "". */
static void check_align(const char *policy, enum job_align align, unsigned min_common,
			const char *message)
{
	struct desk d;

	desk_open(&d, policy);
	offer(&d, 2, "");
	d.work->job.align = align;
	d.work->job.min_common = min_common;
	if (*message)
		assert_err(policy_check(&d.config, NULL, d.work), ERR_PEER, message);
	else
		assert_ok(policy_check(&d.config, NULL, d.work));
	desk_close(&d);
}

TEST(test_align)
{
	check_align("\"jobs\":[\"kcagc\"]", ALIGN_INTERSECT, 100, "");
	check_align(
	    "\"jobs\":[\"kcagc\"],\"align\":[\"same\"]", ALIGN_INTERSECT, 100,
	    "the offered job matches rows by \"intersect\" (job.align), which policy.align of "
	    "p0 does not name");
	check_align("\"jobs\":[\"kcagc\"],\"align\":[\"intersect\"]", ALIGN_SAME, 1, "");
	check_align(
	    "\"jobs\":[\"kcagc\"]", ALIGN_INTERSECT, 99,
	    "goes on with 99 rows that all parties have (job.min_common), policy.min_common of "
	    "p0 is 100");
	check_align("\"jobs\":[\"kcagc\"],\"min_common\":2", ALIGN_INTERSECT, 2, "");
}

/* ---- exchanges ---- */

TEST(test_exchanges)
{
	static const char gram[] = ",\"exchange\":\"gram\"";

	check("\"jobs\":[\"kcagc\"],\"exchanges\":[\"distances\"]", 2, "", "");
	check("\"jobs\":[\"kcagc\"],\"exchanges\":[\"distances\"]", 2, gram,
	      "the offered exchange is gram, which policy.exchanges of p0 does not name");
	check("\"jobs\":[\"kcagc\"],\"exchanges\":[\"distances\",\"gram\"]", 2, gram, "");
	check("\"jobs\":[\"kcagc\"],\"exchanges\":[\"gram\"]", 2, "",
	      "the offered exchange is distances");
	check("\"jobs\":[\"kcagc\"]", 2, gram, ""); /* without `exchanges` all are permitted */
}

/* ---- rows ---- */

#define ROWS(kind, more) "{\"kind\":\"" kind "\",\"clusters\":3" more "}"
#define PAPER(more)      ROWS("fedsc", ",\"variant\":\"paper\"" more)
#define EPS(on, eps, delta)                                                                        \
	",\"noise\":{\"on\":\"" on "\",\"eps\":" eps ",\"delta\":" delta ",\"clip\":1}"

/* The name of a kind does not permit its variants that reveal rows. */
TEST(test_named_variants)
{
	check("\"jobs\":[\"fedsc\"]", 2, ROWS("fedsc", ""), "");
	check("\"jobs\":[\"fedsc\"]", 2, ROWS("fedsc", ",\"variant\":\"dense\""), "");
	check("\"jobs\":[\"fedsc\"]", 2, PAPER(""),
	      "of kind fedsc.paper, which policy.jobs of p0 does not name");
	check("\"jobs\":[\"fedsc.paper\"]", 2, PAPER(""), "");
	check("\"jobs\":[\"fedsc.paper\"]", 2, ROWS("fedsc", ""), "of kind fedsc, which");
	check("\"jobs\":[\"fedsc\",\"fedsc.paper\"]", 2, ROWS("fedsc", ",\"variant\":\"pairwise\""),
	      "of kind fedsc.pairwise, which");
	check("\"jobs\":[\"fedsc.pairwise\"]", 2, ROWS("fedsc", ",\"variant\":\"pairwise\""), "");
	check("\"jobs\":[\"fedsc\",\"fedsc.paper\"]", 2, ROWS("kmeans", ""),
	      "of kind kmeans, which");
	check("\"jobs\":[\"kcagc\"]", 2, ROWS("fedsc", ""), "of kind fedsc, which");
}

TEST(test_min_cluster)
{
	static const char *const jobs[] = { ROWS("fedsc", ",\"min_cluster\":4"),
					    ROWS("kmeans", ",\"min_cluster\":4") };

	for (size_t i = 0; i < 2; i++) {
		check("\"jobs\":[\"fedsc\",\"kmeans\"],\"min_cluster\":4", 2, jobs[i], "");
		check("\"jobs\":[\"fedsc\",\"kmeans\"],\"min_cluster\":5", 2, jobs[i],
		      "sums of 4 rows (job.min_cluster), policy.min_cluster of p0 is 5");
		check("\"jobs\":[\"fedsc\",\"kmeans\"]", 2, jobs[i],
		      ""); /* default min_cluster: 3 */
	}
	check("\"jobs\":[\"kmeans\"]", 2, ROWS("kmeans", ",\"min_cluster\":2"),
	      "policy.min_cluster of p0 is 3");
	check("\"jobs\":[\"kcagc\"],\"min_cluster\":9", 2, "", ""); /* kcagc has no sums of rows */
}

/* The name of the kind does not permit unmasked prototypes, nor prototypes of fewer graphs than the
 * policy requires. */
TEST(test_prototypes)
{
	check("\"jobs\":[\"fedgcn\"]", 2, ROWS("fedgcn", ""), "");
	check("\"jobs\":[\"fedgcn\"]", 2, ROWS("fedgcn", ",\"prototypes\":\"kde\""),
	      "of kind fedgcn.kde, which policy.jobs of p0 does not name");
	check("\"jobs\":[\"fedgcn.kde\"]", 2, ROWS("fedgcn", ",\"prototypes\":\"kde\""), "");
	check("\"jobs\":[\"fedgcn\"],\"min_cluster\":5", 2, ROWS("fedgcn", ""), "");
	check("\"jobs\":[\"fedgcn\"],\"min_cluster\":6", 2, ROWS("fedgcn", ""),
	      "has prototypes of 5 graphs (job.min_cluster), policy.min_cluster of p0 is 6");
	check("\"jobs\":[\"fedgcn\"],\"min_parties\":3", 2, ROWS("fedgcn", ""),
	      "sums of 2 parties, policy.min_parties is 3");
}

TEST(test_max_eps)
{
	static const char two[] = "\"jobs\":[\"fedsc\",\"kmeans\",\"fedsc.paper\",\"kcagc\"],"
				  "\"max_eps\":2,\"max_delta\":1e-3";

	check(two, 2, ROWS("fedsc", EPS("data", "2", "1e-5")), "");
	check(two, 2, ROWS("kmeans", EPS("data", "0.5", "1e-5")), "");
	check(two, 2, PAPER(EPS("data", "2", "1e-5")), "");
	check(two, 2, ROWS("fedsc", EPS("data", "2.5", "1e-5")),
	      "the offered job.noise.eps is 2.5, policy.max_eps of p0 is 2");
	check(two, 2, ROWS("fedsc", EPS("data", "2", "0.01")),
	      "the offered job.noise.delta is 0.01, policy.max_delta of p0 is 0.001");
	check(two, 2, ROWS("fedsc", ""),
	      "kind fedsc claims no differential privacy, policy.max_eps of p0 is 2");
	check(two, 2, ROWS("fedsc", ",\"noise\":{\"on\":\"data\",\"beta\":5}"), "claims no");
	check(two, 2, "", "kind kcagc claims no differential privacy");
	check("\"jobs\":[\"fedgcn\"],\"max_eps\":10", 2, ROWS("fedgcn", ""),
	      "no job of this kind does");
	/* Theorem 3.9 of the paper covers the uploads of Z and C, but not the sums that the job
	 * also opens. So a job with noise on factors claims no privacy. */
	check(two, 2,
	      PAPER(",\"dims\":9,\"kernel\":{\"width\":1},\"noise\":{\"on\":\"factors\","
		    "\"eps\":1,\"delta\":1e-5,\"clip\":1,\"ball\":1}"),
	      "claims no differential privacy");
	/* fedwalk's eps is for a single tie; policy.max_eps limits the eps of a whole row. */
	check("\"jobs\":[\"fedwalk\"],\"max_eps\":10", 2,
	      "{\"kind\":\"fedwalk\",\"mode\":\"randomized-response\"}",
	      "promises at most job.eps, 8, for single ties; policy.max_eps of p0 is 10");
	check("\"jobs\":[\"fedwalk\"]", 2, "{\"kind\":\"fedwalk\"}", "");
	check("\"jobs\":[\"fedwalk\"]", 2, "{\"kind\":\"fedwalk\",\"dissimilarity\":\"dtw\"}",
	      "the offered job is of kind fedwalk.dtw, which policy.jobs of p0 does not name");
	check("\"jobs\":[\"fedsc\"]", 2, ROWS("fedsc", EPS("data", "50", "0.1")), "");
	check("\"jobs\":[\"fedsc\"],\"max_eps\":2,\"max_delta\":0.2", 2,
	      ROWS("fedsc", EPS("data", "2", "0.1")), "");
	/* Without max_delta in the policy the limit is one in a million. */
	check("\"jobs\":[\"fedsc\"],\"max_eps\":2", 2, ROWS("fedsc", EPS("data", "2", "1e-6")), "");
	check("\"jobs\":[\"fedsc\"],\"max_eps\":2", 2, ROWS("fedsc", EPS("data", "2", "2e-6")),
	      "the offered job.noise.delta is 2e-06, policy.max_delta of p0 is 1e-06");
}

#define SHARES(colluders)                                                                          \
	ROWS("kmeans",                                                                             \
	     ",\"noise\":{\"on\":\"sums\",\"eps\":1,\"delta\":1e-5,\"clip\":1" colluders "}")

/* Noise in shares must suffice against as many colluders as the policy requires; "auto" means half
 * of the parties. */
TEST(test_min_colluders)
{
	static const char two[] = "\"jobs\":[\"kmeans\",\"fedspectral\"],\"min_colluders\":2";

	check("\"jobs\":[\"kmeans\"]", 5, SHARES(",\"colluders\":1"), "");
	check(
	    two, 5, SHARES(",\"colluders\":1"),
	    "enough against 1 colluding parties (job.noise.colluders), policy.min_colluders of p0 "
	    "is 2");
	check(two, 5, SHARES(",\"colluders\":2"), "");
	check(two, 4, SHARES(""), "");
	check(two, 3, SHARES(""), "enough against 1 colluding");
	check(two, 3,
	      "{\"kind\":\"fedspectral\",\"clusters\":2,\"noise\":{\"on\":\"sums\",\"eps\":1,"
	      "\"delta\":1e-5}}",
	      "enough against 1 colluding");
	/* With noise on "data" each party adds enough noise on its own, so colluders do not
	 * matter. */
	check(two, 3, ROWS("kmeans", EPS("data", "1", "1e-5")), "");
	check(two, 3, ROWS("kmeans", ""), "");
}

TEST(test_attempt_numbers)
{
	struct desk d;

	desk_open(&d, "");
	offer(&d, 3, "");
	for (uint32_t attempt = 0; attempt <= 4; attempt++) {
		d.work->attempt = attempt;
		if (attempt >= 1 && attempt <= 3)
			assert_ok(policy_check(&d.config, NULL, d.work));
		else
			assert_err(policy_check(&d.config, NULL, d.work), ERR_PEER,
				   attempt ? "attempt 4 is offered, policy.max_attempts of p0 is 3"
					   : "attempt 0 is offered, the first is 1");
	}
	desk_close(&d);
}

/* Jobs that reveal sums, or clusters computed from them, need noise that suffices without one
 * party's share. */
TEST(test_require_noise)
{
	static const char asks[] =
	    "\"jobs\":[\"kcagc\",\"kcagc.predict\",\"kmeans\",\"fedsc\",\"fedsc.paper\","
	    "\"fedgcn\",\"fedspectral\",\"fedspectral.exact\",\"fedwalk\"],"
	    "\"require_noise\":true";
	static const char keys[] =
	    "it takes job.noise.on \"sums\" with job.noise.eps, delta and clip and "
	    "job.noise.colluders of 1 or more, or job.noise.on \"data\"";

	check(asks, 3, ROWS("kmeans", ""),
	      "the offered job of kind kmeans discloses sums, or clusters derived from them, to "
	      "all parties without noise, policy.require_noise of p0 is true");
	check(asks, 3, ROWS("kmeans", ""), keys);
	check(asks, 3, ROWS("kmeans", EPS("sums", "1", "1e-5")), "");
	check(asks, 3, ROWS("kmeans", EPS("data", "1", "1e-5")), "");
	check(asks, 3, ROWS("kmeans", ",\"noise\":{\"on\":\"data\",\"beta\":5}"), keys);
	check(asks, 3, ROWS("fedsc", ""), keys);
	check(asks, 3, ROWS("fedsc", EPS("sums", "1", "1e-5")), "");
	check(asks, 3, ROWS("fedsc", ",\"variant\":\"dense\""),
	      "it takes job.noise.on \"data\" with job.noise.eps, delta and clip");
	check(asks, 3, PAPER(EPS("data", "1", "1e-5")), "");
	check(asks, 3, ROWS("fedgcn", ""), "no job of this kind has such noise");
	check(asks, 3, "", "no job of this kind has such noise"); /* a job of kind kcagc */
	check(asks, 3, ROWS("fedspectral", ",\"variant\":\"exact\""),
	      "it takes job.noise.on \"sums\" with job.noise.eps and delta, and");
	check(asks, 3,
	      "{\"kind\":\"fedspectral\",\"variant\":\"exact\",\"clusters\":3,"
	      "\"noise\":{\"on\":\"sums\",\"eps\":8,\"delta\":1e-5}}",
	      "");
	check(asks, 3, ROWS("fedspectral", ",\"variant\":\"fedspectral+\""), "has no such noise");
	check(asks, 3, ROWS("fedspectral", ",\"variant\":\"fedspectral\""), "");
	check(asks, 3, "{\"kind\":\"fedwalk\"}", "");
	check("\"jobs\":[\"kmeans\"]", 3, ROWS("kmeans", ""), "");
}

TEST(test_agreed_job)
{
	struct desk d;
	struct job agreed;

	desk_open(&d, "\"jobs\":[\"kcagc\"]");
	offer(&d, 2, ",\"seed\":7");
	job_from(&agreed, ",\"seed\":7");
	assert_ok(policy_check(&d.config, &agreed, d.work));
	job_from(&agreed, ",\"seed\":8");
	assert_err(policy_check(&d.config, &agreed, d.work), ERR_PEER,
		   "p0 agreed to another job: job.seed: 8 here, 7 offered");
	desk_close(&d);
}

TEST(test_pins)
{
	uint8_t pin[SECAGG_HASH_LEN];
	struct desk d;

	desk_open(&d, "\"jobs\":[\"kcagc\"]");
	assert_ok(policy_pin(&d.config, "p3", pin));
	for (int i = 0; i < SECAGG_HASH_LEN; i++)
		assert_int_equal(pin[i], i % 16 * 0x11);
	assert_err(policy_pin(&d.config, "p30", pin), ERR_PEER, "the peers of p0 do not name it");
	offer(&d, 7, "");
	assert_ok(policy_check(&d.config, NULL, d.work));
	strcpy(d.work->name[6], "stranger");
	assert_err(policy_check(&d.config, NULL, d.work), ERR_PEER,
		   "stranger takes part, but the peers of p0 do not name it");
	desk_close(&d);
}

/* policy.min_cell bounds the rows behind one number of a kcagc job from below. */
TEST(test_min_cell)
{
	check("\"min_cell\":3", 2, ",\"min_cell\":3,\"polish\":0", "");
	check("\"min_cell\":3", 2, ",\"min_cell\":2,\"polish\":0",
	      "cells of 2 nodes (job.min_cell), policy.min_cell of p0 is 3");
	check("\"min_cell\":2", 2, "",
	      "cells of 1 nodes (job.min_cell), policy.min_cell of p0 is 2");
	check("\"min_cell\":2,\"jobs\":[\"kcagc.predict\"]", 2,
	      "{\"kind\":\"kcagc.predict\",\"clusters\":3,"
	      "\"model\":\"00112233445566778899aabbccddeeff\"}",
	      "the offered job of kind kcagc.predict has cells of 1 nodes");
	check("\"min_cell\":5,\"jobs\":[\"kmeans\"]", 2, "{\"kind\":\"kmeans\",\"clusters\":3}",
	      ""); /* policy.min_cluster bounds the rows of kmeans */
}
