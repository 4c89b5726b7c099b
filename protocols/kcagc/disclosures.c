#include "protocols/kcagc/job.h"
#include "common/kind/own.h"

/* Lists the disclosures of a range of k with exchange "gram": every k is tried on the sums for one
 * k. */
static void disclose_range(struct disclosures *s, const struct kcagc_job *job)
{
	disclosures_add(
	    s, job->clusters_from > 0,
	    "clusters \"from\" .. \"to\": k above is \"to\", and the cells are those of it; the "
	    "parties see the k that the coordinator chose, from inner products that it alone has, "
	    "and from the rows' distances to their cell's mean, summed over the parties");
}

/* Lists the disclosures of Protocols 2 and 3, over cells or over all nodes. */
static void disclose_distances(struct disclosures *s, const struct kcagc_job *job)
{
	bool cells = job->method == METHOD_TREE || job->method == METHOD_FLAT;
	bool gram = job->exchange == EXCHANGE_GRAM;

	disclosures_add(s, cells,
			"the parties of a sum learn each other's clusters from the cells");
	disclosures_add(
	    s, cells && !gram,
	    "the coordinator sees, for each start and iteration, the squared distances of "
	    "virtual nodes to centres, summed over the parties of the sum");
	disclosures_add(
	    s, gram,
	    "the coordinator sees every pairwise distance of virtual nodes at once: their "
	    "inner products, summed over the parties of the sum");
	disclosures_add(
	    s, cells && job->virtual_nodes == VIRTUAL_CENTRE,
	    "with local centres as virtual nodes a summed distance splits as alpha(a, r) + "
	    "beta(b, r): differences disclose each side up to a constant");
	disclosures_add(s, cells && job->virtual_nodes == VIRTUAL_MEAN && job->min_cell < 2,
			"a cell of one node makes the virtual node that node's own row");
	disclosures_add(
	    s, job->method == METHOD_BASIC || job->polish,
	    "the coordinator sees the summed squared distances of all nodes to the centres: "
	    "the joint geometry of all nodes up to rotation");
	disclosures_add(s, gram, "the parties of a sum see the cluster of each cell");
	disclose_range(s, job);
	disclosures_add(s, !gram || job->polish,
			"the parties see the cluster of each node or cell after each iteration");
	disclosures_add(
	    s, true,
	    "a malicious coordinator can choose the cells and clusters over which distances "
	    "are summed, as long as no cell has fewer nodes than min_cell");
}

/* Lists the disclosures of landmark projection and federated GCC: sums of inner products, joint
 * embeddings. */
static void disclose_products(struct disclosures *s, const struct kcagc_job *job)
{
	bool landmark = job->method == METHOD_LANDMARK;

	disclosures_add(
	    s, true,
	    "the coordinator sees how many parties have only words beside facts (features of "
	    "0 and one value, of one value in each row, or counts of which only the presence "
	    "is used), the parties whether all, some or "
	    "none have");
	disclosures_add(s, true, "the coordinator sees how many columns all parties have together");
	disclosures_add(
	    s, kcagc_degrees(job) == DEGREES_AUTO,
	    "degrees \"auto\": the coordinator sees two numbers more, how much the features "
	    "of all vary and how much of that nodes of the same degree have in common, and "
	    "the number that is said next; where features are degrees all that is said below "
	    "of products and rows is of degrees alone");
	disclosures_add(s, job->degrees == DEGREES_BESIDE,
			"the degrees of all nodes, which every party has, are a column beside the "
			"features: all that is said below of sums, products and rows is of both");
	disclosures_add(
	    s, job->degrees == DEGREES_ALONE,
	    "the degrees of all nodes, which every party has, are all that the clusters are "
	    "of; of features the norms, the orders' numbers and each party's part of the "
	    "variance go into sums alone");
	disclosures_add(
	    s, kcagc_degrees(job) != DEGREES_OFF,
	    "the coordinator, which has no graph, sees how far the largest or smallest degree "
	    "lies from the others, a number, and from products approximately which nodes have "
	    "like degrees");
	disclosures_add(
	    s, landmark,
	    "the coordinator sees each node's joint inner products with the means of 2k + 10 "
	    "sets of nodes, and the joint embedding of all nodes in k + 10 dimensions: "
	    "approximate similarities of any two nodes");
	disclosures_add(
	    s, landmark && job->min_cell < 2,
	    "a set of one node discloses to the coordinator each node's inner product with "
	    "that node");
	disclosures_add(
	    s, landmark,
	    "the parties see a partition of the nodes derived from all parties' local clusters");
	disclosures_add(
	    s, landmark && job->landmark_power,
	    "the parties see a basis close to the joint left singular vectors of all nodes");
	disclosures_add(
	    s, true,
	    "the parties see two clusterings of the nodes, the coordinator how well each fits "
	    "the edges, over all parties");
	disclosures_add(
	    s, landmark && job->polish,
	    "the coordinator sees each node's joint inner products with the mean of each cluster");
	disclosures_add(
	    s, !landmark,
	    "the coordinator sees the joint embedding of all nodes in k + 10 dimensions, and "
	    "in k in each iteration: approximate similarities of any two nodes, more than "
	    "distances to centres disclose");
	disclosures_add(s, !landmark,
			"the parties see the joint leading left singular vectors of all nodes");
	disclosures_add(s, !landmark || job->polish,
			"the parties see the cluster of each node after each iteration");
	disclosures_add(
	    s, job->clusters_from > 0,
	    "clusters \"from\" .. \"to\": k above is \"to\"; the parties see the k that the "
	    "coordinator chose, from an embedding that it alone has");
	disclosures_add(
	    s, true,
	    "a malicious coordinator can choose the sets, clusters and directions over which "
	    "products are summed");
}

