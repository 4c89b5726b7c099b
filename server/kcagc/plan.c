#include "server/kcagc/plan.h"
#include "common/base/alloc.h"
#include "common/base/log.h"
#include "common/kcagc/job.h"
#include "common/kind/tree.h"
#include "server/kcagc/cells.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Words that a joint k-means of K clusters over m items sums, at most. */
struct kmeans_cost {
	unsigned rounds;
	double words; /* of one member, a canary in each round among them */
};

static struct kmeans_cost cost_of(const struct job *job, double m, bool root,
				  enum kcagc_exchange exchange)
{
	double K = root ? job->clusters : kcagc_local_clusters(kcagc_job(job));
	unsigned R =
	    root ? kcagc_starts(kcagc_job(job), (size_t)m) : kcagc_inner_restarts(kcagc_job(job));
	unsigned Q = root ? kcagc_job(job)->iterations : kcagc_job(job)->inner_iterations;
	unsigned screen = root ? kcagc_screen(kcagc_job(job), R) : 0,
		 first = kcagc_job(job)->ninth ? 1 : 0;
	unsigned all = screen && screen < Q ? screen : Q;

	if (m <= K)
		return (struct kmeans_cost){ 0 };
	if (exchange == EXCHANGE_GRAM)
		return (struct kmeans_cost){ 1, m * (m + 1) / 2 + 1 };
	return (struct kmeans_cost){
		first + Q,
		m * K * ((double)R * (first + all) + (double)kcagc_job(job)->restarts * (Q - all)) +
		    first + Q
	};
}

static double most_cells(const struct run *run, const struct tree_node *node)
{
	return fmin((double)run->n,
		    pow(kcagc_local_clusters(kcagc_job(&run->job)), (double)node->children));
}

static double count_cells(const struct run *run, const uint32_t *const *label,
			  const struct tree_node *node)
{
	uint32_t *cell;
	size_t m;

	ALLOC(cell, run->n);
	m = cells_intersect(label + node->child, node->children, run->n, cell);
	if (kcagc_job(&run->job)->min_cell > 1)
		m = cells_merge(cell, run->n, m, label[node->child],
				kcagc_job(&run->job)->min_cell);
	free(cell);
	return (double)m;
}

/* Rounds of a level are its slowest group's; words are all members'. Cells of the first level are
 * counted. Above it the children are joint clusters: k^ to the power of the children at most, and
 * as full of cells as the first level was in the mean. */
static void tree_cost(const struct run *run, const uint32_t *const *label, const struct tree *t,
		      enum kcagc_exchange exchange, struct record_plan *plan)
{
	double groups = 0, full = 0;

	for (size_t level = 1; level <= t->levels; level++) {
		unsigned rounds = 0;

		for (size_t i = t->parties; i < t->count; i++) {
			const struct tree_node *node = &t->node[i];
			bool root = i + 1 == t->count;
			struct kmeans_cost cost;
			double m;

			if (node->level != level)
				continue;
			m = level == 1 ? count_cells(run, label, node)
				       : ceil(full * most_cells(run, node));
			if (level == 1) {
				full += m / most_cells(run, node);
				groups++;
			}
			cost = cost_of(&run->job, m, root, exchange);
			rounds = cost.rounds > rounds ? cost.rounds : rounds;
			plan->words += cost.words * (double)(node->last - node->first);
			plan->guessed |= level > 1;
		}
		if (level == 1)
			full /= groups;
		plan->rounds += rounds;
		plan->round_trips += rounds + 1;
	}
}

/* Of all polish steps, a party's. */
static double polish_words(const struct job *job, size_t n)
{
	double all = (double)n * job->clusters, most = kcagc_job(job)->polish_rows;
	unsigned steps = kcagc_job(job)->polish;

	if (!most || most > (double)n || !steps)
		return steps * all;
	return (steps - 1) * most * job->clusters + all;
}

void plan_cost(const struct run *run, const uint32_t *const *label, enum kcagc_method method,
	       enum kcagc_exchange exchange, const struct record_link *link,
	       struct record_plan *plan)
{
	const struct job *job = &run->job;
	bool basic = method == METHOD_BASIC;
	struct tree tree;

