/* What each job shows, and to whom. */
#include "common/job/job.h"

size_t job_leaks(const struct job *job, size_t parties, const char *leaks[], size_t max)
{
	bool cells = job->method != METHOD_BASIC, all_nodes = !cells || job->polish;
	const struct {
		bool applies;
		const char *text;
	} all[] = {
		{ true, "coordinator and parties see the names of all parties, the number of "
			"nodes, and the "
			"final cluster of each node" },
		{ parties == 1,
		  "with a single party nothing is masked: the coordinator sees its terms" },
		{ cells, "the coordinator sees the local clusters of each party: which nodes are "
			 "together, and "
			 "where (Protocol 3, line 2)" },
		{ cells, "the parties of a sum learn each other's clusters from the cells" },
		{ cells, "the coordinator sees, for each start and iteration, the squared "
			 "distances of virtual "
			 "nodes to centres, summed over the parties of the sum" },
		{ cells && job->virtual_nodes == VIRTUAL_CENTRE,
		  "with local centres as virtual nodes a summed distance splits as alpha(a, r) + "
		  "beta(b, r): "
		  "differences show each side up to a constant" },
		{ cells && job->virtual_nodes == VIRTUAL_MEAN,
		  "a cell of one node makes the virtual node that node's own row" },
		{ all_nodes,
		  "the coordinator sees the summed squared distances of all nodes to the centres: "
		  "the joint geometry of all nodes up to rotation" },
		{ true, "the parties see the cluster of each node or cell after each iteration" },
		{ parties > 1 && (job->method == METHOD_TREE || parties == 2),
		  "in a sum of two parties, the coordinator together with one of them learns the "
		  "other's terms" },
		{ parties > 2 && job->method != METHOD_TREE,
		  "the coordinator together with all parties but one learns that one's terms" },
		{ true, "a sum is not differential privacy" },
	};
	size_t n = 0;

	for (size_t i = 0; i < sizeof(all) / sizeof(*all) && n < max; i++) {
		if (all[i].applies)
			leaks[n++] = all[i].text;
	}
	return n;
}
