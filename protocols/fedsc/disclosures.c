#include "protocols/fedsc/job.h"
#include "common/kind/own.h"

/* Lists the disclosures of noise in aggregates: only the number of rows is exact. */
static void noisy_sums(struct disclosures *s, const struct fedsc_job *job, size_t parties)
{
	bool anchor = job->how.variant == FEDSC_BY_ANCHORS;

	disclose_names(s, parties);
	disclosures_add(s, true,
			"coordinator and parties see the number of rows of all parties together");
	disclosures_add(s, true, "each party alone sees the clusters of its own rows");
	disclosures_add(
	    s, true,
	    "coordinator and parties see counts and centres with noise, in each of "
	    "job.iterations rounds: how many rows of all parties are nearest to each, and the "
	    "centres that follow from the sum of their offsets");
	disclosures_add(
	    s, anchor,
	    "coordinator and parties see with noise how strongly any two landmarks are tied "
	    "by rows, summed over all rows");
	disclose_privacy(
	    s, job->noise_colluders == JOB_AUTO
		   ? "differential privacy: all that is shown, but for the number of rows, is "
		     "(eps, delta)-private in each row by the discrete Gaussian mechanism in "
		     "sums, with job.noise.eps and job.noise.delta, as long as no more than "
		     "half of the parties disclose their noise to the coordinator; further "
		     "jobs and attempts on the same rows add to it"
		   : "differential privacy: all that is shown, but for the number of rows, is "
		     "(eps, delta)-private in each row by the discrete Gaussian mechanism in "
		     "sums, with job.noise.eps and job.noise.delta, as long as no more than "
		     "job.noise.colluders parties disclose their noise to the coordinator; "
		     "further jobs and attempts on the same rows add to it");
	disclose_collusion(s, false, parties);
}

static void of_profile(struct disclosures *s, const struct fedsc_job *job, size_t parties)
{
	if (!job->how.profile)
		return;
	disclosures_add(
	    s, true,
	    "job.profile: coordinator and parties see, of each cluster that has min_cluster "
	    "rows or more, the mean of each column and the part of its rows in which it is "
	    "not 0, over all parties; of all rows also the deviation of each column");
	disclosures_add(
	    s, true,
	    "the sums of that profile have noise, which blurs single rows and claims no "
	    "differential privacy");
	disclosures_add(
	    s, parties == 2,
	    "with two parties each learns the other's part of that profile, but for the noise");
}

static void of_embedding(struct disclosures *s, const struct fedsc_job *job)
{
	bool dense = job->how.variant == FEDSC_BY_DENSE;
	bool anchors = job->how.variant == FEDSC_BY_ANCHORS;
	bool learns = fedsc_learns(job->how.variant);

	disclosures_add(
	    s, learns && job->how.dims == JOB_AUTO,
	    "the coordinator sees d x d sums of the rows' kernel features, from which it "
	    "chooses d");
	disclosures_add(
	    s, learns && job->how.rounds,
	    "coordinator and parties see the dictionary Z after each round, a weighted mean "
	    "over parties");
	disclosures_add(
	    s, anchors,
	    "the coordinator sees how strongly any two landmarks are tied by rows, summed "
	    "over all rows: where one row alone ties two, the product of its two weights");
	disclosures_add(s, dense, "the coordinator sees d x d sums of the rows' kernel features");
	disclosures_add(s, dense,
			"coordinator and parties see the sum of all rows' kernel features");
	disclosures_add(
	    s, dense || anchors,
	    "parties see a basis that maps their rows, and the landmarks or the dictionary, "
	    "into the joint embedding");
	disclosures_add(
	    s, dense || anchors,
	    "coordinator and parties see counts and means of rows' embeddings, in each round "
	    "of the last k-means");
}

