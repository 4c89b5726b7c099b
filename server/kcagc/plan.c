#include "server/kcagc/plan.h"
#include "common/base/alloc.h"
#include "common/base/log.h"
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

static struct kmeans_cost distances_cost(const struct job *job, double m, bool root)
{
	double K = root ? job->clusters : kcagc_local_clusters(&job->kcagc);
	unsigned R =
	    root ? kcagc_starts(&job->kcagc, (size_t)m) : kcagc_inner_restarts(&job->kcagc);
	unsigned Q = root ? job->kcagc.iterations : job->kcagc.inner_iterations;
	unsigned screen = root ? kcagc_screen(&job->kcagc, R) : 0, first = job->kcagc.ninth ? 1 : 0;
	unsigned all = screen && screen < Q ? screen : Q;

	if (m <= K)
		return (struct kmeans_cost){ 0 };
	return (struct kmeans_cost){ first + Q, m * K *
							((double)R * (first + all) +
							 (double)job->kcagc.restarts * (Q - all)) +
						    first + Q };
}

static struct kmeans_cost gram_cost(const struct job *job, double m, bool root)
{
	double K = root ? job->clusters : kcagc_local_clusters(&job->kcagc);

	if (m <= K)
		return (struct kmeans_cost){ 0 };
	return (struct kmeans_cost){ 1, m * (m + 1) / 2 + 1 };
}

/* Cells of the first level are counted. Above it the children are joint clusters: k^ to the power
 * of the children at most, and as full of cells as the first level was. */
struct cells {
	const struct run *run;
	const uint32_t *const *label;
	double full; /* of the first level, in the mean */
};

static double most_cells(const struct run *run, const struct tree_node *node)
{
	return fmin((double)run->n,
		    pow(kcagc_local_clusters(&run->job.kcagc), (double)node->children));
}

static double count_cells(struct cells *c, const struct tree_node *node)
{
	uint32_t *cell;
	size_t m;

	if (node->level > 1)
		return ceil(c->full * most_cells(c->run, node));
	ALLOC(cell, c->run->n);
	m = cells_intersect(c->label + node->child, node->children, c->run->n, cell);
	if (c->run->job.kcagc.min_cell > 1)
		m = cells_merge(cell, c->run->n, m, c->label[node->child],
				c->run->job.kcagc.min_cell);
	free(cell);
	return (double)m;
}

/* Rounds of a level are its slowest group's; words are all members'. */
static void tree_cost(const struct run *run, const uint32_t *const *label, const struct tree *t,
		      enum kcagc_exchange exchange, struct record_plan *plan)
{
	struct cells cells = { run, label, 0 };
	double groups = 0;

	for (size_t level = 1; level <= t->levels; level++) {
		unsigned rounds = 0;

		for (size_t i = t->parties; i < t->count; i++) {
			const struct tree_node *node = &t->node[i];
			bool root = i + 1 == t->count;
			struct kmeans_cost cost;
			double m;

			if (node->level != level)
				continue;
			m = count_cells(&cells, node);
			if (level == 1) {
				cells.full += m / most_cells(run, node);
				groups++;
			}
			cost = exchange == EXCHANGE_GRAM ? gram_cost(&run->job, m, root)
							 : distances_cost(&run->job, m, root);
			rounds = cost.rounds > rounds ? cost.rounds : rounds;
			plan->words += cost.words * (double)(node->last - node->first);
			plan->guessed |= level > 1;
		}
		if (level == 1)
			cells.full /= groups;
		plan->rounds += rounds;
		plan->round_trips += rounds + 1;
	}
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
		struct kmeans_cost cost = distances_cost(job, (double)run->n, true);

		plan->rounds = cost.rounds;
		plan->round_trips = cost.rounds + 1;
		plan->words = cost.words * (double)run->L;
	} else {
		tree_cost(run, label, &tree, exchange, plan);
		plan->rounds += job->kcagc.polish;
		plan->round_trips += job->kcagc.polish;
		plan->words += (double)job->kcagc.polish * ((double)run->n * job->clusters + 1) *
			       (double)run->L;
	}
	plan->bytes = plan->words * job->modulus_bits / 8;
	plan->seconds = plan->round_trips * link->rtt_s + plan->bytes / link->bytes_per_s;
}

/* Seconds per byte from party l: the least of its probes, but for the first, which may have waited
 * for the party. */
static enum err measure_party(struct run *run, size_t l, double *pace)
{
	*pace = INFINITY;
	for (int i = 0; i < KCAGC_PROBES; i++) {
		struct msg m;

		TRY(channel_recv(run->channel[l], MSG_PROBE, &m));
		if (m.probe.zeros.n != KCAGC_PROBE_LEN)
			return peer_fault(run->channel[l], "sent PROBE with %zu bytes, expected %d",
					  m.probe.zeros.n, KCAGC_PROBE_LEN);
		if (i)
			*pace = fmin(*pace, channel_transfer_s(run->channel[l]) / KCAGC_PROBE_LEN);
	}
	return ERR_OK;
}

enum err plan_measure(struct run *run, struct record_link *link)
{
	double slowest = 1e-11;

	*link = (struct record_link){ 0 };
	for (size_t l = 0; l < run->L; l++) {
		struct channel_link tcp;
		double pace;

		TRY(measure_party(run, l, &pace));
		slowest = fmax(slowest, pace);
		channel_link(run->channel[l], &tcp);
		link->rtt_s = fmax(link->rtt_s, tcp.rtt_s);
	}
	link->bytes_per_s = (double)run->L / slowest;
	return ERR_OK;
}

/* Why this way may not be taken; NULL: it may. */
static const char *forbidden(const struct job *job, enum kcagc_method method,
			     enum kcagc_exchange exchange)
{
	if (exchange == EXCHANGE_GRAM && job->kcagc.exchange != EXCHANGE_GRAM)
		return "the job's exchange is \"distances\"";
	if (method == METHOD_BASIC && job->kcagc.min_cell > 1)
		return "min_cell is above 1";
	return NULL;
}

static void print(const struct record_plan *plan, size_t count, const struct record_link *link)
{
	for (size_t i = 0; i < count; i++) {
		const struct record_plan *p = &plan[i];

		log_info("plan: %-5s %-9s %4u rounds, %12.0f words, %9.2f MB, %8.3f s%s%s%s%s",
			 p->method, p->exchange, p->rounds, p->words, p->bytes / 1e6, p->seconds,
			 p->guessed ? "  (cells guessed)" : "", p->taken ? "  <- taken" : "",
			 p->why_not ? "  not: " : "", p->why_not ? p->why_not : "");
	}
	log_info("plan: at %.3f ms and %.2f MB/s", 1e3 * link->rtt_s, link->bytes_per_s / 1e6);
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
	struct record_plan *plan = run->record->plan;
	size_t best = RECORD_PLANS;

	run->record->link = *link;
	for (size_t i = 0; i < RECORD_PLANS; i++) {
		plan_cost(run, label, ways[i].method, ways[i].exchange, link, &plan[i]);
		plan[i].why_not = forbidden(&run->job, ways[i].method, ways[i].exchange);
		if (!plan[i].why_not &&
		    (best == RECORD_PLANS || plan[i].seconds < plan[best].seconds))
			best = i;
	}
	assert(best < RECORD_PLANS);
	plan[best].taken = true;
	run->record->plans = RECORD_PLANS;
	print(plan, RECORD_PLANS, link);
	run->job.kcagc.method = ways[best].method;
	run->job.kcagc.exchange = ways[best].exchange;
}
