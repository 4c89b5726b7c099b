#include "protocols/fedgcn/job.h"
#include "common/kind/own.h"

void fedgcn_disclosures(struct disclosures *s, const void *p, size_t parties)
{
	const struct fedgcn_job *job = p;

	disclose_names(s, parties);
	disclosures_add(
	    s, true,
	    "the coordinator sees the number of graphs of all parties together, and the number "
	    "of node attributes at each party. It sees no graph, and no graph's cluster");
	disclosures_add(
	    s, true,
	    "coordinator and parties see the first prototypes and the spread around them: a "
	    "k-means by sums on embeddings of an untrained network");
	disclosures_add(
	    s, true,
	    "after each round, coordinator and parties see the mean of the parties' weights. "
	    "Weights of a network can disclose parts of its training data");
	disclosures_add(s, job->how.sharing == FEDGCN_PER, "the last layers stay with their party");
	disclosures_add(
	    s, parties == 2,
	    "each of the two parties learns the other's weights and prototypes from the means");
	disclosures_add(s, job->how.prototypes == FEDGCN_MATCHED,
			"after each round, coordinator and parties see the mean of the parties' "
			"prototypes of each cluster, and the number of graphs in the cluster");
	disclosures_add(
	    s, fedgcn_in_plaintext(&job->how),
	    "the coordinator sees every prototype of each party unmasked, and how many graphs "
	    "it stands for. A prototype is the mean of the embeddings of at least min_cluster "
	    "graphs");
	disclosures_add(
	    s, fedgcn_is_stacked(&job->how),
	    "the coordinator sees the prototypes of each local epoch. Differences between "
	    "epochs disclose more of single graphs than differences between rounds");
	disclosures_add(s, job->how.min_cluster < 2,
			"the prototype of a cluster of one graph is that graph's embedding");
	disclosures_add(
	    s, true,
	    "for each round, the coordinator sees the mean loss and the number of graphs that "
	    "changed their cluster, over all parties");
	disclosures_add(
	    s, true,
	    "the coordinator sees how many graphs all parties together have in each cluster");
	disclose_privacy(s, NULL);
	disclose_collusion(s, parties == 2, parties);
}
