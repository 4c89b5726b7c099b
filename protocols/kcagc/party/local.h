/* local.h -- Protocol 1, filter, project, k-means: the expensive part of kCAGC that a party does alone,
 * and finds again in its cache when the job's attempt was cut short (party/work/cache.h). And what is
 * agreed on for it; see protocols/kcagc/coordinator/prepare.h.
 */
#ifndef PROTOCOLS_KCAGC_PARTY_LOCAL_H
#define PROTOCOLS_KCAGC_PARTY_LOCAL_H

#include "common/cluster/kmeans.h"
#include "common/kind/tree.h"
#include "protocols/kcagc/party/points.h"
#include "party/work/work.h"

/* embed_keep() of work's features, which are used up. hash: of all that it was made from. What lies on ranks is not
 * kept for another attempt. */
enum err local_embed(struct work *work, const struct embed_params *p, struct points *Z,
		     struct embedding *how, uint8_t hash[static SECAGG_HASH_LEN]) MUST_CHECK;

/* kmeans() of Z: label has Z->rows entries, centre is initialised here. hash: of what Z was made
 * from, as local_embed() says; NULL: of something else, too. */
enum err local_clusters(struct work *work, const struct points *Z, const struct kmeans_params *p,
			const uint8_t *hash, uint32_t *label, struct mat *centre) MUST_CHECK;

/* filter.order "auto". Sets work->job.kcagc.filter_order, from 1 to ORDER_CAP. The features stay. */
enum err party_prepare_order(struct work *work, const struct tree_node *root) MUST_CHECK;

/* joint_norm: norm (n) becomes the length of each row over all parties, and *mean their mean. own
 * (n): those of this party's part, not scaled yet. ERR_PEER if a joint norm is shorter than the
 * party's own. */
enum err party_prepare_norms(struct work *work, const struct tree_node *root, const double *own,
			     double *norm, double *mean) MUST_CHECK;

#endif