	*plan = (struct record_plan){ .method = kcagc_method_names[method],
				      .exchange = kcagc_exchange_names[exchange] };
	tree_build(&tree, run->L, method != METHOD_TREE);
	if (basic) {
		struct kmeans_cost cost = cost_of(job, (double)run->n, true, EXCHANGE_DISTANCES);

		plan->rounds = cost.rounds;
		plan->round_trips = cost.rounds + 1;
		plan->words = cost.words * (double)run->L;
	} else {
		tree_cost(run, label, &tree, exchange, plan);
		plan->rounds += kcagc_job(job)->polish;
		plan->round_trips += kcagc_job(job)->polish;
		plan->words +=
		    (polish_words(job, run->n) + kcagc_job(job)->polish) * (double)run->L;
	}
	plan->bytes = plan->words * job->modulus_bits / 8;
	plan->seconds = plan->round_trips * link->rtt_s + plan->bytes / link->bytes_per_s;
}

enum err plan_measure(struct run *run, struct record_link *link)
{
	double slowest = 1e-11; /* seconds per byte */

	*link = (struct record_link){ 0 };
	for (size_t l = 0; l < run->L; l++) {
		struct channel *channel = run->channel[l];
		struct channel_link tcp;
		double pace = INFINITY;

		/* The least of a party's probes, but for the first, which may have waited for it.
		 */
		for (int i = 0; i < KCAGC_PROBES; i++) {
			struct msg m;

			TRY(channel_recv(channel, MSG_PROBE, &m));
			if (m.probe.zeros.n != KCAGC_PROBE_LEN)
				return peer_fault(channel, "sent PROBE with %zu bytes, expected %d",
						  m.probe.zeros.n, KCAGC_PROBE_LEN);
			if (i)
				pace = fmin(pace, channel_transfer_s(channel) / KCAGC_PROBE_LEN);
		}
		slowest = fmax(slowest, pace);
		channel_link(channel, &tcp);
		link->rtt_s = fmax(link->rtt_s, tcp.rtt_s);
	}
	link->bytes_per_s = (double)run->L / slowest;
	return ERR_OK;
}

void plan_choose(struct run *run, const uint32_t *const *label, const struct record_link *link)
{
	static const struct {
		enum kcagc_method method;
		enum kcagc_exchange exchange;
	} ways[RECORD_PLANS] = { { METHOD_BASIC, EXCHANGE_DISTANCES },
				 { METHOD_FLAT, EXCHANGE_DISTANCES },
				 { METHOD_TREE, EXCHANGE_DISTANCES },
				 { METHOD_FLAT, EXCHANGE_GRAM },
				 { METHOD_TREE, EXCHANGE_GRAM } };
	struct kcagc_job *job = kcagc_job(&run->job);
	struct record_plan *plan = run->record->plan;
	size_t best = RECORD_PLANS;

	run->record->link = *link;
	for (size_t i = 0; i < RECORD_PLANS; i++) {
		plan_cost(run, label, ways[i].method, ways[i].exchange, link, &plan[i]);
		if (ways[i].exchange == EXCHANGE_GRAM && job->exchange != EXCHANGE_GRAM)
			plan[i].why_not = "the job's exchange is \"distances\"";
		else if (ways[i].method == METHOD_BASIC && job->min_cell > 1)
			plan[i].why_not = "min_cell is above 1";
		if (!plan[i].why_not &&
		    (best == RECORD_PLANS || plan[i].seconds < plan[best].seconds))
			best = i;
	}
	assert(best < RECORD_PLANS);
	plan[best].taken = true;
	run->record->plans = RECORD_PLANS;
	for (const struct record_plan *p = plan; p < plan + RECORD_PLANS; p++)
		log_info("plan: %-5s %-9s %4u rounds, %12.0f words, %9.2f MB, %8.3f s%s%s%s%s",
			 p->method, p->exchange, p->rounds, p->words, p->bytes / 1e6, p->seconds,
			 p->guessed ? "  (cells guessed)" : "", p->taken ? "  <- taken" : "",
			 p->why_not ? "  not: " : "", p->why_not ? p->why_not : "");
	log_info("plan: at %.3f ms and %.2f MB/s", 1e3 * link->rtt_s, link->bytes_per_s / 1e6);
	job->method = ways[best].method;
	job->exchange = ways[best].exchange;
}