static void disclose_first(struct disclosures *s, bool bare)
{
	disclosures_add(
	    s, true,
	    "coordinator and parties see the names of all parties and the number of nodes");
	disclosures_add(s, true, "coordinator and parties see the final cluster of each node");
	disclosures_add(s, bare,
			"with a single party nothing is masked: the coordinator sees its terms");
}

/* Lists the disclosures of the bound by which sums are scaled (common/privacy/bound.h). */
static void disclose_bound(struct disclosures *s, const struct kcagc_job *job)
{
	bool norms =
	    kcagc_is_bounded(job) || job->joint_norm || job->filter_order == KCAGC_ORDER_AUTO;

	disclosures_add(
	    s, norms || job->fraction_bits == JOB_AUTO,
	    "to scale sums, the coordinator sees how many parties have a longest row of each "
	    "length, to a factor of 2 in its square, and the parties see the exponent of the "
	    "total");
}

static void disclose_norms(struct disclosures *s, size_t parties)
{
	disclosures_add(
	    s, true,
	    "coordinator and parties see the joint norm of each node's row, over all parties");
	disclosures_add(s, parties == 2,
			"of two parties each learns the norms of the other's rows");
}

static void disclose_compared(struct disclosures *s, const struct kcagc_job *job)
{
	disclosures_add(
	    s, kcagc_compares_later(job),
	    "the parties see which others have the same edges as they between common nodes, "
	    "the coordinator whether all have");
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
	    "the coordinator sees the local clusters of each party: which nodes are together, "
	    "and where (Protocol 3, line 2)");
	if (products || job->joint_norm)
		disclose_norms(s, parties);
	disclosures_add(
	    s, products || job->filter_order == KCAGC_ORDER_AUTO,
	    "the coordinator sees a number or two for each order of the filter that it weighs, how "
	    "far apart the rows of all parties lie; the parties see the order taken");
	disclosures_add(
	    s, !products && job->filter_order == KCAGC_ORDER_AUTO && kcagc_weighs_fit(job),
	    "the coordinator sees for each of these orders how well clusters that each party "
	    "makes of its own rows fit the edges, the mean over all parties");
	disclosures_add(
	    s, products && job->filter_order == KCAGC_ORDER_AUTO,
	    "the coordinator sees how much of all rows lies along the nodes' degrees, a "
	    "number and one for each order of the filter");
	disclosures_add(
	    s, kcagc_may_settle(job),
	    "filter.order \"auto\": the clusters may be found by two orders of the filter, "
	    "and then coordinator and parties see of each what is said below of one, the "
	    "coordinator how well the clusters of both fit the edges, over all parties");
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
	    "the coordinator sees the squared distance of each node to each centre of the model's "
	    "run, summed over all parties: of the joint geometry the part that the centres span");
	disclosures_add(
	    s, true,
	    "distances of a node in two jobs with the same model can be compared: they differ "
	    "only by its features and neighbours");
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
			"with a single party nothing is masked: the coordinator sees its terms");
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
	    "the coordinator sees the local clusters of each party: which rows are together; "
	    "of a party with one column they are intervals of its values");
	disclosures_add(s, cells,
			"the parties of a sum learn each other's clusters from the cells");
	disclosures_add(
	    s, cells && !gram,
	    "the coordinator sees, for each start and iteration, the squared distances of the "
	    "cells' means to centres, summed over the parties of the sum");
	disclosures_add(
	    s, gram,
	    "the coordinator sees every pairwise distance of the cells' means at once: their "
	    "inner products, summed over the parties of the sum");
	disclosures_add(s, cells && job->min_cell < 2, "the mean of a cell of one row is that row");
	disclosures_add(
	    s, !cells || job->polish,
	    "the coordinator sees the summed squared distances of all rows to the centres: "
	    "the joint geometry of all rows up to rotation");
	disclosures_add(s, gram, "the parties of a sum see the cluster of each cell");
	disclose_range(s, job);
	disclosures_add(s, !gram || job->polish,
			"the parties see the cluster of each row or cell after each iteration");
	disclosures_add(
	    s, true,
	    "a malicious coordinator can choose the cells and clusters over which distances "
	    "are summed, as long as no cell has fewer rows than min_cell");
	disclose_collusion(s, parties == 2 || !kcagc_is_flat(job), parties);
	disclose_privacy(s, NULL);
}

void kmeans_columns_predict_disclosures(struct disclosures *s, const void *p, size_t parties)
{
	disclose_first_of_rows(s, p, parties);
	disclose_bound(s, p);
	disclosures_add(
	    s, true,
	    "the coordinator sees the squared distance of each row to each centre of the "
	    "model's run, over all columns of all parties: with as many centres as columns "
	    "and one more, where each row lies, up to rotation");
	disclosures_add(
	    s, true,
	    "distances of a row in two jobs with the same model can be compared: they differ "
	    "only by its columns");
	disclose_collusion(s, parties == 2, parties);
	disclose_privacy(s, NULL);
}
