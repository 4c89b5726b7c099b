#include "protocols/kcagc/job.h"
#include "common/kind/own.h"

/* Lists the disclosures of a job with a range of k and exchange "gram". All k are tried on the sums
 * that a single k would need. */
static void disclose_range(struct disclosures *s, const struct kcagc_job *job)
{
	disclosures_add(
	    s, job->clusters_from > 0,
	    "if clusters is a range, k in the other disclosures is its end \"to\". The "
	    "coordinator chooses k from inner products that it alone has, and from summed "
	    "distances of rows to the mean of their cell. The parties see the chosen k");
}

/* Lists the disclosures of Protocols 2 and 3, over cells or over all nodes. */
static void disclose_distances(struct disclosures *s, const struct kcagc_job *job)
{
	bool cells = job->method == METHOD_TREE || job->method == METHOD_FLAT;
	bool gram = job->exchange == EXCHANGE_GRAM;

	disclosures_add(s, cells,
			"from the cells, each party of a sum learns the local clusters of the "
			"others");
	disclosures_add(
	    s, cells && !gram,
	    "in each start and iteration, the coordinator sees the squared distance of each "
	    "virtual node to each centre, summed over the parties of the sum");
	disclosures_add(
	    s, gram,
	    "the coordinator sees the inner product of any two virtual nodes, summed over the "
	    "parties of the sum: so it can compute all their distances");
	disclosures_add(s, cells && job->virtual_nodes == VIRTUAL_CENTRE,
			"virtual nodes are local centres: from differences of summed distances the "
			"coordinator can compute the distances at each party, up to a constant");
	disclosures_add(s, cells && job->virtual_nodes == VIRTUAL_MEAN && job->min_cell < 2,
			"if a cell has one node, its virtual node is the row of that node");
	disclosures_add(
	    s, job->method == METHOD_BASIC || job->polish,
	    "the coordinator sees the summed squared distance of each node to each centre: so "
	    "it can compute the joint positions of all nodes, up to rotation");
	disclosures_add(s, gram, "the parties of a sum see the cluster of each cell");
	disclose_range(s, job);
	disclosures_add(s, !gram || job->polish,
			"the parties see the cluster of each node or cell after each iteration");
	disclosures_add(
	    s, true,
	    "a malicious coordinator can choose the cells and clusters of the sums; each cell "
	    "must have at least min_cell nodes");
}

/* Lists the disclosures of landmark projection and federated GCC: sums of inner products, joint
 * embeddings. */
static void disclose_products(struct disclosures *s, const struct kcagc_job *job)
{
	bool landmark = job->method == METHOD_LANDMARK;

	disclosures_add(
	    s, true,
	    "the coordinator sees how many parties have binary features only (or counts used as "
	    "binary). The parties see whether all, some or none have");
	disclosures_add(s, true, "the coordinator sees how many columns all parties have together");
	disclosures_add(
	    s, kcagc_degrees(job) == DEGREES_AUTO,
	    "degrees \"auto\": the coordinator sees the variance of all features, and the part "
	    "of it that degrees explain. If degrees explain most of it, the disclosures below "
	    "on products and rows concern degrees alone");
	disclosures_add(s, job->degrees == DEGREES_BESIDE,
			"the degree of each node is one more column: the disclosures below on "
			"sums, products and rows concern features and degrees");
	disclosures_add(
	    s, job->degrees == DEGREES_ALONE,
	    "clusters use the degrees of nodes alone. Features enter sums only as norms, as "
	    "variances, and as the numbers for each filter order");
	disclosures_add(
	    s, kcagc_degrees(job) != DEGREES_OFF,
	    "the coordinator sees one number on how far the largest or smallest degree lies "
	    "from the others. From products it sees approximately which nodes have similar "
	    "degrees");
	disclosures_add(
	    s, landmark,
	    "the coordinator sees each node's joint inner products with the means of 2k + 10 "
	    "sets of nodes, and the joint embedding of all nodes in k + 10 dimensions. These "
	    "give approximate similarities of any two nodes");
	disclosures_add(
	    s, landmark && job->min_cell < 2,
	    "if a set has one node, the coordinator sees each node's inner product with that "
	    "node");
	disclosures_add(
	    s, landmark,
	    "the parties see a partition of the nodes, computed from all parties' local "
	    "clusters");
	disclosures_add(
	    s, landmark && job->landmark_power,
	    "the parties see a basis close to the joint left singular vectors of all nodes");
	disclosures_add(
	    s, true,
	    "the parties see two clusterings of the nodes. The coordinator sees the modularity "
	    "of each, summed over all parties");
	disclosures_add(
	    s, landmark && job->polish,
	    "the coordinator sees each node's joint inner products with the mean of each cluster");
	disclosures_add(
	    s, !landmark,
	    "the coordinator sees the joint embedding of all nodes, in k + 10 dimensions once "
	    "and in k in each iteration. Embeddings give approximate similarities of any two "
	    "nodes, which is more than distances to centres disclose");
	disclosures_add(s, !landmark,
			"the parties see the joint leading left singular vectors of all nodes");
	disclosures_add(s, !landmark || job->polish,
			"the parties see the cluster of each node after each iteration");
	disclosures_add(
	    s, job->clusters_from > 0,
	    "if clusters is a range, k in the other disclosures is its end \"to\". The "
	    "coordinator chooses k from an embedding that it alone has. The parties see the "
	    "chosen k");
	disclosures_add(
	    s, true,
	    "a malicious coordinator can choose the sets, clusters and directions of the summed "
	    "products");
}

