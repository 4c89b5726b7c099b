#include "protocols/fedspectral/job.h"
#include "common/kind/own.h"

static const char *of_edges(const struct fedspectral_job *job)
{
	return job->how.colluders == JOB_AUTO
		   ? "differential privacy: all that is shown, but for which nodes a party has, is "
		     "(eps, delta)-private in each edge of a party by the discrete Gaussian "
		     "mechanism in sums, with job.noise.eps and job.noise.delta, as long as no "
		     "more than half of the parties disclose their noise to the coordinator; "
		     "further jobs and attempts on the same edges add to it"
		   : "differential privacy: all that is shown, but for which nodes a party has, is "
		     "(eps, delta)-private in each edge of a party by the discrete Gaussian "
		     "mechanism in sums, with job.noise.eps and job.noise.delta, as long as no "
		     "more than job.noise.colluders parties disclose their noise to the "
		     "coordinator; further jobs and attempts on the same edges add to it";
}

void fedspectral_disclosures(struct disclosures *s, const void *p, size_t parties)
{
	const struct fedspectral_job *job = p;
	bool noisy = job->noise == FEDSPECTRAL_IN_SUMS;
	bool exact = job->variant == FEDSPECTRAL_EXACT && !noisy;

	disclose_names(s, parties);
	disclosures_add(s, job->ids == IDS_PLAIN,
			"the coordinator sees every id, and which party has it");
	disclosures_add(
	    s, job->ids == IDS_HASHED,
	    "the coordinator sees how many nodes each party has and which of them others have "
	    "too, but no id");
	disclosures_add(
	    s, parties > 1,
	    "each party sees how many nodes each other has, and can test guesses of 144 of "
	    "its ids");
	disclosures_add(s, true,
			"coordinator and parties see the number of nodes; the coordinator sees the "
			"cluster of each node, a party those of its own");
	disclosures_add(
	    s, exact,
	    "coordinator and parties see the joint degree of each node: the sum of its edges' "
	    "weights at all parties");
	disclosures_add(
	    s, exact,
	    "the coordinator sees exact products of the joint graph with known blocks: it can "
	    "compute the pooled graph from them, but not which party holds which edge");
	disclosures_add(s, exact, "the parties see those blocks, and can compute largely the same");
	disclosures_add(
	    s, exact && parties == 2,
	    "with two parties each learns the other's edges: the pooled graph without its own");
	disclosures_add(
	    s, job->variant == FEDSPECTRAL_PLUS,
	    "coordinator and parties see the mean of the parties' blocks after each round");
	disclosures_add(
	    s, job->variant == FEDSPECTRAL_PLUS && parties > 1,
	    "its clusters are those of the joint graph only where the parties' edges largely "
	    "overlap: the less they do, and the more parties there are, the less it finds");
	disclosures_add(
	    s, job->variant == FEDSPECTRAL_PLAIN,
	    "the coordinator sees each party's own clusters of its nodes, and which of them "
	    "have no edges there");
	disclosures_add(
	    s, noisy,
	    "the coordinator sees with noise the joint degree of each node, products of the joint "
	    "graph with a few columns, and how many edges each node has to each cluster");
	disclosures_add(s, noisy, "the parties see blocks and clusters derived from those");
	disclose_privacy(s, noisy ? of_edges(job) : NULL);
	disclose_collusion(s, parties == 2 && !noisy, parties);
}
