/* kcagc.h -- The coordinator's side of kcagc, kcagc.predict and kmeans.columns. The party's side is
 * protocols/kcagc/party. */
#ifndef PROTOCOLS_KCAGC_COORDINATOR_KCAGC_H
#define PROTOCOLS_KCAGC_COORDINATOR_KCAGC_H

#include "protocols/kcagc/sums.h"
#include "common/kind/tree.h"
#include "server/run/kind.h"

extern const struct server_kind server_kind_kcagc, server_kind_kcagc_predict,
    server_kind_kmeans_columns, server_kind_kmeans_columns_predict;

/* Runs Protocols 2 and 3 of arXiv 2411.12329, from the parties' local clusters to the final label
 * of each of n nodes. The coordinator has no data. Takes at most 1 + Q rounds per tree level, or
 * one with exchange "gram"; then at most P rounds for polish. basic has one level over all
 * nodes. */
enum err server_kcagc(struct run *run, uint32_t *label) MUST_CHECK;
/* Runs landmark projection. kCAGC's local clusters serve as landmarks. landmark_run() lists the
 * secure sums. */
enum err server_landmark(struct run *run, uint32_t *label) MUST_CHECK;

/* Records basis->order in run.json. If sums determined the order, also records the order by
 * psi_gcc() alone ("order_rule") and the shares that psi_share() limits ("order_shares", orders 1
 * .. 15). If two orders were compared, also records both orders and the modularity of their
 * clusters ("orders_tried", "orders_modularity"). */
void server_record_order(struct run *run, const struct sums_basis *basis);
/* With degrees "auto": records the decision ("degrees"), and the share of the features' variance
 * that degrees explain ("degrees_explain"). */
void server_record_degrees(struct run *run, const struct sums_basis *basis);
/* Records in run.json which clusters the guard (guard.h) of landmark and gcc took ("clusters_of"),
 * and their modularity. */
void server_record_rows(struct run *run, bool scaled, double modularity);

/* For joint_norm, before the parties cluster: agrees on a bound, receives one sum of n squared
 * norms over all parties, for any tree, and broadcasts the norms. The party's side is
 * party_prepare_norms(). */
enum err server_prepare_norms(struct run *run, const struct tree_node *root,
			      uint64_t *round) MUST_CHECK;

#endif
