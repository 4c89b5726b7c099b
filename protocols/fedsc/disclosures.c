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
	    "in each of job.iterations rounds, coordinator and parties see each centre and its "
	    "number of rows over all parties, with noise");
	disclosures_add(
	    s, anchor,
	    "coordinator and parties see, with noise, how strongly rows link any two landmarks, "
	    "summed over all rows");
	disclose_privacy(
	    s, job->noise_colluders == JOB_AUTO
		   ? "differential privacy: all disclosed values except the number of rows are "
		     "(job.noise.eps, job.noise.delta)-private for each row, by the discrete "
		     "Gaussian mechanism in sums. This holds if at most half of the parties "
		     "disclose their noise to the coordinator. Each further job or attempt on "
		     "the same rows adds to the cost"
		   : "differential privacy: all disclosed values except the number of rows are "
		     "(job.noise.eps, job.noise.delta)-private for each row, by the discrete "
		     "Gaussian mechanism in sums. This holds if at most job.noise.colluders "
		     "parties disclose their noise to the coordinator. Each further job or "
		     "attempt on the same rows adds to the cost");
	disclose_collusion(s, false, parties);
}

static void of_profile(struct disclosures *s, const struct fedsc_job *job, size_t parties)
{
	if (!job->how.profile)
		return;
	disclosures_add(
	    s, true,
	    "job.profile: for each cluster of at least min_cluster rows, coordinator and "
	    "parties see the mean of each column and the share of rows in which it is not 0, "
	    "over all parties. For all rows together they also see the deviation of each column");
	disclosures_add(s, true,
			"the sums of that profile have noise: it blurs single rows, but claims no "
			"differential privacy");
	disclosures_add(
	    s, parties == 2,
	    "each of the two parties learns the other's part of that profile, up to the noise");
}

static void of_embedding(struct disclosures *s, const struct fedsc_job *job)
{
	bool dense = job->how.variant == FEDSC_BY_DENSE;
	bool anchors = job->how.variant == FEDSC_BY_ANCHORS;
	bool learns = fedsc_learns(job->how.variant);

	disclosures_add(
	    s, learns && job->how.dims == JOB_AUTO,
	    "the coordinator sees d x d sums of the rows' kernel features, and chooses d by "
	    "them");
	disclosures_add(
	    s, learns && job->how.rounds,
	    "after each round, coordinator and parties see the dictionary Z, a weighted mean "
	    "over the parties");
	disclosures_add(
	    s, anchors,
	    "the coordinator sees how strongly rows link any two landmarks, summed over all "
	    "rows. If one row alone links two landmarks, this is the product of the row's two "
	    "weights");
	disclosures_add(s, dense, "the coordinator sees d x d sums of the rows' kernel features");
	disclosures_add(s, dense,
			"coordinator and parties see the sum of all rows' kernel features");
	disclosures_add(
	    s, dense || anchors,
	    "the parties see a basis that maps their rows, and the landmarks or the dictionary, "
	    "into the joint embedding");
	disclosures_add(
	    s, dense || anchors,
	    "in each round of the last k-means, coordinator and parties see the number of rows "
	    "of each cluster and the mean of their embeddings");
}

/* Lists the disclosures of single rows. */
static void of_single_rows(struct disclosures *s, const struct fedsc_job *job)
{
	bool paper = job->how.variant == FEDSC_BY_PAPER, noisy = job->noise == NOISE_FACTORS;
	bool pairwise = job->how.variant == FEDSC_BY_PAIRWISE;

	disclosures_add(
	    s, paper && !noisy,
	    "variant \"paper\" uploads each party's coefficients C unmasked. From C, Z, r and "
	    "lambda the coordinator can compute every row of every party exactly");
	disclosures_add(
	    s, paper && noisy,
	    "variant \"paper\" uploads each party's coefficients C unmasked, with noise. From "
	    "C, Z, r and lambda the coordinator can estimate every row of every party");
	disclosures_add(
	    s, pairwise,
	    "variant \"pairwise\": the coordinator sees the similarity of any two rows of all "
	    "parties. If it knows as many rows as the dictionary has, it can compute every row "
	    "of every party");
	disclosures_add(
	    s, pairwise,
	    "variant \"pairwise\": each party sees how many rows each other party has, and how "
	    "similar these are to its own. If it has as many rows as the dictionary, or sends "
	    "false ciphertexts, it can compute every row of every other party");
	disclosures_add(
	    s, paper || pairwise,
	    "the coordinator sees how many rows each party has, and the cluster of each row");
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
	    "of each column, one standard deviation of all values, and the sizes of the "
	    "clusters");
	disclosures_add(
	    s, job->how.standardize == STANDARDIZE_JOINT,
	    "standardize \"joint\": coordinator and parties see the standard deviation of each "
	    "column over all rows, and how many parties do not scale it (categories, sparse "
	    "columns)");
	of_single_rows(s, job);
	disclosures_add(
	    s, !fedsc_learns(job->how.variant) || job->how.start == FEDSC_FROM_LANDMARKS,
	    "in each round, coordinator and parties see how many rows of all parties are "
	    "nearest to each centre, and the mean of these rows if there are at least "
	    "min_cluster. The coordinator also sees their summed squared distances");
	disclosures_add(
	    s, job->clusters_from > 0,
	    "if clusters is a range, coordinator and parties see the counts and centres for "
	    "each k, and the mean silhouette of all rows");
	of_profile(s, job, parties);
	disclosures_add(s, parties == 2,
			"each of the two parties learns the other's number of rows, means of "
			"columns and part of every centre");
	disclosures_add(s, parties == 2 && job->how.standardize == STANDARDIZE_JOINT,
			"each of the two parties learns the other's deviations of columns");
	disclosures_add(s, single,
			"two sums over sets that differ by one row disclose that row, and the "
			"coordinator can identify such sums");
	disclosures_add(
	    s, !single,
	    "two sums over sets that differ by one row disclose that row, with its noise");
	disclosures_add(
	    s, fedsc_width_is_summed(job),
	    "coordinator and parties see the kernel width r, a multiple of the mean of the "
	    "parties' mean distances between rows");
	of_embedding(s, job);

	disclosures_add(s, private, "rows are clipped and get noise before any computation");
	disclosures_add(s, job->noise != NOISE_NONE && !private,
			"noise makes rows harder to reconstruct, but claims no differential "
			"privacy");
	disclose_privacy(
	    s, private
		   ? "differential privacy: all disclosed values except the number of rows are "
		     "(job.noise.eps, job.noise.delta)-private for each row, by the analytic "
		     "Gaussian mechanism on rows. Each further job on the same rows adds to the "
		     "cost"
		   : NULL);
	disclose_collusion(s, parties == 2, parties);
}
