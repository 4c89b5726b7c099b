/* local.h -- Protocol 1: filter, projection and k-means, the expensive part of kCAGC that a party
 * does alone. If an attempt is interrupted, the cache keeps the result for the next attempt
 * (party/work/cache.h). Also computes the values on which the parties agree first
 * (protocols/kcagc/coordinator/kcagc.h). */
#ifndef PROTOCOLS_KCAGC_PARTY_LOCAL_H
#define PROTOCOLS_KCAGC_PARTY_LOCAL_H

#include "common/cluster/kmeans.h"
#include "common/kind/tree.h"
#include "protocols/kcagc/party/points.h"
#include "party/work/work.h"

/* Runs embed_keep() on work's features, and uses them up. hash: receives the hash of all inputs, or
 * 0 if there is no cache. An embedding on ranks is not cached. */
enum err local_embed(struct work *work, const struct embed_params *p, struct points *Z,
		     struct embedding *how, uint8_t hash[static SECAGG_HASH_LEN]) MUST_CHECK;

/* Runs kmeans() on Z. label has an entry for each row of Z; centre is initialised here. hash: the
 * hash of Z's inputs, from local_embed(); NULL if Z has further inputs. */
enum err local_clusters(struct work *work, const struct points *Z, const struct kmeans_params *p,
			const uint8_t *hash, uint32_t *label, struct mat *centre) MUST_CHECK;

/* For filter.order "auto": sets the job's filter_order, from 1 to ORDER_CAP. Keeps the features. */
enum err party_prepare_order(struct work *work, const struct tree_node *root) MUST_CHECK;

/* For joint_norm: sets norm (n) to the length of each row over all parties, and *mean to the mean
 * of these lengths. own (n): the unscaled lengths of this party's parts of the rows. ERR_PEER: a
 * joint norm is shorter than the party's own. */
enum err party_prepare_norms(struct work *work, const struct tree_node *root, const double *own,
			     double *norm, double *mean) MUST_CHECK;

#endif
