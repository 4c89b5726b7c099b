#include "protocols/fedspectral/job.h"
#include "common/kind/own.h"

static const char *of_edges(const struct fedspectral_job *job)
{
	return job->how.colluders == JOB_AUTO
		   ? "differential privacy: all disclosed values except the nodes of each party "
		     "are (job.noise.eps, job.noise.delta)-private for each edge of a party, by "
		     "the discrete Gaussian mechanism in sums. This holds if at most half of "
		     "the parties disclose their noise to the coordinator. Each further job or "
		     "attempt on the same edges adds to the cost"
		   : "differential privacy: all disclosed values except the nodes of each party "
		     "are (job.noise.eps, job.noise.delta)-private for each edge of a party, by "
		     "the discrete Gaussian mechanism in sums. This holds if at most "
		     "job.noise.colluders parties disclose their noise to the coordinator. Each "
		     "further job or attempt on the same edges adds to the cost";
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
	    "the coordinator sees how many nodes each party has, and which nodes several "
	    "parties have, but no id");
	disclosures_add(
	    s, parties > 1,
	    "each party sees how many nodes each other party has, and can test guesses of 144 "
	    "ids of that party");
	disclosures_add(s, true,
			"coordinator and parties see the number of nodes. The coordinator sees "
			"the cluster of each node, and a party the clusters of its own nodes");
	disclosures_add(
	    s, exact,
	    "coordinator and parties see the joint degree of each node: the total weight of its "
	    "edges at all parties");
	disclosures_add(
	    s, exact,
	    "the coordinator sees exact products of the joint graph with known blocks. It can "
	    "compute the pooled graph from them, but not which party holds an edge");
	disclosures_add(s, exact,
			"the parties see those blocks, and can compute largely the "
			"same graph");
	disclosures_add(
	    s, exact && parties == 2,
	    "each of the two parties learns the other's edges: the pooled graph without its own "
	    "edges");
	disclosures_add(
	    s, job->variant == FEDSPECTRAL_PLUS,
	    "coordinator and parties see the mean of the parties' blocks after each round");
	disclosures_add(
	    s, job->variant == FEDSPECTRAL_PLUS && parties > 1,
	    "fedspectral+ finds the clusters of the joint graph only if the parties' edges "
	    "largely overlap. It finds less with less overlap or more parties");
	disclosures_add(
	    s, job->variant == FEDSPECTRAL_PLAIN,
	    "the coordinator sees each party's own clusters of its nodes, and which nodes have "
	    "no edges at that party");
	disclosures_add(
	    s, noisy,
	    "the coordinator sees, with noise, the joint degree of each node, products of the "
	    "joint graph with a few columns, and how many edges each node has to each cluster");
	disclosures_add(s, noisy,
			"the parties see blocks and clusters derived from these "
			"values");
	disclose_privacy(s, noisy ? of_edges(job) : NULL);
	disclose_collusion(s, parties == 2 && !noisy, parties);
}
