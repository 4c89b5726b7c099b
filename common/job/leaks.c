/* What each job shows, and to whom. Where a plan chooses later, all that it may choose is said. */
#include "common/job/leaks.h"

void say(struct said *s, bool applies, const char *text)
{
	if (applies && s->n < s->max)
		s->text[s->n++] = text;
}

/* Protocols 2 and 3: over cells, or over all nodes. */
static void say_distances(struct said *s, const struct job *job)
{
	bool planned = job->plan == PLAN_AUTO;
	bool cells = job->method == METHOD_TREE || job->method == METHOD_FLAT;
	bool gram = job->exchange == EXCHANGE_GRAM;

	say(s, planned,
	    "method and, if it is gram, exchange are chosen after the offer: what is said here of "
	    "single methods may come about or not");
	say(s, cells, "the parties of a sum learn each other's clusters from the cells");
	say(s, cells && (!gram || planned),
	    "the coordinator sees, for each start and iteration, the squared distances of virtual "
	    "nodes to centres, summed over the parties of the sum");
	say(s, gram,
	    "the coordinator sees every pairwise distance of virtual nodes at once: their inner "
	    "products, summed over the parties of the sum");
	say(s, cells && job->virtual_nodes == VIRTUAL_CENTRE,
	    "with local centres as virtual nodes a summed distance splits as alpha(a, r) + "
	    "beta(b, r): differences show each side up to a constant");
	say(s, cells && job->virtual_nodes == VIRTUAL_MEAN && job->min_cell < 2,
	    "a cell of one node makes the virtual node that node's own row");
	say(s, job->method == METHOD_BASIC || job->polish || (planned && job->min_cell < 2),
	    "the coordinator sees the summed squared distances of all nodes to the centres: the "
	    "joint geometry of all nodes up to rotation");
	say(s, gram, "the parties of a sum see the cluster of each cell");
	say(s, !gram || planned || job->polish,
	    "the parties see the cluster of each node or cell after each iteration");
}

/* Landmark projection and federated GCC: sums of inner products, joint embeddings. */
static void say_products(struct said *s, const struct job *job)
{
	bool landmark = job->method == METHOD_LANDMARK;

	say(s, true,
	    "the coordinator sees how many parties have features of 0 and 1 alone, the parties "
	    "whether all, some or none have");
	say(s, true, "the coordinator sees how many columns all parties have together");
	say(s, landmark,
	    "the coordinator sees each node's joint inner products with the means of 2k + 10 sets "
	    "of nodes, and the joint embedding of all nodes in k + 10 dimensions: approximate "
	    "similarities of any two nodes");
	say(s, landmark && job->min_cell < 2,
	    "a set of one node shows the coordinator each node's inner product with that very "
	    "node");
	say(s, landmark,
	    "the parties see a partition of the nodes made of everyone's local clusters");
	say(s, landmark && job->landmark_power,
	    "the parties see a basis close to the joint left singular vectors of all nodes");
	say(s, landmark,
	    "the parties see two clusterings of the nodes, the coordinator how well each fits the "
	    "edges, over all parties");
	say(s, landmark && job->polish,
	    "the coordinator sees each node's joint inner products with the mean of each cluster");
	say(s, !landmark,
	    "the coordinator sees the joint embedding of all nodes in k + 10 dimensions, and in k "
	    "in each iteration: approximate similarities of any two nodes, more than distances to "
	    "centres show");
	say(s, !landmark, "the parties see the joint leading left singular vectors of all nodes");
	say(s, !landmark || job->polish,
	    "the parties see the cluster of each node after each iteration");
}

/* Every node's row is scaled by its length over all parties. */
static void say_norms(struct said *s, size_t parties)
{
	say(s, true,
	    "coordinator and parties see the joint norm of each node's row, over all parties");
	say(s, parties == 2, "of two parties each learns the norms of the other's rows");
}

/* kcagc.predict: no iterations, no cells. */
static void say_predict(struct said *s, const struct job *job, size_t parties)
{
	if (job->joint_norm)
		say_norms(s, parties);
	say(s, true,
	    "the coordinator sees the squared distance of each node to each centre of the model's "
	    "run, summed over all parties: of the joint geometry the part that the centres span");
	say(s, true,
	    "what a node's distances were in another job with the same model can be compared: the "
	    "difference is that of its features and neighbours alone");
}

static void say_kcagc(struct said *s, const struct job *job, size_t parties)
{
	bool products = job->method == METHOD_LANDMARK || job->method == METHOD_GCC;
	bool norms = products || job->joint_norm;

	say(s, job->method != METHOD_BASIC && job->method != METHOD_GCC,
	    "the coordinator sees the local clusters of each party: which nodes are together, and "
	    "where (Protocol 3, line 2)");
	say(s, job->plan != PLAN_OFF,
	    "a plan is made from those local clusters and shows the coordinator nothing more than "
	    "their cells; the parties see what it chose");
	if (norms)
		say_norms(s, parties);
	say(s, products || job->filter_order == JOB_ORDER_AUTO,
	    "the coordinator sees a number or two for each order of the filter that it weighs, how "
	    "far apart the rows of all parties lie; the parties see the order taken");
	if (job->plan == PLAN_ONLY)
		return;
	if (products)
		say_products(s, job);
	else
		say_distances(s, job);
}

/* Who else must be trusted. */
static void say_collusion(struct said *s, const struct job *job, size_t parties)
{
	bool pairs = !job_is_flat(job) || job->plan == PLAN_AUTO || parties == 2;

	say(s, parties > 1 && pairs,
	    "in a sum of two parties, the coordinator together with one of them learns the "
	    "other's terms");
	say(s, parties > 1 && !pairs,
	    "the coordinator together with all parties but one learns that one's terms");
}

/* kcagc and kcagc.predict. */
static void say_nodes(struct said *s, const struct job *job, size_t parties)
{
	bool only = job_is_plan_only(job);
	bool sums = !only || job->joint_norm || job->filter_order == JOB_ORDER_AUTO;

	say(s, true,
	    "coordinator and parties see the names of all parties and the number of nodes");
	say(s, !only, "coordinator and parties see the final cluster of each node");
	say(s, sums && parties == 1,
	    "with a single party nothing is masked: the coordinator sees its terms");
	if (job->kind == JOB_KCAGC)
		say_kcagc(s, job, parties);
	else
		say_predict(s, job, parties);
	if (sums)
		say_collusion(s, job, parties);
	say(s, sums, "a sum is not differential privacy");
}

static void say_others(struct said *s, const struct job *job, size_t parties)
{
	say(s, true, "coordinator and parties see the names of all parties");
	say(s, parties == 1,
	    "with a single party nothing is masked: the coordinator sees its terms");
	if (job->kind == JOB_FEDSPECTRAL)
		leaks_fedspectral(s, job, parties);
	else if (job->kind == JOB_FEDWALK)
		leaks_fedwalk(s, job, parties);
	else if (job->kind == JOB_FEDGCN)
		leaks_fedgcn(s, job, parties);
	else
		leaks_fedsc(s, job, parties);
	say_collusion(s, job, parties);
}

size_t job_leaks(const struct job *job, size_t parties, const char *leaks[], size_t max)
{
	struct said s = { leaks, 0, max };

	if (job->kind == JOB_KCAGC || job->kind == JOB_KCAGC_PREDICT)
		say_nodes(&s, job, parties);
	else
		say_others(&s, job, parties);
	return s.n;
}