static void disclose_first(struct disclosures *s, bool bare)
{
	disclosures_add(
	    s, true,
	    "coordinator and parties see the names of all parties and the number of nodes");
	disclosures_add(s, true, "coordinator and parties see the final cluster of each node");
	disclosures_add(s, bare,
			"if there is one party, nothing is masked: the coordinator sees its "
			"numbers");
}

/* Lists the disclosures of the bound with which sums are scaled (common/privacy/bound.h). */
static void disclose_bound(struct disclosures *s, const struct kcagc_job *job)
{
	bool norms =
	    kcagc_is_bounded(job) || job->joint_norm || job->filter_order == KCAGC_ORDER_AUTO;

	disclosures_add(
	    s, norms || job->fraction_bits == JOB_AUTO,
	    "the coordinator sees the parties' largest squared row norms, rounded up to powers "
	    "of 2, but not which party has which. The parties see the sum of these norms, "
	    "rounded likewise");
}

static void disclose_norms(struct disclosures *s, size_t parties)
{
	disclosures_add(
	    s, true,
	    "coordinator and parties see the joint norm of each node's row, over all parties");
	disclosures_add(s, parties == 2,
			"each of the two parties learns the norms of the other's rows");
}

static void disclose_compared(struct disclosures *s, const struct kcagc_job *job)
{
	disclosures_add(
	    s, kcagc_compares_later(job),
	    "each party sees which others have the same edges between common nodes as it has. "
	    "The coordinator sees whether all have the same");
}

void kcagc_disclosures(struct disclosures *s, const void *p, size_t parties)
{
	const struct kcagc_job *job = p;
	bool products = job->method == METHOD_LANDMARK || job->method == METHOD_GCC;

	disclose_first(s, parties == 1);
	disclose_align(s, job, parties);
	disclose_compared(s, job);
	disclose_bound(s, job);
	disclosures_add(
	    s, job->method != METHOD_BASIC && job->method != METHOD_GCC,
	    "the coordinator sees the local clusters of each party: which nodes are in one "
	    "cluster (Protocol 3, line 2)");
	if (products || job->joint_norm)
		disclose_norms(s, parties);
	disclosures_add(
	    s, products || job->filter_order == KCAGC_ORDER_AUTO,
	    "the coordinator sees one or two numbers for each filter order that it rates: the "
	    "spread of all parties' rows. The parties see the chosen order");
	disclosures_add(
	    s, !products && job->filter_order == KCAGC_ORDER_AUTO && kcagc_weighs_fit(job),
	    "for each filter order that it rates, the coordinator sees the modularity of the "
	    "parties' own clusters, as the mean over all parties");
	disclosures_add(
	    s, products && job->filter_order == KCAGC_ORDER_AUTO,
	    "the coordinator sees how much of all rows lies along the nodes' degrees: one "
	    "number before the filter, and one for each filter order");
	disclosures_add(
	    s, kcagc_may_settle(job),
	    "filter.order \"auto\" may cluster with two filter orders. Then the disclosures "
	    "below hold for each order, and the coordinator sees the modularity of both, summed "
	    "over all parties");
	if (products)
		disclose_products(s, job);
	else
		disclose_distances(s, job);
	disclose_collusion(s, parties == 2 || !kcagc_is_flat(job), parties);
	disclose_privacy(s, NULL);
}