/* Disclosures of single rows. */
static void of_single_rows(struct disclosures *s, const struct fedsc_job *job)
{
	bool paper = job->how.variant == FEDSC_BY_PAPER, noisy = job->noise == NOISE_FACTORS;
	bool pairwise = job->how.variant == FEDSC_BY_PAIRWISE;

	disclosures_add(
	    s, paper && !noisy,
	    "variant \"paper\" uploads each party's C unmasked: with Z, r and lambda the "
	    "coordinator can compute every row of every party, exactly");
	disclosures_add(
	    s, paper && noisy,
	    "variant \"paper\" uploads each party's C unmasked, with noise: with Z, r and "
	    "lambda the coordinator can estimate every row of every party");
	disclosures_add(
	    s, pairwise,
	    "variant \"pairwise\": the coordinator sees the similarity of any two rows of all "
	    "parties; with as many known rows as the dictionary has it can compute every row "
	    "of every party");
	disclosures_add(
	    s, pairwise,
	    "variant \"pairwise\": each party sees how many rows each other party has, and the "
	    "similarity of each of them to each of its own: with as many own rows as the "
	    "dictionary has, or with fewer by false ciphertexts, it can compute every row of "
	    "every other party");
	disclosures_add(
	    s, paper || pairwise,
	    "the coordinator sees how many rows each party has, and the cluster of each of them");
	disclosures_add(s, !paper && !pairwise,
			"each party alone sees the clusters of its own rows");
}

void fedsc_disclosures(struct disclosures *s, const void *p, size_t parties)
{
	const struct fedsc_job *job = p;
	bool single = job->noise != NOISE_DATA;
	bool private = job->noise == NOISE_DATA && job->noise_eps > 0;

	if (job->noise == NOISE_SUMS) {
		noisy_sums(s, job, parties);
		return;
	}
	disclose_names(s, parties);
	disclosures_add(
	    s, true,
	    "coordinator and parties see the number of rows of all parties together, the mean "
	    "of each column, one standard deviation for all, and the sizes of the clusters");
	disclosures_add(
	    s, job->how.standardize == STANDARDIZE_JOINT,
	    "standardize \"joint\": coordinator and parties see the standard deviation of each "
	    "column over all rows, and how many parties leave it unscaled (a category, or sparse)");
	of_single_rows(s, job);
	disclosures_add(
	    s, !fedsc_learns(job->how.variant) || job->how.start == FEDSC_FROM_LANDMARKS,
	    "coordinator and parties see counts and centres, in each round: how many rows of "
	    "all parties are nearest to each, and the mean of those of min_cluster rows or "
	    "more; the coordinator sees their summed squared distances too");
	disclosures_add(
	    s, job->clusters_from > 0,
	    "clusters \"from\" .. \"to\": coordinator and parties see counts and centres of each k "
	    "in turn, and how well rows fit their clusters, one number of all rows for each k");
	of_profile(s, job, parties);
	disclosures_add(s, parties == 2,
			"with two parties each learns the other's number of rows, the means of its "
			"columns and its part of every centre");
	disclosures_add(s, parties == 2 && job->how.standardize == STANDARDIZE_JOINT,
			"with two parties each learns the other's deviations of its columns");
	disclosures_add(s, single,
			"two sums whose sets of rows differ by one row disclose that row, and the "
			"coordinator can identify them");
	disclosures_add(
	    s, !single,
	    "two sums whose sets of rows differ by one row disclose that row, with its noise");
	disclosures_add(
	    s, fedsc_width_is_summed(job),
	    "coordinator and parties see r, made of the mean of all parties' mean distances "
	    "between their rows");
	of_embedding(s, job);

	disclosures_add(s, private, "rows are clipped and get noise before any computation");
	disclosures_add(s, job->noise != NOISE_NONE && !private,
			"the noise of this job makes rows harder to reconstruct, but claims no "
			"differential privacy");
	disclose_privacy(
	    s,
	    private
		? "differential privacy: all that is shown, but for the number of rows, is (eps, "
		  "delta)-private in each row by the analytic Gaussian mechanism on rows, with "
		  "job.noise.eps and job.noise.delta; further jobs on the same rows add to it"
		: NULL);
	disclose_collusion(s, parties == 2, parties);
}
