#include "protocols/fedgcn/job.h"
#include "common/kind/own.h"

void fedgcn_disclosures(struct disclosures *s, const void *p, size_t parties)
{
	const struct fedgcn_job *job = p;

	disclose_names(s, parties);
	disclosures_add(
	    s, true,
	    "the coordinator sees how many graphs all parties have together, and how many "
	    "attributes a node has at each; no graph, and no graph's cluster");
	disclosures_add(
	    s, true,
	    "coordinator and parties see the first prototypes: k-means on what an untrained "
	    "network makes of all graphs, by sums; and how those are spread");
	disclosures_add(
	    s, true,
	    "coordinator and parties see the mean of the parties' weights after each round, "
	    "weighted by their numbers of graphs; weights can disclose parts of the data that "
	    "a network was trained on");
	disclosures_add(s, job->how.sharing == FEDGCN_PER, "the last layers stay with their party");
	disclosures_add(
	    s, parties == 2,
	    "with two parties each learns the other's weights and prototypes from the means");
	disclosures_add(s, job->how.prototypes == FEDGCN_MATCHED,
			"coordinator and parties see, after each round, the mean of the parties' "
			"prototypes of each cluster and how many graphs are behind it");
	disclosures_add(
	    s, fedgcn_in_plaintext(&job->how),
	    "the coordinator sees every prototype of each party unmasked, and how many graphs "
	    "are behind it: a mean of the embeddings of min_cluster graphs or more");
	disclosures_add(
	    s, fedgcn_is_stacked(&job->how),
	    "it sees those of each local epoch, between which weights move by one epoch: the "
	    "differences of two disclose more of single graphs than those of two rounds");
	disclosures_add(s, job->how.min_cluster < 2,
			"the prototype of a cluster of one graph is that graph's embedding");
	disclosures_add(
	    s, true,
	    "the coordinator sees the mean loss of each round and how many graphs changed "
	    "their cluster in it, over all parties");
	disclosures_add(
	    s, true,
	    "the coordinator sees how many graphs all parties together have in each cluster");
	disclose_privacy(s, NULL);
	disclose_collusion(s, parties == 2, parties);
}
