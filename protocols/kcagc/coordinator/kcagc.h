/* kcagc.h -- the coordinator's half of kcagc, kcagc.predict and kmeans.columns. The other half is protocols/kcagc/party. */
#ifndef PROTOCOLS_KCAGC_COORDINATOR_KCAGC_H
#define PROTOCOLS_KCAGC_COORDINATOR_KCAGC_H

#include "protocols/kcagc/sums.h"
#include "common/kind/tree.h"
#include "server/run/kind.h"

extern const struct server_kind server_kind_kcagc, server_kind_kcagc_predict,
    server_kind_kmeans_columns, server_kind_kmeans_columns_predict;

/* arXiv 2411.12329, Protocols 2 and 3: from the parties' local clusters to the final label of each of
 * the n nodes. The coordinator is an aggregator without data. Rounds: per tree level 1 + at most Q,
 * then at most P; basic has one level over all nodes. */
enum err server_kcagc(struct run *run, uint32_t *label) MUST_CHECK;
/* Landmark projection: kCAGC's local clusters as landmarks, five secure sums. */
enum err server_landmark(struct run *run, uint32_t *label) MUST_CHECK;

/* basis->order into run.json; of one that sums chose, what GCC's rule alone would take
 * ("order_rule") and psi_share()'s curve ("order_shares", orders 1 .. 15) too; where two were compared, both and how well
 * their clusters fit the graph ("orders_tried", "orders_modularity"). */
void server_record_order(struct run *run, const struct sums_basis *basis);
/* Of degrees "auto": what was decided ("degrees"), and the part of the features that they explain ("degrees_explain"). */
void server_record_degrees(struct run *run, const struct sums_basis *basis);
/* "clusters_of" into run.json: what the guard of landmark and gcc took. */
void server_record_rows(struct run *run, bool scaled, double modularity);

/* Agreed on before anyone clusters, if the job asks for it: sums over all parties, whatever the
 * tree. The other half is protocols/kcagc/party/local.c. */

/* filter.order "auto": AGC's rule on the summed intra-cluster distances, ORDER_BLOCK orders a
 * round; and psi_fit() on the mean modularity of parties' own clusters, but with preset "paper". Sets run->job.filter_order.
 * run.json has the order by AGC's rule alone ("order_rule") and both curves ("order_distances", to the rise; "order_modularities").
 * Errors of order_decide(). */
enum err server_prepare_order(struct run *run, const struct tree_node *root,
			      uint64_t *round) MUST_CHECK;

/* joint_norm: a bound, then one sum of n squared norms; the parties are told the norms. */
enum err server_prepare_norms(struct run *run, const struct tree_node *root,
			      uint64_t *round) MUST_CHECK;

#endif