void kcagc_predict_disclosures(struct disclosures *s, const void *p, size_t parties)
{
	const struct kcagc_job *job = p;

	disclose_first(s, parties == 1);
	disclose_align(s, job, parties);
	disclose_compared(s, job);
	disclose_bound(s, job);
	if (job->joint_norm)
		disclose_norms(s, parties);
	disclosures_add(
	    s, true,
	    "the coordinator sees the squared distance of each node to each centre of the "
	    "model, summed over all parties. So it can compute the joint positions of nodes "
	    "within the space of the centres");
	disclosures_add(
	    s, true,
	    "if two jobs use the same model, a node's distances in both differ only by its "
	    "features and neighbours: they can be compared");
	disclose_collusion(s, parties == 2, parties);
	disclose_privacy(s, NULL);
}

static void disclose_first_of_rows(struct disclosures *s, const void *job, size_t parties)
{
	disclosures_add(
	    s, true, "coordinator and parties see the names of all parties and the number of rows");
	disclose_align(s, job, parties);
	disclosures_add(s, true, "coordinator and parties see the final cluster of each row");
	disclosures_add(s, parties == 1,
			"if there is one party, nothing is masked: the coordinator sees its "
			"numbers");
}

/* Lists the disclosures of kcagc's trees, for rows that are neither smoothed nor projected. */
void kmeans_columns_disclosures(struct disclosures *s, const void *p, size_t parties)
{
	const struct kcagc_job *job = p;
	bool cells = job->method != METHOD_BASIC, gram = job->exchange == EXCHANGE_GRAM;

	disclose_first_of_rows(s, job, parties);
	disclose_bound(s, job);
	disclosures_add(
	    s, cells,
	    "the coordinator sees the local clusters of each party: which rows are in one "
	    "cluster. If a party has one column, its clusters are intervals of that column's "
	    "values");
	disclosures_add(s, cells,
			"from the cells, each party of a sum learns the local clusters of the "
			"others");
	disclosures_add(
	    s, cells && !gram,
	    "in each start and iteration, the coordinator sees the squared distance of each "
	    "cell's mean to each centre, summed over the parties of the sum");
	disclosures_add(
	    s, gram,
	    "the coordinator sees the inner product of any two cells' means, summed over the "
	    "parties of the sum: so it can compute all their distances");
	disclosures_add(s, cells && job->min_cell < 2,
			"if a cell has one row, the mean of the "
			"cell is that row");
	disclosures_add(
	    s, !cells || job->polish,
	    "the coordinator sees the summed squared distance of each row to each centre: so it "
	    "can compute the joint positions of all rows, up to rotation");
	disclosures_add(s, gram, "the parties of a sum see the cluster of each cell");
	disclose_range(s, job);
	disclosures_add(s, !gram || job->polish,
			"the parties see the cluster of each row or cell after each iteration");
	disclosures_add(
	    s, true,
	    "a malicious coordinator can choose the cells and clusters of the sums; each cell "
	    "must have at least min_cell rows");
	disclose_collusion(s, parties == 2 || !kcagc_is_flat(job), parties);
	disclose_privacy(s, NULL);
}

void kmeans_columns_predict_disclosures(struct disclosures *s, const void *p, size_t parties)
{
	disclose_first_of_rows(s, p, parties);
	disclose_bound(s, p);
	disclosures_add(
	    s, true,
	    "the coordinator sees the squared distance of each row to each centre of the model, "
	    "over all columns of all parties. If there are more centres than columns, it can "
	    "compute the position of each row, up to rotation");
	disclosures_add(
	    s, true,
	    "if two jobs use the same model, a row's distances in both differ only by its "
	    "values: they can be compared");
	disclose_collusion(s, parties == 2, parties);
	disclose_privacy(s, NULL);
}
