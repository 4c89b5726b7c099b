/* local.h -- Protocol 1, filter, project, k-means: the expensive part of kCAGC that a party does
 * alone. The cache keeps it for the next attempt at a job that was cut short (party/work/cache.h).
 * Also the values on which the parties agree first; see protocols/kcagc/coordinator/kcagc.h. */
#ifndef PROTOCOLS_KCAGC_PARTY_LOCAL_H
#define PROTOCOLS_KCAGC_PARTY_LOCAL_H

#include "common/cluster/kmeans.h"
#include "common/kind/tree.h"
#include "protocols/kcagc/party/points.h"
#include "party/work/work.h"

/* embed_keep() of work's features, which are used up. hash: of all inputs. An embedding on ranks is
 * not cached. */
enum err local_embed(struct work *work, const struct embed_params *p, struct points *Z,
		     struct embedding *how, uint8_t hash[static SECAGG_HASH_LEN]) MUST_CHECK;

/* kmeans() of Z: label has Z->rows entries; initialises centre. hash: of the inputs of Z, as of
 * local_embed(); NULL: Z has further inputs. */
enum err local_clusters(struct work *work, const struct points *Z, const struct kmeans_params *p,
			const uint8_t *hash, uint32_t *label, struct mat *centre) MUST_CHECK;

/* filter.order "auto". Sets the job's filter_order, from 1 to ORDER_CAP. Keeps the features. */
enum err party_prepare_order(struct work *work, const struct tree_node *root) MUST_CHECK;

/* joint_norm: norm (n) becomes the length of each row over all parties, and *mean their mean. own
 * (n): lengths of this party's part, unscaled. ERR_PEER if a joint norm is shorter than the party's
 * own. */
enum err party_prepare_norms(struct work *work, const struct tree_node *root, const double *own,
			     double *norm, double *mean) MUST_CHECK;

#endif
